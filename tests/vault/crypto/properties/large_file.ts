// A file that is larger than the memory that may be used on it: numbered blocks under a fixed key, so that
// it always becomes the same bytes.

import files from "../vectors/files.json" with { type: "json" };
import { pattern } from "../vectors/format.ts";
import { unbase64, unhex } from "../vectors/checks/expect.ts";

export const LARGE_MEBIBYTES = 512;
/** What the second implementation makes of it; the long campaign makes it anew. */
export const LARGE_SHA256 = "d929bd9db7559bf89034a3e08832f6a946921f220e14cab938e48992070c7d52";

/** What a writer would draw at random. */
export const FIXED = {
  combinedKey: unhex(files.hybrid.key),
  fileId: unhex(files.hybrid.fileId),
  suitePayload: unbase64(files.hybrid.payload),
};

const BLOCK = 2 ** 20;
const BYTES = pattern(BLOCK);

/** The block with its number written over its first bytes. */
export function numberedBlock(index: number): Uint8Array<ArrayBuffer> {
  const block = BYTES.slice();
  new DataView(block.buffer).setUint32(0, index);
  return block;
}

/** So many bytes of blocks of one mebibyte; the last may be shorter. */
export function numberedBlocks(size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= size) return controller.close();
      controller.enqueue(numberedBlock(at / BLOCK).subarray(0, size - at));
      at += BLOCK;
    },
  }, { highWaterMark: 0 });
}
