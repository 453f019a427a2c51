// The cheap look: a fast mix of a file's beginning and end, or of all of a small file, which tells apart
// most files of one size without reading them in full. It is a filter and never evidence: files that
// differ in it differ, and files that agree in it are still compared in full.

import type { CancelFlag, Disk } from "../../../containment/mod.ts";
import {
  OpenedFile,
  readSmall,
  refusalOf,
  type WalkedFile,
} from "../../../containment/walked_file.ts";
import type { Findings } from "./findings.ts";
import type { Tally } from "./tally.ts";

/** Files up to this size are looked at whole. */
const WHOLE = 16_384;
/** Bytes of each place that is looked at in a larger file. */
const PIECE = 4096;
/** From this size on the middle is looked at as well. */
const VERY_LARGE = 16 * 1024 * 1024;

/** Bytes that a look at a file of this size reads. */
export function lookBytes(size: number): number {
  if (size <= WHOLE) return size;
  return size >= VERY_LARGE ? 3 * PIECE : 2 * PIECE;
}

export interface LookPorts {
  disk: Disk;
  signal: CancelFlag;
  tally: Tally;
}

/** Looks at files one after the other with one buffer. */
export class Looker {
  readonly #ports: LookPorts;
  // One byte more than a small file holds, in whole words.
  readonly #buffer = new Uint8Array(WHOLE + 8);
  readonly #words = new Int32Array(this.#buffer.buffer);
  readonly #pieces = [0, 1, 2].map((i) => this.#buffer.subarray(i * PIECE, (i + 1) * PIECE));

  constructor(ports: LookPorts) {
    this.#ports = ports;
  }

  /**
   * Writes down what the file looks like, or why it could not be looked at. Whether it was the walked
   * file that was read is for the caller to find out before the finding counts.
   */
  look(file: WalkedFile, findings: Findings, row: number): void {
    const { disk, signal, tally } = this.#ports;
    signal.throwIfCancelled();
    try {
      if (file.size <= WHOLE) readSmall(disk, file, this.#buffer);
      else this.#readPieces(file);
      tally.addBytes(lookBytes(file.size));
    } catch (error) {
      return findings.setRefusal(row, refusalOf(error, disk, file));
    } finally {
      tally.addLook();
    }
    this.#mix(file.size, findings, row);
  }

  #readPieces(file: WalkedFile): void {
    const opened = OpenedFile.unchecked(this.#ports.disk, file);
    const [first, second, third] = this.#pieces;
    try {
      opened.readExactly(first);
      opened.readExactlyAt(second, file.size - PIECE);
      if (file.size >= VERY_LARGE) opened.readExactlyAt(third, Math.floor(file.size / 2));
    } finally {
      opened.close();
    }
  }

  /** Two independent 32-bit mixes over alternate words of what was read, and of the size. */
  #mix(size: number, findings: Findings, row: number): void {
    const length = lookBytes(size);
    const end = (length + 7) & ~7;
    this.#buffer.fill(0, length, end);
    const words = this.#words;
    let first = size | 0;
    let second = Math.floor(size / 2 ** 32) | 0;
    for (let i = 0; i < end >> 2; i += 2) {
      first = Math.imul(first ^ words[i], 0x9e3779b1);
      first ^= first >>> 15;
      second = Math.imul(second ^ words[i + 1], 0x85ebca77);
      second ^= second >>> 13;
    }
    findings.setLooked(row, first, second);
  }
}
