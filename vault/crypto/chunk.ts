// How chunks are laid out and what they are bound to (crypto spec, 3). A length is checked before
// anything is read or allocated by it.

import { type Bytes, putUint32, putUint64, utf8 } from "./bytes.ts";
import { ChunkError } from "./errors.ts";
import type { HeaderInput } from "./header.ts";
import { CHUNK_AAD_DOMAIN } from "./labels.ts";
import { TAG_LENGTH } from "./primitives/lengths.ts";

const AAD_DOMAIN = utf8(CHUNK_AAD_DOMAIN);
export const CHUNK_AAD_LENGTH = AAD_DOMAIN.length + 8 + 8 + 1;

/** Bytes in front of every chunk, which say how long it is. */
export const LENGTH_PREFIX = 4;
/** Bytes that a chunk has in a file beyond its plaintext. */
export const CHUNK_OVERHEAD = LENGTH_PREFIX + TAG_LENGTH;

/** The plaintext that one chunk may have where the caller says nothing else: 64 MiB. */
export const DEFAULT_MAX_CHUNK_BYTES = 64 * 1024 * 1024;

/** The 36 bytes that are authenticated with a chunk; the file's id is not among them. */
export function buildChunkAad(index: number, totalChunks: number, isFinal: boolean): Bytes {
  const aad = new Uint8Array(CHUNK_AAD_LENGTH);
  aad.set(AAD_DOMAIN);
  putUint64(aad, AAD_DOMAIN.length, index);
  putUint64(aad, AAD_DOMAIN.length + 8, totalChunks);
  aad[CHUNK_AAD_LENGTH - 1] = isFinal ? 1 : 0;
  return aad;
}

/** What stands in front of a chunk's ciphertext and tag. */
export function lengthPrefix(sealedLength: number): Bytes {
  const prefix = new Uint8Array(LENGTH_PREFIX);
  putUint32(prefix, 0, sealedLength);
  return prefix;
}

type Layout = Pick<HeaderInput, "chunkSize" | "totalChunks" | "plaintextSize">;

/** How many chunks a plaintext makes. */
export function chunksOf(plaintextSize: number, chunkSize: number): number {
  return Math.ceil(plaintextSize / chunkSize);
}

/** Plaintext bytes of one chunk of a file. */
export function plaintextOfChunk(file: Layout, index: number): number {
  return Math.min(file.chunkSize, file.plaintextSize - index * file.chunkSize);
}

/**
 * Refuses a file whose chunks are larger than the caller wants in memory.
 *
 * @throws ChunkError `chunk_too_large`.
 */
export function checkChunkSize(file: Layout, maxChunkBytes = DEFAULT_MAX_CHUNK_BYTES): void {
  const largest = Math.min(file.chunkSize, file.plaintextSize);
  if (largest > maxChunkBytes) throw tooLarge(largest, maxChunkBytes);
}

function tooLarge(bytes: number, maxChunkBytes: number): ChunkError {
  return new ChunkError(
    "chunk_too_large",
    `a chunk of ${bytes} bytes is larger than the ${maxChunkBytes} that may be held in memory`,
  );
}

/**
 * Refuses a length that a chunk cannot have.
 *
 * @throws ChunkError `chunk_length_out_of_range`, `non_final_chunk_wrong_size`, `chunk_too_large`.
 */
export function checkChunkLength(
  length: number,
  index: number,
  file: Layout,
  maxChunkBytes = DEFAULT_MAX_CHUNK_BYTES,
): void {
  const full = file.chunkSize + TAG_LENGTH;
  if (length <= TAG_LENGTH || length > full) {
    throw new ChunkError(
      "chunk_length_out_of_range",
      `chunk ${index} says that it has ${length} bytes, where ${
        TAG_LENGTH + 1
      } to ${full} are possible`,
    );
  }
  if (index < file.totalChunks - 1 && length !== full) {
    throw new ChunkError(
      "non_final_chunk_wrong_size",
      `chunk ${index} has ${length} bytes, but only the last may have other than ${full}`,
    );
  }
  // A last chunk may claim more than the header does: what it claims would be allocated.
  if (length - TAG_LENGTH > maxChunkBytes) throw tooLarge(length - TAG_LENGTH, maxChunkBytes);
}
