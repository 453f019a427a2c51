// What lies below an entry that a change would take along: counted for the preview, and condensed to
// one digest, so that a nested change between preview and confirmation is noticed even where every
// count stays the same (local-tools spec, 5.4).

import type { CancelFlag } from "./cancel.ts";
import { type Disk, mtimeOf } from "./disk.ts";
import { errnoOf } from "./error.ts";
import { type Kind, kindOf } from "./identity.ts";
import { createHash } from "./node.ts";
import { nativeRules } from "./paths.ts";
import type { Progress } from "./rooms/protocol.ts";
import { byCodeUnit } from "./text.ts";
import { TRASH_NAME } from "./walk.ts";

/** Entries that are condensed one by one; above that only the counts are bound. */
export const DIGEST_CEILING = 1_000_000;

/** A count and one example. */
export interface Found {
  count: number;
  first?: string;
}

export interface Measure {
  kind: Kind;
  /** Entries of every kind, the entry itself included. */
  entries: number;
  /** Regular files, the entry itself included. */
  files: number;
  /** Bytes of content of those files. */
  bytes: number;
  /** Bytes that the files occupy; the same as `bytes` where the platform does not say. */
  allocated: number;
  /** Links below the entry; the entry itself does not count. */
  symlinks: Found;
  /** Pipes, sockets and devices below the entry. */
  special: Found;
  /** Entries that could not be looked at, so that the counts are too small. */
  unreadable: Found;
  /** Trash folders below the entry. */
  trashes: Found;
  /** Condensed description of every entry below; empty above the ceiling. */
  digest: string;
  binding: "tree" | "counts";
}

export interface MeasurePorts {
  disk: Disk;
  signal: CancelFlag;
  progress?(progress: Progress): void;
}

function note(found: Found, path: string): void {
  found.count++;
  found.first ??= path;
}

/**
 * Measures an entry without following links.
 *
 * @throws ToolError `cancelled`.
 */
export function measure(path: string, info: Deno.FileInfo, ports: MeasurePorts): Measure {
  const result: Measure = {
    kind: kindOf(info),
    entries: 1,
    files: 0,
    bytes: 0,
    allocated: 0,
    symlinks: { count: 0 },
    special: { count: 0 },
    unreadable: { count: 0 },
    trashes: { count: 0 },
    digest: "",
    binding: "tree",
  };
  addFile(result, info);
  if (info.isDirectory) measureTree(path, result, ports);
  return result;
}

function addFile(result: Measure, info: Deno.FileInfo): void {
  if (!info.isFile) return;
  result.files++;
  result.bytes += info.size;
  const { blocks } = info;
  result.allocated += blocks === null || blocks === undefined ? info.size : blocks * 512;
}

function measureTree(top: string, result: Measure, ports: MeasurePorts): void {
  const { disk, signal } = ports;
  const hash = createHash("sha256");
  const stack = [""];
  let seen = 0;
  while (stack.length > 0) {
    signal.throwIfCancelled();
    const folder = stack.pop()!;
    const names = readNames(disk, top + folder, result);
    for (let i = names.length - 1; i >= 0; i--) {
      const relative = folder + nativeRules.sep + names[i];
      const line = measureEntry(top, relative, names[i], result, ports);
      if (++seen <= DIGEST_CEILING) hash.update(line.text);
      if (line.folder) stack.push(relative);
      if ((seen & 1023) === 0) signal.throwIfCancelled();
    }
    ports.progress?.({ done: result.files, unit: "files", label: "measuring" });
  }
  result.entries += seen;
  if (seen > DIGEST_CEILING) result.binding = "counts";
  else result.digest = hash.digest("hex");
}

function readNames(disk: Disk, path: string, result: Measure): string[] {
  try {
    return Array.from(disk.readDir(path), (entry) => entry.name).sort(byCodeUnit);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    note(result.unreadable, path);
    return [];
  }
}

function measureEntry(
  top: string,
  relative: string,
  name: string,
  result: Measure,
  { disk }: MeasurePorts,
): { text: string; folder: boolean } {
  const path = top + relative;
  try {
    const info = disk.lstat(path);
    const kind = kindOf(info);
    addFile(result, info);
    if (kind === "symlink") note(result.symlinks, path);
    if (kind === "special") note(result.special, path);
    if (kind === "directory" && name === TRASH_NAME) note(result.trashes, path);
    const target = kind === "symlink" ? disk.readLink(path) : "";
    const fields = [relative, kind, info.size, mtimeOf(info), info.ino, info.mode, target];
    return { text: JSON.stringify(fields), folder: kind === "directory" };
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    note(result.unreadable, path);
    return { text: JSON.stringify([relative, code]), folder: false };
  }
}
