// `@shieldfive/crypto/legacy-v0`: reads files of version 0, and never writes one. A file that lost
// whole chunks at its end opens without a word: compare sizes before, or use
// `@shieldfive/crypto/extra/legacy_v0.ts`.

import type { Bytes } from "./bytes.ts";
import { FORMAT_MAGIC } from "./header.ts";
import { type V0Options, V0Reader } from "./legacy_v0_reader.ts";
import { piecesOfBlob } from "./pieces.ts";
import { type ProgressCallback, progressOf, requireBlob } from "./whole_file.ts";

export interface DecryptV0Options extends V0Options {
  blob: Blob;
  onProgress?: ProgressCallback;
}

/** Decrypts a blob. @throws ChunkError `chunk_truncated`, `chunk_authentication_failed`. */
export async function decryptV0(options: DecryptV0Options): Promise<Blob> {
  requireBlob(options.blob);
  const parts: Blob[] = [];
  const progress = progressOf(options.blob.size, options.onProgress);
  for await (const plaintext of new V0Reader(options).read(piecesOfBlob(options.blob))) {
    parts.push(new Blob([plaintext]));
    progress.add(plaintext.length);
  }
  progress.end();
  return new Blob(parts);
}

/** As `decryptV0`, into memory. */
export async function decryptV0ToBytes(options: DecryptV0Options): Promise<Bytes> {
  const plaintext = await decryptV0(options);
  return new Uint8Array(await plaintext.arrayBuffer());
}

/** Whether a file is not a container, of whatever version: then it may be of version 0. */
export async function looksLikeV0(blob: Blob): Promise<boolean> {
  const start = new Uint8Array(await blob.slice(0, NAME_LENGTH).arrayBuffer());
  return start.length < NAME_LENGTH || start.some((byte, i) => byte !== FORMAT_MAGIC[i]);
}

/** Bytes of the magic without its version. */
const NAME_LENGTH = 3;
