// The cheap looks of one call: gathered while the walk goes on, given to the other room in large
// parts, finished when they are needed. No file is looked at twice.

import { type Assignment, type Dispatcher, endsOf } from "./dispatch.ts";
import type { Finding, Findings } from "./findings.ts";

/** Files handed to the other room at a time. */
const PART = 512;
/** Files that a room claims at a time. */
const BATCH = 64;
/** Looks that are not worth a message to the other room. */
const FEW = 256;

export class Looks {
  readonly #dispatcher: Dispatcher;
  readonly #parts: Assignment[] = [];
  #waiting: number[] = [];
  /** Of every file that was added, by index: PART times its part, plus its row there, plus 1. */
  #places = new Int32Array(1024);
  #count = 0;
  #finished = 0;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** Files added so far. */
  get count(): number {
    return this.#count;
  }

  has(file: number): boolean {
    return file < this.#places.length && this.#places[file] !== 0;
  }

  /** Asks for a look at a file, which is not taken before a part is full or {@link finish} is called. */
  add(file: number): void {
    if (this.has(file)) return;
    if (file >= this.#places.length) {
      const larger = new Int32Array(Math.max(file + 1, 2 * this.#places.length));
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[file] = PART * this.#parts.length + this.#waiting.push(file);
    this.#count++;
    if (this.#waiting.length === PART) this.#send();
  }

  /** Looks at everything that was added. */
  finish(): void {
    if (this.#waiting.length > 0) this.#send();
    this.#dispatcher.finish(this.#parts.slice(this.#finished));
    this.#finished = this.#parts.length;
  }

  /** What the look at a file came to, once {@link finish} has returned. */
  finding(file: number): Finding {
    return this.#findingsOf(file).get(this.#row(file));
  }

  /** Puts the two numbers of a look into an array; false where the file could not be looked at. */
  copyMix(file: number, into: Int32Array, at: number): boolean {
    return this.#findingsOf(file).copyMix(this.#row(file), into, at);
  }

  #findingsOf(file: number): Findings {
    return this.#parts[Math.floor((this.#places[file] - 1) / PART)].findings;
  }

  #row(file: number): number {
    return (this.#places[file] - 1) % PART;
  }

  #send(): void {
    const files = this.#waiting;
    this.#waiting = [];
    const ends = endsOf(files.length, BATCH);
    this.#parts.push(this.#dispatcher.assign("look", files, ends, files.length > FEW));
  }
}
