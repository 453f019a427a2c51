// Listings: everything within reach, nothing else, page by page.

import assert from "node:assert/strict";
import fc from "fast-check";
import { BIN, type Connection, MEDIA, sealedName, TestVault } from "./vault.ts";

/** All rows of a listing, following its pages. */
async function all(vault: TestVault, as: Connection, name: "files" | "folders", limit = 1000) {
  // deno-lint-ignore no-explicit-any -- what a test expects of a row is the test.
  const rows: any[] = [];
  let pages = 0;
  for (let after = "";; pages++) {
    assert.ok(pages < 1000, "the listing ends");
    const got = await vault.call("GET", `/${name}?limit=${limit}${after}`, { as });
    assert.equal(got.status, 200);
    assert.ok(got.body[name].length <= limit);
    rows.push(...got.body[name]);
    if (got.body.next === null) return rows;
    assert.match(got.body.next, /^[A-Za-z0-9._~-]+$/, "it goes into a URL unescaped");
    after = `&after=${got.body.next}`;
  }
}

async function idsOf(vault: TestVault, as: Connection, name: "files" | "folders") {
  return (await all(vault, as, name)).map(({ id }) => id);
}

Deno.test("a connection to some folders sees them with all below, its trash, and nothing else", async () => {
  using vault = new TestVault();
  const granted = vault.addFolder(null);
  const nested = vault.addFolder(granted);
  const outside = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [granted]);
  const files = [granted, nested, as.trash].map((folder) => vault.addFile(folder));
  for (const folder of [outside, null, BIN, MEDIA]) vault.addFile(folder);
  assert.deepEqual((await idsOf(vault, as, "folders")).sort(), [granted, nested, as.trash].sort());
  assert.deepEqual((await idsOf(vault, as, "files")).sort(), files.sort());
});

Deno.test("a connection to the whole vault sees what lies at the root, and neither Bin nor Media", async () => {
  using vault = new TestVault();
  const top = vault.addFolder(null);
  const below = vault.addFolder(top);
  const as = vault.addGrant(["read"], "all");
  const withMedia = vault.addGrant(["read"], "all", { includeMedia: true });
  const files = [null, top, below].map((folder) => vault.addFile(folder));
  vault.addFile(BIN);
  const media = vault.addFile(MEDIA);
  vault.addFile(vault.addFolder(BIN));
  assert.deepEqual((await idsOf(vault, as, "folders")).sort(), [top, below].sort());
  assert.deepEqual((await idsOf(vault, as, "files")).sort(), files.sort());
  assert.deepEqual((await idsOf(vault, withMedia, "files")).sort(), [...files, media].sort());
});

Deno.test("a folder's row says what a connection needs, and does not name a parent out of reach", async () => {
  using vault = new TestVault();
  const above = vault.addFolder(null);
  const granted = vault.addFolder(above);
  const nested = vault.addFolder(granted);
  const as = vault.addGrant(["read", "organize"], [granted]);
  const rows = new Map((await all(vault, as, "folders")).map((row) => [row.id, row]));
  const row = vault.rows.folder(nested)!;
  assert.deepEqual(rows.get(nested), {
    id: nested,
    parentId: granted,
    name: row.name,
    fkWrapped: row.fkWrapped,
    fkIv: row.fkIv,
    updatedAt: new Date(vault.now).toISOString(),
    inTrash: false,
    isScopeRoot: false,
  });
  const { parentId, isScopeRoot, inTrash } = rows.get(granted);
  assert.deepEqual({ parentId, isScopeRoot, inTrash }, {
    parentId: null,
    isScopeRoot: true,
    inTrash: false,
  });
  const trash = rows.get(as.trash);
  assert.deepEqual([trash.parentId, trash.isScopeRoot, trash.inTrash], [null, true, true]);
});

Deno.test("the top-level folders of a whole vault are scope roots, those below are not", async () => {
  using vault = new TestVault();
  const top = vault.addFolder(null);
  vault.now++;
  vault.addFolder(top);
  const as = vault.addGrant(["read"], "all");
  const rows = await all(vault, as, "folders");
  assert.deepEqual(rows.map((row) => [row.parentId, row.isScopeRoot]), [[null, true], [
    top,
    false,
  ]]);
});

Deno.test("a file's row has its columns under their names, and nothing of where its object lies", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read"], [folder]);
  const id = vault.addFile(folder, new Uint8Array(7), {
    name: sealedName(),
    contentType: "text/plain",
    size: 5,
    cipherVersion: 1,
    cipherChunkSize: 64,
    cipherNoncePrefix: "AAAA",
    pqkFkWrapped: null,
    pqkFkIv: null,
  });
  const row = vault.rows.file(id)!;
  assert.deepEqual(await all(vault, as, "files"), [{
    id,
    folderId: folder,
    name: row.name,
    contentType: "text/plain",
    size: 5,
    ciphertextSize: 7,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
    cipherVersion: 1,
    cipherChunkSize: 64,
    cipherNoncePrefix: "AAAA",
    cskWrapped: row.cskWrapped,
    cskIv: row.cskIv,
    pqkFkWrapped: null,
    pqkFkIv: null,
    inTrash: false,
  }]);
});

Deno.test("the totals are those of the listing, with the trash apart", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const nested = vault.addFolder(folder);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const whole = vault.addGrant(["read"], "all");
  vault.addFile(folder, new Uint8Array(10));
  vault.addFile(nested, new Uint8Array(20));
  vault.addFile(as.trash, new Uint8Array(5));
  vault.addFile(null, new Uint8Array(100));
  vault.addFile(BIN, new Uint8Array(1000));
  assert.deepEqual((await vault.call("GET", "/stats", { as })).body, {
    files: 2,
    bytes: 30,
    inTrash: { files: 1, bytes: 5 },
  });
  assert.deepEqual((await vault.call("GET", "/stats", { as: whole })).body, {
    files: 3,
    bytes: 130,
    inTrash: { files: 0, bytes: 0 },
  });
});

Deno.test("a cursor names no row that was not given out, and is good in its own listing alone", async () => {
  using vault = new TestVault();
  const [mine, other] = [vault.addFolder(null), vault.addFolder(null)];
  const as = vault.addGrant(["read"], [mine]);
  const second = vault.addGrant(["read"], [mine]);
  for (let index = 0; index < 6; index++) {
    vault.now++;
    vault.addFile(index % 2 === 0 ? mine : other);
    vault.addFolder(mine);
  }
  const page = (await vault.call("GET", "/files?limit=2", { as })).body;
  assert.equal(page.files.length, 2);
  assert.ok(page.next.includes(page.files[1].id));
  const after = `after=${page.next}`;
  assert.equal((await vault.call("GET", `/files?${after}`, { as })).body.files.length, 1);
  const place = page.next.split(".").slice(0, 2).join(".");
  const elsewhere: [string, Connection][] = [
    [`/folders?${after}`, as],
    [`/files?${after}`, second],
    [`/files?after=${place}`, as],
    [`/files?after=${place}.${"A".repeat(43)}`, as],
    [`/files?after=${page.next.replace(page.files[1].id, page.files[0].id)}`, as],
    [`/files?${after}A`, as],
    [`/files?after=`, as],
  ];
  for (const [target, who] of elsewhere) {
    const got = await vault.call("GET", target, { as: who });
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], target);
  }
  vault.restarted();
  const again = await vault.call("GET", `/files?${after}`, { as });
  assert.equal(again.status, 200, "a restart does not end a listing");
});

Deno.test("garbage for a cursor is refused, whatever it is", async () => {
  using vault = new TestVault({ requestsPerMinute: 1e6 });
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read"], [folder]);
  for (let index = 0; index < 3; index++) vault.addFile(folder);
  const { next } = (await vault.call("GET", "/files?limit=1", { as })).body as { next: string };
  const flipped = fc.tuple(fc.nat(next.length - 1), fc.constantFrom(..."Ab0_-.")).map(
    ([at, digit]) => next.slice(0, at) + digit + next.slice(at + 1),
  );
  const texts = fc.oneof(fc.string(), fc.string({ unit: "binary" }), flipped);
  await fc.assert(
    fc.asyncProperty(texts.filter((text) => text !== next), async (text) => {
      const got = await vault.call("GET", `/files?after=${encodeURIComponent(text)}`, { as });
      assert.deepEqual([got.status, got.body.code], [400, "bad_request"]);
    }),
    { seed: 20260116, numRuns: 150 },
  );
});

Deno.test("pages of any size give every row once, oldest first, though most rows are out of reach", async () => {
  using vault = new TestVault({ requestsPerMinute: 1e6 });
  const folders = Array.from({ length: 4 }, () => vault.addFolder(null));
  const [some, whole] = [
    vault.addGrant(["read"], [folders[0], folders[2]]),
    vault.addGrant(["read"], "all"),
  ];
  const files: { id: string; folder: string; at: number }[] = [];
  for (let index = 0; index < 60; index++) {
    // Several share a millisecond, so the id has to decide.
    const at = vault.now + Math.floor(index / 7);
    const folder = index % 9 === 0 ? BIN : folders[index % 4];
    files.push({ id: vault.addFile(folder, new Uint8Array(1), { createdAt: at }), folder, at });
  }
  files.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const expected = (reached: string[]) =>
    files.filter(({ folder }) => reached.includes(folder)).map(({ id }) => id);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 70 }), async (limit) => {
      const ids = async (as: Connection) =>
        (await all(vault, as, "files", limit)).map(({ id }) => id);
      assert.deepEqual(await ids(some), expected([folders[0], folders[2]]));
      assert.deepEqual(await ids(whole), expected(folders));
    }),
    { seed: 20260117, numRuns: 12 },
  );
});

Deno.test("2,500 folders come in three pages, whatever lies between them", async () => {
  using vault = new TestVault();
  const root = vault.addFolder(null);
  const as = vault.addGrant(["read"], [root]);
  vault.rows.transaction(() => {
    for (let index = 1; index < 2500; index++) {
      vault.now++;
      vault.addFolder(root);
      vault.addFolder(null);
    }
  });
  const rows = await all(vault, as, "folders");
  assert.equal(new Set(rows.map(({ id }) => id)).size, 2500);
  const got = await vault.call("GET", "/folders", { as });
  assert.equal(got.body.folders.length, 1000, "a page has 1,000 rows unless fewer are asked for");
});

Deno.test("a connection to a small part of a vault does not have the rest looked at", async () => {
  using vault = new TestVault();
  const root = vault.addFolder(null);
  const as = vault.addGrant(["read"], [root]);
  vault.rows.transaction(() => {
    for (let index = 0; index < 100; index++) vault.addFile(vault.addFolder(null));
  });
  let looked = 0;
  const folder = vault.rows.folder.bind(vault.rows);
  vault.rows.folder = (id) => {
    looked++;
    return folder(id);
  };
  for (const path of ["/folders", "/files", "/stats"]) {
    assert.equal((await vault.call("GET", path, { as })).status, 200);
  }
  assert.ok(looked < 20, `${looked} folders were looked at`);
});
