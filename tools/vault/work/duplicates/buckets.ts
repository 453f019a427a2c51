// Files that may have the same content: those of the same size. What cannot be compared, or must not, is set
// aside with the reason.

import { byCodeUnit } from "../../../../containment/text.ts";
import type { VaultFile } from "../../../../vault/client/types.ts";

/** A file that was not compared. */
export interface Unverified {
  file: VaultFile;
  reason: string;
}

/** Files of the same size, two at least, all of which can be read; the oldest first. */
export type Bucket = VaultFile[];

/** Buckets, those with the most bytes first. */
export function bucketsOf(
  files: readonly VaultFile[],
  { min_bytes, max_file_bytes }: { min_bytes: number; max_file_bytes: number },
): { buckets: Bucket[]; skipped: Unverified[] } {
  const bySize = Map.groupBy(files.filter(({ size }) => size >= min_bytes), ({ size }) => size);
  const skipped: Unverified[] = [];
  const buckets: Bucket[] = [];
  for (const [size, alike] of bySize) {
    if (alike.length < 2) continue;
    if (size > max_file_bytes) {
      skipped.push(...alike.map((file) => ({ file, reason: "over_max_file_bytes" })));
      continue;
    }
    const [readable, locked] = [true, false].map((is) =>
      alike.filter((file) => file.readable === is)
    );
    skipped.push(...locked.map((file) => ({ file, reason: "pending_owner_unlock" })));
    if (readable.length > 1) buckets.push(readable.sort(byAge));
    // Nothing is left to compare it with.
    else skipped.push(...readable.map((file) => ({ file, reason: "pending_owner_unlock" })));
  }
  return { buckets: buckets.sort((a, b) => bytesIn(b) - bytesIn(a)), skipped };
}

/** Should not all be compared, the first ones are: it is the oldest copy that is kept. */
function byAge(a: VaultFile, b: VaultFile): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || byCodeUnit(a.id, b.id);
}

export function bytesIn(files: Bucket): number {
  return files.length * files[0].size;
}
