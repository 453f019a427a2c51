// Out of the Bin, or out of a connection's trash inside it, back to where something came from or to any
// other place; its name and keys are sealed for that place. Each item stands for itself.

import {
  type Change,
  reachableFile,
  reachableFolder,
  requireUnchanged,
} from "../changes/change.ts";
import { precondition, sealedFile, sealedFolder } from "../changes/inputs.ts";
import { requireDestination } from "../changes/move.ts";
import { outsideTheBin, relocateFile, relocateFolder } from "../changes/relocate.ts";
import {
  type Field,
  isObject,
  nullable,
  object,
  oneOf,
  together,
  uuid,
  type ValueOf,
} from "../fields.ts";
import { notFound, Refusal } from "../refusal.ts";
import type { OwnerAction } from "./as_owner.ts";

const fileItem = together(
  object({
    kind: oneOf("file"),
    id: uuid,
    parentId: nullable(uuid),
    ...sealedFile,
    ...precondition,
  }),
  "pqkFkWrapped",
  "pqkFkIv",
);
const folderItem = object({
  kind: oneOf("folder"),
  id: uuid,
  parentId: nullable(uuid),
  ...sealedFolder,
  ...precondition,
});

export const restoreItem: Field<ValueOf<typeof fileItem> | ValueOf<typeof folderItem>> = (
  value,
  path,
) => isObject(value) && value.kind === "folder" ? folderItem(value, path) : fileItem(value, path);
export type RestoreItem = ValueOf<typeof restoreItem>;

/** @throws Refusal 409 unless something lies in the Bin. */
export function requireBinned(place: string | undefined): void {
  if (place !== "trash") throw new Refusal(409, "not_in_bin", "only what lies in the Bin");
}

/**
 * Takes one item out of the Bin and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 for an item or a place that is missing, and for fixed folders; 409 `not_in_bin`,
 * `conflict`.
 */
export function restoreOne(change: Change, item: RestoreItem): string {
  const { reach } = change;
  if (item.kind === "file") {
    const file = reachableFile(change, item.id);
    requireBinned(reach.placeOfFile(file));
    requireDestination(change, item.parentId);
    requireUnchanged(file, item);
    const target = outsideTheBin(item.parentId);
    return relocateFile<OwnerAction>(change, file, target, item, "restore_file");
  }
  const folder = reachableFolder(change, item.id);
  if (reach.isFixed(folder)) throw notFound();
  requireBinned(reach.placeOfFolder(item.id));
  requireDestination(change, item.parentId);
  // A place outside the Bin is never below a folder inside it.
  requireUnchanged(folder, item);
  const target = outsideTheBin(item.parentId);
  return relocateFolder<OwnerAction>(change, folder, target, item, "restore_folder");
}
