// The cheap look: a fast mix of a file's beginning and end, or of all of a small file, to tell apart
// most files of one size without reading them in full. It is a filter and never evidence: files that
// differ in it differ, and files that agree in it are still compared byte by byte.

import type { CancelFlag, Disk } from "../../../containment/mod.ts";
import { OpenedFile, refusalOf, type WalkedFile } from "../../../containment/walked_file.ts";
import type { Findings } from "./findings.ts";
import type { Tally } from "./tally.ts";

/** Files up to this size are looked at whole. */
const WHOLE = 16_384;
/** Bytes of each place that is looked at in a larger file. */
const PIECE = 4096;
/** From this size on the middle is looked at as well. */
const VERY_LARGE = 16 * 1024 * 1024;

/** Bytes that a look at a file of this size reads at most. */
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
  readonly #buffer = new Uint8Array(WHOLE + 8);
  readonly #words = new Int32Array(this.#buffer.buffer);
  readonly #begin = this.#buffer.subarray(0, PIECE);
  readonly #end = this.#buffer.subarray(PIECE, 2 * PIECE);
  readonly #middle = this.#buffer.subarray(2 * PIECE, 3 * PIECE);

  constructor(ports: LookPorts) {
    this.#ports = ports;
  }

  /** Writes down what the file looks like, or why it could not be looked at. */
  look(file: WalkedFile, findings: Findings, row: number): void {
    const { disk, signal, tally } = this.#ports;
    signal.throwIfCancelled();
    try {
      this.#read(file);
    } catch (error) {
      findings.setRefusal(row, refusalOf(error, disk, file));
      return;
    } finally {
      tally.addFile();
    }
    this.#mix(lookBytes(file.size), findings, row);
  }

  #read(file: WalkedFile): void {
    const { disk, tally } = this.#ports;
    const { size } = file;
    const opened = OpenedFile.unchecked(disk, file);
    try {
      if (size <= WHOLE) {
        opened.readWhole(this.#buffer);
      } else {
        opened.readExactly(this.#begin);
        opened.readExactlyAt(this.#end, size - PIECE);
        if (size >= VERY_LARGE) opened.readExactlyAt(this.#middle, Math.floor(size / 2));
      }
    } finally {
      opened.close();
    }
    tally.addBytes(lookBytes(size));
    opened.confirm();
  }

  /** Two independent 32-bit mixes over alternate words of the buffer. */
  #mix(length: number, findings: Findings, row: number): void {
    this.#buffer.fill(0, length, (length + 7) & ~7);
    const words = this.#words;
    const end = ((length + 7) & ~7) >> 2;
    let first = 0x2545f491;
    let second = 0x1234567;
    for (let i = 0; i < end; i += 2) {
      first = Math.imul(first ^ words[i], 0x9e3779b1);
      first ^= first >>> 15;
      second = Math.imul(second ^ words[i + 1], 0x85ebca77);
      second ^= second >>> 13;
    }
    findings.setLooked(row, first, second);
  }
}
