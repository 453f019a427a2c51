// Into another folder, inside the caller's scope on both sides (vault spec, 13). What lies in the trash
// does not come out this way: restoring is the owner's, and has its own change.

import type { FolderRow } from "../../rows/rows.ts";
import { notFound, Refusal } from "../refusal.ts";
import {
  type Change,
  isWithin,
  reachableFile,
  reachableFolder,
  requireReached,
  requireUnchanged,
} from "./change.ts";
import type { MoveFileInput, MoveFolderInput } from "./inputs.ts";
import { outsideTheBin, relocateFile, relocateFolder } from "./relocate.ts";

/** @throws Refusal 404 unless something may be put there. */
export function requireDestination({ reach }: Change, folderId: string | null): void {
  const open = folderId === null ? reach.ownsRoot : reach.placeOfFolder(folderId) === "scope";
  if (!open) throw notFound();
}

/** @throws Refusal 400 `invalid_destination` for a folder that would lie below itself. */
export function requireOutside({ rows }: Change, folder: FolderRow, target: string | null): void {
  if (isWithin(rows, target, folder.id)) {
    throw new Refusal(400, "invalid_destination", "a folder cannot lie in itself");
  }
}

/**
 * Moves a file and records it. Without post-quantum wraps it has none any more.
 *
 * @returns the id of the record.
 * @throws Refusal 404 when either side is out of scope or in the trash; 409 `conflict`.
 */
export function moveFile(change: Change, id: string, input: MoveFileInput): string {
  const file = reachableFile(change, id);
  if (change.reach.placeOfFile(file) !== "scope") throw notFound();
  requireDestination(change, input.folderId);
  requireUnchanged(file, input);
  return relocateFile(change, file, outsideTheBin(input.folderId), input, "move_file");
}

/**
 * Moves a folder with all that is in it, and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 as {@link moveFile} and for fixed folders; 400 `invalid_destination`,
 * `too_deep`; 409 `conflict`.
 */
export function moveFolder(change: Change, id: string, input: MoveFolderInput): string {
  const folder = reachableFolder(change, id);
  if (change.reach.placeOfFolder(id) !== "scope" || change.reach.isFixed(folder)) throw notFound();
  requireDestination(change, input.parentId);
  requireOutside(change, folder, input.parentId);
  requireUnchanged(folder, input);
  const target = outsideTheBin(input.parentId);
  const auditId = relocateFolder(change, folder, target, input, "move_folder");
  requireReached(change, id);
  return auditId;
}
