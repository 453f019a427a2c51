// A vault is set up once, by whoever has the address that the server printed.

import assert from "node:assert/strict";
import { issueSetupToken } from "../../../../vault/server/service/owner/setup_token.ts";
import {
  anyFolderFields,
  anyToken,
  anyWrap,
  EmptyVault,
  OwnedVault,
  passphraseFields,
  recoveryFields,
  setupFields,
} from "./owned_vault.ts";

Deno.test("setting up makes the owner, the Bin, the Media folder and a session", async () => {
  using vault = new EmptyVault();
  assert.deepEqual((await vault.visit("GET", "/status")).body, {
    initialized: false,
    version: "1.2.3",
  });
  const setup = setupFields(vault.setupToken());
  const { status, body } = await vault.visit("POST", "/setup", setup);
  assert.equal(status, 201);
  const { session, expiresAt, ...rest } = body;
  assert.match(session, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(Date.parse(expiresAt), vault.now + 12 * 3_600_000);
  assert.deepEqual(rest, {
    ownerId: setup.ownerId,
    rootKey: setup.rootKey,
    mlKemPublicKey: setup.mlKemPublicKey,
    binFolderId: setup.bin.id,
    mediaFolderId: setup.media.id,
  });
  const { folders } = (await vault.visit("GET", "/folders", undefined, session)).body;
  assert.deepEqual(
    folders.map((folder: { id: string; kind: string; parentId: string | null }) => [
      folder.id,
      folder.kind,
      folder.parentId,
    ]).sort(),
    [[setup.bin.id, "bin", null], [setup.media.id, "media", null]].sort(),
  );
  assert.equal((await vault.visit("GET", "/status")).body.initialized, true);
});

Deno.test("a vault without a Media folder can be had", async () => {
  using vault = new EmptyVault();
  const { media: _, ...setup } = setupFields(vault.setupToken());
  const { status, body } = await vault.visit("POST", "/setup", setup);
  assert.deepEqual([status, body.mediaFolderId], [201, null]);
});

Deno.test("the second visitor is refused, with the same token and with any other", async () => {
  using vault = await OwnedVault.open();
  const before = vault.rows.owner();
  for (const token of [vault.setup.setupToken, anyToken()]) {
    const { status, body } = await vault.visit("POST", "/setup", setupFields(token));
    assert.deepEqual([status, body.code], [409, "already_initialized"]);
  }
  assert.equal(vault.rows.setupToken(), undefined, "the token is void");
  assert.equal(issueSetupToken(vault.rows, vault.now), undefined, "no further one is made");
  assert.deepEqual(vault.rows.owner(), before);
});

Deno.test("of two visitors with the same token at the same time one becomes the owner", async () => {
  using vault = new EmptyVault();
  const token = vault.setupToken();
  const answers = await Promise.all(
    [1, 2, 3].map(() => vault.visit("POST", "/setup", setupFields(token))),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
});

Deno.test("a wrong token leaves the vault without an owner, and the right one good", async () => {
  using vault = new EmptyVault();
  const token = vault.setupToken();
  const { status, body } = await vault.visit("POST", "/setup", setupFields(anyToken()));
  assert.deepEqual([status, body.code], [401, "setup_token_invalid"]);
  assert.equal(vault.rows.owner(), undefined);
  assert.equal((await vault.visit("POST", "/setup", setupFields(token))).status, 201);
});

Deno.test("each start prints another token, and only the last is good", async () => {
  using vault = new EmptyVault();
  const first = vault.setupToken();
  vault.restart();
  const second = vault.setupToken();
  assert.notEqual(first, second);
  assert.equal((await vault.visit("POST", "/setup", setupFields(first))).status, 401);
  assert.equal((await vault.visit("POST", "/setup", setupFields(second))).status, 201);
});

Deno.test("nothing is made of a set-up that does not fit together", async () => {
  using vault = new EmptyVault();
  const token = vault.setupToken();
  const good = setupFields(token);
  const other = setupFields(token);
  const bad: [string, unknown][] = [
    ["setupToken", { ...good, setupToken: token.slice(1) }],
    ["ownerId", { ...good, ownerId: good.ownerId.toUpperCase() }],
    ["kdf.preset", { ...good, kdf: { ...good.kdf, preset: "interactive" } }],
    ["kdf.salt", { ...good, kdf: other.kdf }],
    ["loginProof", { ...good, loginProof: good.loginProof + "A" }],
    ["rootKey", { ...good, rootKey: "{}" }],
    ["rootKey", { ...good, rootKey: good.recovery.rootKey }],
    ["rootKey", { ...good, ...passphraseFields(other.ownerId) }],
    ["recovery.rootKey", { ...good, recovery: { ...good.recovery, rootKey: 7 } }],
    ["rootKey", { ...good, recovery: recoveryFields(other.ownerId) }],
    ["mlKemPublicKey", { ...good, mlKemPublicKey: anyWrap().wrapped }],
    ["bin.name", { ...good, bin: { ...good.bin, name: "Bin" } }],
    ["bin.fkWrapped", { ...good, bin: { ...good.bin, fkWrapped: "AAAA" } }],
    ["id", { ...good, bin: { ...good.bin, id: good.media.id } }],
    ["id", { ...good, media: { id: good.ownerId, ...anyFolderFields() } }],
    ['"extra"', { ...good, extra: 1 }],
    ["JSON", "{"],
  ];
  for (const [names, body] of bad) {
    const got = await vault.visit("POST", "/setup", body);
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], names);
    assert.ok(got.body.message.includes(names), `${got.body.message} should name ${names}`);
  }
  assert.equal(vault.rows.owner(), undefined);
  assert.equal((await vault.visit("POST", "/setup", good)).status, 201);
});

Deno.test("before there is an owner nobody can sign in", async () => {
  using vault = new EmptyVault();
  for (const path of ["/login", "/login/recovery"]) {
    const got = await vault.visit("POST", path, { loginProof: anyToken() });
    assert.deepEqual([got.status, got.body.code], [409, "not_initialized"]);
  }
  assert.equal((await vault.visit("POST", "/login/start", {})).status, 409);
  assert.equal((await vault.visit("GET", "/folders", undefined, anyToken())).status, 401);
});

Deno.test("the data folder holds no token and no proof, only their hashes", async () => {
  using vault = await OwnedVault.open();
  const { setup, session } = vault;
  vault.restart();
  const bytes = new TextDecoder("latin1").decode(Deno.readFileSync(`${vault.folder}/vault.db`));
  assert.ok(bytes.includes(setup.kdf.salt), "the rows are in the file");
  for (const secret of [setup.setupToken, setup.loginProof, setup.recovery.loginProof, session]) {
    assert.ok(!bytes.includes(secret));
  }
});
