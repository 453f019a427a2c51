// A move to another volume, which has to be a copy followed by removing the source: the one place
// where something is removed. The copy is made under a hidden name beside the destination, proven
// file by file and put in place without replacing anything; only then is the source removed, each
// file only while it is still the one that was copied (local-tools spec, section 7). Killed at any
// moment, a complete proven copy or the whole source exists.

import {
  changed,
  type ContentPorts,
  copyFile,
  discardFile,
  keepMetadata,
  type Lost,
} from "./copy.ts";
import type { Disk } from "./disk.ts";
import { errnoOf, isMissing, ToolError } from "./error.ts";
import { removeEmptyFolders, syncFolder } from "./folders.ts";
import { kindOf, sameInode, unchanged } from "./identity.ts";
import { makeAnew, moveNoReplace, type ReplaceGuard } from "./move.ts";
import { nativeRules } from "./paths.ts";
import { byCodeUnit, quote } from "./text.ts";

/** Start of the hidden names under which copies are made. */
export const STAGING_PREFIX = ".shieldfive-mcp-incoming-";

let stagings = 0;

/** A hidden name in a folder that nothing else in this process uses. */
export function stagingName(folder: string): string {
  return nativeRules.join(folder, `${STAGING_PREFIX}${Deno.pid}-${++stagings}`);
}

/** Why something of the source stayed where it was. */
export interface LeftBehind {
  path: string;
  reason: "changed" | "appeared" | "permission" | "busy";
}

export interface VolumeMove {
  guard: ReplaceGuard;
  left: LeftBehind[];
  lost: Lost;
  /** True when a wish to stop came after the source had begun to go, and so came too late. */
  cancelledLate: boolean;
}

/** Something that was made under the hidden name, and what it was made from. */
interface Made {
  source: string;
  info: Deno.FileInfo;
  made: string;
  /** The folder that it was found in, for what lies below the entry that moves. */
  parent?: Made;
}

interface Copied {
  files: Made[];
  /** Outermost first. */
  folders: Made[];
  /** The first copy of every file that has several names. */
  linked: Map<string, Made>;
  lost: Lost;
}

/** What a move between volumes needs. */
export interface VolumeMovePorts extends ContentPorts {
  /** Entries that were counted when the move was planned, the one that moves included. */
  entries?: number;
}

/**
 * Moves a file, folder or link to a free name on another volume.
 *
 * @throws ToolError `source_changed`, `copy_verification_failed`, `symlink_in_tree`,
 * `special_file_in_tree`, `destination_exists`, `cancelled`; system errors as they are. In all of
 * these the source is whole and nothing of the copy is left.
 */
export function moveAcrossVolumes(
  from: string,
  to: string,
  info: Deno.FileInfo,
  ports: VolumeMovePorts,
): VolumeMove {
  const { disk, signal, entries = 1 } = ports;
  if (info.isSymlink) return moveLink(from, to, info, ports);
  const staging = stagingName(nativeRules.dirname(to));
  const copied: Copied = { files: [], folders: [], linked: new Map(), lost: new Set() };
  let guard: ReplaceGuard;
  try {
    copyTree(from, info, staging, ports, copied);
    // The runtime gives a folder that cannot be read to its end as a shorter one, without an error.
    if (copied.files.length + copied.folders.length < entries) throw changed(from);
    for (const folder of copied.folders.toReversed()) {
      syncFolder(disk, folder.made);
      keepMetadata(disk, folder.made, folder.info, copied.lost);
    }
    signal.throwIfCancelled();
    guard = moveNoReplace(disk, staging, to, disk.lstat(staging));
  } catch (error) {
    discard(disk, copied);
    throw error;
  }
  syncFolder(disk, nativeRules.dirname(to));
  const left = removeSource(disk, copied);
  return { guard, left, lost: copied.lost, cancelledLate: signal.cancelled };
}

/** A link has no content to copy and prove: it is made anew with the same text. */
function moveLink(
  from: string,
  to: string,
  info: Deno.FileInfo,
  { disk, signal }: ContentPorts,
): VolumeMove {
  if (!sameInode(disk.lstat(from), info)) throw changed(from);
  makeAnew(disk, from, to);
  syncFolder(disk, nativeRules.dirname(to));
  const left = removeFile(disk, { source: from, info, made: to });
  return { guard: "link", left, lost: new Set(), cancelledLate: signal.cancelled };
}

function copyTree(
  from: string,
  info: Deno.FileInfo,
  to: string,
  ports: ContentPorts,
  copied: Copied,
  parent?: Made,
): void {
  ports.signal.throwIfCancelled();
  const { disk } = ports;
  const refuse = (code: string, what: string) =>
    new ToolError(code, `${quote(from)} is ${what}, which is not copied; nothing was removed`);
  switch (kindOf(info)) {
    case "file":
      copyOrLink(from, info, to, ports, copied);
      copied.files.push({ source: from, info, made: to, parent });
      return;
    case "directory": {
      disk.mkdir(to, 0o700);
      const folder: Made = { source: from, info, made: to, parent };
      copied.folders.push(folder);
      for (const name of namesIn(disk, from, info)) {
        const path = nativeRules.join(from, name);
        copyTree(path, disk.lstat(path), nativeRules.join(to, name), ports, copied, folder);
      }
      return;
    }
    case "symlink":
      throw refuse("symlink_in_tree", "a symbolic link");
    case "special":
      throw refuse("special_file_in_tree", "a special file");
  }
}

/** What is in a folder, provided that it still is the folder: a link in its place would be followed. */
function namesIn(disk: Disk, path: string, info: Deno.FileInfo): string[] {
  const names = Array.from(disk.readDir(path), ({ name }) => name).sort(byCodeUnit);
  if (!isFolder(disk, path, info)) throw changed(path);
  return names;
}

function isFolder(disk: Disk, path: string, info: Deno.FileInfo): boolean {
  const now = disk.lstat(path);
  return now.isDirectory && sameInode(now, info);
}

/** Two names of one file stay two names of one file. */
function copyOrLink(
  from: string,
  info: Deno.FileInfo,
  to: string,
  ports: ContentPorts,
  { linked, lost }: Copied,
): void {
  const inode = `${info.dev}:${info.ino}`;
  const first = linked.get(inode);
  if (first !== undefined) {
    // Written to through one name in between, the first copy does not hold what the other name shows.
    if (!unchanged(first.info, info)) throw changed(from);
    try {
      ports.disk.link(first.made, to);
      return;
    } catch (error) {
      // A volume without hard links gets a second copy.
      if (errnoOf(error) === undefined || errnoOf(error) === "EEXIST") throw error;
    }
  }
  copyFile(from, info, to, ports, lost);
  if ((info.nlink ?? 1) > 1) linked.set(inode, { source: from, info, made: to });
}

/** Removes what was made, and nothing that somebody else put there. */
function discard(disk: Disk, { files, folders }: Copied): void {
  for (const { made } of folders) {
    try {
      disk.chmod(made, 0o700); // it may have its source's mode by now, which may forbid removing
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
  for (const { made } of files) discardFile(disk, made);
  removeEmptyFolders(disk, folders.map(({ made }) => made));
}

/** Removes the source as far as it is what was copied. Never fails: the copy is in place. */
function removeSource(disk: Disk, { files, folders }: Copied): LeftBehind[] {
  const left = files.flatMap((file) => removeFile(disk, file));
  for (const folder of folders.toReversed()) left.push(...removeFolder(disk, folder, left));
  return left;
}

/** Failures to remove that are about what somebody else does there at the moment. */
const BUSY = new Set(["EBUSY", "ETXTBSY", "ENOTEMPTY", "EEXIST"]);

/** Does what removes a path; says what stayed and why where that does not work. */
function attempt(path: string, remove: () => LeftBehind[]): LeftBehind[] {
  try {
    return remove();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (isMissing(error)) return [];
    return [{ path, reason: BUSY.has(errno) ? "busy" : "permission" }];
  }
}

function removeFile(disk: Disk, { source: path, info, parent }: Made): LeftBehind[] {
  return attempt(path, () => {
    // Through a link in the folder's place, a file elsewhere would be removed.
    const inPlace = parent === undefined || isFolder(disk, parent.source, parent.info);
    const now = disk.lstat(path);
    // The link count falls as the other names of one file go, so only identity and content count.
    const same = inPlace && (now.isSymlink ? sameInode(now, info) : unchanged(info, now));
    if (!same) return [{ path, reason: "changed" }];
    disk.unlink(path);
    return [];
  });
}

function removeFolder(
  disk: Disk,
  { source: path, info }: Made,
  left: readonly LeftBehind[],
): LeftBehind[] {
  const below = (folder: string) => left.some((each) => each.path.startsWith(folder));
  const stayed = attempt(path, () => {
    if (!isFolder(disk, path, info)) return [{ path, reason: "changed" }];
    const names = Array.from(disk.readDir(path), ({ name }) => name).sort(byCodeUnit);
    if (names.length === 0) disk.rmdir(path);
    return names.map((name) => nativeRules.join(path, name))
      .filter((entry) =>
        !left.some((each) => each.path === entry) && !below(entry + nativeRules.sep)
      )
      .map((entry) => ({ path: entry, reason: "appeared" }));
  });
  // The folder itself is not named where something inside it is.
  return stayed.filter((each) => each.path !== path || !below(path + nativeRules.sep));
}
