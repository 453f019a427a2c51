// Sorting files by what they looked like. There can be a million, most of them like no other, so they
// are put in order in arrays of numbers, and only files that have a like get a list.

import type { CancelFlag } from "../../../containment/mod.ts";
import type { Bucket } from "./buckets.ts";
import type { Looks } from "./looks.ts";
import type { FileTable } from "./table.ts";

export interface Alike {
  /** Files of one size that look alike, two and more. */
  groups: Bucket[];
  /** Files that look like no other. */
  alone: number[];
  /** Files that could not be looked at. */
  refused: number[];
}

/** Files between two looks at the wish to stop. */
const STRETCH = 16_384;

export function alike(
  files: Int32Array,
  { sizes }: FileTable,
  looks: Looks,
  signal: CancelFlag,
): Alike {
  const mixes = new Int32Array(2 * files.length);
  const slots = new Slots(files.length);
  const leaders = new Int32Array(files.length);
  const lists = new Map<number, number[]>();
  const refused: number[] = [];
  for (let i = 0; i < files.length; i++) {
    if (i % STRETCH === 0) signal.throwIfCancelled();
    const file = files[i];
    if (!looks.copyMix(file, mixes, 2 * i)) {
      refused.push(file);
      leaders[i] = -1;
      continue;
    }
    const leader = slots.find(
      mixes[2 * i] ^ Math.imul(mixes[2 * i + 1], 31),
      i,
      (other) =>
        mixes[2 * other] === mixes[2 * i] && mixes[2 * other + 1] === mixes[2 * i + 1] &&
        sizes[files[other]] === sizes[file],
    );
    leaders[i] = leader;
    if (leader === i) continue;
    const list = lists.get(leader);
    if (list === undefined) lists.set(leader, [files[leader], file]);
    else list.push(file);
  }
  const alone: number[] = [];
  leaders.forEach((leader, i) => {
    if (leader === i && !lists.has(i)) alone.push(files[i]);
  });
  const groups = Array.from(lists.values(), (list) => ({ size: sizes[list[0]], files: list }));
  return { groups, alone, refused };
}

/** A hash table of small whole numbers, in one array. */
class Slots {
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(entries: number) {
    let size = 16;
    while (size < 2 * entries) size *= 2;
    this.#slots = new Int32Array(size).fill(-1);
    this.#mask = size - 1;
  }

  /** The entry that was put in before and is the same as this one, or this one, now put in. */
  find(hash: number, entry: number, isSame: (other: number) => boolean): number {
    let at = (Math.imul(hash, 0x9e3779b1) >>> 7) & this.#mask;
    for (;; at = (at + 1) & this.#mask) {
      const other = this.#slots[at];
      if (other === -1) {
        this.#slots[at] = entry;
        return entry;
      }
      if (isSame(other)) return other;
    }
  }
}
