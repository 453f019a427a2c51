// Takes back what a record says was done, as long as nothing was done to the same row since (vault spec,
// 13): the columns from before come back in one transaction. The row is then as the change before that left
// it, which can be undone next: who changed a row twice has not put the first name out of reach. What was
// made goes to the Bin instead; its name and keys have to be sealed for the Bin, which only the owner's page
// can do.

import type {
  AuditRow,
  FileChange,
  FileRow,
  FolderChange,
  FolderRow,
  Json,
} from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { isWithin } from "../changes/change.ts";
import type { TrashItem } from "../changes/inputs.ts";
import { relocateFile, relocateFolder } from "../changes/relocate.ts";
import { conflict, notFound, Refusal } from "../refusal.ts";
import type { Owned, OwnerAction } from "./as_owner.ts";

/** What comes back by itself: both of each, file and folder. */
const SWAPPED = new Set(
  ["rename", "move", "trash", "restore"].flatMap((verb) => [`${verb}_file`, `${verb}_folder`]),
);
/** What goes to the Bin. */
const MADE = new Set(["create_folder", "upload_file"]);

interface Changed {
  kind: "file" | "folder";
  row: FileRow | FolderRow;
}

/** The row that a record is about; undefined when it is gone. */
function changedRow({ rows }: Owned, { objectKind, objectId }: AuditRow): Changed | undefined {
  if (objectKind === null || objectId === null) return undefined;
  const row = objectKind === "file" ? rows.file(objectId) : rows.folder(objectId);
  return row && { kind: objectKind, row };
}

function placeGone(message: string): Refusal {
  return new Refusal(409, "place_gone", message);
}

/** @throws Refusal 409 `place_gone` unless a row can lie again where it lay. */
function requirePlace({ rows, reach }: Owned, entry: AuditRow, { kind, row }: Changed): void {
  const { folderId, parentId = folderId } = entry.before as { [column: string]: Json };
  // A rename says nothing of the place, and the root is always there.
  if (typeof parentId !== "string") return;
  if (rows.folder(parentId) === undefined) throw placeGone("the folder is gone for good");
  if (kind === "folder" && isWithin(rows, parentId, row.id)) {
    throw placeGone("the folder lies in this one now");
  }
  const place = reach.placeOfFolder(parentId);
  // What was restored goes back into the Bin; nothing else is put there by undoing.
  const wasInBin = entry.action.startsWith("restore_");
  if (place === undefined || (place === "trash" && !wasInBin)) {
    throw placeGone("the folder lies in the Bin; restore it first");
  }
}

/** @throws Refusal 409 unless a row that was made can go to the Bin. */
function requireOutsideBin({ reach }: Owned, { row }: Changed): void {
  const place = "folderId" in row ? reach.placeOfFile(row) : reach.placeOfFolder(row.id);
  if (place === "trash") throw new Refusal(409, "already_trashed", "it lies in the Bin already");
}

/** @throws Refusal 409 when a record cannot be undone, or not any more. */
function requireUndoable(owned: Owned, entry: AuditRow): Changed {
  const { action, result, undoneAt, version } = entry;
  if (result !== "ok" || !(SWAPPED.has(action) || MADE.has(action))) {
    throw new Refusal(409, "not_undoable", "there is nothing to undo");
  }
  if (undoneAt !== null) throw new Refusal(409, "already_undone", "it was undone before");
  const changed = changedRow(owned, entry);
  if (changed === undefined) throw new Refusal(409, "gone", "it is gone for good");
  if (changed.row.version !== version) throw conflict("it was changed since");
  if (MADE.has(action)) requireOutsideBin(owned, changed);
  else requirePlace(owned, entry, changed);
  return changed;
}

/** Whether {@link undo} would do it now. */
export function isUndoable(owned: Owned, entry: AuditRow): boolean {
  try {
    requireUndoable(owned, entry);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function swapBack(owned: Owned, { kind, row: { id, version } }: Changed, before: Json): string {
  const { rows, reach } = owned;
  const now = kind === "file"
    ? rows.changeFile(id, before as FileChange)
    : rows.changeFolder(id, before as FolderChange);
  rows.moveLastChange(id, version, now.version);
  reach.forget();
  return record<OwnerAction>(owned, { action: "undo", object: { kind, id } });
}

function moveToBin(owned: Owned, { kind, row }: Changed, item: TrashItem | undefined): string {
  if (item?.kind !== kind || item.id !== row.id) {
    throw new Refusal(400, "item_required", "item must be what was made, sealed for the Bin");
  }
  const originId = "folderId" in row ? row.folderId : row.parentId;
  const target = { folderId: owned.owner.binFolderId, originId, binnedAt: owned.now };
  return item.kind === "file"
    ? relocateFile<OwnerAction>(owned, row as FileRow, target, item, "undo")
    : relocateFolder<OwnerAction>(owned, row as FolderRow, target, item, "undo");
}

/** What was undone: the row that it was about, and the record of the undoing. */
export interface Undone {
  kind: "file" | "folder";
  id: string;
  auditId: string;
}

/**
 * Undoes what a record says, in the caller's transaction.
 *
 * @param item what was made, sealed for the Bin; not looked at for anything else.
 * @throws Refusal 404 for an unknown record; 409 `not_undoable`, `already_undone`, `conflict`, `gone`,
 * `place_gone`, `already_trashed`; 400 `item_required`.
 */
export function undo(owned: Owned, entryId: string, item: TrashItem | undefined): Undone {
  const { rows, now } = owned;
  const entry = rows.audit(entryId);
  if (entry === undefined) throw notFound();
  const changed = requireUndoable(owned, entry);
  const auditId = MADE.has(entry.action)
    ? moveToBin(owned, changed, item)
    : swapBack(owned, changed, entry.before);
  rows.markUndone(entryId, now);
  return { kind: changed.kind, id: changed.row.id, auditId };
}
