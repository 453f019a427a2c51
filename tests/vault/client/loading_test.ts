// What a connection sees of a vault (vault spec, 4): all that it was granted, and nothing else.

import assert from "node:assert/strict";
import type { VaultView } from "../../../vault/client/mod.ts";
import type { FolderRow } from "../../../vault/server/rows/row_types.ts";
import { lying, Wire } from "./wire.ts";
import { bytesOf, codeOf, textOf, World } from "./world.ts";

/** All paths of a view, sorted; folders with a slash behind them. */
function paths(view: VaultView): string[] {
  return [
    ...[...view.folders.values()].map((folder) => `${view.path(folder)}/`),
    ...[...view.files.values()].map((file) => view.path(file)),
  ].sort();
}

Deno.test("names, paths and sizes of a picked folder are right, and nothing outside is seen", async () => {
  using world = new World();
  const work = await world.addFolder(null, "Work");
  const notes = await world.addFolder(work, "Notes");
  const file = await world.addFile(notes, "todo.txt", "buy milk", { contentType: "text/plain" });
  const secret = await world.addFolder(null, "Private");
  const diary = await world.addFile(secret, "diary.txt", "dear diary");
  const wire = new Wire(world);
  const client = world.client(await world.connect({ roots: [work] }), { fetch: wire.fetch });
  const view = await client.view();
  assert.deepEqual(paths(view), [
    "/ShieldFive Bin (this connection)/",
    "/Work/",
    "/Work/Notes/",
    "/Work/Notes/todo.txt",
  ]);
  const seen = view.files.get(file)!;
  assert.deepEqual(
    [seen.size, seen.readable, seen.contentType, seen.inTrash],
    [bytesOf("buy milk").length, true, "text/plain", false],
  );
  assert.deepEqual([view.folders.get(work)!.parentId, view.unreadable, view.skipped], [null, 0, 0]);
  assert.deepEqual(view.children(null).map(({ name }) => name), [
    "ShieldFive Bin (this connection)",
    "Work",
  ]);
  assert.deepEqual(view.children(notes).map(({ id }) => id), [file]);
  const asked = wire.asked.length;
  const foreign = client.content(view, { ...seen, id: diary }, { maxBytes: 100 });
  assert.equal(await codeOf(foreign), "not_found");
  assert.equal(wire.asked.length, asked, "nothing is asked for what is out of reach");
});

Deno.test("files of all three formats open through the connection's keys alone, in a folder and at the top", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "Mixed");
  for (const format of [1, 2, 3] as const) {
    await world.addFile(folder, `in ${format}`, `folder ${format}`.repeat(40), { format });
    await world.addFile(null, `top ${format}`, `top ${format}`, { format });
  }
  const client = world.client(await world.connect());
  const view = await client.view();
  const texts: Record<string, string> = {};
  for (const file of view.files.values()) {
    const content = await client.content(view, file, { maxBytes: 10_000 });
    texts[view.path(file)] = await textOf(content);
  }
  assert.deepEqual(texts, {
    "/Mixed/in 1": "folder 1".repeat(40),
    "/Mixed/in 2": "folder 2".repeat(40),
    "/Mixed/in 3": "folder 3".repeat(40),
    "/top 1": "top 1",
    "/top 2": "top 2",
    "/top 3": "top 3",
  });
});

Deno.test("an answer about another connection ends it, and nothing else is asked", async () => {
  using world = new World();
  const other = await world.connect();
  const wire = lying(world, (answer, { path }) => {
    if (path === "/grant") answer.grant.id = other.credential.grantId;
  });
  const client = world.client(await world.connect(), { fetch: wire.fetch });
  assert.equal(await codeOf(client.view()), "grant_mismatch");
  assert.equal(await codeOf(client.grant()), "grant_mismatch");
  assert.deepEqual(wire.lines, ["GET /grant", "GET /grant"]);
});

Deno.test("a damaged wrap leaves its own branch unreadable and the others as they are", async () => {
  using world = new World();
  const [a, b] = [await world.addFolder(null, "A"), await world.addFolder(null, "B")];
  await world.addFile(await world.addFolder(a, "inner"), "lost.txt", "lost");
  await world.addFile(b, "found.txt", "found");
  const wire = lying(world, (answer, { path }) => {
    for (const key of path === "/grant" ? answer.keys : []) {
      if (key.kind === "folder" && key.objectId === a) key.wrapped = "A".repeat(64);
    }
  });
  const view = await world.client(await world.connect(), { fetch: wire.fetch }).view();
  assert.deepEqual(paths(view).filter((path) => !path.includes("Bin")), [
    "/A/",
    "/A/[name unavailable]/",
    "/A/[name unavailable]/[name unavailable]",
    "/B/",
    "/B/found.txt",
  ]);
  assert.equal(view.unreadable, 1);
});

Deno.test("a picked folder opens by its own wrap alone, also inside another picked folder", async () => {
  using world = new World();
  const outer = await world.addFolder(null, "Outer");
  const inner = await world.addFolder(outer, "Inner");
  const file = await world.addFile(inner, "x", "x");
  let isDamaged = false;
  const wire = lying(world, (answer, { path }) => {
    for (const key of path === "/grant" && isDamaged ? answer.keys : []) {
      if (key.kind === "folder" && key.objectId === inner) key.iv = "A".repeat(16);
    }
  });
  const client = world.client(await world.connect({ roots: [outer, inner] }), {
    fetch: wire.fetch,
  });
  const view = await client.view();
  assert.equal(view.path(view.files.get(file)!), "/Inner/x");
  assert.deepEqual(view.children(outer), []);
  isDamaged = true;
  const now = await client.view();
  assert.deepEqual([now.folders.get(outer)!.open, now.folders.get(inner)!.open], [true, false]);
});

Deno.test("wraps of another connection, of another kind and of another folder open nothing", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const sibling = await world.addFolder(null, "B");
  await world.addFile(folder, "x.txt", "x");
  const mine = await world.connect({ roots: [folder] });
  const other = await world.connect({ roots: [folder] });
  const foreign = world.rows.grantKeys(other.credential.grantId);
  for (
    const swap of [
      () => foreign.map(({ kind, objectId, wrapped, iv }) => ({ kind, objectId, wrapped, iv })),
      (keys: { kind: string }[]) => keys.map((key) => ({ ...key, kind: "name" })),
      (keys: object[]) => keys.map((key) => ({ ...key, objectId: sibling })),
    ]
  ) {
    const wire = lying(world, (answer, { path }) => {
      if (path === "/grant") answer.keys = swap(answer.keys);
    });
    const view = await world.client(mine, { fetch: wire.fetch }).view();
    const [file] = view.files.values();
    assert.deepEqual([file.readable, file.name], [false, null]);
    assert.equal(view.folders.get(folder)!.open, false);
  }
});

Deno.test("2,500 folders over three pages in any order get all their keys", async () => {
  using world = new World();
  const top = await world.addFolder(null, "top");
  const ids = [top];
  const rows: FolderRow[] = [];
  // Most parents come after their children.
  for (let i = 1; i < 2500; i++) {
    const createdAt = i % 7 === 0 ? i : 10_000 - i;
    const row = await world.newFolder(ids[i >> 1], `f${i}`, { createdAt });
    ids.push(row.id);
    rows.push(row);
  }
  world.insertFolders(rows);
  const wire = new Wire(world);
  const client = world.client(await world.connect({ roots: [top], scopes: ["read"] }), {
    fetch: wire.fetch,
  });
  const view = await client.view({ names: "none" });
  assert.equal(view.folders.size, 2500);
  assert.ok([...view.folders.values()].every(({ open }) => open));
  assert.equal(wire.lines.filter((line) => line === "GET /folders").length, 3);
});

Deno.test("a chain of 300 folders and a ring of parents are followed to an end", async () => {
  using world = new World();
  const top = await world.addFolder(null, "top");
  const chain = [top];
  const links: FolderRow[] = [];
  for (let i = 1; i < 300; i++) {
    const row = await world.newFolder(chain[i - 1], `d${i}`);
    chain.push(row.id);
    links.push(row);
  }
  world.insertFolders(links);
  const ring = await world.addFolder(top, "ring");
  const inner = await world.addFolder(ring, "inner");
  // The server itself gives out no more than 256 levels; one without that rule is played here.
  const rows = world.rows.folders({ limit: 1000, after: null });
  const wire = lying(world, (answer, { path }) => {
    if (path !== "/folders") return;
    const [like] = answer.folders;
    answer.folders = rows.filter(({ kind }) => kind === "normal").map((row) => ({
      ...like,
      ...row,
      parentId: row.id === ring ? inner : row.parentId,
      isScopeRoot: row.id === top,
      updatedAt: new Date(row.updatedAt).toISOString(),
    }));
  });
  const connected = await world.connect({ roots: [top], scopes: ["read"] });
  const view = await world.client(connected, { fetch: wire.fetch }).view();
  assert.equal(view.folders.size, 302);
  assert.ok(chain.every((id) => view.folders.get(id)!.open), "all of the chain is open");
  const deepest = view.path(view.folders.get(chain[299])!);
  assert.equal(deepest.split("/").length - 1, 256);
  assert.ok(deepest.endsWith("/d298/d299"));
  for (const id of [ring, inner]) {
    assert.equal(view.folders.get(id)!.open, false);
    assert.equal(view.path(view.folders.get(id)!), "/[name unavailable]/[name unavailable]");
    assert.equal(view.ancestors(view.folders.get(id)!).length, 1);
  }
});

Deno.test("a listing without an end is stopped after a thousand pages", async () => {
  using world = new World();
  let pages = 0;
  const wire = new Wire(world, async ({ path }, forward) => {
    if (path !== "/folders") return await forward();
    return Response.json({ folders: [], next: `more${++pages}` });
  });
  const client = world.client(await world.connect(), { fetch: wire.fetch });
  assert.equal(await codeOf(client.view()), "too_large");
  assert.equal(pages, 1000);
});

Deno.test("the place of a next page goes into the address as it is, and only if it can", async () => {
  using world = new World();
  const connected = await world.connect();
  const odd = "2026-01-31T12:00:00.000Z_a~b!$()*,;=:@/?";
  const wire = new Wire(world, async ({ path, query }, forward) => {
    if (path !== "/files" || query === "limit=1000") return await forward();
    return Response.json({ files: [], next: null });
  });
  let next: unknown = odd;
  const through = lying(world, (answer, { path, query }) => {
    if (path === "/files" && query === "limit=1000") answer.next = next;
  });
  const both = async (input: string | URL | Request, init?: RequestInit) => {
    const { searchParams } = new URL(String(input));
    return await (searchParams.has("after") ? wire : through).fetch(input, init);
  };
  await world.client(connected, { fetch: both }).view();
  assert.deepEqual(wire.asked.map(({ query }) => query), [`limit=1000&after=${odd}`]);
  for (next of ["a&limit=1", "a#b", "a b", "", "ü", "\r\nx: y", 7, {}, "x".repeat(3000)]) {
    const client = world.client(connected, { fetch: through.fetch });
    assert.equal(await codeOf(client.view()), "bad_answer", JSON.stringify(next));
  }
});

Deno.test("revocation and expiry are felt by the very next call", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const file = await world.addFile(folder, "x.txt", "x");
  const [one, two] = [await world.connect(), await world.connect()];
  const clients = [world.client(one), world.client(two)];
  const views = await Promise.all(clients.map((client) => client.view()));
  world.rows.updateGrant(one.credential.grantId, { revokedAt: Date.now() });
  world.rows.updateGrant(two.credential.grantId, { expiresAt: Date.now() - 1 });
  for (const [index, client] of clients.entries()) {
    const view = views[index];
    const seen = view.files.get(file)!;
    assert.equal(await codeOf(client.view()), "grant_invalid");
    assert.equal(await codeOf(client.grant()), "grant_invalid");
    assert.equal(await codeOf(client.content(view, seen, { maxBytes: 9 })), "grant_invalid");
    assert.equal(await codeOf(client.rename(view, seen, "y.txt")), "grant_invalid");
  }
  assert.equal(await world.nameOf(file), "x.txt");
});

Deno.test("an unbound name is shown on an old row and hidden on a new one", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const oldId = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
  const unbound = (name: string) => world.sealedUnbound(name, folder);
  await world.addFile(folder, "", "a", { row: { id: oldId, name: await unbound("old.txt") } });
  await world.addFile(folder, "", "b", { row: { name: await unbound("new.txt") } });
  const view = await world.client(await world.connect({ roots: [folder] })).view();
  assert.deepEqual([...view.files.values()].map((file) => view.path(file)).sort(), [
    "/A/[name unavailable]",
    "/A/old.txt",
  ]);
});

Deno.test("a name is shown without what does not show, and kept exactly", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const bidi = "invoice\u202efdp.exe";
  const controls = "a\u0000b\u001fc\u007fd\u009fe\u2028f\u2029g\u2066h\u2069i";
  const long = "x".repeat(300);
  const emoji = "😀".repeat(130);
  for (const name of [bidi, controls, long, emoji]) await world.addFile(folder, name, "x");
  const view = await world.client(await world.connect()).view();
  const byRaw = new Map([...view.files.values()].map(({ rawName, name }) => [rawName, name]));
  assert.equal(byRaw.get(bidi), "invoice\ufffdfdp.exe");
  assert.equal(byRaw.get(controls), "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh\ufffdi");
  assert.equal(byRaw.get(long), `${"x".repeat(255)}…`);
  assert.equal(byRaw.get(emoji), `${"😀".repeat(127)}…`, "no half of a character");
});

Deno.test("a file is readable when the key that its format needs is there", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  await world.addFile(folder, "ready", "x");
  await world.addFile(folder, "waiting", "x", { pending: true });
  await world.addFile(folder, "old", "x", { format: 2 });
  await world.addFile(null, "top waiting", "x", { pending: true });
  await world.addFile(null, "top", "x");
  const client = world.client(await world.connect());
  const view = await client.view();
  const readable = [...view.files.values()].map(({ name, readable }) => [name, readable]);
  assert.deepEqual(Object.fromEntries(readable), {
    ready: true,
    waiting: false,
    old: true,
    "top waiting": false,
    top: true,
  });
  assert.equal(view.unreadable, 2);
  for (const name of ["/A/waiting", "/top waiting"]) {
    const [file] = view.resolve(name);
    assert.ok(file.kind === "file");
    assert.equal(await codeOf(client.content(view, file, { maxBytes: 9 })), "pending_owner_unlock");
  }
});

Deno.test("a path or an id names an item, and what has two meanings gives both", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const nfc = await world.addFile(folder, "é.txt".normalize("NFC"), "1");
  const nfd = await world.addFile(folder, "é.txt".normalize("NFD"), "2");
  const inner = await world.addFolder(folder, "same");
  const file = await world.addFile(folder, "same", "x");
  const view = await world.client(await world.connect()).view();
  const ids = (text: string) => view.resolve(text).map(({ id }) => id).sort();
  assert.deepEqual(ids("/A"), [folder]);
  assert.deepEqual(ids("A/"), [folder]);
  assert.deepEqual(ids("A/same"), [inner, file].sort());
  assert.deepEqual(ids("/A/same/"), [inner]);
  assert.deepEqual(ids(folder.toUpperCase()), [folder]);
  assert.deepEqual(ids("/a"), []);
  assert.deepEqual(ids("/A/é.txt".normalize("NFC")), [nfc], "the exact spelling wins");
  assert.deepEqual(ids("/A/é.txt".normalize("NFD")), [nfd]);
  assert.deepEqual(ids(crypto.randomUUID()), []);
});

Deno.test("another spelling of the same letters finds a name where none is exact", async () => {
  using world = new World();
  const file = await world.addFile(null, "é.txt".normalize("NFC"), "1");
  const view = await world.client(await world.connect()).view();
  assert.deepEqual(view.resolve("/é.txt".normalize("NFD")).map(({ id }) => id), [file]);
});

Deno.test("progress tells of names, and names are not opened twice", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  for (let i = 0; i < 10; i++) await world.addFile(folder, `f${i}`, "x");
  const client = world.client(await world.connect());
  const told: string[] = [];
  const progress = ({ done, total, label }: { done: number; total?: number; label: string }) =>
    told.push(`${label} ${done}/${total}`);
  const bare = await client.view({ names: "none", progress });
  assert.deepEqual([bare.untried, world.kdf.count, told.length], [10, 0, 0]);
  const view = await client.view({ progress });
  assert.equal(view.untried, 0);
  assert.deepEqual([told[0], told.at(-1)], ["opening names 0/10", "opening names 10/10"]);
  assert.equal(world.kdf.count, 10);
  const again = await client.view({ names: "none" });
  assert.deepEqual(
    again.children(folder).map(({ name }) => name).sort(),
    [
      ...Array(10).keys(),
    ].map((i) => `f${i}`),
  );
  await client.view();
  assert.equal(world.kdf.count, 10);
});
