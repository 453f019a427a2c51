// For ever, and only from the Bin. The rows go first, in one transaction that leaves a tombstone for each
// object; then the objects go, and then the tombstones. Killed anywhere in between, no row is without its
// object, and the next sweep removes what is left.

import type { FileRow, Rows } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { reachableFile, reachableFolder } from "../changes/change.ts";
import type { Context } from "../context.ts";
import { object, oneOf, uuid, type ValueOf } from "../fields.ts";
import { notFound, Refusal } from "../refusal.ts";
import { removePurged } from "../uploads/drop.ts";
import type { Owned, OwnerAction } from "./as_owner.ts";
import { requireBinned } from "./restore.ts";

export const purgeItem = object({ kind: oneOf("file", "folder"), id: uuid });
export type PurgeItem = ValueOf<typeof purgeItem>;

/** Objects that are removed in one go; others have their turn in between. */
const BATCH = 100;

function purgeFile(rows: Rows, { id, storageKey }: FileRow, now: number): void {
  rows.addPurgedObject({ storageKey, at: now });
  rows.removeFile(id);
  // The record of its upload, whose answer would say that it is stored.
  if (rows.upload(id) !== undefined) rows.removeUpload(id);
}

/** @throws Refusal 409 `in_use` while a folder, or one below it, takes a live connection's trash. */
function requireUnused({ rows, now }: Owned, folderIds: readonly string[]): void {
  const ids = new Set<string | null>(folderIds);
  const inUse = rows.grants().some(({ trashFolderId, revokedAt, expiresAt }) =>
    revokedAt === null && expiresAt > now && ids.has(trashFolderId)
  );
  if (inUse) throw new Refusal(409, "in_use", "a connection puts its trash there; revoke it first");
}

/**
 * Purges the rows of one item, in the caller's transaction, and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 for what is missing and for the Bin itself; 409 `not_in_bin`, `in_use`.
 */
export function purgeOne(owned: Owned, { kind, id }: PurgeItem): string {
  const { rows, reach, now } = owned;
  if (kind === "file") {
    const file = reachableFile(owned, id);
    requireBinned(reach.placeOfFile(file));
    purgeFile(rows, file, now);
    return record<OwnerAction>(owned, { action: "purge_file", object: { kind, id } });
  }
  const folder = reachableFolder(owned, id);
  if (folder.kind !== "normal") throw notFound();
  requireBinned(reach.placeOfFolder(id));
  const folderIds = rows.subtree(id);
  requireUnused(owned, folderIds);
  for (const folderId of folderIds) {
    for (const file of rows.filesIn(folderId)) purgeFile(rows, file, now);
    rows.removeFolder(folderId);
  }
  return record<OwnerAction>(owned, { action: "purge_folder", object: { kind, id } });
}

/**
 * Removes the objects whose rows are gone.
 *
 * @returns how many could not be removed for now: the next sweep tries again, and says why it cannot.
 */
export async function removePurgedObjects({ rows, objects }: Context): Promise<number> {
  try {
    while (rows.purgedObjects(1).length > 0) {
      removePurged(rows, objects, BATCH);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return 0;
  } catch (error) {
    if (rows.purgedObjects(1).length === 0) throw error;
    return rows.purgedObjects().length;
  }
}
