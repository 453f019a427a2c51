// Who is let in: the token, its state and its scopes, on every request anew.

import assert from "node:assert/strict";
import type { GrantRow } from "../../../../vault/server/rows/rows.ts";
import { base64urlAlternative } from "./texts.ts";
import {
  announced,
  type Asked,
  type Connection,
  HOUR,
  OWNER_KEYS,
  sealedFile,
  sealedFolder,
  sealedName,
  TestVault,
} from "./vault.ts";

/** Every route of the agent API, asked for in a way that a good connection would get somewhere with. */
function everyRoute(vault: TestVault, folder: string, file: string): [string, string, Asked][] {
  const item = { kind: "file", id: file, ...sealedFile() };
  return [
    ["GET", "/grant", {}],
    ["GET", "/folders", {}],
    ["GET", "/files", {}],
    ["GET", "/stats", {}],
    ["POST", `/files/${file}/download`, {}],
    ["PATCH", `/files/${file}`, { body: { name: sealedName() } }],
    ["PATCH", `/files/${file}`, { body: { folderId: folder, ...sealedFile() } }],
    ["PATCH", `/folders/${folder}`, { body: { name: sealedName() } }],
    ["PATCH", `/folders/${folder}`, { body: { parentId: folder, ...sealedFolder() } }],
    ["POST", "/folders", { body: { id: vault.id(), parentId: folder, ...sealedFolder() } }],
    ["POST", "/trash", { body: { items: [item] } }],
    ["POST", "/files", { body: announced(vault.id(), folder, 2000) }],
    ["POST", `/files/${file}/finalize`, {
      body: { proof: "A".repeat(48), ciphertextHash: "0".repeat(40) },
    }],
    ["POST", `/uploads/${file}/abort`, {}],
  ];
}

Deno.test("no token, a malformed, an unknown, an expired and a revoked one get one and the same answer on every route", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const file = vault.addFile(folder);
  const good = vault.addGrant(["read", "organize", "write"], [folder]);
  const expired = vault.addGrant(["read", "organize", "write"], [folder], { expiresAt: vault.now });
  const revoked = vault.addGrant(["read", "organize", "write"], [folder], {
    revokedAt: vault.now - 1,
  });
  const tokens: Record<string, string | undefined> = {
    none: undefined,
    empty: "",
    "another scheme": `Basic ${good.token}`,
    "no scheme": good.token,
    "too short": `Bearer ${good.token.slice(0, 42)}`,
    "another spelling of the same bytes": `Bearer ${base64urlAlternative(good.token)}`,
    padded: `Bearer ${good.token}=`,
    "with something behind it": `Bearer ${good.token} x`,
    unknown: `Bearer ${"A".repeat(43)}`,
    expired: `Bearer ${expired.token}`,
    revoked: `Bearer ${revoked.token}`,
  };
  for (const [method, path, asked] of everyRoute(vault, folder, file)) {
    for (const [name, authorization] of Object.entries(tokens)) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const got = await vault.call(method, path, { ...asked, headers });
      assert.equal(got.status, 401, `${name}: ${method} ${path}`);
      assert.deepEqual(got.body, { code: "grant_invalid" }, `${name}: ${method} ${path}`);
    }
  }
  assert.equal((await vault.call("GET", "/grant", { as: good })).status, 200);
  const lower = { authorization: `bearer ${good.token}` };
  assert.equal((await vault.call("GET", "/grant", { headers: lower })).status, 200);
});

Deno.test("a stranger's body is not read", async () => {
  using vault = new TestVault();
  let [pulled, cancelled] = [0, false];
  const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: () => void pulled++,
    cancel: () => void (cancelled = true),
  }, { highWaterMark: 0 });
  const got = await vault.call("POST", "/folders", { raw });
  assert.deepEqual([got.status, pulled, cancelled], [401, 0, true]);
});

Deno.test("a connection ends between two requests when it is revoked, and when its time is over", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const first = vault.addGrant(["read"], [folder]);
  const second = vault.addGrant(["read"], [folder], { expiresAt: vault.now + HOUR });
  for (const as of [first, second]) {
    assert.equal((await vault.call("GET", "/files", { as })).status, 200);
  }
  vault.rows.updateGrant(first.id, { revokedAt: vault.now });
  assert.equal((await vault.call("GET", "/files", { as: first })).body.code, "grant_invalid");
  vault.now += HOUR - 1;
  assert.equal((await vault.call("GET", "/files", { as: second })).status, 200);
  vault.now += 1;
  assert.equal((await vault.call("GET", "/files", { as: second })).body.code, "grant_invalid");
});

Deno.test("a connection that loses its right while its body comes in changes nothing", async () => {
  const ends: [Partial<GrantRow>, number, Record<string, string>][] = [
    [{ revokedAt: 1 }, 401, { code: "grant_invalid" }],
    [{ expiresAt: 1 }, 401, { code: "grant_invalid" }],
    [{ scopes: ["read"] }, 403, { code: "missing_scope", scope: "organize" }],
  ];
  for (const [change, status, body] of ends) {
    using vault = new TestVault();
    const folder = vault.addFolder(null);
    const as = vault.addGrant(["read", "organize"], [folder]);
    const id = vault.id();
    const text = JSON.stringify({ id, parentId: folder, ...sealedFolder() });
    const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        vault.rows.updateGrant(as.id, change);
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const got = await vault.call("POST", "/folders", { as, raw });
    assert.deepEqual([got.status, got.body], [status, body]);
    assert.equal(vault.rows.folder(id), undefined);
  }
});

Deno.test("a route outside a connection's scopes is refused with the scope's name, and nothing changes", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const file = vault.addFile(folder);
  const readOnly = vault.addGrant(["read"], [folder]);
  const organizing = vault.addGrant(["read", "organize"], [folder]);
  const blind = vault.addGrant([], [folder]);
  const before = [vault.rows.file(file), vault.rows.folder(folder)];
  const scopeOf = (method: string, path: string) => {
    if (path === "/grant") return undefined;
    if (method === "GET" || path.endsWith("/download")) return "read";
    return path === "/files" || path.endsWith("/finalize") || path.endsWith("/abort")
      ? "write"
      : "organize";
  };
  const cases: [Connection, string[]][] = [
    [readOnly, ["organize", "write"]],
    [organizing, ["write"]],
    [blind, ["read", "organize", "write"]],
  ];
  let refused = 0;
  for (const [as, missing] of cases) {
    for (const [method, path, asked] of everyRoute(vault, folder, file)) {
      const scope = scopeOf(method, path);
      if (scope === undefined || !missing.includes(scope)) continue;
      const got = await vault.call(method, path, { ...asked, as });
      assert.equal(got.status, 403, `${method} ${path}`);
      assert.deepEqual(got.body, { code: "missing_scope", scope });
      refused++;
    }
  }
  assert.equal(refused, 9 + 3 + 13);
  assert.deepEqual([vault.rows.file(file), vault.rows.folder(folder)], before);
  assert.equal(vault.rows.upload(file), undefined);
});

Deno.test("a connection is told its own scope and keys, and only one that writes the owner's public key", async () => {
  using vault = new TestVault();
  const [one, two] = [vault.addFolder(null), vault.addFolder(null)];
  const readOnly = vault.addGrant(["read"], [one, two]);
  const writing = vault.addGrant(["read", "organize", "write"], "all", {
    writeBudgetBytes: 1000,
    writeUsedBytes: 300,
    writeReservedBytes: 40,
  });
  const unlimited = vault.addGrant(["read", "organize", "write"], "all");
  const key = {
    grantId: readOnly.id,
    kind: "folder",
    objectId: one,
    wrapped: "w",
    iv: "i",
  } as const;
  vault.rows.putGrantKey(key);
  vault.rows.putGrantKey({ ...key, grantId: writing.id, objectId: two });
  const row = vault.rows.grant(readOnly.id)!;
  assert.deepEqual((await vault.call("GET", "/grant", { as: readOnly })).body, {
    grant: {
      id: readOnly.id,
      scopes: ["read"],
      scopeAll: false,
      scopeFolderIds: [one, two].sort(),
      trashFolderId: null,
      expiresAt: new Date(row.expiresAt).toISOString(),
      pkFingerprint: row.pkFingerprint,
    },
    keys: [{ kind: "folder", objectId: one, wrapped: "w", iv: "i" }],
  });
  const { grant } = (await vault.call("GET", "/grant", { as: writing })).body;
  assert.equal(grant.mlKemPublicKey, OWNER_KEYS.publicKey.toBase64());
  assert.deepEqual(grant.writeBudget, { bytes: 1000, usedBytes: 340 }, "what is held is not left");
  assert.deepEqual([grant.scopeAll, grant.scopeFolderIds], [true, []]);
  assert.equal(grant.trashFolderId, writing.trash);
  const other = (await vault.call("GET", "/grant", { as: unlimited })).body.grant;
  assert.equal("writeBudget" in other, false);
});

Deno.test("what is asked of a listing must be known, once and well-formed", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read"], [vault.addFolder(null)]);
  const refused = [
    "/grant?x=1",
    "/stats?limit=1",
    "/files?limit=0",
    "/files?limit=1001",
    "/files?limit=01",
    "/files?limit=1e2",
    "/files?limit=-1",
    "/files?limit=",
    "/files?limit=1&limit=2",
    "/files?since=1",
    "/folders?after=",
  ];
  for (const target of refused) {
    const got = await vault.call("GET", target, { as });
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], target);
  }
});

Deno.test("an unknown path has no route, and a known one says which methods it takes", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read"], "all");
  for (const path of ["", "/", "/nothing", "/files/", "/files/a/b", "/grant/", "/delete"]) {
    const got = await vault.call("GET", path, { as });
    assert.deepEqual([got.status, got.body, got.route], [404, { code: "no_route" }, "(no route)"]);
  }
  const got = await vault.call("DELETE", `/files/${vault.id()}`, { as });
  assert.deepEqual([got.status, got.body.code, got.headers.allow], [
    405,
    "method_not_allowed",
    "PATCH",
  ]);
  assert.equal(got.route, "/api/agent/v1/files/:id");
});
