// `@shieldfive/crypto/extra/ciphertext_length.ts`: how long a file will be, known before its first
// byte is read: an upload has to announce it.

import { CHUNK_OVERHEAD, chunksOf } from "../chunk.ts";
import { CryptoError } from "../errors.ts";
import {
  DEFAULT_CHUNK_SIZE,
  HEADER_FIXED_PREFIX_LENGTH,
  HEADER_SIZES,
  MAX_CHUNK_SIZE,
} from "../header.ts";
import { ED25519_PUBLIC_KEY_LENGTH, ED25519_SIGNATURE_LENGTH } from "../signature.ts";
import { DEFAULT_SUITE, type SuiteId, suiteRules } from "../suites.ts";

const SIGNATURE_BLOCK = 1 + 2 + ED25519_PUBLIC_KEY_LENGTH + 2 + ED25519_SIGNATURE_LENGTH;

/**
 * Bytes of the file that a plaintext of so many bytes becomes: header, plaintext, 20 bytes a chunk,
 * and 101 more when it is signed (crypto spec, 3).
 *
 * @throws CryptoError `invalid_input` for sizes that no file can have.
 */
export function ciphertextLength(
  plaintextSize: number,
  chunkSize: number = DEFAULT_CHUNK_SIZE,
  suite: SuiteId = DEFAULT_SUITE,
  signed = false,
): number {
  if (!Number.isSafeInteger(plaintextSize) || plaintextSize < 0) {
    throw new CryptoError("invalid_input", "the plaintext size must be a whole number of bytes");
  }
  if (!Number.isInteger(chunkSize) || chunkSize < 1 || chunkSize > MAX_CHUNK_SIZE) {
    throw new CryptoError("invalid_input", `a chunk cannot have ${chunkSize} bytes`);
  }
  const { payloadLength } = suiteRules(suite);
  const header = HEADER_FIXED_PREFIX_LENGTH + payloadLength + HEADER_SIZES.HEADER_MAC;
  const framing = chunksOf(plaintextSize, chunkSize) * CHUNK_OVERHEAD;
  return header + plaintextSize + framing + (signed ? SIGNATURE_BLOCK : 0);
}
