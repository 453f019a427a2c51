// Secretbox: XSalsa20-Poly1305, 24-byte nonce, the 16-byte tag before the ciphertext (crypto spec, 1).

import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { Bytes } from "../bytes.ts";
import { requireLength, TAG_LENGTH } from "./lengths.ts";
import { moveToOwnMemory } from "./own_memory.ts";

/** Seals a message under a 32-byte key and a 24-byte nonce. */
export function secretboxSeal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Bytes {
  requireLength(key, 32, "the key");
  requireLength(nonce, 24, "the nonce");
  return moveToOwnMemory(xsalsa20poly1305(key, nonce).encrypt(plaintext));
}

/** The message, or undefined when the tag does not fit: another key, nonce or box. */
export function secretboxOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  box: Uint8Array,
): Bytes | undefined {
  requireLength(key, 32, "the key");
  requireLength(nonce, 24, "the nonce");
  if (box.length < TAG_LENGTH) return undefined;
  try {
    return moveToOwnMemory(xsalsa20poly1305(key, nonce).decrypt(box));
  } catch (error) {
    if (error instanceof Error && error.message === "invalid tag") return undefined;
    throw error;
  }
}
