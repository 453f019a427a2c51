// How an owner's two secrets, the passphrase and the recovery key, open the vault's root key RK and
// sign the owner in. The published formats say what hangs below RK and not how RK is kept (crypto
// spec, 10), so this is a design of our own, version 1, for the self-hosted server.
//
//   passphrase + salt ─ Argon2id, moderate ─► 32 bytes ─┬─ HKDF "…/login-proof" ─► proof
//                                                       └─ HKDF "…/root-key-wrap" ─► seals RK
//   recovery key, 32 random bytes ─┬─ HKDF "…/recovery-login-proof" ─► proof
//                                  └─ HKDF "…/recovery-root-key-wrap" ─► seals RK
//
// - The proof is what is sent to sign in. The server keeps the records (owner_record.ts), the salt
//   and the hash of each proof. A proof says nothing of the key beside it, and a stolen hash signs
//   nobody in. Who steals the records can try passphrases, at one Argon2id of 256 MiB each; the
//   recovery key cannot be guessed, so it is not stretched.
// - The owner's id is the salt of each HKDF and, with version and kind of secret, bound to each
//   sealed RK: a record of another owner, or of the other secret, does not open.
// - Salt and id come from the server before anyone signed in. A salt has one length and version 1
//   one cost, so a server can neither have the passphrase stretched less nor keep a client busy.
// - A passphrase is put into NFC first, so that it is the same from keyboards that compose accents
//   and from those that do not. Nothing is trimmed.
// - A new passphrase or recovery key seals the same RK again, and nothing below it changes. Who had
//   the old one is locked out of the server, and not out of a copy of the old record: for that the
//   vault needs a new RK.
// - A server that lies can refuse service or hand its page's visitors another program than this. It
//   can try passphrases on a proof that it was sent, at the same cost as on the record that it has.

import {
  type Bytes,
  bytesToBase64,
  bytesToBase64url,
  bytesToHex,
  constantTimeEqual,
  hexToBytes,
  randomBytes,
  utf8,
  zeroize,
} from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { reDeriveMasterSecret } from "../kdf/argon2id.ts";
import type { Argon2Request } from "../kdf/parameters.ts";
import { type AesKey, importAesKey } from "../primitives/aes_gcm.ts";
import { sha256 } from "../primitives/hash.ts";
import { hkdf } from "../primitives/hkdf.ts";
import {
  decodeFieldOf,
  decodeKeyText,
  isFingerprint,
  KEY_LENGTH,
  openKey,
  requireKey,
  requireUuid,
  sealKey,
} from "../vault/keys.ts";
import {
  formatOwnerRecord,
  OWNER_SALT_LENGTH,
  type OwnerSecret,
  parseOwnerRecord,
} from "./owner_record.ts";
import { formatRecoveryKey, parseRecoveryKey } from "./recovery_key.ts";

const LABELS: Record<OwnerSecret, { proof: string; wrap: string }> = {
  passphrase: {
    proof: "shieldfive-serve/1/login-proof",
    wrap: "shieldfive-serve/1/root-key-wrap",
  },
  recovery: {
    proof: "shieldfive-serve/1/recovery-login-proof",
    wrap: "shieldfive-serve/1/recovery-root-key-wrap",
  },
};

/** Carries out a derivation somewhere else than in this thread, which a browser would have to stop for. */
export type PassphraseDeriver = (request: Argon2Request) => Promise<Uint8Array>;

/** What one of the owner's secrets gives. */
export interface OwnerLogin {
  ownerId: string;
  secret: OwnerSecret;
  /** What signs the owner in: 32 bytes as 43 characters of base64url. */
  proof: string;
  /** Opens the root key; it cannot be read, sent or written. */
  wrapKey: AesKey;
}

/** What an owner's client hands to the server to keep. */
export interface OwnerProtection {
  /** The sealed root key, as text. */
  record: string;
  /** The server keeps {@link hashOwnerProof} of it. */
  proof: string;
}

/** A fresh root key; the caller wipes it. */
export function createRootKey(): Bytes {
  return randomBytes(KEY_LENGTH);
}

/** Both keys of a secret, which is wiped. */
async function loginOf(
  ownerId: string,
  secret: OwnerSecret,
  ikm: Uint8Array,
): Promise<OwnerLogin> {
  const salt = utf8(ownerId);
  const proof = hkdf(ikm, salt, LABELS[secret].proof, KEY_LENGTH);
  const wrap = hkdf(ikm, salt, LABELS[secret].wrap, KEY_LENGTH);
  try {
    const wrapKey = await importAesKey(wrap);
    return { ownerId, secret, proof: bytesToBase64url(proof), wrapKey };
  } finally {
    for (const bytes of [ikm, proof, wrap]) zeroize(bytes);
  }
}

/**
 * What a passphrase gives, in about a second.
 *
 * @param options.salt base64 of 16 bytes, as the server gives it for the owner.
 * @throws {CryptoError} `invalid_input` for an empty or malformed passphrase, salt or id.
 */
export async function passphraseLogin(
  options: { ownerId: string; passphrase: string; salt: string },
  derive?: PassphraseDeriver,
): Promise<OwnerLogin> {
  const { ownerId, passphrase } = options;
  requireUuid(ownerId, "the owner's id");
  const salt = decodeFieldOf(options.salt, OWNER_SALT_LENGTH);
  if (salt === undefined) {
    throw new CryptoError("invalid_input", `the salt must be ${OWNER_SALT_LENGTH} bytes in base64`);
  }
  const stored = { passphrase: passphrase.normalize("NFC"), salt, preset: "moderate" } as const;
  const master = await reDeriveMasterSecret(stored, derive);
  return await loginOf(ownerId, "passphrase", master);
}

/**
 * What a recovery key gives, as it was typed.
 *
 * @throws {CryptoError} `invalid_recovery_key` for a mistyped one; `invalid_input` for a malformed
 * id.
 */
export async function recoveryLogin(
  options: { ownerId: string; recoveryKey: string },
): Promise<OwnerLogin> {
  requireUuid(options.ownerId, "the owner's id");
  return await loginOf(options.ownerId, "recovery", parseRecoveryKey(options.recoveryKey));
}

/** What is bound to a sealed root key: what it is, its version, and whose secret opens it. */
function boundTo(ownerId: string, secret: OwnerSecret): Bytes {
  return utf8(["shieldfive-serve", "1", "root-key", secret, ownerId].join("|"));
}

/**
 * The root key out of the record that the server keeps. The caller wipes it.
 *
 * @throws {CryptoError} `unwrap_failed` for another secret than the one that sealed it, and for a
 * record of another owner; `invalid_owner_record` for what is none.
 */
export async function openRootKey(
  options: { login: OwnerLogin; record: string },
): Promise<Bytes> {
  const { ownerId, secret, wrapKey } = options.login;
  return await openKey(wrapKey, parseOwnerRecord(options.record), boundTo(ownerId, secret));
}

/**
 * Seals a root key under a passphrase, with a fresh salt: for a new owner, and for a new
 * passphrase.
 *
 * @throws {CryptoError} as {@link passphraseLogin}; `invalid_input` for a root key that is none.
 */
export async function protectWithPassphrase(
  options: { ownerId: string; rootKey: Uint8Array; passphrase: string },
  derive?: PassphraseDeriver,
): Promise<OwnerProtection & { salt: string }> {
  const { ownerId, rootKey, passphrase } = options;
  requireKey(rootKey, "the root key");
  const salt = bytesToBase64(randomBytes(OWNER_SALT_LENGTH));
  const { proof, wrapKey } = await passphraseLogin({ ownerId, passphrase, salt }, derive);
  const sealed = await sealKey(wrapKey, rootKey, boundTo(ownerId, "passphrase"));
  const record = formatOwnerRecord({ opens: "passphrase", owner: ownerId, salt, ...sealed });
  return { record, proof, salt };
}

/**
 * Seals a root key under a fresh recovery key, which replaces the one before. It is shown once, to
 * be written down; nobody keeps it.
 *
 * @throws {CryptoError} `invalid_input` for a malformed id or a root key that is none.
 */
export async function protectWithRecoveryKey(
  options: { ownerId: string; rootKey: Uint8Array },
): Promise<OwnerProtection & { recoveryKey: string }> {
  const { ownerId, rootKey } = options;
  requireUuid(ownerId, "the owner's id");
  requireKey(rootKey, "the root key");
  const key = randomBytes(KEY_LENGTH);
  const recoveryKey = formatRecoveryKey(key);
  const { proof, wrapKey } = await loginOf(ownerId, "recovery", key);
  const sealed = await sealKey(wrapKey, rootKey, boundTo(ownerId, "recovery"));
  const record = formatOwnerRecord({ opens: "recovery", owner: ownerId, ...sealed });
  return { record, proof, recoveryKey };
}

/**
 * What a server keeps of a proof: its SHA-256 in lower-case hex. A proof has 256 bits, so nothing
 * slower is needed.
 *
 * @throws {CryptoError} `invalid_input` unless the text is the one spelling of 32 bytes.
 */
export function hashOwnerProof(proof: string): string {
  const bytes = decodeKeyText(proof);
  if (bytes === undefined) {
    throw new CryptoError("invalid_input", "a proof is 32 bytes in base64url");
  }
  return bytesToHex(sha256(bytes));
}

/** Whether what was sent to sign in is the proof behind a stored hash, in constant time. */
export function ownerProofMatches(proof: unknown, hash: string): boolean {
  const bytes = decodeKeyText(proof);
  return bytes !== undefined && isFingerprint(hash) &&
    constantTimeEqual(sha256(bytes), hexToBytes(hash));
}
