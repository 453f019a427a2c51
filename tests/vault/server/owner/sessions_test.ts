// When a session ends, and that nothing goes on with it afterwards.

import assert from "node:assert/strict";
import {
  anyToken,
  HOUR,
  MINUTE,
  OwnedVault,
  passphraseFields,
  recoveryFields,
} from "./owned_vault.ts";

async function signIn(vault: OwnedVault, loginProof = vault.setup.loginProof): Promise<string> {
  const { status, body } = await vault.visit("POST", "/login", { loginProof });
  assert.equal(status, 200);
  return body.session;
}

async function isGood(vault: OwnedVault, session: string): Promise<boolean> {
  const { status, body } = await vault.visit("GET", "/stats", undefined, session);
  if (status === 200) return true;
  assert.deepEqual([status, body.code], [401, "session_invalid"]);
  return false;
}

/** Every route that takes a session, with a body that would do where one is looked at. */
const ROUTES = [
  ["POST", "/logout"],
  ["PUT", "/passphrase"],
  ["PUT", "/recovery"],
  ["GET", "/folders"],
  ["GET", "/files"],
  ["GET", "/stats"],
  ["POST", "/folders"],
  ["PATCH", "/folders/:id"],
  ["PATCH", "/files/:id"],
  ["POST", "/bin"],
  ["POST", "/restore"],
  ["POST", "/purge"],
  ["POST", "/files"],
  ["POST", "/files/:id/finalize"],
  ["POST", "/uploads/:id/abort"],
  ["GET", "/files/:id/content"],
  ["POST", "/grants"],
  ["GET", "/grants"],
  ["POST", "/grants/:id/keys"],
  ["POST", "/grants/:id/extend"],
  ["POST", "/grants/:id/revoke"],
  ["GET", "/activity"],
  ["POST", "/activity/:id/undo"],
];

Deno.test("no route but the doors opens without a good session", async () => {
  using vault = await OwnedVault.open();
  const id = await vault.addFolder();
  const connection = await vault.addGrant({ rootIds: [id] });
  const { session } = vault;
  const spellings = [
    undefined,
    anyToken(),
    connection.token,
    session.slice(0, -1),
    session + "A",
    vault.setup.loginProof,
    vault.setup.setupToken,
  ];
  for (const [method, path] of ROUTES) {
    for (const token of spellings) {
      const body = method === "GET" ? undefined : "{ not even JSON";
      const got = await vault.visit(method, path.replace(":id", id), body, token);
      assert.deepEqual([got.status, got.body.code], [401, "session_invalid"], `${method} ${path}`);
    }
  }
});

Deno.test("another spelling of a token's bytes is no token", async () => {
  using vault = await OwnedVault.open();
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = letters.indexOf(vault.session.at(-1)!);
  const twin = vault.session.slice(0, -1) + letters[last + 1];
  assert.equal(await isGood(vault, twin), false);
  assert.equal(await isGood(vault, vault.session), true);
});

Deno.test("a session that is used lasts twelve hours and not a moment longer", async () => {
  using vault = await OwnedVault.open();
  const start = vault.now;
  for (let hours = 0.5; hours < 12; hours += 0.5) {
    vault.now = start + hours * HOUR;
    assert.ok(await isGood(vault, vault.session), `after ${hours} hours`);
  }
  vault.now = start + 12 * HOUR - 1;
  assert.ok(await isGood(vault, vault.session));
  vault.now = start + 12 * HOUR;
  assert.ok(!await isGood(vault, vault.session));
});

Deno.test("a session that nobody uses ends after an hour", async () => {
  using vault = await OwnedVault.open();
  vault.now += HOUR - 1;
  assert.ok(await isGood(vault, vault.session), "each request counts from anew");
  vault.now += HOUR - 1;
  assert.ok(await isGood(vault, vault.session));
  vault.now += HOUR;
  assert.ok(!await isGood(vault, vault.session));
  vault.now -= MINUTE;
  assert.ok(await isGood(vault, vault.session), "a refused request changes nothing");
});

Deno.test("signing out ends this session alone, at once", async () => {
  using vault = await OwnedVault.open();
  const other = await signIn(vault);
  assert.deepEqual(await vault.ok("POST", "/logout", {}), { ok: true });
  assert.ok(!await isGood(vault, vault.session));
  assert.ok(await isGood(vault, other));
});

Deno.test("sessions outlive a restart, and what has ended is swept away", async () => {
  using vault = await OwnedVault.open();
  vault.now += 30 * MINUTE;
  const fresh = await signIn(vault);
  vault.now += 31 * MINUTE;
  vault.restart();
  assert.ok(await isGood(vault, fresh));
  const { session } = vault;
  vault.now -= 31 * MINUTE;
  assert.ok(!await isGood(vault, session), "its row is gone");
});

Deno.test("a new passphrase ends the other sessions and replaces the old one", async () => {
  using vault = await OwnedVault.open();
  const { ownerId, loginProof, recovery } = vault.setup;
  const others = [await signIn(vault), await signIn(vault)];
  const next = passphraseFields(ownerId);
  await vault.ok("PUT", "/passphrase", { currentProof: loginProof, ...next });
  assert.ok(await isGood(vault, vault.session), "the one that asked goes on");
  for (const other of others) assert.ok(!await isGood(vault, other));
  assert.equal((await vault.visit("POST", "/login", { loginProof })).status, 401);
  const start = await vault.visit("POST", "/login/start", {});
  assert.deepEqual(start.body.kdf, next.kdf);
  const login = await vault.visit("POST", "/login", { loginProof: next.loginProof });
  assert.equal(login.body.rootKey, next.rootKey);
  const recovered = await vault.visit("POST", "/login/recovery", {
    loginProof: recovery.loginProof,
  });
  assert.equal(recovered.body.rootKey, recovery.rootKey, "the recovery key is as it was");
});

Deno.test("who came in with the recovery key sets a new passphrase with it", async () => {
  using vault = await OwnedVault.open();
  const { ownerId, recovery } = vault.setup;
  const { body } = await vault.visit("POST", "/login/recovery", {
    loginProof: recovery.loginProof,
  });
  const next = passphraseFields(ownerId);
  const change = { currentProof: recovery.loginProof, ...next };
  const changed = await vault.visit("PUT", "/passphrase", change, body.session);
  assert.deepEqual([changed.status, changed.body], [200, { ok: true }]);
  assert.ok(!await isGood(vault, vault.session));
  assert.ok(await isGood(vault, await signIn(vault, next.loginProof)));
});

Deno.test("a new recovery key replaces the old one and ends the other sessions", async () => {
  using vault = await OwnedVault.open();
  const { ownerId, loginProof, recovery } = vault.setup;
  const other = await signIn(vault);
  const next = recoveryFields(ownerId);
  await vault.ok("PUT", "/recovery", { currentProof: loginProof, ...next });
  assert.ok(!await isGood(vault, other));
  const old = await vault.visit("POST", "/login/recovery", { loginProof: recovery.loginProof });
  assert.equal(old.status, 401);
  const { body } = await vault.visit("POST", "/login/recovery", { loginProof: next.loginProof });
  assert.equal(body.rootKey, next.rootKey);
});

Deno.test("a change of secret that does not fit changes nothing and ends nothing", async () => {
  using vault = await OwnedVault.open();
  const { ownerId, loginProof, recovery } = vault.setup;
  const other = await signIn(vault);
  const before = vault.rows.owner()!;
  const good = { currentProof: loginProof, ...passphraseFields(ownerId) };
  const stranger = vault.id();
  const bad: [string, unknown][] = [
    ["/passphrase", { ...good, ...passphraseFields(stranger) }],
    ["/passphrase", { ...good, kdf: passphraseFields(ownerId).kdf }],
    ["/passphrase", { ...good, rootKey: recovery.rootKey }],
    ["/passphrase", { ...good, kdf: { ...good.kdf, preset: "none" } }],
    ["/passphrase", { ...good, extra: 1 }],
    ["/passphrase", { ...good, currentProof: undefined }],
    ["/recovery", { currentProof: loginProof, ...recoveryFields(stranger) }],
    ["/recovery", { currentProof: loginProof, ...recoveryFields(ownerId), kdf: good.kdf }],
  ];
  for (const [path, body] of bad) await vault.refused(400, "bad_request", "PUT", path, body);
  assert.deepEqual({ ...vault.rows.owner()!, updatedAt: 0 }, { ...before, updatedAt: 0 });
  assert.ok(await isGood(vault, other));
});

Deno.test("of two changes of the passphrase at once only one session is left", async () => {
  using vault = await OwnedVault.open();
  const { ownerId, loginProof } = vault.setup;
  const sessions = [vault.session, await signIn(vault)];
  const answers = await Promise.all(
    sessions.map((session) =>
      vault.visit("PUT", "/passphrase", {
        currentProof: loginProof,
        ...passphraseFields(ownerId),
      }, session)
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  const good = [];
  for (const session of sessions) good.push(await isGood(vault, session));
  assert.deepEqual(good.sort(), [false, true]);
});
