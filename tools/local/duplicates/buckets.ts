// Files of one size, and the order in which they are worth reading: where most space could be won
// comes first, so that a budget that runs out has been spent best (local-tools spec, 4.1).

import type { FileTable } from "./table.ts";

export interface Bucket {
  size: number;
  /** Two files or more. */
  files: number[];
}

/** The buckets of the table in the order in which they are read. */
export function bucketsOf(table: FileTable): Bucket[] {
  const worth = ({ size, files }: Bucket) => size * (files.length - 1);
  return [...table.sameSize()].sort((a, b) => worth(b) - worth(a) || b.size - a.size);
}
