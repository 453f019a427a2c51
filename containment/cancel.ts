// What a room must be able to learn while it works. It works in synchronous loops and cannot receive
// messages meanwhile, so a wish to stop is a number in shared memory that those loops look at.

import { ToolError } from "./error.ts";

/** One bit that every thread can see at once. It is raised and never lowered. */
export class SharedFlag {
  readonly buffer: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#word = new Int32Array(buffer);
  }

  raise(): void {
    Atomics.store(this.#word, 0, 1);
  }

  get raised(): boolean {
    return Atomics.load(this.#word, 0) !== 0;
  }
}

/** One call's stop flag, readable from every thread that works on the call. */
export class CancelFlag extends SharedFlag {
  cancel(): void {
    this.raise();
  }

  get cancelled(): boolean {
    return this.raised;
  }

  /** Throws `cancelled` once the call was cancelled. Only for places where nothing has changed. */
  throwIfCancelled(): void {
    if (this.cancelled) {
      throw new ToolError("cancelled", "the call was cancelled; nothing was changed");
    }
  }
}
