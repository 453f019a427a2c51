// What a room must be able to learn while it works. Where it works in synchronous loops it cannot receive
// messages meanwhile, so a wish to stop is a number in shared memory that those loops look at; where it waits
// for others, it waits for the number as well.

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
    Atomics.notify(this.#word, 0);
  }

  /** Settles when it is raised, with true; with false when {@link release} ends the waiting. */
  async whenRaised(): Promise<boolean> {
    const wait = Atomics.waitAsync(this.#word, 0, 0);
    if (wait.async) await wait.value;
    return this.raised;
  }

  /** Ends all waiting for a flag that will not be raised any more, which nothing else would ever do. */
  release(): void {
    Atomics.notify(this.#word, 0);
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

  /** A signal that is aborted once the call is cancelled, for what is waited for. */
  get signal(): AbortSignal {
    const stop = new AbortController();
    this.whenRaised().then((raised) => raised && stop.abort());
    return stop.signal;
  }
}
