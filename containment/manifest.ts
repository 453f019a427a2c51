// The record of one trash batch: where every item was, and where it is. It is written in full before
// the first item moves, so that a process killed at any moment leaves behind, for each item, either
// the item in its old place or a line that says where it went (local-tools spec, 6.4 and 6.9).

import { discardFile, openSame } from "./copy.ts";
import type { Disk } from "./disk.ts";
import { ToolError } from "./error.ts";
import { syncFolder } from "./folders.ts";
import { type Kind, lookAt, unchanged } from "./identity.ts";
import { moveNoReplace } from "./move.ts";
import { nativeRules } from "./paths.ts";
import { quote } from "./text.ts";

/** The record's name inside a batch. */
export const MANIFEST_NAME = "manifest.json";
/** A larger manifest is not read: a thousand items of the longest paths fit in far less. */
const MAX_MANIFEST_BYTES = 32 << 20;
/** Levels of keys that are not known; written out again with indents, very many would fill the disk. */
const MAX_NESTING = 64;

export interface ManifestItem {
  original_path: string;
  trashed_to: string;
  kind: Kind;
  bytes: number;
  /** Why it is here when nobody asked to trash it: it was displaced by a move. */
  reason?: string;
  id?: number;
  relative_path?: string;
  files?: number;
  sha256?: string;
  /** The copy in a vault that was verified before this one was put here, and where it was then. */
  vault_file_id?: string;
  vault_path?: string;
  /** Milliseconds since 1970. */
  mtime?: number;
  size?: number;
  mode?: number;
  link_target?: string;
  dev?: number;
  ino?: number;
  state?: "planned" | "moved" | "restored";
  restored_to?: string;
  restored_at?: string;
  [other: string]: unknown;
}

export interface Manifest {
  format: 1;
  created: string;
  note: string;
  items: ManifestItem[];
  /** The folder that holds the trash folder. */
  base?: string;
  [other: string]: unknown;
}

export const MANIFEST_NOTE =
  "Written before anything moved. Nothing here is deleted: every item lies where trashed_to says, " +
  "and came from original_path. To put things back run `shieldfive restore`, or move an item to its " +
  "original_path yourself. An entry whose trashed_to does not exist was planned but not moved, or " +
  "was restored.";

let writes = 0;

/**
 * Writes the manifest into its batch folder: a temporary file beside it, flushed, then given the
 * name.
 *
 * @param replaces the manifest as it was written or read before; nothing else is ever replaced, and
 * without it the name must be free.
 * @returns the written file, for the next write.
 * @throws ToolError `manifest_invalid`, `destination_exists`; system errors as they are.
 */
export function writeManifest(
  disk: Disk,
  folder: string,
  manifest: Manifest,
  replaces?: Deno.FileInfo,
): Deno.FileInfo {
  const path = nativeRules.join(folder, MANIFEST_NAME);
  const temporary = nativeRules.join(folder, `.${MANIFEST_NAME}-${Deno.pid}-${++writes}`);
  const bytes = new TextEncoder().encode(JSON.stringify(manifest, null, 2) + "\n");
  const fd = disk.create(temporary, 0o600);
  try {
    try {
      disk.writeAt(fd, bytes, 0);
      disk.sync(fd);
    } finally {
      disk.close(fd);
    }
    const now = lookAt(disk, path);
    if (replaces === undefined) moveNoReplace(disk, temporary, path, disk.lstat(temporary));
    else if (now === undefined || unchanged(replaces, now)) disk.rename(temporary, path);
    else throw invalid(path, "was replaced by something else meanwhile, which was left alone");
  } catch (error) {
    discardFile(disk, temporary);
    throw error;
  }
  syncFolder(disk, folder);
  return disk.lstat(path);
}

function invalid(path: string, why: string, cause?: unknown): ToolError {
  return new ToolError("manifest_invalid", `${quote(path)} ${why}`, {
    detail: { manifest: path },
    cause,
  });
}

/**
 * Reads and checks the manifest of a batch folder.
 *
 * @throws ToolError `manifest_invalid` for anything that is not a readable `format: 1` manifest;
 * system errors as they are.
 */
export function readManifest(
  disk: Disk,
  folder: string,
): { manifest: Manifest; info: Deno.FileInfo } {
  const path = nativeRules.join(folder, MANIFEST_NAME);
  const info = disk.lstat(path);
  if (!info.isFile) throw invalid(path, "is not a regular file");
  if (info.size > MAX_MANIFEST_BYTES) throw invalid(path, "is too large to be a manifest");
  const bytes = readBytes(disk, path, info);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid(path, "is not valid JSON", error);
  }
  const problem = manifestProblem(value);
  if (problem !== undefined) throw invalid(path, problem);
  return { manifest: value as Manifest, info };
}

function readBytes(disk: Disk, path: string, info: Deno.FileInfo): Uint8Array {
  const fd = openSame(disk, path, info);
  try {
    const bytes = new Uint8Array(info.size);
    let done = 0;
    for (let read = -1; read !== 0 && done < info.size; done += read) {
      read = disk.readAt(fd, bytes.subarray(done), done);
    }
    return bytes.subarray(0, done);
  } finally {
    disk.close(fd);
  }
}

/** Whether lists and objects lie in each other deeper than so many levels. */
function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => nestsDeeper(part, levels - 1));
}

function manifestProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "does not hold an object";
  if (nestsDeeper(value, MAX_NESTING)) return "is nested too deeply";
  const { format, created, items } = value as Record<string, unknown>;
  if (format !== 1) return "has a format that this version does not know";
  if (typeof created !== "string") return "has no time of creation";
  if (!Array.isArray(items)) return "has no list of items";
  return items.map(itemProblem).find((problem) => problem !== undefined);
}

const KINDS: readonly unknown[] = ["file", "directory", "symlink", "special"];

function itemProblem(item: unknown, index: number): string | undefined {
  const fields = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
  const isPath = (path: unknown) =>
    typeof path === "string" && nativeRules.isAbsolute(path) && !path.includes("\0") &&
    // A separator at the end would have the system follow a link.
    nativeRules.normalize(path) === path && !path.endsWith(nativeRules.sep);
  const good = isPath(fields.original_path) && isPath(fields.trashed_to) &&
    KINDS.includes(fields.kind) && Number.isSafeInteger(fields.bytes) &&
    (fields.bytes as number) >= 0;
  return good ? undefined : `has a broken item (number ${index + 1})`;
}
