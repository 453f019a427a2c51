// A server that says whatever it likes (vault spec, 15): every answer, or any part of one, may be of any kind.
// The client ends with a refusal of its own or with a view that holds together; it never crashes, and never
// seals or believes what it should not.

import assert from "node:assert/strict";
import fc from "fast-check";
import { ToolError } from "../../../containment/error.ts";
import type { VaultClient, VaultView } from "../../../vault/client/mod.ts";
import { type Answerer, type Loose, lying, Wire } from "./wire.ts";
import { bytesOf, drained, World } from "./world.ts";

const RUNS = 150;

/** Everything that may fail may fail with a ToolError, and with nothing else. */
async function tolerated<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    assert.match(error.code, /^[a-z_]+(\d{3})?$/);
    assert.ok(error.message.length > 20 && error.message.length < 500, error.message);
    return undefined;
  }
}

/** What has to hold for any view. */
function holdsTogether(view: VaultView): void {
  const items = [...view.folders.values(), ...view.files.values()];
  for (const item of items) {
    const path = view.path(item);
    assert.ok(path.startsWith("/"));
    assert.ok(view.ancestors(item).length <= 256);
    assert.equal(view.item(item.id), item);
    assert.ok(view.children(item.parentId).includes(item));
    if (item.kind === "file") assert.equal(item.name === null, item.rawName === null);
    assert.doesNotMatch(item.name ?? "", /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  }
  assert.equal(view.unreadable, [...view.files.values()].filter((file) => !file.readable).length);
}

/** Uses everything that a client can do. */
async function useAll(client: VaultClient): Promise<void> {
  await tolerated(client.grant());
  const view = await tolerated(client.view());
  if (view === undefined) return;
  holdsTogether(view);
  const folder = [...view.folders.values()].find(({ trash }) => !trash);
  for (const file of [...view.files.values()].slice(0, 2)) {
    const content = await tolerated(client.content(view, file, { maxBytes: 1000 }));
    if (content !== undefined) await tolerated(drained(content));
    await tolerated(client.contentRange(view, file, 0, 10));
    await tolerated(client.rename(view, file, "new"));
    if (folder !== undefined) await tolerated(client.move(view, file, folder));
    await tolerated(client.trash(view, [file]));
  }
  if (folder === undefined) return;
  await tolerated(client.createFolder(view, folder, "new"));
  const source = new Blob(["x"]).stream();
  await tolerated(client.upload(view, folder, { name: "up", size: 1, source }));
}

async function smallVault(): Promise<
  { world: World; connected: Awaited<ReturnType<World["connect"]>> }
> {
  const world = new World();
  const a = await world.addFolder(null, "A");
  await world.addFolder(a, "inner");
  await world.addFile(a, "x.txt", "x");
  await world.addFile(a, "old.txt", "old", { format: 1 });
  await world.addFile(null, "top.txt", "top");
  return { world, connected: await world.connect() };
}

/** Any value, and those that this program could take for something. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    -1,
    1.5,
    2 ** 60,
    true,
    [],
    {},
    "00000000-0000-4000-8000-000000000000",
    "2026-01-01T00:00:00.000Z",
    "x".repeat(9000),
    '{"v":6,"ct":"","iv":"","tag":"","salt":""}',
    "../../x",
    "__proto__",
  ),
);

/** All places in a value, as lists of names. */
function placesIn(value: Loose, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.keys(value).flatMap((name) => placesIn(value[name], [...at, name]))];
}

/** The value with one place in it replaced, or left out. */
function replaced(value: Loose, [name, ...rest]: string[], by: unknown): Loose {
  if (name === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (rest.length === 0 && by === undefined) delete copy[name];
  else copy[name] = replaced(value[name], rest, by);
  return copy;
}

Deno.test("whatever an answer is, the client ends with a refusal of its own", async () => {
  const { world, connected } = await smallVault();
  using _ = world;
  const bodies = fc.oneof(
    anything.map((value) => JSON.stringify(value) ?? ""),
    fc.string({ maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }),
  );
  const statuses = fc.constantFrom(
    200,
    200,
    200,
    201,
    206,
    400,
    401,
    403,
    404,
    409,
    413,
    429,
    500,
    503,
  );
  const answers = fc.record({ body: bodies, status: statuses });
  const route = fc.constantFrom(
    "/grant",
    "/folders",
    "/files",
    "download",
    "/trash",
    "finalize",
    "PATCH",
  );
  await fc.assert(
    fc.asyncProperty(route, answers, async (route, { body, status }) => {
      const wire = new Wire(world, (asked, forward) => {
        const isMeant = asked.path.endsWith(route) || asked.method === route;
        const headers = { "retry-after": "0" };
        return isMeant ? new Response(body as BodyInit, { status, headers }) : forward();
      });
      await useAll(world.client(connected, { fetch: wire.fetch }));
    }),
    { seed: 1, numRuns: RUNS },
  );
});

Deno.test("whatever one part of an answer is, the client ends with a refusal or a whole view", async () => {
  const { world, connected } = await smallVault();
  using _ = world;
  const routes = fc.constantFrom("/grant", "/folders", "/files", "/trash", "finalize");
  await fc.assert(
    fc.asyncProperty(
      routes,
      fc.nat(),
      fc.option(anything, { nil: undefined }),
      async (route, place, value) => {
        const wire = lying(world, (answer, { path }) => {
          if (!path.endsWith(route)) return;
          const places = placesIn(answer);
          return replaced(answer, places[place % places.length], value) ?? null;
        });
        await useAll(world.client(connected, { fetch: wire.fetch }));
      },
    ),
    { seed: 2, numRuns: RUNS },
  );
});

Deno.test("rows that make no sense are left out and counted, and the others are there", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const file = await world.addFile(folder, "x", "x");
  const connected = await world.connect();
  const nonsense: Loose[] = [
    null,
    7,
    [],
    {},
    { id: "x" },
    ...[
      { id: crypto.randomUUID().toUpperCase() },
      { folderId: "x", parentId: 7 },
      { name: null },
      { name: "x".repeat(9000) },
      { updatedAt: "yesterday" },
      { inTrash: "no" },
      { size: -1, isScopeRoot: null },
      { size: 2 ** 53, isScopeRoot: 1 },
      { cipherVersion: "3", isScopeRoot: "true" },
      { createdAt: null, inTrash: 0 },
    ],
  ];
  const wire = lying(world, (answer, { path }) => {
    const rows = answer[path.slice(1)];
    if (!["/folders", "/files"].includes(path)) return;
    const [like] = rows;
    const others = nonsense.map((row) =>
      row && !Array.isArray(row) && Object.keys(row).length > 0 && row.id !== "x"
        ? { ...like, id: crypto.randomUUID(), ...row }
        : row
    );
    answer[path.slice(1)] = [...others, ...rows];
  });
  const view = await world.client(connected, { fetch: wire.fetch }).view();
  assert.deepEqual([view.folders.size, view.files.size], [2, 1]);
  assert.equal(view.path(view.files.get(file)!), "/A/x");
  assert.equal(view.skipped, 2 * nonsense.length);
});

Deno.test("one id is one thing: a file with a folder's id is left out", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  await world.addFile(folder, "x", "x");
  const wire = lying(world, (answer, { path }) => {
    if (path === "/files") answer.files.push({ ...answer.files[0], id: folder });
  });
  const view = await world.client(await world.connect(), { fetch: wire.fetch }).view();
  assert.deepEqual([view.files.size, view.skipped], [1, 1]);
});

Deno.test("a name or a wrap that was moved to another row does not open there", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const [one, two] = [await world.addFolder(folder, "one"), await world.addFolder(folder, "two")];
  const file = await world.addFile(two, "in two", "x");
  const wire = lying(world, (answer, { path }) => {
    if (path !== "/folders") return;
    const [a, b] = [one, two].map((id) => answer.folders.find((row: Loose) => row.id === id));
    [a.name, b.name] = [b.name, a.name];
    [a.fkWrapped, b.fkWrapped] = [b.fkWrapped, a.fkWrapped];
    [a.fkIv, b.fkIv] = [b.fkIv, a.fkIv];
  });
  const view = await world.client(await world.connect(), { fetch: wire.fetch }).view();
  assert.deepEqual([one, two].map((id) => view.folders.get(id)!.name), [null, null]);
  assert.equal(view.files.get(file)!.name, null);
});

Deno.test("a scope that is claimed to be larger gives no more than the keys do", async () => {
  using world = new World();
  const [mine, other] = [await world.addFolder(null, "Mine"), await world.addFolder(null, "Other")];
  const secret = await world.addFile(other, "secret", "x");
  const row = world.rows.file(secret)!;
  const wire = lying(world, (answer, { path }) => {
    if (path === "/grant") Object.assign(answer.grant, { scopeAll: true, scopeFolderIds: [] });
    if (path === "/folders") {
      answer.folders.push({ ...answer.folders[0], id: other, parentId: null, isScopeRoot: true });
    }
    if (path === "/files") {
      answer.files.push({
        ...row,
        updatedAt: new Date(row.updatedAt).toISOString(),
        createdAt: new Date(row.createdAt).toISOString(),
        inTrash: false,
      });
    }
  });
  const client = world.client(await world.connect({ roots: [mine] }), { fetch: wire.fetch });
  const view = await client.view();
  const file = view.files.get(secret)!;
  assert.deepEqual([file.name, file.readable, view.folders.get(other)!.open], [null, false, false]);
  const source = new Blob(["x"]).stream();
  const request = { name: "x", size: 1, source };
  const upload = client.upload(view, view.folders.get(other)!, request);
  await assert.rejects(upload, { code: "key_unavailable" });
});

/** Answers with an endless body at one route. */
function endlessAt(route: string, sent: { bytes: number }): Answerer {
  return (asked, forward) => {
    if (!asked.path.endsWith(route)) return forward();
    return new Response(
      new ReadableStream({
        pull(controller) {
          sent.bytes += 1 << 18;
          controller.enqueue(new Uint8Array(1 << 18).fill(0x20));
        },
      }),
    );
  };
}

Deno.test("a body without an end is taken to its bound at every route, and no further", async () => {
  const bounds: [string, number][] = [
    ["/grant", 65],
    ["/folders", 17],
    ["/files", 17],
    ["/download", 3], // the content's limit and one mebibyte, with what is on its way
    ["/trash", 2],
    ["/finalize", 2],
  ];
  for (const [route, mebibytes] of bounds) {
    const { world, connected } = await smallVault();
    using _ = world;
    const sent = { bytes: 0 };
    const wire = new Wire(world);
    const client = world.client(connected, { fetch: wire.fetch });
    const view = await client.view();
    wire.answer = endlessAt(route, sent);
    const [file] = [...view.files.values()].filter(({ cipherVersion }) => cipherVersion === 3);
    const folder = view.folders.get(file.parentId ?? "") ?? [...view.folders.values()][0];
    await tolerated(client.view());
    const content = await tolerated(client.content(view, file, { maxBytes: 1000 }));
    if (content !== undefined) await tolerated(drained(content));
    await tolerated(client.trash(view, [file]));
    const source = new Blob([bytesOf("x")]).stream();
    await tolerated(client.upload(view, folder, { name: "up", size: 1, source }));
    assert.ok(sent.bytes > 0, `${route} was asked for`);
    const perRequest = sent.bytes / wire.lines.filter((line) => line.endsWith(route)).length;
    assert.ok(perRequest <= mebibytes << 20, `${route}: ${perRequest} bytes`);
  }
});
