// The proof that an upload's owner sends with it: a MAC over the header and the first chunk, which
// the server works out again from what was stored (crypto spec, 15). It says nothing of later
// chunks.

import { UploadProofV3 } from "../extra/upload_proof.ts";

/**
 * The proof of an upload, base64 of 34 bytes.
 *
 * @param options.ciphertext the whole file, or its header and first chunk alone.
 * @throws {VaultCryptoError} `invalid_input` for a proof key that is not 64 hex digits, a header
 * that does not parse, a first chunk of impossible length, or too few bytes; an empty file has no
 * proof.
 */
export function buildUploadProofV3(
  options: { proofKeyHex: string; ciphertext: Uint8Array },
): Promise<string> {
  return Promise.try(() => {
    const proof = new UploadProofV3(options.proofKeyHex);
    proof.absorb(options.ciphertext);
    return proof.digest();
  });
}
