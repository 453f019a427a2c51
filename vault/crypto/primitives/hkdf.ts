// HKDF-SHA-256 (RFC 5869), from which every key of the formats is derived (crypto spec, 1 and 18).

import { hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, utf8 } from "../bytes.ts";

/** Derives so many bytes under a label; no salt means 32 zero bytes. */
export function hkdf(
  ikm: Uint8Array,
  salt: Uint8Array | null,
  info: string,
  length: number,
): Bytes {
  return nobleHkdf(sha256, ikm, salt ?? new Uint8Array(32), utf8(info), length);
}
