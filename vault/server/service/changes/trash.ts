// Into the trash of a connection, or the owner's Bin: a move that remembers where the thing lay.

import { notFound, Refusal } from "../refusal.ts";
import { changeEach, type ItemResult } from "./batch.ts";
import { type Change, reachableFile, reachableFolder, requireUnchanged } from "./change.ts";
import type { TrashItem } from "./inputs.ts";
import { requireOutside } from "./move.ts";
import { relocateFile, relocateFolder } from "./relocate.ts";

function requireUntrashed(place: string | undefined): void {
  if (place === "trash") throw new Refusal(409, "already_trashed");
}

/**
 * Puts one item into a trash folder and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 out of reach and for fixed folders; 409 `already_trashed`, `conflict`; 400
 * `invalid_destination`.
 */
export function trashOne(change: Change, item: TrashItem, trashFolderId: string): string {
  const binned = { folderId: trashFolderId, binnedAt: change.now };
  if (item.kind === "file") {
    const file = reachableFile(change, item.id);
    requireUntrashed(change.reach.placeOfFile(file));
    requireUnchanged(file, item);
    return relocateFile(change, file, { ...binned, originId: file.folderId }, item, "trash_file");
  }
  const folder = reachableFolder(change, item.id);
  if (change.reach.isFixed(folder)) throw notFound();
  requireUntrashed(change.reach.placeOfFolder(item.id));
  requireOutside(change, folder, trashFolderId);
  requireUnchanged(folder, item);
  const target = { ...binned, originId: folder.parentId };
  return relocateFolder(change, folder, target, item, "trash_folder");
}

/** Puts each item into a trash folder where that is possible, and says what became of each. */
export function trashEach(
  change: Change,
  items: readonly TrashItem[],
  trashFolderId: string,
): ItemResult[] {
  return changeEach(change, items, "trash", (item) => trashOne(change, item, trashFolderId));
}
