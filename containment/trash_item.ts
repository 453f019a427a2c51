// One item of a trash batch, and the line about it in the batch's manifest (local-tools spec, 6.4).

import type { Disk } from "./disk.ts";
import { kindOf } from "./identity.ts";
import type { ManifestItem } from "./manifest.ts";
import { nativeRules } from "./paths.ts";

/** The folder inside a batch that holds the items, each in a numbered folder of its own. */
export const ITEMS_FOLDER = "items";

/** One item to be trashed. */
export interface TrashItem {
  source: string;
  info: Deno.FileInfo;
  files: number;
  bytes: number;
  sha256?: string;
  reason?: string;
  /** The copy in a vault that was verified before the item may go (vault spec, 11). */
  vaultCopy?: { fileId: string; path: string };
}

/** Where an item goes. */
export interface ItemPlace {
  /** The folder that holds the trash folder. */
  base: string;
  /** The batch's folder. */
  folder: string;
  /** The item's number in the batch. */
  id: number;
}

/** The manifest's line about an item that has not moved yet. */
export function describeItem(
  disk: Disk,
  { source, info, files, bytes, sha256, reason, vaultCopy }: TrashItem,
  { base, folder, id }: ItemPlace,
): ManifestItem {
  const { basename, join, relative } = nativeRules;
  return {
    original_path: source,
    trashed_to: join(folder, ITEMS_FOLDER, String(id), basename(source)),
    kind: kindOf(info),
    bytes,
    ...(reason === undefined ? {} : { reason }),
    id,
    relative_path: relative(base, source),
    files,
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(vaultCopy === undefined
      ? {}
      : { vault_file_id: vaultCopy.fileId, vault_path: vaultCopy.path }),
    size: info.size,
    ...(info.mtime === null ? {} : { mtime: info.mtime.getTime() }),
    ...(info.mode === null ? {} : { mode: info.mode & 0o7777 }),
    ...(info.isSymlink ? { link_target: disk.readLink(source) } : {}),
    dev: info.dev,
    ...(info.ino === null ? {} : { ino: info.ino }),
    state: "planned",
  };
}
