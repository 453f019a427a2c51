// Reading and replacing the files of a connection: small, whole, this user's alone. A link in the place of
// one is not followed, and is left alone.

import {
  type Disk,
  errnoOf,
  type FileRead,
  locked,
  lookAt,
  quote,
  readWhole,
  replaceFile,
  ToolError,
} from "../../containment/mod.ts";
import type { KeptFile } from "./places.ts";

/** Bytes of such a file; a real one has a few hundred. */
const MOST = 64 * 1024;
const BUSY = "another shieldfive is changing the connection; try again when it is done";

/**
 * The file, or undefined where there is none.
 *
 * @throws ToolError `not_a_file`, `file_too_large`, `file_changed`; system errors as they are.
 */
export function readKept(disk: Disk, { path }: KeptFile): FileRead | undefined {
  const info = lookAt(disk, path);
  if (info === undefined) return undefined;
  if (!info.isFile) throw notAFile(path);
  return readWhole(disk, path, MOST);
}

/**
 * Gives the file new bytes, made from the ones that it has now; nobody else changes it meanwhile.
 *
 * @throws as {@link readKept}; ToolError `busy`.
 */
export function changeKept(
  disk: Disk,
  file: KeptFile,
  bytesFor: (before: FileRead | undefined) => Uint8Array,
): void {
  locked(file.lock, BUSY, () => {
    // What a process left that was killed in the middle of this.
    if (lookAt(disk, file.temporary)?.isFile) disk.unlink(file.temporary);
    const before = readKept(disk, file);
    if (before !== undefined) close(disk, file.path, before.info, 0o600); // its mode is taken over
    const { path, temporary } = file;
    replaceFile(disk, path, bytesFor(before), { seen: before?.seen, temporary });
  });
}

/** Removes the file; whether there was one. @throws ToolError `not_a_file`, `busy`; system errors. */
export function removeKept(disk: Disk, { path, lock }: KeptFile): boolean {
  if (lookAt(disk, path) === undefined) return false;
  return locked(lock, BUSY, () => {
    const info = lookAt(disk, path);
    if (info === undefined) return false;
    if (!info.isFile) throw notAFile(path);
    disk.unlink(path);
    return true;
  });
}

/**
 * Takes from others what rights they have to a file or folder.
 *
 * @returns a sentence for whoever should know, where there were any.
 */
export function close(
  disk: Disk,
  path: string,
  { mode }: Deno.FileInfo,
  wanted: number,
): string | undefined {
  if (mode === null || Deno.build.os === "windows" || (mode & 0o077) === 0) return undefined;
  const was = `${quote(path)} was open to other users (mode ${(mode & 0o777).toString(8)})`;
  try {
    disk.chmod(path, wanted);
    return `${was}; now it is this user's alone. Whoever read it has the connection: revoke it in ` +
      "ShieldFive where that may have happened";
  } catch (error) {
    const errno = errnoOf(error);
    if (errnoOf(error) === undefined) throw error;
    return `${was}, and that cannot be changed (${errno})`;
  }
}

function notAFile(path: string): ToolError {
  return new ToolError(
    "not_a_file",
    `${quote(path)} is a link or no file, and is not used; move it away`,
  );
}
