// A move to another volume, which has to be a copy followed by removing the source: the one place
// where something is removed. The copy is made under a hidden name beside the destination, proven
// file by file and put in place without replacing anything; only then is the source removed, each
// file only while it is still the one that was copied (local-tools spec, section 7). Killed at any
// moment, a complete proven copy or the whole source exists.

import { type ContentPorts, copyFile, keepMetadata, type Lost } from "./copy.ts";
import type { Disk } from "./disk.ts";
import { errnoOf, isMissing, ToolError } from "./error.ts";
import { syncFolder } from "./folders.ts";
import { kindOf, lookAt, sameInode, unchanged } from "./identity.ts";
import { moveNoReplace, type ReplaceGuard } from "./move.ts";
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

/** What was made under the hidden name, and what it was made from. */
interface Copied {
  files: { source: string; info: Deno.FileInfo; made: string }[];
  folders: { source: string; info: Deno.FileInfo; made: string }[];
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
  ports: ContentPorts,
): VolumeMove {
  const { disk, signal } = ports;
  if (info.isSymlink) return moveLink(disk, from, to, info);
  const lost: Lost = new Set();
  const staging = stagingName(nativeRules.dirname(to));
  const copied: Copied = { files: [], folders: [] };
  let guard: ReplaceGuard;
  try {
    copyTree(from, info, staging, ports, copied, new Map(), lost);
    for (const folder of copied.folders.toReversed()) {
      keepMetadata(disk, folder.made, folder.info, lost);
    }
    signal.throwIfCancelled();
    guard = moveNoReplace(disk, staging, to, disk.lstat(staging));
  } catch (error) {
    discard(disk, copied);
    throw error;
  }
  syncFolder(disk, nativeRules.dirname(to));
  const left = removeSource(disk, copied);
  return { guard, left, lost, cancelledLate: signal.cancelled };
}

function moveLink(disk: Disk, from: string, to: string, info: Deno.FileInfo): VolumeMove {
  try {
    disk.symlink(disk.readLink(from), to);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new ToolError("destination_exists", `something is already at ${quote(to)}`);
  }
  const left = removeOne(disk, from, info, (path) => disk.unlink(path));
  return { guard: "link", left, lost: new Set(), cancelledLate: false };
}

function copyTree(
  from: string,
  info: Deno.FileInfo,
  to: string,
  ports: ContentPorts,
  copied: Copied,
  links: Map<string, string>,
  lost: Lost,
): void {
  ports.signal.throwIfCancelled();
  const { disk } = ports;
  switch (kindOf(info)) {
    case "file": {
      copyOrLink(from, info, to, ports, links, lost);
      copied.files.push({ source: from, info, made: to });
      return;
    }
    case "directory":
      disk.mkdir(to, 0o700);
      copied.folders.push({ source: from, info, made: to });
      for (const name of [...disk.readDir(from)].map((entry) => entry.name).sort(byCodeUnit)) {
        const path = nativeRules.join(from, name);
        copyTree(path, disk.lstat(path), nativeRules.join(to, name), ports, copied, links, lost);
      }
      return;
    case "symlink":
      throw new ToolError("symlink_in_tree", `${quote(from)} is a symbolic link`);
    case "special":
      throw new ToolError("special_file_in_tree", `${quote(from)} is a special file`);
  }
}

/** Two names of one file stay two names of one file. */
function copyOrLink(
  from: string,
  info: Deno.FileInfo,
  to: string,
  ports: ContentPorts,
  links: Map<string, string>,
  lost: Lost,
): void {
  const inode = `${info.dev}:${info.ino}`;
  const first = (info.nlink ?? 1) > 1 ? links.get(inode) : undefined;
  if (first !== undefined) {
    try {
      ports.disk.link(first, to);
      return;
    } catch (error) {
      // A volume without hard links gets a second copy.
      if (errnoOf(error) === undefined || errnoOf(error) === "EEXIST") throw error;
    }
  }
  copyFile(from, info, to, ports, lost);
  links.set(inode, to);
}

/** Removes what was made, and nothing that somebody else put there. */
function discard(disk: Disk, copied: Copied): void {
  const made = [
    ...copied.files.map(({ made }) => () => disk.unlink(made)),
    ...copied.folders.toReversed().map(({ made }) => () => disk.rmdir(made)),
  ];
  for (const remove of made) {
    try {
      remove();
    } catch (error) {
      // A leftover under a hidden name is found by `doctor`; the failure that led here matters more.
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

function removeSource(disk: Disk, copied: Copied): LeftBehind[] {
  const left = copied.files.flatMap(({ source, info }) =>
    removeOne(disk, source, info, (path) => disk.unlink(path))
  );
  for (const { source } of copied.folders.toReversed()) {
    try {
      disk.rmdir(source);
    } catch (error) {
      if (isMissing(error)) continue;
      const explained = left.some(({ path }) => path.startsWith(source + nativeRules.sep));
      if (!explained) left.push(...whatStayed(disk, source, error));
    }
  }
  return left;
}

/** Names what keeps a folder: entries that came during the move, or the folder itself. */
function whatStayed(disk: Disk, folder: string, error: unknown): LeftBehind[] {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (errno === "ENOTEMPTY" || errno === "EEXIST") {
    return Array.from(disk.readDir(folder), ({ name }) => ({
      path: nativeRules.join(folder, name),
      reason: "appeared",
    }));
  }
  return [{ path: folder, reason: reasonFor(errno) }];
}

function reasonFor(errno: string): LeftBehind["reason"] {
  return errno === "EBUSY" || errno === "ETXTBSY" ? "busy" : "permission";
}

function removeOne(
  disk: Disk,
  path: string,
  info: Deno.FileInfo,
  remove: (path: string) => void,
): LeftBehind[] {
  const now = lookAt(disk, path);
  if (now === undefined) return [];
  // The link count falls as the other names of one file go, so only identity and content are compared.
  const same = now.isSymlink ? sameInode(now, info) : unchanged(info, now);
  if (!same) return [{ path, reason: "changed" }];
  try {
    remove(path);
    return [];
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return [{ path, reason: reasonFor(errno) }];
  }
}
