// A request with an Idempotency-Key acts once, however often it comes.

import assert from "node:assert/strict";
import { announced, HOUR, sealedFile, sealedFolder, sealedName, TestVault } from "./vault.ts";

function setUp() {
  const vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize", "write"], [folder], { writeBudgetBytes: 10_000 });
  return { vault, folder, as, headers: { "idempotency-key": "key-1_A" } };
}

Deno.test("each changing route acts once for a key and answers alike, also after a restart", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const file = vault.addFile(folder);
  const requests: [string, string, unknown][] = [
    ["POST", "/folders", { id: vault.id(), parentId: folder, ...sealedFolder() }],
    ["PATCH", `/files/${file}`, { name: sealedName() }],
    ["PATCH", `/files/${file}`, { folderId: folder, ...sealedFile() }],
    ["POST", "/files", announced(vault.id(), folder, 2000)],
    ["POST", "/trash", { items: [{ kind: "file", id: file, ...sealedFile() }] }],
  ];
  for (const [index, [method, path, body]] of requests.entries()) {
    const headers = { "idempotency-key": `k${index}` };
    const first = await vault.call(method, path, { as, body, headers });
    assert.ok(first.status < 300, JSON.stringify(first.body));
    const state = () => [
      vault.rows.file(file),
      vault.rows.childFolders(folder),
      vault.rows.grant(as.id),
      vault.audits(),
    ];
    const before = state();
    vault.restarted();
    const second = await vault.call(method, path, { as, body, headers });
    assert.deepEqual([second.status, second.body], [first.status, first.body], path);
    assert.deepEqual(state(), before, path);
  }
});

Deno.test("a key that was another request's is refused, whatever differs", async () => {
  const { vault, folder, as, headers } = setUp();
  using _ = vault;
  const body = { id: vault.id(), parentId: folder, ...sealedFolder() };
  assert.equal((await vault.call("POST", "/folders", { as, body, headers })).status, 201);
  const [child, sibling] = [vault.addFile(folder), vault.addFile(folder)];
  const rename = { name: sealedName() };
  const other = { "idempotency-key": "another" };
  assert.equal(
    (await vault.call("PATCH", `/files/${child}`, { as, body: rename, headers: other })).status,
    200,
  );
  const mismatches: [string, string, unknown, Record<string, string>][] = [
    ["POST", "/folders", { ...body, id: vault.id() }, headers],
    ["PATCH", `/folders/${body.id}`, rename, headers],
    ["PATCH", `/files/${sibling}`, rename, other],
  ];
  for (const [method, path, body, headers] of mismatches) {
    const got = await vault.call(method, path, { as, body, headers });
    assert.deepEqual([got.status, got.body.code], [409, "idempotency_mismatch"], path);
  }
  assert.deepEqual([vault.rows.folder(body.id)!.version, vault.rows.file(sibling)!.version], [
    1,
    1,
  ]);
});

Deno.test("a key is its connection's own, and is forgotten after a day", async () => {
  const { vault, folder, as, headers } = setUp();
  using _ = vault;
  const other = vault.addGrant(["read", "organize"], [folder], {
    expiresAt: vault.now + 99 * HOUR,
  });
  const body = () => ({ id: vault.id(), parentId: folder, ...sealedFolder() });
  const create = async (who: typeof as) =>
    (await vault.call("POST", "/folders", { as: who, body: body(), headers })).status;
  assert.equal(await create(as), 201);
  assert.equal(await create(other), 201);
  assert.equal(await create(other), 409);
  vault.now += 24 * HOUR + 1;
  vault.service.sweep();
  assert.equal(await create(other), 201);
});

Deno.test("a refusal is not kept: the same key may succeed later", async () => {
  const { vault, folder, as, headers } = setUp();
  using _ = vault;
  const elsewhere = vault.addFolder(null);
  const body = { id: vault.id(), parentId: elsewhere, ...sealedFolder() };
  assert.equal((await vault.call("POST", "/folders", { as, body, headers })).status, 404);
  vault.rows.changeFolder(elsewhere, { parentId: folder });
  assert.equal((await vault.call("POST", "/folders", { as, body, headers })).status, 201);
});

Deno.test("a kept answer is for a connection that is still good", async () => {
  const { vault, folder, as, headers } = setUp();
  using _ = vault;
  const body = { id: vault.id(), parentId: folder, ...sealedFolder() };
  await vault.call("POST", "/folders", { as, body, headers });
  vault.rows.updateGrant(as.id, { revokedAt: vault.now });
  assert.equal((await vault.call("POST", "/folders", { as, body, headers })).status, 401);
});

Deno.test("a malformed key is refused", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  for (const key of ["", "a".repeat(65), "a b", "ä", "a,b"]) {
    const body = { id: vault.id(), parentId: folder, ...sealedFolder() };
    const headers = { "idempotency-key": key };
    const got = await vault.call("POST", "/folders", { as, body, headers });
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], key);
  }
});
