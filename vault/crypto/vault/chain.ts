// The key chain: each folder's key is sealed under its parent's, each file's under its folder's,
// and the topmost under the vault's root key (crypto spec, 11). A wrap is bound to nothing but its
// parent key: that a row was given a sibling's key shows only when its name or its content does not
// open.

import { type Bytes, bytesToHex } from "../bytes.ts";
import { importAesKey } from "../primitives/aes_gcm.ts";
import { sha256 } from "../primitives/hash.ts";
import { openKey, requireKey, sealKey, type WrappedKey } from "./keys.ts";

/**
 * Seals a child's key under its parent's, with a fresh IV (crypto spec, 11).
 *
 * @throws {VaultCryptoError} `invalid_input` unless both keys have 32 bytes.
 */
export async function wrapChainKey(parent: Uint8Array, key: Uint8Array): Promise<WrappedKey> {
  requireKey(parent, "the parent key");
  requireKey(key, "the key to wrap");
  return await sealKey(await importAesKey(parent), key);
}

/**
 * The child's key out of its wrap (crypto spec, 11).
 *
 * @throws {VaultCryptoError} `unwrap_failed` for a wrong shape or another parent key;
 * `invalid_input` for a parent key that is none.
 */
export async function unwrapChainKey(parent: Uint8Array, wrapped: WrappedKey): Promise<Bytes> {
  requireKey(parent, "the parent key");
  return await openKey(await importAesKey(parent), wrapped);
}

/**
 * By what an owner recognises a key that a grant must never get: the SHA-256 of its 32 bytes, in
 * lower-case hex (crypto spec, 14).
 *
 * @throws {VaultCryptoError} `invalid_input` unless the key has 32 bytes.
 */
export function keyFingerprint(key: Uint8Array): string {
  requireKey(key, "the key");
  return bytesToHex(sha256(key));
}
