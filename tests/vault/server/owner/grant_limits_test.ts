// What no connection is made of, and how many there can be for how long.

import assert from "node:assert/strict";
import {
  anyFolderFields,
  anyToken,
  anyWrap,
  DAY,
  HOUR,
  MINUTE,
  OwnedVault,
} from "./owned_vault.ts";

function inFuture(vault: OwnedVault, ms: number): string {
  return new Date(vault.now + ms).toISOString();
}

Deno.test("what does not fit together makes no connection, and leaves nothing", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const binned = await vault.addFolder();
  await vault.ok("POST", "/bin", { items: [{ kind: "folder", id: binned, ...anyFolderFields() }] });
  const foldersBefore = (await vault.ok("GET", "/folders")).folders.length;
  const make = (given: Record<string, unknown> = {}, scope: Record<string, unknown> = {}) => {
    const { fields } = vault.grantFields({ rootIds: [folder] });
    const ownerCopy = { ...fields.ownerCopy, scope: { ...fields.ownerCopy.scope, ...scope } };
    return { ...fields, ownerCopy, ...given };
  };
  const key = (objectId: string, kind = "folder") => ({ kind, objectId, ...anyWrap() });
  const twice = key(folder);
  const badRequests: Record<string, unknown> = {
    "a label in the clear": make({ label: "Claude" }),
    "an unknown client": make({ clientHint: "hal" }),
    "no scope": make({ scopes: [] }),
    "an unknown scope": make({ scopes: ["read", "delete"] }),
    "a scope twice": make({ scopes: ["read", "organize", "organize"] }),
    "no right to read": make({ scopes: ["organize", "write"] }),
    "no folder at all": make({ rootIds: [] }, { rootIds: [] }),
    "folders and the whole vault": make({ scopeAll: true }, { scopeAll: true }),
    "Media without the whole vault": make({ includeMedia: true }, { includeMedia: true }),
    "a folder twice": make({ rootIds: [folder, folder] }),
    "a trash for reading": make({ scopes: ["read"] }),
    "no trash for organising": make({ trashFolder: null }, { trashFolderId: null }),
    "an allowance without write": make({ scopes: ["read", "organize"], writeBudgetBytes: 1 }),
    "a negative allowance": make({ writeBudgetBytes: -1 }),
    "half a byte": make({ writeBudgetBytes: 0.5 }),
    "a token instead of its hash": make({ tokenHash: anyToken() }),
    "a hash in capitals": make({ tokenHash: "A".repeat(64) }),
    "no fingerprint": make({ pkFingerprint: "" }),
    "a key twice": make({ keys: [twice, { ...twice, ...anyWrap() }] }),
    "a key of an unknown kind": make({ keys: [key(folder, "root")] }),
    "the key of the Bin": make({ keys: [key(vault.bin)] }),
    "the name of the Bin": make({ keys: [key(vault.bin, "name")] }),
    "a trash named in the clear": make({
      trashFolder: { id: vault.id(), ...anyFolderFields(), name: "x" },
    }),
    "a trash with a parent": make({
      trashFolder: { id: vault.id(), ...anyFolderFields(), parentId: null },
    }),
    "an expired one": make({ expiresAt: new Date(0).toISOString() }),
    "a time of another form": make({ expiresAt: "2026-01-16" }),
    "a copy for another connection": make({}, { grantId: vault.id() }),
    "a copy for the whole vault": make({}, { scopeAll: true }),
    "a copy for other folders": make({}, { rootIds: [binned] }),
    "a copy without the trash": make({}, { trashFolderId: null }),
    "a copy with more": make({}, { extra: 1 }),
    "a copy without exclusions": make({}, { excludedIds: undefined }),
    "a copy with a malformed exclusion": make({}, { excludedKeyFingerprints: ["x"] }),
    "no copy": make({ ownerCopy: null }),
    "something unknown": make({ revokedAt: null }),
  };
  for (const [what, body] of Object.entries(badRequests)) {
    const got = await vault.own("POST", "/grants", body);
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], what);
  }
  for (const root of [vault.id(), binned, vault.bin]) {
    const body = make({ rootIds: [root], keys: [] }, { rootIds: [root] });
    await vault.refused(404, "not_found", "POST", "/grants", body);
  }
  assert.deepEqual((await vault.ok("GET", "/grants")).grants, []);
  assert.equal((await vault.ok("GET", "/folders")).folders.length, foldersBefore);
});

Deno.test("the keys of Media are for those who asked for it", async () => {
  using vault = await OwnedVault.open();
  const keys = [{ kind: "folder", objectId: vault.media, ...anyWrap() }];
  const { fields } = vault.grantFields({ given: { keys } });
  await vault.refused(400, "bad_request", "POST", "/grants", fields);
  const { fields: chosen } = vault.grantFields({ rootIds: [vault.media] });
  await vault.ok("POST", "/grants", chosen);
});

Deno.test("ids and tokens that are taken make no second connection", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const first = vault.grantFields({ rootIds: [folder] });
  await vault.ok("POST", "/grants", first.fields);
  await vault.refused(409, "conflict", "POST", "/grants", first.fields);
  const sameId = { ...first.fields, tokenHash: "b".repeat(64), trashFolder: null };
  const { scope } = sameId.ownerCopy;
  const reading = { scopes: ["read"], writeBudgetBytes: null };
  const ownerCopy = { ...sameId.ownerCopy, scope: { ...scope, trashFolderId: null } };
  await vault.refused(409, "conflict", "POST", "/grants", { ...sameId, ...reading, ownerCopy });
  const { tokenHash } = first.fields;
  const sameToken = vault.grantFields({ rootIds: [folder], given: { tokenHash } });
  await vault.refused(409, "conflict", "POST", "/grants", sameToken.fields);
  const { fields } = vault.grantFields({ rootIds: [folder] });
  const trashFolder = { ...fields.trashFolder!, id: folder };
  fields.ownerCopy.scope.trashFolderId = folder;
  await vault.refused(409, "conflict", "POST", "/grants", { ...fields, trashFolder });
  assert.equal((await vault.ok("GET", "/grants")).grants.length, 1);
});

Deno.test("a connection lasts from an hour to ninety days", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const lasting = (ms: number) => {
    const given = { expiresAt: inFuture(vault, ms) };
    return vault.grantFields({ rootIds: [folder], given }).fields;
  };
  for (const ms of [HOUR - 2 * MINUTE, 0, -HOUR, 90 * DAY + 2 * MINUTE, 36_500 * DAY]) {
    await vault.refused(400, "bad_request", "POST", "/grants", lasting(ms));
  }
  for (const ms of [HOUR, HOUR - 5000, 90 * DAY]) await vault.ok("POST", "/grants", lasting(ms));
});

Deno.test("an extension has the limits of a new connection, and none is revoked in vain", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  const reader = await vault.addGrant({ rootIds: [folder], scopes: ["read"] });
  const path = `/grants/${agent.id}/extend`;
  const bad = [
    {},
    { expiresAt: inFuture(vault, 91 * DAY) },
    { expiresAt: inFuture(vault, MINUTE) },
    { expiresAt: null },
    { writeBudgetBytes: -1 },
    { scopes: ["read"] },
  ];
  for (const body of bad) await vault.refused(400, "bad_request", "POST", path, body);
  await vault.refused(400, "bad_request", "POST", `/grants/${reader.id}/extend`, {
    writeBudgetBytes: 1,
  });
  const good = { expiresAt: inFuture(vault, 2 * DAY) };
  await vault.refused(404, "not_found", "POST", `/grants/${vault.id()}/extend`, good);
  await vault.ok("POST", `/grants/${agent.id}/revoke`, {});
  await vault.refused(409, "grant_revoked", "POST", path, good);
  const keys = [{ kind: "folder", objectId: folder, ...anyWrap() }];
  await vault.refused(409, "grant_revoked", "POST", `/grants/${agent.id}/keys`, { keys });
  assert.equal((await vault.agent(agent, "GET", "/grant")).status, 401);
});

Deno.test("twenty connections can be live, and one that ended makes room", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const short = { expiresAt: inFuture(vault, HOUR) };
  const agents = [await vault.addGrant({ rootIds: [folder], given: short })];
  while (agents.length < 20) agents.push(await vault.addGrant({ rootIds: [folder] }));
  const another = () => vault.grantFields({ rootIds: [folder] }).fields;
  await vault.refused(409, "too_many_grants", "POST", "/grants", another());
  await vault.ok("POST", `/grants/${agents[5].id}/revoke`);
  await vault.ok("POST", "/grants", another());
  await vault.refused(409, "too_many_grants", "POST", "/grants", another());
  vault.now += HOUR;
  await vault.signIn();
  await vault.ok("POST", "/grants", another());
  const revive = { expiresAt: inFuture(vault, DAY) };
  const path = `/grants/${agents[0].id}/extend`;
  await vault.refused(409, "too_many_grants", "POST", path, revive);
  await vault.ok("POST", `/grants/${agents[6].id}/revoke`);
  await vault.ok("POST", path, revive);
  assert.equal((await vault.agent(agents[0], "GET", "/grant")).status, 200, "it is live again");
});

Deno.test("of connections made side by side no more than twenty are live", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const answers = await Promise.all(
    Array.from(
      { length: 30 },
      () => vault.own("POST", "/grants", vault.grantFields({ rootIds: [folder] }).fields),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 20);
  assert.equal((await vault.ok("GET", "/grants")).grants.length, 20);
});
