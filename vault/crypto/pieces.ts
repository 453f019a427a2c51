// Bytes that arrive in pieces of any size, taken in the lengths that the format needs. A byte is
// copied at most once, and not at all where one piece holds all that is asked for: pieces are never
// joined to a growing buffer.

import { CryptoError } from "./errors.ts";

/** Gives the next piece, undefined at the end. */
export type ReadPiece = () => Promise<Uint8Array | undefined>;

export class Pieces {
  readonly #read: ReadPiece;
  /** The rest of the piece that was read last. */
  #rest: Uint8Array = new Uint8Array(0);
  #buffer: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(read: ReadPiece) {
    this.#read = read;
  }

  /**
   * The next so many bytes, fewer where the source ends before. They may be the source's own memory
   * or a buffer that is used again: they hold until the next call.
   */
  async take(length: number): Promise<Uint8Array> {
    if (this.#rest.length === 0) await this.#next();
    if (this.#rest.length >= length || this.#ended) return this.#split(length);
    if (this.#buffer.length < length) this.#buffer = new Uint8Array(length);
    let filled = 0;
    while (filled < length && !(await this.atEnd())) {
      const part = this.#split(length - filled);
      this.#buffer.set(part, filled);
      filled += part.length;
    }
    return this.#buffer.subarray(0, filled);
  }

  /** Whether nothing is left. */
  async atEnd(): Promise<boolean> {
    if (this.#rest.length === 0) await this.#next();
    return this.#ended;
  }

  /** Forgets what is buffered, which may be plaintext. */
  wipe(): void {
    this.#buffer.fill(0);
  }

  #split(length: number): Uint8Array {
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return part;
  }

  /** Reads on until a piece has bytes. */
  async #next(): Promise<void> {
    while (this.#rest.length === 0 && !this.#ended) {
      const piece = await this.#read();
      if (piece === undefined) this.#ended = true;
      else if (piece instanceof Uint8Array) this.#rest = piece;
      else throw new CryptoError("invalid_input", "the source gives something other than bytes");
    }
  }
}

/** The pieces of bytes in memory: all of them at once. */
export function piecesOfBytes(bytes: Uint8Array): ReadPiece {
  let given = false;
  return () => {
    const piece = given ? undefined : bytes;
    given = true;
    return Promise.resolve(piece);
  };
}

/** Bytes of a blob that are asked for at a time: a blob without parts gives all of them as one piece. */
const BLOB_PIECE = 4 * 1024 * 1024;

/**
 * The pieces of a blob, of at most 4 MiB. Read as streams, since the platform would join its own pieces
 * first to give them as one array, which takes a fifth of the time of a file.
 */
export function piecesOfBlob(blob: Blob): ReadPiece {
  let offset = 0;
  let read: ReadPiece | undefined;
  return async () => {
    for (;;) {
      const piece = await read?.();
      if (piece !== undefined || offset >= blob.size) return piece;
      read = piecesOfReader(blob.slice(offset, offset + BLOB_PIECE).stream().getReader());
      offset += BLOB_PIECE;
    }
  };
}

/** The pieces of a stream that this reader has locked. */
export function piecesOfReader(reader: ReadableStreamDefaultReader<Uint8Array>): ReadPiece {
  return async () => {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  };
}
