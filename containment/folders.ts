// Making the folders above a new entry, one level at a time. A single recursive call would follow a
// link that somebody plants midway; here every level is looked at before the next (local-tools
// spec, 2.8).

import type { Disk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { nativeRules } from "./paths.ts";
import { quote } from "./text.ts";

/** Throws unless a real folder, spelled without links, is at the path. */
export function requireRealFolder(disk: Disk, path: string): Deno.FileInfo {
  const info = disk.lstat(path);
  if (info.isDirectory && disk.realPath(path) === path) return info;
  throw new ToolError(
    "destination_changed",
    `${quote(path)} is no longer the folder that was checked; nothing was written through it`,
    { detail: { path } },
  );
}

/**
 * Makes the missing folders below an existing one and returns those that were made, outermost first.
 * When one cannot be made, those made before it are removed again.
 *
 * @throws ToolError `destination_changed`; system errors as they are.
 */
export function makeFolders(
  disk: Disk,
  ancestor: string,
  missing: readonly string[],
  mode?: number,
): string[] {
  const made: string[] = [];
  try {
    requireRealFolder(disk, ancestor);
    let path = ancestor;
    for (const name of missing) {
      path = nativeRules.join(path, name);
      try {
        disk.mkdir(path, mode);
        made.push(path);
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
      }
      requireRealFolder(disk, path);
    }
    return made;
  } catch (error) {
    removeEmptyFolders(disk, made);
    throw error;
  }
}

/** Removes folders that were made here, innermost first, as far as they are still empty. */
export function removeEmptyFolders(disk: Disk, made: readonly string[]): void {
  for (const path of made.toReversed()) {
    try {
      disk.rmdir(path);
    } catch (error) {
      // Somebody else uses it by now, or it is gone: either way it is not ours to remove.
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

/** Flushes a folder where the file system allows that: not every one does, and it is a bonus. */
export function syncFolder(disk: Disk, path: string): void {
  try {
    disk.syncDir(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
