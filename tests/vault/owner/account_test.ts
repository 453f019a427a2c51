// The ways into a vault: made, locked, unlocked, recovered, and its secrets changed; all against the real
// service.

import assert from "node:assert/strict";
import { OwnerVault, vaultStatus } from "../../../vault/owner/mod.ts";
import {
  codeOf,
  inVault,
  lying,
  onServer,
  PASSPHRASE,
  paths,
  QUICK_KDF,
  uploadText,
} from "./support.ts";

/** Where it is not about what the derivation costs. */
const kdf = QUICK_KDF;
const OTHER = "a quite different passphrase";

Deno.test("a new server says that it has no vault, and then that it has", async () => {
  await onServer(async ({ origin, transport, setupToken = "" }) => {
    assert.deepEqual(await vaultStatus(origin, transport), {
      initialized: false,
      version: "0.0.0-test",
    });
    const made = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE, transport });
    assert.equal((await vaultStatus(origin, transport)).initialized, true);
    await made.vault.lock();
  });
});

Deno.test("a vault is made with the token that the server printed, and once", async () => {
  await onServer(async ({ origin, transport, setupToken = "" }) => {
    const create = (token: string) =>
      OwnerVault.create({ origin, setupToken: token, passphrase: PASSPHRASE, transport });
    assert.equal(await codeOf(create("A".repeat(43))), "setup_token_invalid");
    const { vault, recoveryKey } = await create(setupToken);
    assert.match(recoveryKey, /^SFR1-(\w{4}-){13}\w{4}$/);
    assert.equal(await codeOf(create(setupToken)), "already_initialized");
    await vault.lock();
  });
});

Deno.test("an empty passphrase is refused before anything is sent", async () => {
  await onServer(async ({ origin, transport, setupToken = "" }) => {
    const created = OwnerVault.create({ origin, setupToken, passphrase: "", transport });
    assert.equal(await codeOf(created), "invalid_argument");
    assert.equal((await vaultStatus(origin, transport)).initialized, false);
  });
});

Deno.test("what was put into a vault is there after it was locked and unlocked", async () => {
  await inVault(async ({ vault, second, server }) => {
    const folder = await vault.createFolder(null, "Taxes");
    await uploadText(vault, folder.id, "2025.txt", "a secret");
    const before = paths(vault);
    assert.deepEqual(before, ["/Bin/", "/Media/", "/Taxes/", "/Taxes/2025.txt"]);
    await vault.lock();
    const again = await second();
    assert.deepEqual(paths(again), before);
    assert.equal(again.ownerId, vault.ownerId);
    assert.ok(Date.parse(again.expiresAt) > server.clock.now());
  });
});

Deno.test("a locked vault does nothing any more, and its session is over", async () => {
  await inVault(async ({ vault, server }) => {
    const tokens: (string | null)[] = [];
    const { transport, origin } = server;
    const watched = await OwnerVault.unlock({
      origin,
      passphrase: PASSPHRASE,
      transport: {
        ...transport,
        fetch(request) {
          tokens.push(request.headers.get("authorization"));
          return transport.fetch(request);
        },
      },
    });
    await watched.lock();
    assert.equal(await codeOf(watched.refresh()), "locked");
    assert.equal(await codeOf(watched.createFolder(null, "x")), "locked");
    const authorization = tokens.at(-1) ?? "";
    assert.match(authorization, /^Bearer /);
    const { status } = await server.fetch(`${origin}/api/owner/v1/folders`, {
      headers: { authorization },
    });
    assert.equal(status, 401);
    await vault.refresh();
  });
});

Deno.test("another passphrase does not open the vault, and many in a row have to wait", async () => {
  await inVault(async ({ server: { origin, transport, clock } }) => {
    // Deriving a key can take longer than the first wait.
    const now = Date.now();
    clock.now = () => now;
    const guess = () => OwnerVault.unlock({ origin, kdf, passphrase: OTHER, transport });
    for (let i = 0; i < 5; i++) assert.equal(await codeOf(guess()), "login_failed");
    await assert.rejects(guess(), ({ code, retryAfterSeconds }) => {
      assert.equal(code, "rate_limited");
      assert.ok(retryAfterSeconds >= 1, `${retryAfterSeconds}`);
      return true;
    });
  }, { kdf });
});

Deno.test("the recovery key opens the vault and sets a new passphrase", async () => {
  await inVault(async ({ vault, server: { origin, transport }, recoveryKey }) => {
    const folder = await vault.createFolder(null, "Kept");
    const recovered = await OwnerVault.recover({
      origin,
      recoveryKey: recoveryKey.toLowerCase().replaceAll("-", " "),
      newPassphrase: OTHER,
      transport,
    });
    await recovered.refresh();
    assert.equal(recovered.tree.folders.get(folder.id)?.name, "Kept");
    const unlock = (passphrase: string) => OwnerVault.unlock({ origin, passphrase, transport });
    assert.equal(await codeOf(unlock(PASSPHRASE)), "login_failed");
    await (await unlock(OTHER)).lock();
    // Whoever was in with the old passphrase is out.
    assert.equal(await codeOf(vault.refresh()), "session_ended");
    await recovered.lock();
  });
});

Deno.test("a mistyped recovery key is told from a wrong one", async () => {
  await inVault(async ({ server: { origin, transport }, recoveryKey }) => {
    const recover = (key: string) =>
      OwnerVault.recover({ origin, kdf, recoveryKey: key, newPassphrase: OTHER, transport });
    const last = recoveryKey.at(-1) === "0" ? "1" : "0";
    assert.equal(await codeOf(recover(recoveryKey.slice(0, -1) + last)), "invalid_recovery_key");
    await inVault(async ({ recoveryKey: another }) => {
      assert.equal(await codeOf(recover(another)), "login_failed");
    }, { kdf });
  }, { kdf });
});

Deno.test("a changed passphrase replaces the one before, and the recovery key stays", async () => {
  await inVault(async ({ vault, server: { origin, transport }, recoveryKey }) => {
    const change = (current: string) => vault.changePassphrase({ current, next: OTHER });
    assert.equal(await codeOf(change("not the one")), "login_failed");
    await change(PASSPHRASE);
    await vault.refresh();
    const unlock = (passphrase: string) =>
      OwnerVault.unlock({ origin, kdf, passphrase, transport });
    assert.equal(await codeOf(unlock(PASSPHRASE)), "login_failed");
    await (await unlock(OTHER)).lock();
    const options = { origin, kdf, recoveryKey, newPassphrase: PASSPHRASE, transport };
    await (await OwnerVault.recover(options)).lock();
    await (await unlock(PASSPHRASE)).lock();
  }, { kdf });
});

Deno.test("a renewed recovery key replaces the one before", async () => {
  await inVault(async ({ vault, server: { origin, transport }, recoveryKey }) => {
    assert.equal(await codeOf(vault.renewRecoveryKey({ passphrase: OTHER })), "login_failed");
    const renewed = await vault.renewRecoveryKey({ passphrase: PASSPHRASE });
    assert.notEqual(renewed, recoveryKey);
    const recover = (key: string) =>
      OwnerVault.recover({ origin, kdf, recoveryKey: key, newPassphrase: OTHER, transport });
    assert.equal(await codeOf(recover(recoveryKey)), "login_failed");
    await (await recover(renewed)).lock();
  }, { kdf });
});

Deno.test("a passphrase counts the same however its accents are composed", async () => {
  await onServer(async ({ origin, transport, setupToken = "" }) => {
    const passphrase = "café au lait".normalize("NFD");
    const { vault } = await OwnerVault.create({ origin, setupToken, passphrase, transport });
    await vault.lock();
    const composed = passphrase.normalize("NFC");
    await (await OwnerVault.unlock({ origin, passphrase: composed, transport })).lock();
  });
});

Deno.test("a server that shows another public key at the login is found out", async () => {
  await inVault(async ({ server: { origin, transport } }) => {
    const other = new Uint8Array(1568).toBase64();
    const liar = lying(transport, (path, answer) => {
      if (path.endsWith("/login")) answer.mlKemPublicKey = other;
    });
    const unlocked = OwnerVault.unlock({ origin, kdf, passphrase: PASSPHRASE, transport: liar });
    assert.equal(await codeOf(unlocked), "key_mismatch");
  }, { kdf });
});

Deno.test("a server that shows another record of the root key is found out", async () => {
  await inVault(async ({ server: { origin, transport } }) => {
    const liar = lying(transport, (path, answer) => {
      if (!path.endsWith("/login")) return;
      const record = JSON.parse(answer.rootKey);
      const wrapped = Uint8Array.fromBase64(record.wrapped);
      wrapped[0] ^= 1;
      answer.rootKey = JSON.stringify({ ...record, wrapped: wrapped.toBase64() });
    });
    const unlocked = OwnerVault.unlock({ origin, kdf, passphrase: PASSPHRASE, transport: liar });
    assert.equal(await codeOf(unlocked), "decrypt_failed");
  }, { kdf });
});

Deno.test("a server cannot have the passphrase stretched less or more", async () => {
  await inVault(async ({ server: { origin, transport } }) => {
    for (const lie of [{ salt: "AAAA" }, { preset: "interactive" }, { preset: "sensitive" }]) {
      const liar = lying(transport, (path, answer) => {
        if (path.endsWith("/login/start")) Object.assign(answer.kdf, lie);
      });
      const unlocked = OwnerVault.unlock({ origin, kdf, passphrase: PASSPHRASE, transport: liar });
      assert.match(await codeOf(unlocked), /^(bad_answer|invalid_argument)$/);
    }
  }, { kdf });
});

Deno.test("only an encrypted address, or this machine, is spoken to", async () => {
  for (const origin of ["http://vault.example", "ftp://vault.example", "vault.example", ""]) {
    assert.equal(await codeOf(vaultStatus(origin)), "invalid_argument");
  }
});

Deno.test("a server that is not there, and one that is none, are named", async () => {
  const refusing = {
    fetch: () => Promise.reject(new TypeError("connection refused")),
    put: () => Promise.reject(new TypeError("connection refused")),
  };
  assert.equal(await codeOf(vaultStatus("https://vault.test", refusing)), "network_error");
  const answering = (body: string, status = 200) => ({
    ...refusing,
    fetch: () => Promise.resolve(new Response(body, { status })),
  });
  const ask = (body: string, status?: number) =>
    codeOf(vaultStatus("https://vault.test", answering(body, status)));
  assert.equal(await ask("<html>"), "bad_answer");
  assert.equal(await ask("[]"), "bad_answer");
  assert.equal(await ask('{"initialized":"yes","version":"1"}'), "bad_answer");
  assert.equal(await ask("<html>", 502), "http_502");
  assert.equal(await ask('{"code":"Not A Code"}', 400), "http_400");
});
