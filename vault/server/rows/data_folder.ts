// The folder that holds all of a vault's data: 0700, and one program at a time. The lock is the system's
// own on the open file, so it ends with the process, however that ends.

import { isMissing, ToolError } from "../../../containment/error.ts";

/** An open data folder. */
export interface DataFolder {
  readonly path: string;
  /** Gives the lock back. */
  close(): void;
}

/** Makes the folder when it is missing and takes rights of others away. */
function prepare(path: string): void {
  try {
    const info = Deno.statSync(path);
    if (!info.isDirectory) {
      throw new ToolError("not_a_folder", "the data folder's path leads to something else");
    }
    if (Deno.build.os !== "windows" && ((info.mode ?? 0) & 0o077) !== 0) {
      Deno.chmodSync(path, 0o700);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

/**
 * Opens a data folder for this process alone.
 *
 * @throws ToolError `data_folder_in_use` while another process has it open; `not_a_folder`.
 */
export function openDataFolder(path: string): DataFolder {
  prepare(path);
  // The file stays: removing it would let a third process lock a new one beside an old one.
  const lock = Deno.openSync(`${path}/lock`, {
    read: true,
    write: true,
    create: true,
    mode: 0o600,
  });
  try {
    if (!lock.tryLockSync(true)) {
      throw new ToolError(
        "data_folder_in_use",
        "another process has this data folder open; stop it first, or choose another folder",
      );
    }
  } catch (error) {
    lock.close();
    throw error;
  }
  return { path, close: () => lock.close() };
}
