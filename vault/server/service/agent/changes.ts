// The routes that organise: rename, move, new folder, trash.

import type { Json } from "../../rows/rows.ts";
import type { AuditAction } from "../audit.ts";
import { itemsInput } from "../changes/batch.ts";
import { createFolder } from "../changes/create_folder.ts";
import {
  moveFileInput,
  moveFolderInput,
  newFolderInput,
  renameInput,
  trashItem,
} from "../changes/inputs.ts";
import { moveFile, moveFolder } from "../changes/move.ts";
import { renameFile, renameFolder } from "../changes/rename.ts";
import { trashEach } from "../changes/trash.ts";
import { type Field, isObject, uuid, type ValueOf } from "../fields.ts";
import type { Outcome } from "../idempotency.ts";
import { Refusal } from "../refusal.ts";
import type { Route } from "../router.ts";
import type { Work } from "./admission.ts";
import { changeRoute, type Spec } from "./route.ts";

/** A change of a file or folder: a move where it names a new place, else a new name. */
function eitherOf<Rename, Move>(
  place: string,
  rename: Field<Rename>,
  move: Field<Move>,
): Field<{ rename: Rename } | { move: Move }> {
  return (value, path) =>
    isObject(value) && Object.hasOwn(value, place)
      ? { move: move(value, path) }
      : { rename: rename(value, path) };
}

/** What a change is recorded as that was refused. */
function named(place: string, rename: AuditAction, move: AuditAction) {
  return (body: unknown) => isObject(body) && Object.hasOwn(body, place) ? move : rename;
}

function done(auditId: string): Outcome {
  return { status: 200, body: { ok: true, auditId } };
}

const organize = { scope: "organize" } as const;

const fileSpec: Spec = {
  ...organize,
  method: "PATCH",
  path: "/files/:id",
  kind: "file",
  action: named("folderId", "rename_file", "move_file"),
};
const fileInput = eitherOf("folderId", renameInput, moveFileInput(uuid));

function changeFile(work: Work, input: ValueOf<typeof fileInput>): Outcome {
  const { id } = work.call.parameters;
  return done(
    "move" in input ? moveFile(work, id, input.move) : renameFile(work, id, input.rename),
  );
}

const folderSpec: Spec = {
  ...organize,
  method: "PATCH",
  path: "/folders/:id",
  kind: "folder",
  action: named("parentId", "rename_folder", "move_folder"),
};
const folderInput = eitherOf("parentId", renameInput, moveFolderInput(uuid));

function changeFolder(work: Work, input: ValueOf<typeof folderInput>): Outcome {
  const { id } = work.call.parameters;
  return done(
    "move" in input ? moveFolder(work, id, input.move) : renameFolder(work, id, input.rename),
  );
}

const newFolderSpec: Spec = {
  ...organize,
  method: "POST",
  path: "/folders",
  kind: "folder",
  action: "create_folder",
};

const trashSpec: Spec = { ...organize, method: "POST", path: "/trash", action: "trash" };
const trashInput = itemsInput(trashItem);

function trash(work: Work, { items }: ValueOf<typeof trashInput>): Outcome {
  const { trashFolderId } = work.grant;
  if (trashFolderId === null) throw new Refusal(409, "no_trash", "this connection has no trash");
  const results: Json = trashEach(work, items, trashFolderId);
  return { status: 200, body: { trashFolderId, results } };
}

export const changeRoutes: Route[] = [
  changeRoute(fileSpec, fileInput, changeFile),
  changeRoute(folderSpec, folderInput, changeFolder),
  changeRoute(newFolderSpec, newFolderInput(uuid), (work, input) => ({
    status: 201,
    body: { ok: true, id: input.id, auditId: createFolder(work, input) },
  })),
  changeRoute(trashSpec, trashInput, trash),
];
