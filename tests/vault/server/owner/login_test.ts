// How fast the owner's secrets can be guessed, and what guessing tells.

import assert from "node:assert/strict";
import {
  anyToken,
  HOUR,
  MINUTE,
  OwnedVault,
  passphraseFields,
  recoveryFields,
} from "./owned_vault.ts";

/** Guesses wrong so many times, each as soon as the server looks at it. */
async function guessWrong(vault: OwnedVault, times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    vault.now = Math.max(vault.now, vault.rows.owner()!.nextLoginAt);
    const { status } = await vault.visit("POST", "/login", { loginProof: anyToken() });
    assert.equal(status, 401);
  }
}

/** The seconds that the server asks for; 0 when it looks at a proof. */
async function waitOf(vault: OwnedVault, path = "/login"): Promise<number> {
  const { status, headers, body } = await vault.visit("POST", path, { loginProof: anyToken() });
  if (status !== 429) return 0;
  assert.equal(body.code, "rate_limited");
  return Number(headers["retry-after"]);
}

Deno.test("the passphrase's proof signs in, and so does the recovery key's", async () => {
  using vault = await OwnedVault.open();
  const { loginProof, rootKey, recovery } = vault.setup;
  const login = await vault.visit("POST", "/login", { loginProof });
  assert.deepEqual([login.status, login.body.rootKey], [200, rootKey]);
  const recovered = await vault.visit("POST", "/login/recovery", {
    loginProof: recovery.loginProof,
  });
  assert.deepEqual([recovered.status, recovered.body.rootKey], [200, recovery.rootKey]);
  for (const { body } of [login, recovered]) {
    assert.equal((await vault.visit("GET", "/stats", undefined, body.session)).status, 200);
  }
});

Deno.test("one secret's proof is no proof of the other", async () => {
  using vault = await OwnedVault.open();
  const { loginProof, recovery } = vault.setup;
  const swapped = [
    await vault.visit("POST", "/login", { loginProof: recovery.loginProof }),
    await vault.visit("POST", "/login/recovery", { loginProof }),
    await vault.visit("POST", "/login", { loginProof: anyToken() }),
  ];
  for (const { status, body } of swapped) {
    assert.deepEqual([status, body], [401, { code: "login_failed" }]);
  }
});

Deno.test("the start of a login tells the salt and nothing else", async () => {
  using vault = await OwnedVault.open();
  const { status, body } = await vault.visit("POST", "/login/start", {});
  const { ownerId, kdf } = vault.setup;
  assert.deepEqual([status, body], [200, { ownerId, kdf }]);
});

Deno.test("five wrong proofs are free, then each doubles the wait, up to 15 minutes", async () => {
  using vault = await OwnedVault.open();
  const waits: number[] = [];
  for (let failures = 1; failures <= 16; failures++) {
    await guessWrong(vault, 1);
    const wait = vault.rows.owner()!.nextLoginAt - vault.now;
    if (wait > 0) assert.equal(await waitOf(vault), wait / 1000);
    waits.push(wait / 1000);
  }
  const expected = [0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900];
  assert.deepEqual(waits, expected);
});

Deno.test("while the wait lasts the right proof is refused too, and then signs in", async () => {
  using vault = await OwnedVault.open();
  const { loginProof } = vault.setup;
  await guessWrong(vault, 5);
  assert.equal((await vault.visit("POST", "/login", { loginProof })).status, 429);
  vault.now += 1999;
  assert.equal((await vault.visit("POST", "/login", { loginProof })).status, 429);
  vault.now += 1;
  assert.equal((await vault.visit("POST", "/login", { loginProof })).status, 200);
  await guessWrong(vault, 4);
  assert.equal(await waitOf(vault), 0, "a success starts the count anew");
});

Deno.test("what is refused while waiting does not count", async () => {
  using vault = await OwnedVault.open();
  await guessWrong(vault, 5);
  for (let count = 0; count < 50; count++) assert.equal(await waitOf(vault), 2);
  assert.equal(vault.rows.owner()!.failedLogins, 5);
});

Deno.test("guesses side by side are counted one by one", async () => {
  using vault = await OwnedVault.open();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => vault.visit("POST", "/login", { loginProof: anyToken() })),
  );
  const refused = answers.filter(({ status }) => status === 401).length;
  assert.deepEqual([refused, answers.length - refused], [5, 35]);
  assert.ok(answers.every(({ status }) => status === 401 || status === 429));
});

Deno.test("a restart forgets neither the count nor the wait", async () => {
  using vault = await OwnedVault.open();
  await guessWrong(vault, 9);
  vault.restart();
  assert.equal(await waitOf(vault), 32);
  vault.now += 32_000;
  await guessWrong(vault, 1);
  assert.equal(await waitOf(vault), 64);
});

Deno.test("every place that takes a proof shares one count", async () => {
  using vault = await OwnedVault.open();
  const { ownerId } = vault.setup;
  const wrong = anyToken();
  const tries: [string, string, unknown, string?][] = [
    ["POST", "/login", { loginProof: wrong }],
    ["POST", "/login/recovery", { loginProof: wrong }],
    ["PUT", "/passphrase", { currentProof: wrong, ...passphraseFields(ownerId) }, vault.session],
    ["PUT", "/recovery", { currentProof: wrong, ...recoveryFields(ownerId) }, vault.session],
  ];
  for (const [method, path, body, token] of [...tries, tries[0]]) {
    const got = await vault.visit(method, path, body, token);
    assert.deepEqual([got.status, got.body.code], [401, "login_failed"], path);
  }
  for (const [method, path, body, token] of tries) {
    const got = await vault.visit(method, path, body, token);
    assert.deepEqual([got.status, got.headers["retry-after"]], [429, "2"], path);
  }
});

Deno.test("a change of secret without a session is no guess", async () => {
  using vault = await OwnedVault.open();
  const body = { currentProof: anyToken(), ...passphraseFields(vault.setup.ownerId) };
  const got = await vault.visit("PUT", "/passphrase", body, anyToken());
  assert.deepEqual([got.status, got.body.code], [401, "session_invalid"]);
  assert.equal(vault.rows.owner()!.failedLogins, 0);
});

Deno.test("a clock that was ahead and is set back locks nobody out", async () => {
  using vault = await OwnedVault.open();
  vault.now += 1000 * HOUR;
  await guessWrong(vault, 20);
  vault.now -= 1000 * HOUR;
  const { loginProof } = vault.setup;
  assert.equal((await vault.visit("POST", "/login", { loginProof })).status, 200);
});

Deno.test("malformed proofs are no guesses", async () => {
  using vault = await OwnedVault.open();
  for (const body of [{}, { loginProof: "" }, { loginProof: 1 }, { loginProof: null }, [], "x"]) {
    const got = await vault.visit("POST", "/login", body);
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"]);
  }
  const extra = { loginProof: anyToken(), more: true };
  assert.equal((await vault.visit("POST", "/login", extra)).status, 400);
  assert.equal(vault.rows.owner()!.failedLogins, 0);
});

Deno.test("wrong proofs are on record, the refused ones as refused", async () => {
  using vault = await OwnedVault.open();
  await guessWrong(vault, 2);
  vault.now += MINUTE;
  await vault.visit("POST", "/login", { loginProof: vault.setup.loginProof });
  const entries = await vault.activity("login");
  assert.deepEqual(
    entries.map(({ result, code, grantId }) => [result, code, grantId]),
    [["ok", null, null], ["refused", "login_failed", null], ["refused", "login_failed", null]],
  );
});
