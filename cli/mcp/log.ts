// What the server says to people: lines on standard error. They are written in order and without
// waiting, because a client that never reads them must not be able to stop the server; what is then
// piled up beyond a limit is dropped.

import { cut, visible } from "../../containment/mod.ts";
import type { Write } from "./stdout.ts";

/** Longest line; what is longer is somebody's data and not a message. */
const MAX_LENGTH = 4000;
/** Bytes waiting to be written at which further lines are dropped. */
const MAX_WAITING = 256 * 1024;

export class Log {
  readonly #write: Write;
  #written: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Writes a message. The lines after the first, those of a stack, are set in. */
  readonly line = (text: string): void => {
    const lines = text.split("\n").map((line) => visible(cut(line, MAX_LENGTH)));
    const bytes = new TextEncoder().encode(`shieldfive: ${lines.join("\n  ")}\n`);
    if (this.#waiting + bytes.length > MAX_WAITING) return;
    this.#waiting += bytes.length;
    this.#written = this.#written.then(() => this.#writeAll(bytes));
  };

  /** Settles when everything said so far is written. */
  flush(): Promise<void> {
    return this.#written;
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) done += await this.#write(bytes.subarray(done));
      this.#waiting -= bytes.length;
    } catch {
      // Standard error is closed: whoever closed it does not want to hear. The bytes stay counted,
      // so that soon nothing more is put in line.
    }
  }
}
