// Making folders and names last: a file system may keep a file's bytes through a power cut and still
// forget its name, unless the folder itself is synced.

import { errnoOf, isMissing } from "../../../containment/error.ts";

/** Makes what was created, renamed or removed in a folder survive a power cut. */
export function syncFolder(path: string): void {
  // A folder cannot be opened there; NTFS keeps names in its journal.
  if (Deno.build.os === "windows") return;
  const folder = Deno.openSync(path);
  try {
    folder.syncSync();
  } finally {
    folder.close();
  }
}

/** Makes a folder (0700) inside an existing one, durably; one that is there already is fine. */
export function ensureFolder(parent: string, name: string): string {
  const path = `${parent}/${name}`;
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return path;
  }
  syncFolder(parent);
  return path;
}

/** The entries of a folder; none when there is no such folder. */
export function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** What is at a path, itself and not what it may link to; undefined when there is nothing. */
export function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes a file; says whether there was one. */
export function removeFile(path: string): boolean {
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
