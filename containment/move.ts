// Moves within one volume that never replace anything. A plain rename replaces a file, and a folder
// replaces an empty folder, without a word; so a file gets a second name first, which fails if the
// name is taken, and only then loses the old one (local-tools spec, 2.6). A crash between the two
// steps leaves both names on one file.

import type { Disk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { kindOf, lookAt, sameInode } from "./identity.ts";
import { quote } from "./text.ts";

/** How it was made sure that nothing is replaced; `checked` leaves an instant between look and rename. */
export type ReplaceGuard = "link" | "placeholder" | "checked";

/** Why link(2) cannot be used here: no such operation, or a file that the user may not link. */
const NO_LINK = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

function taken(path: string, cause?: unknown): ToolError {
  return new ToolError(
    "destination_exists",
    `something is already at ${quote(path)}; nothing there was replaced`,
    { detail: { path }, cause },
  );
}

/**
 * Moves an entry to a free name on its own volume.
 *
 * @param info the entry as it was looked at; another one in its place is not moved.
 * @throws ToolError `destination_exists`, `source_changed`; system errors, `EXDEV` among them, as they are.
 */
export function moveNoReplace(
  disk: Disk,
  from: string,
  to: string,
  info: Deno.FileInfo,
): ReplaceGuard {
  const now = disk.lstat(from);
  if (!sameInode(now, info) || kindOf(now) !== kindOf(info)) throw replaced(from);
  switch (kindOf(info)) {
    case "directory":
      return Deno.build.os === "windows" ? moveChecked(disk, from, to) : moveFolder(disk, from, to);
    case "file":
      return moveByLink(disk, from, to, info) ?? moveChecked(disk, from, to);
    case "symlink":
      return moveSymlink(disk, from, to, info);
    case "special":
      return moveChecked(disk, from, to);
  }
}

function replaced(path: string): ToolError {
  return new ToolError(
    "source_changed",
    `${quote(path)} was replaced by something else meanwhile; it was left alone`,
    { detail: { path } },
  );
}

/** Undefined when the file cannot be linked here. */
function moveByLink(
  disk: Disk,
  from: string,
  to: string,
  info: Deno.FileInfo,
): ReplaceGuard | undefined {
  try {
    disk.link(from, to);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") throw taken(to, error);
    if (errno !== undefined && NO_LINK.has(errno)) return undefined;
    throw error;
  }
  if (!sameInode(disk.lstat(to), info)) {
    takeBack(disk, to, disk.lstat(from));
    throw replaced(from);
  }
  dropOldName(disk, from, to, info);
  return "link";
}

function moveSymlink(disk: Disk, from: string, to: string, info: Deno.FileInfo): ReplaceGuard {
  // On other systems link(2) follows the link and would give its target a second name.
  if (Deno.build.os === "linux") {
    const guard = moveByLink(disk, from, to, info);
    if (guard !== undefined) return guard;
  }
  try {
    disk.symlink(disk.readLink(from), to);
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? taken(to, error) : error;
  }
  dropOldName(disk, from, to, disk.lstat(to), info);
  return "link";
}

/**
 * Removes the old name once the new one exists. If that fails, the new name is taken back, but only
 * while it is still what was made here.
 */
function dropOldName(
  disk: Disk,
  from: string,
  to: string,
  made: Deno.FileInfo,
  source: Deno.FileInfo = made,
): void {
  try {
    if (!sameInode(disk.lstat(from), source)) throw replaced(from);
    disk.unlink(from);
  } catch (error) {
    takeBack(disk, to, made);
    throw error;
  }
}

/**
 * Removes the new name again. A file whose only name it is stays: its old name went to something
 * else meanwhile, and its bytes would go with it.
 */
function takeBack(disk: Disk, path: string, made: Deno.FileInfo): void {
  const now = lookAt(disk, path);
  if (now === undefined || !sameInode(now, made)) return;
  if (now.isSymlink || (now.nlink ?? 1) > 1) disk.unlink(path);
}

/** Renames over an empty folder made a moment before: filled meanwhile, the rename fails. */
function moveFolder(disk: Disk, from: string, to: string): ReplaceGuard {
  try {
    disk.mkdir(to, 0o700);
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? taken(to, error) : error;
  }
  try {
    disk.rename(from, to);
  } catch (error) {
    try {
      disk.rmdir(to);
    } catch (second) {
      // Somebody filled the placeholder: it is theirs now and stays.
      const errno = errnoOf(second);
      if (errno !== "ENOTEMPTY" && errno !== "EEXIST" && errno !== "ENOENT") throw second;
    }
    const errno = errnoOf(error);
    throw errno === "ENOTEMPTY" || errno === "EEXIST" ? taken(to, error) : error;
  }
  return "placeholder";
}

function moveChecked(disk: Disk, from: string, to: string): ReplaceGuard {
  if (lookAt(disk, to) !== undefined) throw taken(to);
  disk.rename(from, to);
  return "checked";
}
