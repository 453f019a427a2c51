// Items that were named more than once: under one path, or under two spellings that this disk takes for the
// same.

import {
  type Disk,
  type Existing,
  foldName,
  isSameEntry,
  nativeRules,
} from "../../containment/mod.ts";

/** One entry each, whatever the number of spellings under which it was named. */
export function withoutRepeats(disk: Disk, entries: Existing[]): Existing[] {
  const kept = new Map<string, Existing>();
  // Spellings of one entry differ in its name alone, and either fold to one name or share an inode.
  const alike = new Map<string, Existing[]>();
  for (const entry of entries) {
    if (kept.has(entry.path)) continue;
    kept.set(entry.path, entry);
    // A root is refused later on; what is above it cannot be looked at.
    if (entry.path === entry.root.path) continue;
    const folder = disk.lstat(nativeRules.dirname(entry.path));
    const keys = [foldName(nativeRules.basename(entry.path)), `inode ${entry.info.ino}`]
      .map((name) => `${folder.dev}:${folder.ino}/${name}`);
    const others = keys.flatMap((key) => alike.get(key) ?? []);
    if (others.some((other) => isSameEntry(disk, entry.path, other.path))) {
      kept.delete(entry.path);
      continue;
    }
    for (const key of keys) alike.set(key, [...(alike.get(key) ?? []), entry]);
  }
  return [...kept.values()];
}
