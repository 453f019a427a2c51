// A connection's life, as the owner makes and ends it and as the connection notices.

import assert from "node:assert/strict";
import {
  type Answered,
  anyFileFields,
  anyFolderFields,
  anyName,
  anyWrap,
  DAY,
  HOUR,
  MINUTE,
  OwnedVault,
} from "./owned_vault.ts";

async function listed(vault: OwnedVault, id: string): Promise<Answered> {
  const { grants } = await vault.ok("GET", "/grants");
  return grants.find((grant: Answered) => grant.id === id);
}

function inFuture(vault: OwnedVault, ms: number): string {
  return new Date(vault.now + ms).toISOString();
}

Deno.test("a connection is made whole: row, folders, keys, own trash and the owner's copy", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const { fields, connection } = vault.grantFields({
    rootIds: [folder],
    given: { writeBudgetBytes: 5_000_000 },
  });
  const { status, body } = await vault.own("POST", "/grants", fields);
  assert.equal(status, 201);
  const { tokenHash: _, trashFolder, keys, ...shown } = fields;
  assert.deepEqual(body.grant, {
    ...shown,
    trashFolderId: trashFolder!.id,
    createdAt: new Date(vault.now).toISOString(),
    revokedAt: null,
    lastUsedAt: null,
    writeUsedBytes: 0,
    writeReservedBytes: 0,
  });
  assert.deepEqual(await listed(vault, fields.id), body.grant);
  const trash = vault.rows.folder(trashFolder!.id)!;
  assert.deepEqual({ ...trash, ...trashFolder }, trash);
  assert.deepEqual([trash.parentId, trash.kind, trash.binnedAt], [vault.bin, "normal", null]);
  const seen = await vault.agent(connection, "GET", "/grant");
  assert.deepEqual(seen.body.grant, {
    id: fields.id,
    scopes: ["read", "organize", "write"],
    scopeAll: false,
    scopeFolderIds: [folder],
    trashFolderId: trash.id,
    expiresAt: fields.expiresAt,
    pkFingerprint: fields.pkFingerprint,
    mlKemPublicKey: vault.setup.mlKemPublicKey,
    writeBudget: { bytes: 5_000_000, usedBytes: 0 },
  });
  const order = (a: Answered, b: Answered) => a.objectId < b.objectId ? -1 : 1;
  assert.deepEqual(seen.body.keys.sort(order), keys.toSorted(order));
});

Deno.test("made, used, revoked: from then on the connection is told that it is none", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  vault.now += MINUTE;
  assert.equal((await vault.agent(agent, "GET", "/folders")).status, 200);
  assert.equal((await listed(vault, agent.id)).lastUsedAt, new Date(vault.now).toISOString());
  vault.now += MINUTE;
  const revoked = await vault.ok("POST", `/grants/${agent.id}/revoke`);
  const file = { id: vault.id(), parentId: folder, ...anyFolderFields() };
  for (
    const [method, path, body] of [["GET", "/grant"], ["GET", "/files"], ["POST", "/folders", file]]
  ) {
    const got = await vault.agent(agent, method as string, path as string, body);
    assert.deepEqual([got.status, got.body], [401, { code: "grant_invalid" }]);
  }
  vault.now += MINUTE;
  const again = await vault.ok("POST", `/grants/${agent.id}/revoke`);
  assert.equal(again.revokedAt, revoked.revokedAt, "a second time changes nothing");
  assert.equal((await listed(vault, agent.id)).revokedAt, revoked.revokedAt);
  await vault.refused(404, "not_found", "POST", `/grants/${vault.id()}/revoke`);
});

Deno.test("a connection that may only read has no trash, and changes nothing", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await vault.addFile(folder);
  const agent = await vault.addGrant({ scopes: ["read"], rootIds: [folder] });
  const { body } = await vault.agent(agent, "GET", "/grant");
  assert.deepEqual([body.grant.trashFolderId, body.grant.mlKemPublicKey], [null, undefined]);
  const got = await vault.agent(agent, "PATCH", `/files/${file}`, { name: anyName() });
  assert.deepEqual([got.status, got.body], [403, { code: "missing_scope", scope: "organize" }]);
});

Deno.test("a connection to the whole vault sees neither the Bin nor, unasked, Media", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  await vault.addFile(vault.media);
  const seenBy = async (includeMedia: boolean) => {
    const { fields, connection } = vault.grantFields({ given: { includeMedia } });
    fields.ownerCopy.scope.includeMedia = includeMedia;
    await vault.ok("POST", "/grants", fields);
    const { body } = await vault.agent(connection, "GET", "/folders");
    return body.folders.map(({ id }: Answered) => id).filter((id: string) =>
      id !== connection.trash
    );
  };
  assert.deepEqual(await seenBy(false), [folder]);
  assert.deepEqual((await seenBy(true)).sort(), [folder, vault.media].sort());
});

Deno.test("an expired connection is told so from that moment on", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const given = { expiresAt: inFuture(vault, HOUR) };
  const agent = await vault.addGrant({ rootIds: [folder], given });
  vault.now += HOUR - 1;
  assert.equal((await vault.agent(agent, "GET", "/grant")).status, 200);
  vault.now += 1;
  const got = await vault.agent(agent, "GET", "/grant");
  assert.deepEqual([got.status, got.body.code], [401, "grant_invalid"]);
});

Deno.test("more time and another allowance hold from the next request on", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const given = { expiresAt: inFuture(vault, HOUR), writeBudgetBytes: 10_000 };
  const agent = await vault.addGrant({ rootIds: [folder], given });
  const path = `/grants/${agent.id}/extend`;
  const upload = () => ({
    id: vault.id(),
    folderId: folder,
    ...anyFileFields(),
    cipherVersion: 3,
    sizeBytes: 20_000,
  });
  const refused = await vault.agent(agent, "POST", "/files", upload());
  assert.deepEqual([refused.status, refused.body.code], [429, "write_budget_exhausted"]);
  const { grant } = await vault.ok("POST", path, { writeBudgetBytes: 30_000 });
  assert.deepEqual([grant.writeBudgetBytes, grant.expiresAt], [30_000, given.expiresAt]);
  assert.equal((await vault.agent(agent, "POST", "/files", upload())).status, 200);
  assert.equal((await listed(vault, agent.id)).writeReservedBytes, 20_000);
  const later = inFuture(vault, 2 * DAY);
  assert.equal((await vault.ok("POST", path, { expiresAt: later })).grant.expiresAt, later);
  const unlimited = await vault.ok("POST", path, { writeBudgetBytes: null });
  assert.deepEqual([unlimited.grant.writeBudgetBytes, unlimited.grant.expiresAt], [null, later]);
  vault.now += DAY;
  assert.equal((await vault.agent(agent, "GET", "/grant")).status, 200);
});

Deno.test("keys that are added take the place of older ones and reach the connection", async () => {
  using vault = await OwnedVault.open();
  const agent = await vault.addGrant();
  const folder = await vault.addFolder();
  const path = `/grants/${agent.id}/keys`;
  const key = (objectId: string, kind = "folder") => ({ kind, objectId, ...anyWrap() });
  const [first, second, name] = [key(folder), key(folder), key(folder, "name")];
  await vault.ok("POST", path, { keys: [first, name] });
  await vault.ok("POST", path, { keys: [second] });
  const { body } = await vault.agent(agent, "GET", "/grant");
  const ofFolder = body.keys.filter(({ objectId }: Answered) => objectId === folder);
  assert.deepEqual(ofFolder, [second, name]);
  const bad = [
    { keys: [] },
    { keys: [first, first] },
    { keys: [{ ...first, wrapped: first.iv }] },
    { keys: [{ ...first, extra: 1 }] },
    { keys: [key(vault.bin)] },
    { keys: [key(vault.media)] },
    {},
  ];
  for (const given of bad) await vault.refused(400, "bad_request", "POST", path, given);
  await vault.refused(404, "not_found", "POST", `/grants/${vault.id()}/keys`, { keys: [first] });
});

Deno.test("what is done to connections is on record", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  await vault.ok("POST", `/grants/${agent.id}/extend`, { writeBudgetBytes: 1 });
  await vault.ok("POST", `/grants/${agent.id}/revoke`);
  const entries = await vault.activity("create_grant", "extend_grant", "revoke_grant");
  assert.deepEqual(
    new Set(entries.map(({ action }) => action)),
    new Set(["create_grant", "extend_grant", "revoke_grant"]),
  );
  for (const { grantId, objectKind, objectId, undoable } of entries) {
    assert.deepEqual([grantId, objectKind, objectId, undoable], [null, null, agent.id, false]);
  }
});
