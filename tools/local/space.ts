// What files occupy, as opposed to what they say their size is: sparse, compressed and cloud-only
// files hold less, and a file with several names is there once (field case F09).

import { allocatedBytes } from "./rows.ts";
import { isCloudOnly } from "./duplicates/cloud.ts";

/** Adds up files with every inode counted once, in constant space a file with one name. */
export class SpaceTally {
  /** Content bytes, each inode once. */
  unique = 0;
  #allocated = 0;
  #known = true;
  /** Inodes that have more than one name, by volume. */
  readonly #linked = new Map<number, Set<number>>();

  add(info: Deno.FileInfo): void {
    if ((info.nlink ?? 1) > 1 && this.#seen(info)) return;
    this.unique += info.size;
    const allocated = allocatedBytes(info);
    if (allocated === undefined) this.#known = false;
    else this.#allocated += allocated;
  }

  /** Bytes on disk, each inode once; undefined where the platform does not say. */
  get allocated(): number | undefined {
    return this.#known ? this.#allocated : undefined;
  }

  /** Numbers too large to be exact could be two files: each of those counts as its own. */
  #seen({ dev, ino }: Deno.FileInfo): boolean {
    if (!Number.isSafeInteger(ino) || ino === 0) return false;
    let inodes = this.#linked.get(dev);
    if (inodes === undefined) this.#linked.set(dev, inodes = new Set());
    if (inodes.has(ino as number)) return true;
    inodes.add(ino as number);
    return false;
  }
}

/** Marks of a file whose size is not what removing it frees. */
export interface SpaceMarks {
  /** It occupies less than its size: holes, or compression by the file system. */
  sparse?: true;
  /** Its content is in the cloud and not on this disk. */
  placeholder?: true;
}

export function spaceMarks(path: string, info: Deno.FileInfo, os = Deno.build.os): SpaceMarks {
  if (isCloudOnly(path, info, os)) return { placeholder: true };
  const allocated = allocatedBytes(info);
  return allocated !== undefined && allocated < info.size ? { sparse: true } : {};
}
