// In which order a folder is shown. Folders come first however it is sorted.

import type { Item } from "../../vault/owner/mod.ts";
import { byName } from "../vault/tree.ts";

export type SortKey = "name" | "size" | "changed";

export interface Sorting {
  key: SortKey;
  direction: "ascending" | "descending";
}

export const FIRST_SORTING: Sorting = { key: "name", direction: "ascending" };

/** The sorting after a click on a column's head: names begin with A, sizes and times with the greatest. */
export function sortedBy(key: SortKey, { key: current, direction }: Sorting): Sorting {
  if (key === current) {
    return { key, direction: direction === "ascending" ? "descending" : "ascending" };
  }
  return { key, direction: key === "name" ? "ascending" : "descending" };
}

function compareNames(a: Item, b: Item): number {
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null);
  return byName(a.name, b.name);
}

const COMPARE: Record<SortKey, (a: Item, b: Item) => number> = {
  name: compareNames,
  size: (a, b) => (a.kind === "file" ? a.size : 0) - (b.kind === "file" ? b.size : 0),
  changed: (a, b) => a.updatedAt < b.updatedAt ? -1 : Number(a.updatedAt > b.updatedAt),
};

/** The items in order; equal ones by name, so that the order does not jump. */
export function sorted(items: readonly Item[], { key, direction }: Sorting): Item[] {
  const sign = direction === "ascending" ? 1 : -1;
  return items.toSorted((a, b) => {
    if (a.kind !== b.kind) return a.kind === "folder" ? -1 : 1;
    return sign * COMPARE[key](a, b) || compareNames(a, b) || (a.id < b.id ? -1 : 1);
  });
}
