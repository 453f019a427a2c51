// The process's streams, read and written synchronously: what was written has left the program when
// the call returns, so that ending it right after cuts nothing off, however slowly a pipe is read.

/** The reader of stdout went away: there is nobody to tell, and nothing to complain about. */
export class ClosedPipe extends Error {
  override readonly name = "ClosedPipe";
}

/** The system did not take the output, because a disk is full for example. */
export class WriteFailed extends Error {
  override readonly name = "WriteFailed";

  constructor(errno: string) {
    super(`the output could not be written (${errno})`);
  }
}

export interface Output {
  readonly isTerminal: boolean;
  /**
   * Writes all of the text.
   *
   * @throws ClosedPipe when nobody reads any more; WriteFailed.
   */
  write(text: string): void;
}

export interface Input {
  readonly isTerminal: boolean;
  /**
   * Everything up to the end of input.
   *
   * @throws RangeError when that is more than `limit` bytes.
   */
  readAll(limit: number): Uint8Array;
}

interface Sink {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
}

/** Milliseconds to wait before offering bytes to a full pipe again. */
const RETRY = 5;
/** Bytes that a pipe takes whole or not at all (PIPE_BUF). */
const PIECE = Deno.build.os === "linux" ? 4096 : 512;
const NEWLINE = 0x0a;

/**
 * Writes in pieces that end with a line. The runtime keeps what follows the last newline in a buffer of
 * its own, and when a pipe that does not block is full it says so without saying how much it took. A
 * piece that ends with a newline and that the pipe takes whole or not at all leaves no doubt.
 */
export class StreamOutput implements Output {
  readonly isTerminal: boolean;
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.isTerminal = sink.isTerminal();
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) {
      done += this.#some(bytes.subarray(done, pieceEnd(bytes, done)));
    }
  }

  /** Writes as much of the piece as the stream takes now; a pipe that does not block may take nothing. */
  #some(piece: Uint8Array): number {
    try {
      return this.#sink.writeSync(piece);
    } catch (error) {
      const { code } = error as { code?: string };
      // EIO: the terminal was hung up.
      if (code === "EPIPE" || code === "EIO") throw new ClosedPipe();
      if (code !== "EAGAIN") throw code === undefined ? error : new WriteFailed(code);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY);
      return 0;
    }
  }
}

/** Where the piece that starts here ends: behind the last line that fits, or behind one long line. */
function pieceEnd(bytes: Uint8Array, start: number): number {
  if (start + PIECE >= bytes.length) return bytes.length;
  const fitting = bytes.lastIndexOf(NEWLINE, start + PIECE - 1);
  if (fitting >= start) return fitting + 1;
  const next = bytes.indexOf(NEWLINE, start);
  return next < 0 ? bytes.length : next + 1;
}

interface Source {
  isTerminal(): boolean;
  readSync(into: Uint8Array): number | null;
}

export class StreamInput implements Input {
  readonly isTerminal: boolean;
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
    this.isTerminal = source.isTerminal();
  }

  readAll(limit: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const part = new Uint8Array(64 * 1024);
      const read = this.#source.readSync(part);
      if (read === null) break;
      size += read;
      if (size > limit) throw new RangeError(`more than ${limit} bytes`);
      parts.push(part.subarray(0, read));
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
