// The record of a connection's requests: one for each, with ids, action, result and time, and nothing that
// says who asked from where or what anything is called.

import assert from "node:assert/strict";
import { BIN, sealedFile, sealedFolder, sealedName, TestVault } from "./vault.ts";

Deno.test("every request leaves one record with its action, refused ones with their code", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const inner = vault.addFolder(folder);
  const file = vault.addFile(inner);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const missing = vault.id();
  const made = vault.id();
  const name = () => ({ name: sealedName() });
  const requests: [string, string, unknown, string, string | null, string | null][] = [
    ["GET", "/grant", undefined, "list", null, null],
    ["GET", "/folders", undefined, "list", null, null],
    ["GET", "/files", undefined, "list", null, null],
    ["GET", "/stats", undefined, "list", null, null],
    ["GET", "/files?limit=0", undefined, "list", null, "bad_request"],
    ["POST", `/files/${file}/download`, undefined, "download", file, null],
    ["POST", `/files/${missing}/download`, undefined, "download", missing, "not_found"],
    ["POST", "/files/not-an-id/download", undefined, "download", null, "not_found"],
    ["PATCH", `/files/${file}`, name(), "rename_file", file, null],
    ["PATCH", `/files/${file}`, { folderId: folder, ...sealedFile() }, "move_file", file, null],
    ["PATCH", `/files/${file}`, { folderId: BIN, ...sealedFile() }, "move_file", file, "not_found"],
    ["PATCH", `/files/${file}`, { folderId: 1 }, "move_file", file, "bad_request"],
    ["PATCH", `/files/${file}`, 7, "rename_file", file, "bad_request"],
    ["PATCH", `/folders/${inner}`, name(), "rename_folder", inner, null],
    [
      "PATCH",
      `/folders/${inner}`,
      { parentId: folder, ...sealedFolder() },
      "move_folder",
      inner,
      null,
    ],
    ["PATCH", `/folders/${folder}`, name(), "rename_folder", folder, "not_found"],
    [
      "POST",
      "/folders",
      { id: made, parentId: folder, ...sealedFolder() },
      "create_folder",
      made,
      null,
    ],
    [
      "POST",
      "/folders",
      { id: made, parentId: folder, ...sealedFolder() },
      "create_folder",
      made,
      "conflict",
    ],
    [
      "POST",
      "/trash",
      { items: [{ kind: "file", id: file, ...sealedFile() }] },
      "trash_file",
      file,
      null,
    ],
    ["POST", "/trash", { items: [] }, "trash", null, "bad_request"],
    ["POST", "/files", { id: made }, "reserve_upload", null, "missing_scope"],
    ["POST", `/files/${file}/finalize`, {}, "upload_file", file, "missing_scope"],
    ["POST", `/uploads/${file}/abort`, undefined, "abort_upload", file, "missing_scope"],
  ];
  for (const [method, path, body, action, objectId, code] of requests) {
    vault.now++;
    const before = vault.audits().length;
    await vault.call(method, path, { as, body });
    const fresh = vault.audits().slice(before);
    assert.deepEqual(
      fresh.map((
        entry,
      ) => [entry.grantId, entry.action, entry.objectId, entry.result, entry.code, entry.at]),
      [[as.id, action, objectId, code === null ? "ok" : "refused", code, vault.now]],
      `${method} ${path}`,
    );
  }
  vault.now++;
  vault.rows.updateGrant(as.id, { revokedAt: vault.now });
  await vault.call("GET", "/grant", { as });
  const last = vault.audits().at(-1)!;
  assert.deepEqual([last.grantId, last.action, last.code], [as.id, "list", "grant_invalid"]);
  const count = vault.audits().length;
  await vault.call("GET", "/grant", {});
  assert.equal(vault.audits().length, count, "who is unknown is nobody's record");
});

Deno.test("a record has the columns of its kind and no other, and a change holds sealed values alone", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const file = vault.addFile(folder);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const headers = { "user-agent": "Assistant/9", "x-forwarded-for": "203.0.113.9" };
  await vault.call("PATCH", `/files/${file}`, { as, headers, body: { name: sealedName() } });
  const items = [{ kind: "file", id: file, ...sealedFile() }];
  await vault.call("POST", "/trash", { as, headers, body: { items } });
  for (const entry of vault.audits()) {
    assert.deepEqual(Object.keys(entry).sort(), [
      "action",
      "after",
      "at",
      "before",
      "code",
      "grantId",
      "id",
      "objectId",
      "objectKind",
      "ownerId",
      "result",
      "undoneAt",
      "version",
    ]);
    for (const columns of [entry.before, entry.after] as Record<string, string>[]) {
      assert.equal(JSON.parse(columns.name).v, 6);
    }
    assert.doesNotMatch(JSON.stringify(entry), /Assistant|203\.0\.113/);
  }
});

Deno.test("the last use of a connection is known, and refusals are no use", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read"], [vault.addFolder(null)]);
  const lastUsed = () => vault.rows.grant(as.id)!.lastUsedAt;
  assert.equal(lastUsed(), null);
  await vault.call("POST", "/folders", { as, body: {} });
  assert.equal(lastUsed(), null);
  await vault.call("GET", "/files", { as });
  assert.equal(lastUsed(), vault.now);
});

Deno.test("neither token nor its hash, nor an upload's address, is in any record or answer but its own", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const answers = [];
  for (const path of ["/grant", "/folders", "/files", "/stats", "/nothing"]) {
    answers.push(await vault.call("GET", path, { as }));
  }
  const everything = JSON.stringify([answers, vault.audits()]);
  assert.ok(!everything.includes(as.token));
  assert.ok(!everything.includes(vault.rows.grant(as.id)!.tokenHash));
});
