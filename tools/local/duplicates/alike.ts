// Sorting files by what they looked like. There can be a million, most of them like no other, so only
// files that have a like get a list.

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

export function alike(files: Int32Array, { sizes }: FileTable, looks: Looks): Alike {
  const first = new Map<number | string, number>();
  const groups = new Map<number | string, Bucket>();
  const refused: number[] = [];
  for (const file of files) {
    const mix = looks.mix(file);
    if (mix === undefined) {
      refused.push(file);
      continue;
    }
    const size = sizes[file];
    // Files of two sizes may come to one number by chance.
    const key = sizes[first.get(mix) ?? file] === size ? mix : `${mix} ${size}`;
    const before = first.get(key);
    const group = groups.get(key);
    if (group !== undefined) group.files.push(file);
    else if (before === undefined) first.set(key, file);
    else groups.set(key, { size, files: [before, file] });
  }
  for (const key of groups.keys()) first.delete(key);
  return { groups: [...groups.values()], alone: [...first.values()], refused };
}
