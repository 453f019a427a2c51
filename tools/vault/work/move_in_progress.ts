// How far a move-in is: one count over all files, so that its rate is the one at which files are really moved
// in, and the time that it says is left is for all of them.

import type { Progress } from "../../../containment/rooms/protocol.ts";

export class MoveInProgress {
  readonly #total: number;
  readonly #report: (progress: Progress) => void;
  #before = 0;
  #current = 0;

  /** @param total bytes of all files. */
  constructor(total: number, report: (progress: Progress) => void) {
    this.#total = total;
    this.#report = report;
  }

  /** Begins a file of so many bytes: takes what is told of its upload and of its reading back. */
  next(bytes: number): (progress: Progress) => void {
    this.#before += this.#current;
    this.#current = bytes;
    const before = this.#before;
    return ({ done, total = 0, label }) => {
      const part = total === 0 ? 0 : Math.min(1, done / total);
      // Sending is one half of the work, reading back the other.
      const share = label === "verifying" ? (1 + part) / 2 : part / 2;
      const sum = before + Math.round(bytes * share);
      this.#report({ done: sum, total: this.#total, unit: "bytes", label: "moving in" });
    };
  }
}
