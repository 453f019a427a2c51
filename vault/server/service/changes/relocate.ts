// A row goes to another folder with its name and keys sealed for it: the one step that move, trash and
// Bin share. Who may do it was decided before.

import type { FileChange, FileRow, FolderChange, FolderRow, Json } from "../../rows/rows.ts";
import { type AuditAction, record } from "../audit.ts";
import type { Change, SealedFile, SealedFolder } from "./change.ts";

/** Where something goes to, and what is known there of where it came from. */
export interface Target {
  folderId: string | null;
  /** Both null outside the Bin. */
  originId: string | null;
  binnedAt: number | null;
}

/** A target outside the Bin. */
export function outsideTheBin(folderId: string | null): Target {
  return { folderId, originId: null, binnedAt: null };
}

/** The columns of a row that a change writes, as they were. */
function before(row: object, columns: object): Json {
  const old = row as Record<string, Json>;
  return Object.fromEntries(Object.keys(columns).map((name) => [name, old[name]]));
}

/**
 * Puts a file into another folder and records it.
 *
 * @returns the id of the record.
 */
export function relocateFile<Action extends string = AuditAction>(
  change: Change,
  file: FileRow,
  target: Target,
  sealed: SealedFile,
  action: Action,
): string {
  const columns = {
    ...target,
    name: sealed.name,
    cskWrapped: sealed.cskWrapped,
    cskIv: sealed.cskIv,
    pqkFkWrapped: sealed.pqkFkWrapped ?? null,
    pqkFkIv: sealed.pqkFkIv ?? null,
  } satisfies FileChange;
  const { id } = file;
  const { version } = change.rows.changeFile(id, columns);
  return record<Action>(change, {
    action,
    object: { kind: "file", id },
    change: { before: before(file, columns), after: columns, version },
  });
}

/** As {@link relocateFile}. */
export function relocateFolder<Action extends string = AuditAction>(
  change: Change,
  folder: FolderRow,
  target: Target,
  sealed: SealedFolder,
  action: Action,
): string {
  const columns = {
    parentId: target.folderId,
    originId: target.originId,
    binnedAt: target.binnedAt,
    name: sealed.name,
    fkWrapped: sealed.fkWrapped,
    fkIv: sealed.fkIv,
  } satisfies FolderChange;
  const { id } = folder;
  const { version } = change.rows.changeFolder(id, columns);
  change.reach.forget();
  return record<Action>(change, {
    action,
    object: { kind: "folder", id },
    change: { before: before(folder, columns), after: columns, version },
  });
}
