// What may be read, and how much of it is left (local-tools spec, 4.1 and 4.2). A file of up to 65,536
// bytes costs one read in all; a larger one costs one for the look and one for the full reading, and a
// comparison with a hashed file counts as the full reading that it replaces.

import { lookBytes } from "./look.ts";
import type { Tally } from "./tally.ts";

/** The largest budget of reads that can be asked for (spec 0.2). */
export const MAX_READS = 1_000_000;

/** Largest size that costs a single read. */
const ONE_READ = 65_536;

/** Whether a full reading of a file of this size costs a read of its own. */
export function costsTwice(size: number): boolean {
  return size > ONE_READ;
}

/** The most that files can come to cost. */
export interface Cost {
  reads: number;
  bytes: number;
}

export class Budget {
  readonly #maxReads: number;
  readonly #maxBytes: number;
  readonly #tally: Tally;
  #reads = 0;

  constructor(limits: { maxReads: number; maxBytes?: number }, tally: Tally) {
    this.#maxReads = limits.maxReads;
    this.#maxBytes = limits.maxBytes ?? Infinity;
    this.#tally = tally;
  }

  get reads(): number {
    return this.#reads;
  }

  spend(reads: number): void {
    this.#reads += reads;
  }

  get left(): Cost {
    return {
      reads: this.#maxReads - this.#reads,
      bytes: this.#maxBytes - this.#tally.bytes,
    };
  }

  /**
   * Whether looks may be taken before it is known which files matter most. They may when the budget
   * pays two reads for every file that the walk may return, so that no order of reading exhausts it;
   * or when it is the largest that there is, which pays at least the look of every one.
   */
  allowsLookingAhead(maxFiles: number): boolean {
    const plenty = this.#maxReads >= 2 * maxFiles ||
      (this.#maxReads === MAX_READS && maxFiles <= MAX_READS);
    return plenty && this.#maxBytes === Infinity;
  }
}

/** What one file of this size costs at most; `looked` when its look is paid already. */
export function costOf(size: number, looked: boolean): Cost {
  return {
    reads: (costsTwice(size) ? 2 : 1) - (looked ? 1 : 0),
    bytes: (looked ? 0 : lookBytes(size)) + size,
  };
}
