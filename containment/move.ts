// Moves within one volume that never replace anything. A plain rename replaces a file, and a folder
// replaces an empty folder, without a word; so a file gets a second name first, which fails if the
// name is taken, and only then loses the old one (local-tools spec, 2.6). A crash between the two
// steps leaves both names on one file.

import type { Disk } from "./disk.ts";
import { errnoOf, isMissing, ToolError } from "./error.ts";
import { kindOf, lookAt, sameInode } from "./identity.ts";
import { quote } from "./text.ts";

/** How it was made sure that nothing is replaced; `checked` leaves an instant between look and rename. */
export type ReplaceGuard = "link" | "placeholder" | "checked";

/** How a rename onto a placeholder fails when it is no empty folder any more. */
const FILLED = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR"]);

/** Why link(2) cannot be used here: no such operation, or a file that the user may not link. */
const NO_LINK = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** The refusal to put something where something is. */
export function taken(path: string, cause?: unknown): ToolError {
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
  try {
    if (!sameInode(disk.lstat(to), info)) throw replaced(from);
    dropOldName(disk, from, info);
  } catch (error) {
    throw undoing(error, to, () => {
      // The new name got what the old one had at that moment, which may be something else by now.
      for (const made of [info, lookAt(disk, from)]) {
        if (made !== undefined) takeBack(disk, to, made);
      }
    });
  }
  return "link";
}

function moveSymlink(disk: Disk, from: string, to: string, info: Deno.FileInfo): ReplaceGuard {
  // On other systems link(2) follows the link and would give its target a second name.
  if (Deno.build.os === "linux") {
    const guard = moveByLink(disk, from, to, info);
    if (guard !== undefined) return guard;
  }
  makeAnew(disk, from, to);
  let made: Deno.FileInfo | undefined;
  try {
    made = disk.lstat(to);
    dropOldName(disk, from, info);
  } catch (error) {
    throw undoing(error, to, () => takeBack(disk, to, made ?? disk.lstat(to), true));
  }
  return "link";
}

/** Makes a second link with the text of the first one, at a name that must be free. */
export function makeAnew(disk: Disk, from: string, to: string): void {
  try {
    disk.symlink(disk.readLink(from), to);
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? taken(to, error) : error;
  }
}

/**
 * Undoes what was begun and gives the failure back; where undoing fails too, a failure that says what
 * stayed behind, and that something changed.
 */
function undoing(error: unknown, made: string, undo: () => void): unknown {
  try {
    undo();
    return error;
  } catch (second) {
    const errno = errnoOf(second);
    if (errno === undefined) throw second;
    const { code, detail } = error instanceof ToolError ? error : { code: "io_error", detail: {} };
    return new ToolError(
      code,
      `${(error as Error).message}; ${quote(made)} was made on the way and could not be removed ` +
        `again (${errno})`,
      { detail: { ...detail, left_behind: made }, changedAnything: true, cause: error },
    );
  }
}

/** Removes the old name once the new one exists, provided that it still is the entry that moves. */
function dropOldName(disk: Disk, from: string, info: Deno.FileInfo): void {
  if (!sameInode(disk.lstat(from), info)) throw replaced(from);
  disk.unlink(from);
}

/**
 * Removes the new name again. An entry whose only name it is stays, unless it was made anew here:
 * its old name went to something else meanwhile, and its content would go with this one.
 */
function takeBack(disk: Disk, path: string, made: Deno.FileInfo, anew = false): void {
  const now = lookAt(disk, path);
  if (now === undefined || !sameInode(now, made)) return;
  if (anew ? now.isSymlink : (now.nlink ?? 1) > 1) disk.unlink(path);
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
    const failure = undoing(error, to, () => removePlaceholder(disk, to));
    const filled = failure === error && FILLED.has(errnoOf(error) ?? "") &&
      lookAt(disk, to) !== undefined;
    throw filled ? taken(to, error) : failure;
  }
  return "placeholder";
}

function removePlaceholder(disk: Disk, path: string): void {
  try {
    disk.rmdir(path);
  } catch (error) {
    // What is there by now was put there by somebody else, and stays.
    if (!FILLED.has(errnoOf(error) ?? "") && !isMissing(error)) throw error;
  }
}

/**
 * Changes only the spelling of a name (case, Unicode form) where the file system takes both for one
 * entry, so that the new name looks taken: by way of a third name, without replacing anything.
 *
 * @param between a free name in the same folder.
 * @throws ToolError `io_error` when the entry had to stay at `between`; else as `moveNoReplace`.
 */
export function respell(
  disk: Disk,
  from: string,
  to: string,
  between: string,
  info: Deno.FileInfo,
): ReplaceGuard {
  moveNoReplace(disk, from, between, info);
  const moved = disk.lstat(between); // a file system may number an entry anew under a new name
  try {
    return moveNoReplace(disk, between, to, moved);
  } catch (error) {
    try {
      moveNoReplace(disk, between, from, moved);
    } catch (second) {
      throw new ToolError(
        "io_error",
        `${quote(from)} could get neither its new name (${(error as Error).message}) nor its old ` +
          `one back (${(second as Error).message}): it is at ${quote(between)}`,
        { changedAnything: true, cause: error, detail: { path: between } },
      );
    }
    throw error;
  }
}

function moveChecked(disk: Disk, from: string, to: string): ReplaceGuard {
  if (lookAt(disk, to) !== undefined) throw taken(to);
  disk.rename(from, to);
  return "checked";
}
