// What examining a file came to, one row of shared memory a file, so that two threads can fill in one
// list without sending anything to each other.

import type { Refusal } from "../../../containment/walked_file.ts";

const PENDING = 0;
const LOOKED = 1;
const ALONE = 2;
const EQUAL = 3;
const CHANGED = 4;
const UNREADABLE = 5;
const UNTOUCHED = 6;

// A row: the kind and the leading row, then 32 bytes for the numbers of a look, the digest of a set, or
// the name of a system error.
const ROW_WORDS = 10;
const ROW_BYTES = ROW_WORDS * 4;
const DATA = 8;

export type Finding =
  | { kind: "looked" }
  /** Asked about again: it is still the file that was walked. */
  | { kind: "untouched" }
  /** Read in full; no other file of its group has this content. */
  | { kind: "alone" }
  /** Has the content of the row `leader`, whose digest it is. */
  | { kind: "equal"; leader: number }
  | Refusal;

/** Rows of findings over a shared buffer. Each row is written once, by one thread, or cleared before. */
export class Findings {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(rows: number | SharedArrayBuffer) {
    this.buffer = typeof rows === "number" ? new SharedArrayBuffer(rows * ROW_BYTES) : rows;
    this.#words = new Int32Array(this.buffer);
    this.#bytes = new Uint8Array(this.buffer);
  }

  /** Forgets rows that a thread may have filled in before it ended in the middle of its work. */
  clear(from: number, to: number): void {
    this.#words.fill(0, from * ROW_WORDS, to * ROW_WORDS);
  }

  /** The numbers that a look at parts of the file came to. */
  setLooked(row: number, first: number, second: number): void {
    this.#start(row, LOOKED);
    this.#words[row * ROW_WORDS + 2] = first;
    this.#words[row * ROW_WORDS + 3] = second;
  }

  setAlone(row: number): void {
    this.#start(row, ALONE);
  }

  setUntouched(row: number): void {
    this.#start(row, UNTOUCHED);
  }

  /** The rows of files with the same content, and its digest in hex. */
  setEqual(rows: readonly number[], digest: string): void {
    for (const row of rows) {
      this.#start(row, EQUAL);
      this.#words[row * ROW_WORDS + 1] = rows[0];
    }
    this.#data(rows[0]).setFromHex(digest);
  }

  setRefusal(row: number, refusal: Refusal): void {
    this.#start(row, refusal.kind === "changed" ? CHANGED : UNREADABLE);
    if (refusal.kind === "changed") return;
    this.#data(row).set(new TextEncoder().encode(refusal.code).subarray(0, ROW_BYTES - DATA));
  }

  /**
   * Puts the two numbers of a file that was looked at into an array; false where there are none. Equal
   * content gives equal numbers, not the reverse.
   */
  copyMix(row: number, into: Int32Array, at: number): boolean {
    const from = row * ROW_WORDS;
    if (this.#words[from] !== LOOKED) return false;
    into[at] = this.#words[from + 2];
    into[at + 1] = this.#words[from + 3];
    return true;
  }

  get(row: number): Finding {
    const at = row * ROW_WORDS;
    switch (this.#words[at]) {
      case LOOKED:
        return { kind: "looked" };
      case ALONE:
        return { kind: "alone" };
      case UNTOUCHED:
        return { kind: "untouched" };
      case EQUAL:
        return { kind: "equal", leader: this.#words[at + 1] };
      case CHANGED:
        return { kind: "changed" };
      case UNREADABLE:
        return { kind: "unreadable", code: this.#text(row) };
      default:
        throw new Error(`row ${row} was never examined`);
    }
  }

  /** The digest of the set that this row leads, in hex. */
  digest(row: number): string {
    return this.#data(row).toHex();
  }

  #start(row: number, kind: number): void {
    const at = row * ROW_WORDS;
    if (this.#words[at] !== PENDING) throw new Error(`row ${row} was examined twice`);
    this.#words[at] = kind;
  }

  #data(row: number): Uint8Array {
    return this.#bytes.subarray(row * ROW_BYTES + DATA, (row + 1) * ROW_BYTES);
  }

  #text(row: number): string {
    return new TextDecoder().decode(this.#data(row).slice()).replace(/\0.*$/s, "");
  }
}
