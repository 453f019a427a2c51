// Stopping. A room works in synchronous loops and cannot receive messages meanwhile, so a wish to
// stop is a number in shared memory that those loops look at.

import { ToolError } from "./error.ts";

/** One call's stop flag, readable from every thread that works on the call. */
export class CancelFlag {
  readonly buffer: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#word = new Int32Array(buffer);
  }

  cancel(): void {
    Atomics.store(this.#word, 0, 1);
  }

  get cancelled(): boolean {
    return Atomics.load(this.#word, 0) !== 0;
  }

  /** Throws `cancelled` once the call was cancelled. Only for places where nothing has changed. */
  throwIfCancelled(): void {
    if (this.cancelled) {
      throw new ToolError("cancelled", "the call was cancelled; nothing was changed");
    }
  }
}
