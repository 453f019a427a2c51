// AES-256-GCM by WebCrypto: 12-byte IV, the 16-byte tag after the ciphertext (crypto spec, 1). For a key
// wrap or a name node:crypto would be faster (20 µs against 120, most of which is the way to another
// thread), but a name costs 65 ms of Argon2id, and one implementation that is constant in time
// everywhere and keeps the key out of JavaScript is worth more.

import type { Bytes } from "../bytes.ts";
import { requireLength } from "./lengths.ts";

/** A key in the platform's keeping; it cannot be read back. */
export type AesKey = CryptoKey;

/** Takes a 32-byte key over into the platform's keeping. */
export async function importAesKey(key: Uint8Array): Promise<AesKey> {
  requireLength(key, 32, "the key");
  return await crypto.subtle.importKey("raw", key as Bytes, "AES-GCM", false, [
    "encrypt",
    "decrypt",
  ]);
}

function parameters(iv: Uint8Array, aad: Uint8Array | undefined): AesGcmParams {
  requireLength(iv, 12, "the IV");
  const name = "AES-GCM";
  return aad === undefined
    ? { name, iv: iv as Bytes }
    : { name, iv: iv as Bytes, additionalData: aad as Bytes };
}

/** Seals a message under a 12-byte IV. */
export async function aesGcmSeal(
  key: AesKey,
  iv: Uint8Array,
  plaintext: Uint8Array,
  aad?: Uint8Array,
): Promise<Bytes> {
  return new Uint8Array(
    await crypto.subtle.encrypt(parameters(iv, aad), key, plaintext as Bytes),
  );
}

/** The message, or undefined when the tag does not fit: another key, IV, AAD or ciphertext. */
export async function aesGcmOpen(
  key: AesKey,
  iv: Uint8Array,
  ciphertext: Uint8Array,
  aad?: Uint8Array,
): Promise<Bytes | undefined> {
  const algorithm = parameters(iv, aad);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, ciphertext as Bytes));
  } catch (error) {
    // The one name that WebCrypto has for a tag that does not fit, or is not there.
    if (error instanceof DOMException && error.name === "OperationError") return undefined;
    throw error;
  }
}
