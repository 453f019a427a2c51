// The process's streams, read and written synchronously: what was written has left the program when
// the call returns, so that ending it right after cuts nothing off, however slowly a pipe is read.

/** The reader of stdout went away: there is nobody to tell, and nothing to complain about. */
export class ClosedPipe extends Error {
  override readonly name = "ClosedPipe";
}

export interface Output {
  readonly isTerminal: boolean;
  /**
   * Writes all of the text.
   *
   * @throws ClosedPipe when nobody reads any more.
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

export class StreamOutput implements Output {
  readonly isTerminal: boolean;
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.isTerminal = sink.isTerminal();
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += this.#some(bytes.subarray(done));
  }

  /** Writes as much as the stream takes now; a pipe that does not block may take nothing. */
  #some(bytes: Uint8Array): number {
    try {
      return this.#sink.writeSync(bytes);
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) throw new ClosedPipe();
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY);
      return 0;
    }
  }
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
