// `@shieldfive/crypto/extra/range.ts`: opens a part of a file from the bytes of that part alone.
// Each chunk is authentic, at its place, and of this file; that the rest of the file exists is not
// proven, and neither is a signature looked at.

import { type Bytes, concatBytes, getUint32, zeroize } from "../bytes.ts";
import {
  checkChunkLength,
  checkChunkSize,
  CHUNK_OVERHEAD,
  LENGTH_PREFIX,
  plaintextOfChunk,
} from "../chunk.ts";
import { ChunkCipher } from "../chunk_cipher.ts";
import { ChunkError, CryptoError } from "../errors.ts";
import { headerLengthOf, type ParsedHeader, parseHeader, refusingRangeErrors } from "../header.ts";
import { Pace } from "../pace.ts";
import { Pieces, type ReadPiece } from "../pieces.ts";
import { streamOf } from "../streams/shell.ts";
import type { SuiteId } from "../suites.ts";
import { type FileKeys, unlock } from "../unlock.ts";

export { headerLengthOf };

/** The whole chunks in which a part of a plaintext lies. */
export interface ChunkRange {
  firstChunk: number;
  /** The first chunk that is not needed any more. */
  endChunk: number;
  /** Where the chunks begin in the file, in bytes. */
  start: number;
  /** Where they end. */
  end: number;
  /** Plaintext bytes of the first chunk that lie before the part. */
  skip: number;
  /** Plaintext bytes of the part. */
  length: number;
}

export interface RangeOptions {
  /** The file's own key (for suite 0x03 K), or what K is found with. */
  keys: FileKeys;
  allowedSuites: readonly SuiteId[];
  /** The plaintext that one chunk may have; 64 MiB unless given. */
  maxChunkBytes?: number;
}

export class ChunkOpener {
  /** What the header says, proven by its MAC. Compare `fileId` with the row (crypto spec, 16). */
  readonly header: ParsedHeader;
  readonly #cipher: ChunkCipher;
  readonly #maxChunkBytes?: number;

  /**
   * @param headerBytes the file's first bytes, at least as many as `headerLengthOf` says.
   * @throws HeaderError, CryptoError `unwrap_failed`, ChunkError `chunk_too_large`.
   */
  constructor(headerBytes: Uint8Array, { keys, allowedSuites, maxChunkBytes }: RangeOptions) {
    const header = refusingRangeErrors(() => parseHeader(headerBytes));
    const key = unlock(header, keys, allowedSuites);
    this.header = header;
    this.#cipher = new ChunkCipher(header, key);
    this.#maxChunkBytes = maxChunkBytes;
    zeroize(key);
    checkChunkSize(header, maxChunkBytes);
  }

  /**
   * Which bytes of the file hold the plaintext from one offset to another, the second not included.
   *
   * @throws CryptoError `range_out_of_bounds`.
   */
  range(from: number, to: number): ChunkRange {
    const { chunkSize, plaintextSize, totalChunks, headerLength } = this.header;
    if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to)) {
      throw new CryptoError("range_out_of_bounds", "a range goes from a byte to a later one");
    }
    if (to > plaintextSize) {
      throw new CryptoError("range_out_of_bounds", `the file has only ${plaintextSize} bytes`);
    }
    const firstChunk = Math.floor(from / chunkSize);
    const endChunk = from === to ? firstChunk : Math.ceil(to / chunkSize);
    const startOf = (chunk: number) =>
      chunk < totalChunks
        ? headerLength + chunk * (chunkSize + CHUNK_OVERHEAD)
        : headerLength + plaintextSize + totalChunks * CHUNK_OVERHEAD;
    return {
      firstChunk,
      endChunk,
      start: startOf(firstChunk),
      end: startOf(endChunk),
      skip: from - firstChunk * chunkSize,
      length: to - from,
    };
  }

  /**
   * The plaintext of one chunk.
   *
   * @param frame exactly the chunk's bytes in the file: its length, ciphertext and tag.
   * @throws ChunkError with the codes of crypto spec, 3.
   */
  async open(index: number, frame: Uint8Array): Promise<Bytes> {
    const { totalChunks } = this.header;
    if (!Number.isInteger(index) || index < 0 || index >= totalChunks) {
      throw new CryptoError("range_out_of_bounds", `the file has only ${totalChunks} chunks`);
    }
    if (frame.length < LENGTH_PREFIX) {
      throw new ChunkError("chunk_length_truncated", `chunk ${index} has no length`);
    }
    const length = getUint32(frame, 0);
    checkChunkLength(length, index, this.header, this.#maxChunkBytes);
    const sealed = frame.subarray(LENGTH_PREFIX);
    if (sealed.length < length) {
      throw new ChunkError("chunk_truncated", `the bytes end inside chunk ${index}`);
    }
    if (sealed.length > length) {
      throw new CryptoError("invalid_input", `there are bytes behind chunk ${index}`);
    }
    const plaintext = concatBytes(await this.#cipher.open(index, sealed));
    if (plaintext.length !== plaintextOfChunk(this.header, index)) {
      throw new ChunkError(
        "plaintext_size_mismatch",
        `chunk ${index} holds ${plaintext.length} bytes, which is not what the header says`,
      );
    }
    return plaintext;
  }

  /** The plaintext of a range, from a stream of exactly the bytes `start` to `end` of the file. */
  stream(source: ReadableStream<Uint8Array>, range: ChunkRange): ReadableStream<Uint8Array> {
    return streamOf(source, { run: (read) => this.#read(read, range) });
  }

  /** Forgets the key; whatever is opened after it fails. */
  close(): void {
    this.#cipher.wipe();
  }

  async *#read(read: ReadPiece, range: ChunkRange): AsyncGenerator<Bytes, void, void> {
    const pieces = new Pieces(read);
    const pace = new Pace();
    let skip = range.skip;
    let left = range.length;
    for (let index = range.firstChunk; index < range.endChunk; index++) {
      const size = plaintextOfChunk(this.header, index) + CHUNK_OVERHEAD;
      const plaintext = await this.open(index, await pieces.take(size));
      const part = plaintext.subarray(skip, skip + left);
      skip = 0;
      left -= part.length;
      yield part;
      await pace.breathe();
    }
    if (!(await pieces.atEnd())) {
      throw new ChunkError("trailing_bytes", "the source has bytes behind the range");
    }
  }
}
