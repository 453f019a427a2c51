// What protects a person's file before it is changed: which files are left alone, and the copy of the
// file as it is that is made first. A copy is never written over, and never taken away.

import {
  type Disk,
  errnoOf,
  hashOf,
  lookAt,
  nativeRules,
  quote,
  readWhole,
  ToolError,
} from "../../../containment/mod.ts";
import type { Config } from "../../clients/mod.ts";
import { BACKUP } from "../../places.ts";
import type { SetUp } from "./journal.ts";

/** What a file's new bytes, and those of its copy, are called until they are in place. */
export const TEMPORARY = ".shieldfive-new";

/** The copy that a change relies on: one from an earlier time, or one that is made now. */
export interface Backup {
  path: string;
  /** Absent when it is there already. */
  copy?: { path: string; temporary: string; bytes: Uint8Array; mode: number };
}

/** Why the system does not let a file be written to, where its mode does not say so. */
const WITHHELD: Record<string, string> = {
  EPERM: "the system protects it from being changed, as `chattr +i` has it do",
  EROFS: "its disk can only be read",
  EACCES: "this user may not write to it",
};

/**
 * Refuses a file that its owner or the system protects, or that is somebody else's.
 *
 * @throws ToolError `not_changeable`; system errors as they are.
 */
export function requireChangeable({ file, read }: Config, disk: Disk, uid?: number): void {
  const info = read?.info ?? folderFor(file, disk);
  if (uid !== undefined && info.uid !== null && info.uid !== uid) {
    const what = read === undefined ? "its folder" : "it";
    throw refusal(`${what} belongs to another user (number ${info.uid})`);
  }
  if (read === undefined) return;
  if (info.mode !== null && (info.mode & 0o200) === 0) {
    const bits = (info.mode & 0o777).toString(8).padStart(4, "0");
    throw refusal(`it is write-protected (mode ${bits}); \`chmod u+w\` would let it be changed`);
  }
  try {
    disk.probeFile(file);
  } catch (error) {
    const why = WITHHELD[errnoOf(error) ?? ""];
    throw why === undefined ? error : refusal(why);
  }
}

function folderFor(file: string, disk: Disk): Deno.FileInfo {
  const folder = nativeRules.dirname(file);
  const info = lookAt(disk, folder);
  if (info?.isDirectory) return info;
  throw refusal(`there is no folder ${quote(folder)}`);
}

function refusal(why: string): ToolError {
  return new ToolError("not_changeable", why);
}

/** The backup of a file: the one that was made when our entry came, or a new one. */
export function backupFor(
  { place, read }: Config & { read: NonNullable<Config["read"]> },
  known: SetUp | undefined,
  disk: Disk,
): Backup {
  if (known?.backup !== undefined && lookAt(disk, known.backup) !== undefined) {
    return { path: known.backup };
  }
  const { bytes, info } = read;
  const path = backupName(place, disk, bytes);
  if (lookAt(disk, path) !== undefined) return { path };
  const mode = (info.mode ?? 0o600) & 0o777;
  return { path, copy: { path, temporary: path + TEMPORARY, bytes, mode } };
}

/** The first backup name that is free or, where there are bytes, that holds just these already. */
export function backupName(place: string, disk: Disk, bytes?: Uint8Array): string {
  for (let number = 1;; number++) {
    const name = place + (number === 1 ? "" : `.${number}`) + BACKUP;
    const info = lookAt(disk, name);
    if (info === undefined) return name;
    if (bytes === undefined || !info.isFile || info.size !== bytes.length) continue;
    if (readWhole(disk, name, info.size).seen.sha256 === hashOf(bytes)) return name;
  }
}
