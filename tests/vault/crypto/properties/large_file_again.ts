// The large file once more, by the second implementation, chunk by chunk.

import { chunkCipher, frame, header } from "../second/container.ts";
import { hex, join, sha256Of } from "../second/primitives.ts";
import { FIXED, numberedBlock } from "./large_file.ts";

const MEBIBYTE = 2 ** 20;
const CHUNK_MEBIBYTES = 4;

function* parts(mebibytes: number): Generator<Uint8Array> {
  const { combinedKey, fileId, suitePayload } = FIXED;
  const total = mebibytes / CHUNK_MEBIBYTES;
  const fields = {
    suite: 3,
    fileId,
    chunkSize: CHUNK_MEBIBYTES * MEBIBYTE,
    totalChunks: total,
    plaintextSize: mebibytes * MEBIBYTE,
    payload: suitePayload,
  };
  yield header(fields, combinedKey);
  const cipher = chunkCipher(3, combinedKey, fileId);
  for (let index = 0; index < total; index++) {
    const blocks = [0, 1, 2, 3].map((i) => numberedBlock(CHUNK_MEBIBYTES * index + i));
    yield frame(cipher.seal(index, total, join(...blocks)));
  }
}

/** The SHA-256 of the ciphertext of so many mebibytes, a multiple of four. */
export function ciphertextSha256(mebibytes: number): string {
  return hex(sha256Of(parts(mebibytes)));
}
