// What makes an entry the one that was looked at before: the same inode with the same content stamps.

import { type Disk, mtimeOf } from "./disk.ts";
import { errnoOf, isMissing } from "./error.ts";
import { nativeRules } from "./paths.ts";

/** What an entry is. Everything but files, folders and links is special and is never opened. */
export type Kind = "file" | "directory" | "symlink" | "special";

/** An entry as a plan is bound to it (local-tools spec, 5.2). A type, so that it is a JSON value. */
export type Identity = {
  kind: Kind;
  dev: number;
  ino: number;
  /** Milliseconds since 1970. */
  mtime: number;
  size: number;
  /** Permission bits; absent where the platform has none. */
  mode?: number;
};

export function kindOf(info: Deno.FileInfo): Kind {
  if (info.isSymlink) return "symlink";
  if (info.isDirectory) return "directory";
  return info.isFile ? "file" : "special";
}

export function identityOf(info: Deno.FileInfo): Identity {
  return {
    kind: kindOf(info),
    dev: info.dev,
    ino: info.ino ?? 0,
    mtime: mtimeOf(info),
    size: info.size,
    ...(info.mode === null ? {} : { mode: info.mode & 0o7777 }),
  };
}

/** Whether both are the same inode, whatever its content. */
export function sameInode(
  a: { dev: number; ino: number | null },
  b: { dev: number; ino: number | null },
): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Whether it is the same inode and its content was not touched in between. */
export function unchanged(before: Deno.FileInfo, after: Deno.FileInfo): boolean {
  return sameInode(before, after) && before.size === after.size &&
    mtimeOf(before) === mtimeOf(after) && kindOf(before) === kindOf(after);
}

/** What is at the path, or undefined when nothing is. Other failures are thrown. */
export function lookAt(disk: Disk, path: string): Deno.FileInfo | undefined {
  try {
    return disk.lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether something is at the path; what cannot be looked at may be there. */
export function mayBeAt(disk: Disk, path: string): boolean {
  try {
    return lookAt(disk, path) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}

/** Whether this very entry is at the path; where nothing can be looked at, it is not. */
export function isEntryAt(disk: Disk, path: string, info: Deno.FileInfo): boolean {
  try {
    const now = lookAt(disk, path);
    return now !== undefined && sameInode(now, info) && kindOf(now) === kindOf(info);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Whether two paths name one entry of one folder in different spellings (case, Unicode form). */
export function isSameEntry(disk: Disk, a: string, b: string): boolean {
  if (a === b) return true;
  const { basename, dirname } = nativeRules;
  const [infoA, infoB] = [lookAt(disk, a), lookAt(disk, b)];
  if (infoA === undefined || infoB === undefined) return false;
  const onlyName = infoA.isDirectory || infoA.nlink === 1;
  if (foldName(basename(a)) !== foldName(basename(b)) && !(onlyName && sameInode(infoA, infoB))) {
    return false;
  }
  if (!sameInode(disk.lstat(dirname(a)), disk.lstat(dirname(b)))) return false;
  // Inode numbers do not settle it: some file systems give each spelling its own, and two hard links
  // share one. The folder's own listing does: two entries are listed twice.
  const names = new Set(Array.from(disk.readDir(dirname(a)), (entry) => entry.name));
  return !(names.has(basename(a)) && names.has(basename(b)));
}

/** The one form of all names that some file system takes for the same (case, Unicode form). */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
