// What examining a file came to, one row of shared memory a file, so that two threads can fill in one
// list without sending anything to each other.

import type { Refusal } from "../../../containment/walked_file.ts";

const PENDING = 0;
const LOOKED = 1;
const ALONE = 2;
const EQUAL = 3;
const CHANGED = 4;
const UNREADABLE = 5;

// A row: the kind, then 36 bytes that hold the numbers of a look, or the leader and the digest of a
// set, or the name of a system error.
const ROW_BYTES = 40;

export type Finding =
  /** The mix of the parts that were looked at. Equal content gives equal numbers, not the reverse. */
  | { kind: "looked"; first: number; second: number }
  /** Read in full; no other file of its group has this content. */
  | { kind: "alone" }
  /** Has the content of the row `leader`, whose digest it is. */
  | { kind: "equal"; leader: number }
  | Refusal;

/** Rows of findings over a shared buffer. Each row is written once, by one thread. */
export class Findings {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(rows: number | SharedArrayBuffer) {
    this.buffer = typeof rows === "number" ? new SharedArrayBuffer(rows * ROW_BYTES) : rows;
    this.#words = new Int32Array(this.buffer);
    this.#bytes = new Uint8Array(this.buffer);
  }

  setLooked(row: number, first: number, second: number): void {
    const at = this.#start(row, LOOKED);
    this.#words[at] = first;
    this.#words[at + 1] = second;
  }

  setAlone(row: number): void {
    this.#start(row, ALONE);
  }

  setEqual(row: number, leader: number): void {
    this.#words[this.#start(row, EQUAL)] = leader;
  }

  /** The digest of the set that this row leads. */
  setDigest(row: number, digest: Uint8Array): void {
    this.#bytes.set(digest, row * ROW_BYTES + 8);
  }

  setRefusal(row: number, refusal: Refusal): void {
    const at = this.#start(row, refusal.kind === "changed" ? CHANGED : UNREADABLE);
    if (refusal.kind === "changed") return;
    this.#bytes.set(new TextEncoder().encode(refusal.code).subarray(0, ROW_BYTES - 4), at * 4);
  }

  get(row: number): Finding {
    const at = row * (ROW_BYTES / 4);
    switch (this.#words[at]) {
      case LOOKED:
        return { kind: "looked", first: this.#words[at + 1], second: this.#words[at + 2] };
      case ALONE:
        return { kind: "alone" };
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

  /** The digest of the set that this row leads, in lower-case hex. */
  digest(row: number): string {
    const start = row * ROW_BYTES + 8;
    return this.#bytes.slice(start, start + 32).toHex();
  }

  #start(row: number, kind: number): number {
    const at = row * (ROW_BYTES / 4);
    if (this.#words[at] !== PENDING) throw new Error(`row ${row} was examined twice`);
    this.#words[at] = kind;
    return at + 1;
  }

  #text(row: number): string {
    const bytes = this.#bytes.slice(row * ROW_BYTES + 4, (row + 1) * ROW_BYTES);
    return new TextDecoder().decode(bytes).replace(/\0.*$/s, "");
  }
}
