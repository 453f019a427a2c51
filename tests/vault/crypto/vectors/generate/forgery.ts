// AES-GCM does not commit to what it seals: with the key, two blocks of a ciphertext can be changed
// together so that the tag stays. A signature over tags alone would still verify.

import { createCipheriv } from "node:crypto";
import type { FileInput } from "../../second/container.ts";
import { hex, hkdf, unhex } from "../../second/primitives.ts";

const BLOCK = 16;

/** The product of two elements of GCM's field, whose lowest coefficient is the first bit. */
function multiply(a: bigint, b: bigint): bigint {
  const reduction = 0xe1n << 120n;
  let product = 0n;
  let factor = b;
  for (let bit = 127n; bit >= 0n; bit--) {
    if (a >> bit & 1n) product ^= factor;
    factor = factor & 1n ? factor >> 1n ^ reduction : factor >> 1n;
  }
  return product;
}

function element(block: Uint8Array): bigint {
  return BigInt("0x" + hex(block));
}

/** What GCM multiplies by under this key. */
function hashKey(chunkKey: Uint8Array): bigint {
  const cipher = createCipheriv("aes-256-ecb", chunkKey, null);
  return element(cipher.update(new Uint8Array(BLOCK)));
}

function xor(bytes: Uint8Array, with_: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => byte ^ (with_[i] ?? 0));
}

/** The first chunk of a file with another first and second block, and what it opens to. */
export function keepingItsTag(
  { key, fileId, plaintext, chunkSize }: FileInput,
  chunk: Uint8Array,
  difference: Uint8Array,
): { forged: Uint8Array; plaintext: Uint8Array } {
  const chunkKey = hkdf(key, fileId, "shieldfive/v1/aes-gcm/chunk-key", 32);
  const second = multiply(element(difference), hashKey(chunkKey));
  const change = unhex(hex(difference) + second.toString(16).padStart(2 * BLOCK, "0"));
  return { forged: xor(chunk, change), plaintext: xor(plaintext.subarray(0, chunkSize), change) };
}
