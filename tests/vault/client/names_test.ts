// Names by the thousand (vault spec, 14 and 15): a bounded number of derivations at a time, none twice, and no
// call that hangs because a worker was lost.

import assert from "node:assert/strict";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";
import type { FileRow } from "../../../vault/server/rows/row_types.ts";
import { fileRow } from "../server/rows_support.ts";
import { lying } from "./wire.ts";
import { codeOf, QuickKdf, World } from "./world.ts";

/** Puts files into a vault whose contents nobody will look at. */
async function addFiles(world: World, folder: string, names: string[]): Promise<void> {
  const rows: FileRow[] = [];
  for (const name of names) {
    const id = uuidV7();
    rows.push(fileRow(id, { folderId: folder, name: await world.sealed(name, id, folder) }));
  }
  world.rows.transaction(() => rows.forEach((row) => world.rows.insertFile(row)));
}

Deno.test("10,000 names cold take few derivations at a time, and none the second time", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const names = Array.from({ length: 10_000 }, (_, i) => `file ${i}`);
  await addFiles(world, folder, names);
  const client = world.client(await world.connect());
  const view = await client.view();
  assert.deepEqual([...view.files.values()].map(({ name }) => name).sort(), names.sort());
  assert.deepEqual([world.kdf.count, world.kdf.peak], [10_000, 2]);
  await client.view();
  assert.equal(world.kdf.count, 10_000);
});

Deno.test("names that do not open are tried once, and again only when the envelope is another", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const id = uuidV7();
  const alien = await world.sealed("alien", uuidV7(), folder);
  await world.addFile(folder, "", "x", { row: { id, name: alien } });
  await world.addFile(folder, "fine", "x");
  const client = world.client(await world.connect());
  const view = await client.view();
  assert.deepEqual(view.children(folder).map(({ name }) => name), ["fine", null]);
  assert.equal(world.kdf.count, 2);
  await client.view();
  assert.equal(world.kdf.count, 2);
  const dear = JSON.stringify({ ...JSON.parse(alien), kdf: "moderate" });
  world.rows.changeFile(id, { name: dear });
  await client.view();
  assert.equal(world.kdf.count, 3, "one dearer derivation, since the other one is known");
  world.rows.changeFile(id, { name: await world.sealed("found", id, folder) });
  const now = await client.view();
  assert.equal(now.files.get(id)!.name, "found");
});

Deno.test("the same envelope under another folder's key is another name", async () => {
  using world = new World();
  const [a, b] = [await world.addFolder(null, "A"), await world.addFolder(null, "B")];
  const id = await world.addFile(a, "x", "x");
  let lies = false;
  const wire = lying(world, (answer, { path }) => {
    if (path === "/files" && lies) answer.files[0].folderId = b;
  });
  const client = world.client(await world.connect(), { fetch: wire.fetch });
  assert.equal((await client.view()).files.get(id)!.name, "x");
  lies = true;
  assert.equal((await client.view()).files.get(id)!.name, null);
});

Deno.test("calls side by side derive a name once", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  await addFiles(world, folder, ["a", "b", "c", "d"]);
  const client = world.client(await world.connect());
  await Promise.all([client.view(), client.view(), client.view()]);
  assert.equal(world.kdf.count, 4);
});

/** Fails as a lost room does, for so many derivations. */
class Crashing implements DerivationBackend {
  readonly concurrency = 2;
  readonly #quick = new QuickKdf();
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  async derive(request: Parameters<QuickKdf["derive"]>[0]): Promise<Uint8Array> {
    if (this.left-- > 0) throw new Error("the room was lost");
    return await this.#quick.derive(request);
  }
}

Deno.test("a lost worker leaves names untried, the call ends, and the next one has them", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  await addFiles(world, folder, ["a", "b", "c", "d", "e"]);
  const kdf = new Crashing(3);
  const client = world.client(await world.connect(), { kdf });
  const view = await client.view();
  const known = view.children(folder).filter(({ name }) => name !== null);
  assert.deepEqual([known.length, view.untried], [2, 3]);
  assert.deepEqual(world.log, ["3 names could not be opened: deriving failed (Error)"]);
  const now = await client.view();
  assert.deepEqual([now.untried, now.children(folder).length], [0, 5]);
  assert.ok(now.children(folder).every(({ name }) => name !== null));
});

Deno.test("a change that cannot be sealed is refused and not sent", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const id = await world.addFile(folder, "x", "x");
  const kdf = new Crashing(0);
  const client = world.client(await world.connect(), { kdf });
  const view = await client.view();
  kdf.left = 100;
  await assert.rejects(client.rename(view, view.files.get(id)!, "y"), /the room was lost/);
  const source = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  let cancelled = false;
  const upload = client.upload(view, view.folders.get(folder)!, { name: "y", size: 1, source });
  await assert.rejects(upload, /the room was lost/);
  assert.ok(cancelled, "the source is let go");
  assert.equal(await world.nameOf(id), "x");
});

Deno.test("a view that is cancelled while names are opened ends at once", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  await addFiles(world, folder, ["a", "b", "c"]);
  const never: DerivationBackend = { concurrency: 2, derive: () => new Promise(() => {}) };
  const client = world.client(await world.connect(), { kdf: never });
  const stop = new AbortController();
  const call = codeOf(client.view({
    signal: stop.signal,
    progress: () => setTimeout(() => stop.abort()),
  }));
  assert.equal(await call, "cancelled");
});
