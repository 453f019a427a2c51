// Replacing the bytes of one file so that, whatever happens on the way, there is the old file or the new
// one under the name and never a part of either. The new bytes are written to a file beside it, flushed,
// given the old one's mode and owner, and renamed over it; and only while what is there still is, byte for
// byte, what the caller read before it decided on the new content (workbench spec, 9.1; mediation spec,
// 16.5). Extended attributes and access lists cannot be seen from this runtime and are not carried over.

import { discardFile, keepOwnerAndMode, openSame } from "./copy.ts";
import { type Disk, mtimeOf } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { syncFolder } from "./folders.ts";
import { lookAt } from "./identity.ts";
import { moveNoReplace } from "./move.ts";
import { createHash } from "./node.ts";
import { nativeRules } from "./paths.ts";
import { quote } from "./text.ts";

/** A file as it was read, in plain values that can cross between threads. */
export interface Seen {
  dev: number;
  ino: number;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** Of all its bytes, lower-case hex. */
  sha256: string;
}

/** A whole file in memory. */
export interface FileRead {
  bytes: Uint8Array;
  info: Deno.FileInfo;
  seen: Seen;
}

/** How a file is replaced. */
export interface Replacement {
  /** The file as it was read; absent for a file that is made new, whose name must be free. */
  seen?: Seen;
  /** A free name in the same folder, for the new bytes until they take the file's name. */
  temporary: string;
  /** Permission bits of a file that is made new; the umask is taken off. By default 0600. */
  mode?: number;
}

/** What the new file could not take over from the old one. */
export type NotKept = "owner" | "mode" | "hard links";

/** The SHA-256 of some bytes, lower-case hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** How often a file is read that is another one each time. */
const READ_TRIES = 5;

/**
 * Reads a file in full: the bytes of one moment. A file that another process replaces meanwhile, as we do
 * ourselves, is simply read again.
 *
 * @param path a regular file, with its links resolved.
 * @param limit the most bytes that are read.
 * @throws ToolError `not_a_file`, `file_too_large`, `file_changed` for one that does not stand still;
 * system errors as they are.
 */
export function readWhole(disk: Disk, path: string, limit: number): FileRead {
  for (let tries = 1;; tries++) {
    try {
      return readOnce(disk, path, limit);
    } catch (error) {
      if (!(error instanceof ToolError) || !CHANGED.has(error.code)) throw error;
      if (tries === READ_TRIES) throw changedMeanwhile(path);
    }
  }
}

/** The codes of a file that is not any more what it was a moment ago. */
const CHANGED = new Set(["source_changed", "file_changed"]);

function readOnce(disk: Disk, path: string, limit: number): FileRead {
  const info = disk.lstat(path);
  if (!info.isFile) throw new ToolError("not_a_file", `${quote(path)} is not a regular file`);
  if (info.size > limit) {
    throw new ToolError("file_too_large", `${quote(path)} is larger than ${limit} bytes`);
  }
  const fd = openSame(disk, path, info);
  try {
    const bytes = readUpTo(disk, fd, info.size + 1);
    if (bytes.length !== info.size) throw changedMeanwhile(path);
    const { dev, size } = info;
    const sha256 = hashOf(bytes);
    return { bytes, info, seen: { dev, ino: info.ino ?? 0, size, mtime: mtimeOf(info), sha256 } };
  } finally {
    disk.close(fd);
  }
}

/** One byte more than the file's size is asked for, so that a file that grew is noticed. */
function readUpTo(disk: Disk, fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  for (let read = -1; read !== 0 && done < length; done += read) {
    read = disk.readAt(fd, bytes.subarray(done), done);
  }
  return bytes.subarray(0, done);
}

function changedMeanwhile(path: string): ToolError {
  return new ToolError(
    "file_changed",
    `${quote(path)} was changed by something else meanwhile; it was left as it is now`,
    { detail: { path } },
  );
}

/**
 * Gives a file new bytes, all at once. Nothing is at `temporary` afterwards, whether this succeeds or
 * fails. A failure means that the file is as it was.
 *
 * @param path the file itself: with links resolved, or they would be replaced and not what they name.
 * @returns what of the old file could not be kept.
 * @throws ToolError `file_changed` when the file is not what was read any more, `destination_exists`
 * when the name of a new file is taken; system errors as they are.
 */
export function replaceFile(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  { seen, temporary, mode = 0o600 }: Replacement,
): NotKept[] {
  const before = seen === undefined ? undefined : requireSeen(disk, path, seen);
  const fd = disk.create(temporary, before === undefined ? mode : 0o600);
  let lost: NotKept[];
  try {
    try {
      disk.writeAt(fd, bytes, 0);
      lost = before === undefined ? [] : takeOver(disk, temporary, before);
      disk.sync(fd);
    } finally {
      disk.close(fd);
    }
    if (seen === undefined) {
      moveNoReplace(disk, temporary, path, disk.lstat(temporary));
    } else {
      requireSeen(disk, path, seen); // again, since writing takes time
      renameOver(disk, temporary, path);
    }
  } catch (error) {
    discardFile(disk, temporary);
    throw error;
  }
  syncFolder(disk, nativeRules.dirname(path));
  return lost;
}

/** Gives the new file the mode and, where allowed, the owner of the old one. */
function takeOver(disk: Disk, temporary: string, before: Deno.FileInfo): NotKept[] {
  const lost = new Set<NotKept>();
  keepOwnerAndMode(disk, temporary, before, lost);
  if ((before.nlink ?? 1) > 1) lost.add("hard links"); // the other names keep the old bytes
  return [...lost];
}

/**
 * Makes sure that a file still is what was read, by its identity and by its content: a file system's
 * clock is too coarse to tell two writes of one moment apart.
 *
 * @throws ToolError `file_changed`; system errors as they are.
 */
export function requireSeen(disk: Disk, path: string, seen: Seen): Deno.FileInfo {
  const info = lookAt(disk, path);
  const same = info !== undefined && info.isFile && info.dev === seen.dev &&
    (info.ino ?? 0) === seen.ino && info.size === seen.size && mtimeOf(info) === seen.mtime;
  if (!same) throw changedMeanwhile(path);
  try {
    if (readWhole(disk, path, seen.size).seen.sha256 === seen.sha256) return info;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  throw changedMeanwhile(path);
}

/** How Windows refuses to rename over a file that another program has open at that moment. */
const IN_USE = new Set(["EBUSY", "EACCES", "EPERM"]);
/** Tries after the first one, and the milliseconds between two of them (workbench spec, 9.2). */
const TRIES = 5;
const BETWEEN = 200;

/** Renames over a file. On Windows, where one in use cannot be replaced, it is tried for a second. */
export function renameOver(
  disk: Disk,
  from: string,
  to: string,
  windows: boolean = Deno.build.os === "windows",
): void {
  for (let left = windows ? TRIES : 0;; left--) {
    try {
      return disk.rename(from, to);
    } catch (error) {
      if (left === 0 || !IN_USE.has(errnoOf(error) ?? "")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN);
    }
  }
}
