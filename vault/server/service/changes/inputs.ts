// The shapes in which changes are asked for, the same for a connection and for the owner; only where
// things may go to differs, since a connection puts nothing at the root.

import {
  type Field,
  isObject,
  iv,
  nameEnvelope,
  object,
  oneOf,
  optional,
  time,
  together,
  uuid,
  type ValueOf,
  wrapped,
} from "../fields.ts";

/** The fields of a file that are sealed for its folder. */
export const sealedFile = {
  name: nameEnvelope,
  cskWrapped: wrapped,
  cskIv: iv,
  pqkFkWrapped: optional(wrapped),
  pqkFkIv: optional(iv),
};
/** The fields of a folder that are sealed for its parent. */
export const sealedFolder = { name: nameEnvelope, fkWrapped: wrapped, fkIv: iv };
export const precondition = { ifUpdatedAt: optional(time) };

export const renameInput = object({ name: nameEnvelope, ...precondition });

/** @param destination `uuid`, or `nullable(uuid)` for who may move to the root. */
export function moveFileInput<To extends string | null>(destination: Field<To>) {
  const fields = object({ folderId: destination, ...sealedFile, ...precondition });
  return together(fields, "pqkFkWrapped", "pqkFkIv");
}

export function moveFolderInput<To extends string | null>(destination: Field<To>) {
  return object({ parentId: destination, ...sealedFolder, ...precondition });
}

export function newFolderInput<To extends string | null>(parent: Field<To>) {
  return object({ id: uuid, parentId: parent, ...sealedFolder });
}

const trashFile = together(
  object({ kind: oneOf("file"), id: uuid, ...sealedFile, ...precondition }),
  "pqkFkWrapped",
  "pqkFkIv",
);
const trashFolder = object({ kind: oneOf("folder"), id: uuid, ...sealedFolder, ...precondition });

/** An item for the trash or the Bin. */
export const trashItem: Field<ValueOf<typeof trashFile> | ValueOf<typeof trashFolder>> = (
  value,
  path,
) => isObject(value) && value.kind === "folder" ? trashFolder(value, path) : trashFile(value, path);

export type RenameInput = ValueOf<typeof renameInput>;
export type MoveFileInput = ValueOf<ReturnType<typeof moveFileInput<string | null>>>;
export type MoveFolderInput = ValueOf<ReturnType<typeof moveFolderInput<string | null>>>;
export type NewFolderInput = ValueOf<ReturnType<typeof newFolderInput<string | null>>>;
export type TrashItem = ValueOf<typeof trashItem>;
