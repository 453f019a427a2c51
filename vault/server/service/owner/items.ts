// The owner's changes of single rows: new folders, names, places, and the post-quantum wrap of files that
// came without one. The changes themselves are those of connections; only the reach is another.

import type { Rows } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { reachableFile, requireUnchanged } from "../changes/change.ts";
import { createFolder } from "../changes/create_folder.ts";
import {
  type MoveFileInput,
  moveFileInput,
  type MoveFolderInput,
  moveFolderInput,
  newFolderInput,
  precondition,
  type RenameInput,
  renameInput,
} from "../changes/inputs.ts";
import { moveFile, moveFolder } from "../changes/move.ts";
import { renameFile, renameFolder } from "../changes/rename.ts";
import {
  type Field,
  isObject,
  iv,
  nullable,
  object,
  uuid,
  type ValueOf,
  wrapped,
} from "../fields.ts";
import { badRequest, conflict } from "../refusal.ts";
import type { Route } from "../router.ts";
import { timeText } from "../times.ts";
import { type Owned, type OwnerAction, ownerChange } from "./as_owner.ts";

const moveFileTo = moveFileInput(nullable(uuid));
const moveFolderTo = moveFolderInput(nullable(uuid));
const completeInput = object({ pqkFkWrapped: wrapped, pqkFkIv: iv, ...precondition });
type CompleteInput = ValueOf<typeof completeInput>;

/** What is asked of a folder: a new place where one is named, else a new name. */
const folderChange: Field<MoveFolderInput | RenameInput> = (value, path) =>
  isObject(value) && "parentId" in value ? moveFolderTo(value, path) : renameInput(value, path);

/** What is asked of a file: a new place, a new name, or the wrap that was missing. */
const fileChange: Field<MoveFileInput | RenameInput | CompleteInput> = (value, path) => {
  if (isObject(value) && "folderId" in value) return moveFileTo(value, path);
  return isObject(value) && "pqkFkWrapped" in value && !("name" in value)
    ? completeInput(value, path)
    : renameInput(value, path);
};

/** How a row is after a change of it, as its next change has to know. */
export function rowFields(
  rows: Rows,
  kind: "file" | "folder",
  id: string,
): { updatedAt: string; version: number } {
  const row = kind === "file" ? rows.file(id) : rows.folder(id);
  if (row === undefined) throw new Error("a row that was changed is there");
  return { updatedAt: timeText(row.updatedAt), version: row.version };
}

function changed({ rows }: Owned, kind: "file" | "folder", id: string, auditId: string) {
  return { ok: true, auditId, ...rowFields(rows, kind, id) };
}

/** @throws Refusal 404; 400 for another format; 409 when the file has such a wrap already. */
function completeFile(owned: Owned, id: string, input: CompleteInput): string {
  const { ifUpdatedAt, ...wrap } = input;
  const file = reachableFile(owned, id);
  if (file.cipherVersion !== 3) throw badRequest("only files of version 3 have such a wrap");
  requireUnchanged(file, { ifUpdatedAt });
  if (file.pqkFkWrapped !== null) throw conflict("the file has this wrap already");
  owned.rows.completeFile(id, wrap);
  return record<OwnerAction>(owned, { action: "complete_file", object: { kind: "file", id } });
}

function changeFile(
  owned: Owned,
  id: string,
  input: MoveFileInput | RenameInput | CompleteInput,
): string {
  if ("folderId" in input) return moveFile(owned, id, input);
  return "name" in input ? renameFile(owned, id, input) : completeFile(owned, id, input);
}

function changeFolder(owned: Owned, id: string, input: MoveFolderInput | RenameInput): string {
  return "parentId" in input ? moveFolder(owned, id, input) : renameFolder(owned, id, input);
}

export const itemRoutes: Route[] = [
  ownerChange(
    { method: "POST", path: "/folders", status: 201 },
    newFolderInput(nullable(uuid)),
    (owned, input) => ({
      id: input.id,
      ...changed(owned, "folder", input.id, createFolder(owned, input)),
    }),
  ),
  ownerChange(
    { method: "PATCH", path: "/folders/:id" },
    folderChange,
    (owned, input, id) => changed(owned, "folder", id, changeFolder(owned, id, input)),
  ),
  ownerChange(
    { method: "PATCH", path: "/files/:id" },
    fileChange,
    (owned, input, id) => changed(owned, "file", id, changeFile(owned, id, input)),
  ),
];
