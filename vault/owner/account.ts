// The ways into a vault, and the two secrets that open it. The server gets proofs, which open nothing, and
// the root key sealed; passphrase, recovery key and root key stay here.

import { bytesToBase64, constantTimeEqual, zeroize } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { createChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import {
  createRootKey,
  openRootKey,
  type OwnerLogin,
  passphraseLogin,
  protectWithPassphrase,
  protectWithRecoveryKey,
  recoveryLogin,
} from "@shieldfive/crypto/extra/owner_keys.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { Answer } from "./answer.ts";
import type { Api, JsonBody } from "./api.ts";
import { OwnerError } from "./error.ts";
import type { KdfBackend } from "./kdf_workers.ts";
import { Keyring } from "./keyring.ts";
import { sealName } from "./names.ts";

/** An open session and the keys that it works with. */
export interface Account {
  api: Api;
  keyring: Keyring;
  ownerId: string;
  expiresAt: string;
  binId: string;
  mediaId: string | null;
}

/** What every way in needs. */
export interface Entrance {
  api: Api;
  kdf: KdfBackend;
}

/** What the folders that come with a vault are called. */
const BIN_NAME = "Bin";
const MEDIA_NAME = "Media";
const KDF_PRESET = "moderate";

function deriver(kdf: KdfBackend): KdfBackend["derive"] {
  return (request) => kdf.derive(request);
}

/** The same for errors of the keys' module that a person can do something about. */
function meaning(cause: unknown): unknown {
  if (!(cause instanceof CryptoError)) return cause;
  if (cause.code === "invalid_recovery_key") {
    return new OwnerError("invalid_recovery_key", cause.message, { cause });
  }
  if (cause.code === "derivation_failed") {
    return new OwnerError(cause.code, cause.message, { cause });
  }
  if (cause.code === "invalid_input") {
    return new OwnerError("invalid_argument", cause.message, { cause });
  }
  // The proof was right, so whoever keeps the records exchanged or damaged them.
  return new OwnerError("decrypt_failed", "the vault's root key does not open", { cause });
}

async function named<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw meaning(error);
  }
}

/**
 * Makes the vault of a new server: its root key, its Bin and its Media folder.
 *
 * @returns also the recovery key, which nobody keeps.
 * @throws OwnerError `invalid_argument` for an empty passphrase; `setup_token_invalid`,
 * `already_initialized`.
 */
export async function createAccount(
  { api, kdf }: Entrance,
  { setupToken, passphrase }: { setupToken: string; passphrase: string },
): Promise<{ account: Account; recoveryKey: string }> {
  const ownerId = uuidV7();
  const rootKey = createRootKey();
  const { salt, ...first } = await named(
    protectWithPassphrase({ ownerId, rootKey, passphrase }, deriver(kdf)),
  );
  const { recoveryKey, ...second } = await protectWithRecoveryKey({ ownerId, rootKey });
  const keyring = await Keyring.of(rootKey, kdf);
  try {
    const answer = await api.call("POST", "/setup", {
      setupToken,
      ownerId,
      kdf: { salt, preset: KDF_PRESET },
      loginProof: first.proof,
      rootKey: first.record,
      recovery: { loginProof: second.proof, rootKey: second.record },
      mlKemPublicKey: bytesToBase64(keyring.pair.publicKey),
      bin: await topFolder(keyring, BIN_NAME),
      media: await topFolder(keyring, MEDIA_NAME),
    });
    return { account: begin(api, keyring, ownerId, answer), recoveryKey };
  } catch (error) {
    keyring.wipe();
    throw error;
  }
}

async function topFolder(keyring: Keyring, name: string): Promise<JsonBody> {
  const id = uuidV7();
  const { key, wrapped } = await createChildKey(keyring.rootKey);
  zeroize(key);
  const sealed = await sealName(keyring, { name, rowId: id, key: keyring.rootKey });
  return { id, name: sealed, fkWrapped: wrapped.wrapped, fkIv: wrapped.iv };
}

/** @throws OwnerError `login_failed`, `rate_limited`, `key_mismatch`, `decrypt_failed`. */
export async function unlockAccount(
  { api, kdf }: Entrance,
  { passphrase }: { passphrase: string },
): Promise<Account> {
  const start = await loginStart(api);
  const login = await named(passphraseLogin({ ...start, passphrase }, deriver(kdf)));
  return await signIn({ api, kdf }, "/login", login);
}

/**
 * Unlocks with the recovery key, and sets a new passphrase before anything else.
 *
 * @throws OwnerError `invalid_recovery_key` for what is mistyped, and as {@link unlockAccount}.
 */
export async function recoverAccount(
  { api, kdf }: Entrance,
  { recoveryKey, newPassphrase }: { recoveryKey: string; newPassphrase: string },
): Promise<Account> {
  const { ownerId } = await loginStart(api);
  const login = await named(recoveryLogin({ ownerId, recoveryKey }));
  const account = await signIn({ api, kdf }, "/login/recovery", login);
  try {
    await putPassphrase(account, login.proof, newPassphrase);
    return account;
  } catch (error) {
    account.api.close();
    account.keyring.wipe();
    throw error;
  }
}

async function loginStart(api: Api): Promise<{ ownerId: string; salt: string }> {
  const answer = await api.call("POST", "/login/start", {});
  const kdf = answer.object("kdf");
  kdf.oneOf("preset", KDF_PRESET);
  return { ownerId: answer.id("ownerId"), salt: kdf.text("salt") };
}

async function signIn(
  { api, kdf }: Entrance,
  path: "/login" | "/login/recovery",
  login: OwnerLogin,
): Promise<Account> {
  const answer = await api.call("POST", path, { loginProof: login.proof });
  const rootKey = await named(openRootKey({ login, record: answer.text("rootKey") }));
  const keyring = await Keyring.of(rootKey, kdf);
  try {
    return begin(api, keyring, login.ownerId, answer);
  } catch (error) {
    keyring.wipe();
    throw error;
  }
}

/** Takes a session, once it is sure that the server shows the public key that belongs to the root key. */
function begin(api: Api, keyring: Keyring, ownerId: string, answer: Answer): Account {
  const shown = new TextEncoder().encode(answer.text("mlKemPublicKey"));
  const own = new TextEncoder().encode(bytesToBase64(keyring.pair.publicKey));
  if (!constantTimeEqual(shown, own)) {
    throw new OwnerError("key_mismatch", "the server shows another public key than this vault's");
  }
  const account = {
    api,
    keyring,
    ownerId,
    expiresAt: answer.time("expiresAt"),
    binId: answer.id("binFolderId"),
    mediaId: answer.idOrNull("mediaFolderId"),
  };
  api.signIn(answer.text("session"));
  return account;
}

/** @throws OwnerError `login_failed` when the current passphrase is another one. */
export async function changePassphrase(
  account: Account,
  { current, next }: { current: string; next: string },
): Promise<void> {
  await putPassphrase(account, await currentProof(account, current), next);
}

/** @throws OwnerError `login_failed` when the passphrase is another one. */
export async function renewRecoveryKey(
  account: Account,
  { passphrase }: { passphrase: string },
): Promise<string> {
  const proof = await currentProof(account, passphrase);
  const { ownerId, keyring: { rootKey } } = account;
  const { recoveryKey, record, proof: loginProof } = await protectWithRecoveryKey({
    ownerId,
    rootKey,
  });
  await account.api.call("PUT", "/recovery", { currentProof: proof, loginProof, rootKey: record });
  return recoveryKey;
}

async function currentProof(
  { api, keyring, ownerId }: Account,
  passphrase: string,
): Promise<string> {
  const { salt } = await loginStart(api);
  const login = passphraseLogin({ ownerId, passphrase, salt }, deriver(keyring.kdf));
  return (await named(login)).proof;
}

async function putPassphrase(account: Account, proof: string, passphrase: string): Promise<void> {
  const { api, keyring: { rootKey, kdf }, ownerId } = account;
  const { salt, record, proof: loginProof } = await named(
    protectWithPassphrase({ ownerId, rootKey, passphrase }, deriver(kdf)),
  );
  await api.call("PUT", "/passphrase", {
    currentProof: proof,
    kdf: { salt, preset: KDF_PRESET },
    loginProof,
    rootKey: record,
  });
}
