// What all changes of folders and files have in common, whoever makes them: they run inside the caller's
// transaction, after the caller was authorised in that same transaction, and leave a record.

import type { FileRow, FolderRow, Rows } from "../../rows/rows.ts";
import type { Acting } from "../audit.ts";
import { conflict, notFound, Refusal } from "../refusal.ts";
import { MAX_DEPTH, type Reach } from "../scope.ts";

/** Who changes what, when, and how far they reach. */
export interface Change extends Acting {
  reach: Reach;
}

/** The row as the caller saw it last; undefined where they do not say. */
export interface Precondition {
  ifUpdatedAt: number | undefined;
}

/** The wraps and the name of a file, sealed for the folder that it goes to. */
export interface SealedFile {
  name: string;
  cskWrapped: string;
  cskIv: string;
  /** Without them the file has no post-quantum wrap any more. */
  pqkFkWrapped: string | undefined;
  pqkFkIv: string | undefined;
}

/** The wrap and the name of a folder, sealed for the folder that it goes to. */
export interface SealedFolder {
  name: string;
  fkWrapped: string;
  fkIv: string;
}

/** @throws Refusal 409 `conflict` when the row is no longer as the caller saw it. */
export function requireUnchanged(row: { updatedAt: number }, { ifUpdatedAt }: Precondition): void {
  if (ifUpdatedAt !== undefined && ifUpdatedAt !== row.updatedAt) {
    throw conflict("it was changed since it was listed");
  }
}

/** @throws Refusal 404 for a file that is missing or out of reach. */
export function reachableFile({ rows, reach }: Change, id: string): FileRow {
  const file = rows.file(id);
  if (file === undefined || reach.placeOfFile(file) === undefined) throw notFound();
  return file;
}

/** @throws Refusal 404 for a folder that is missing or out of reach. */
export function reachableFolder({ rows, reach }: Change, id: string): FolderRow {
  const folder = rows.folder(id);
  if (folder === undefined || reach.placeOfFolder(id) === undefined) throw notFound();
  return folder;
}

/** @throws Refusal 400 `too_deep` when a folder was put where no reach goes; nothing of it stays. */
export function requireReached({ reach }: Change, folderId: string): void {
  if (reach.placeOfFolder(folderId) !== undefined) return;
  throw new Refusal(400, "too_deep", `a folder lies at most ${MAX_DEPTH} levels deep`);
}

/** Whether a folder is another one or lies anywhere below it. */
export function isWithin(rows: Rows, folderId: string | null, ancestorId: string): boolean {
  const seen = new Set<string>();
  for (let id = folderId; id !== null && !seen.has(id);) {
    if (id === ancestorId) return true;
    seen.add(id);
    id = rows.folder(id)?.parentId ?? null;
  }
  return false;
}
