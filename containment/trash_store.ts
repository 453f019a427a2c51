// What is in a trash folder: its batches, and for each item whether it is still there. Manifests are
// files in a user's folder and so may be damaged or made up: an item counts only if the place that it
// names lies inside its own batch.

import type { Disk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { kindOf, lookAt } from "./identity.ts";
import { type Manifest, MANIFEST_NAME, type ManifestItem, readManifest } from "./manifest.ts";
import { isInside, nativeRules } from "./paths.ts";
import { byCodeUnit } from "./text.ts";
import { TRASH_NAME } from "./walk.ts";

/** What became of an item since it was trashed. */
export type ItemState = "present" | "missing" | "modified" | "restored";

export interface StoredItem {
  entry: ManifestItem;
  /** Where it was, in terms of where the volume is now. */
  original: string;
  /** Where it is, in terms of where the volume is now. */
  stored: string;
  state: ItemState;
  info?: Deno.FileInfo;
}

export interface StoredBatch {
  name: string;
  folder: string;
  trash: string;
  manifest: "ok" | "unreadable" | "missing";
  /** RFC 3339; from the batch's name where the manifest does not say it. */
  created?: string;
  items: StoredItem[];
  /** The manifest as read, and the file that it was read from, for {@link writeManifest}. */
  record?: { manifest: Manifest; info: Deno.FileInfo };
}

/**
 * The batches of a trash folder, newest first.
 *
 * @param onUnreadable told of the trash folder or a batch in it that cannot be looked into.
 */
export function readTrash(
  disk: Disk,
  trash: string,
  onUnreadable: (path: string, code: string) => void,
): StoredBatch[] {
  const attempt = <T>(path: string, look: () => T[]): T[] => {
    try {
      return look();
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      onUnreadable(path, errno);
      return [];
    }
  };
  const names = attempt(trash, () => Array.from(disk.readDir(trash), (entry) => entry.name));
  return names.sort(byCodeUnit).reverse().flatMap((name) => {
    const folder = nativeRules.join(trash, name);
    return attempt(
      folder,
      () => lookAt(disk, folder)?.isDirectory ? [readBatch(disk, folder)] : [],
    );
  });
}

/** One batch. A manifest that cannot be read is told, never guessed. */
export function readBatch(disk: Disk, folder: string): StoredBatch {
  const batch: StoredBatch = {
    name: nativeRules.basename(folder),
    folder,
    trash: nativeRules.dirname(folder),
    manifest: "ok",
    items: [],
  };
  const named = timeFromName(batch.name);
  if (named !== undefined) batch.created = named;
  if (lookAt(disk, nativeRules.join(folder, MANIFEST_NAME)) === undefined) {
    return { ...batch, manifest: "missing" };
  }
  try {
    const record = readManifest(disk, folder);
    const items = record.manifest.items.map((entry) => locate(disk, batch, entry));
    const created = Date.parse(record.manifest.created);
    if (!Number.isNaN(created)) batch.created = new Date(created).toISOString();
    return { ...batch, items, record };
  } catch (error) {
    if (!(error instanceof ToolError) && errnoOf(error) === undefined) throw error;
    return { ...batch, manifest: "unreadable" };
  }
}

/** A batch's name begins with its time, `:` and `.` written as `-`. */
function timeFromName(name: string): string | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)/.exec(name);
  return parts === null ? undefined : `${parts[1]}:${parts[2]}:${parts[3]}.${parts[4]}`;
}

/**
 * Finds an item. Paths in a manifest are absolute and name the trash as it was then; a drive may be
 * mounted elsewhere by now, so what comes after the batch's name is taken from the batch as it is.
 */
function locate(disk: Disk, batch: StoredBatch, entry: ManifestItem): StoredItem {
  const { sep } = nativeRules;
  const marker = sep + TRASH_NAME + sep + batch.name + sep;
  const at = entry.trashed_to.lastIndexOf(marker);
  if (at < 0) {
    throw new ToolError("manifest_invalid", "an item is said to lie outside of its batch");
  }
  const inside = entry.trashed_to.slice(at + marker.length);
  if (inside === MANIFEST_NAME) {
    throw new ToolError("manifest_invalid", "an item is said to be the manifest itself");
  }
  const stored = batch.folder + sep + inside;
  const [before, base] = [entry.trashed_to.slice(0, at), nativeRules.dirname(batch.trash)];
  const original = before !== base && isInside(entry.original_path, before)
    ? base + entry.original_path.slice(before.length)
    : entry.original_path;
  const there = lookInside(disk, stored, batch.folder);
  const info = there && isPlaceholder(disk, stored, entry, there) ? undefined : there;
  return { entry, original, stored, state: stateOf(entry, info), ...(info ? { info } : {}) };
}

/** What is at the place, or undefined when nothing is or a link on the way leads out of the batch. */
function lookInside(disk: Disk, path: string, folder: string): Deno.FileInfo | undefined {
  const info = lookAt(disk, path);
  if (info === undefined) return undefined;
  return isInside(disk.realPath(nativeRules.dirname(path)), folder) ? info : undefined;
}

/**
 * Whether it is the empty folder that a folder was to be renamed over, left by a process that was
 * killed in between: the folder itself never came.
 */
function isPlaceholder(
  disk: Disk,
  path: string,
  { kind, state, ino }: ManifestItem,
  info: Deno.FileInfo,
): boolean {
  if (kind !== "directory" || state !== "planned" || !info.isDirectory) return false;
  return ino !== undefined && ino !== info.ino && Array.from(disk.readDir(path)).length === 0;
}

function stateOf(entry: ManifestItem, info: Deno.FileInfo | undefined): ItemState {
  if (info === undefined) return entry.state === "restored" ? "restored" : "missing";
  if (kindOf(info) !== entry.kind) return "modified";
  if (entry.kind !== "file") return "present";
  const size = entry.size ?? entry.bytes;
  const sameTime = entry.mtime === undefined || entry.mtime === info.mtime?.getTime();
  return info.size === size && sameTime ? "present" : "modified";
}
