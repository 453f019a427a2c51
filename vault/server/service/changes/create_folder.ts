// A new folder, whose id and key its maker drew.

import { record } from "../audit.ts";
import { conflict } from "../refusal.ts";
import { type Change, requireReached } from "./change.ts";
import type { NewFolderInput } from "./inputs.ts";
import { requireDestination } from "./move.ts";

/**
 * Makes a folder and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 for a parent out of scope or in the trash; 409 `conflict` for an id that exists;
 * 400 `too_deep`.
 */
export function createFolder(change: Change, input: NewFolderInput): string {
  requireDestination(change, input.parentId);
  if (change.rows.idTaken(input.id)) throw conflict("the id is taken");
  const { id, parentId, name, fkWrapped, fkIv } = input;
  change.rows.insertFolder({
    id,
    ownerId: change.actor.ownerId,
    parentId,
    name,
    fkWrapped,
    fkIv,
    kind: "normal",
    originId: null,
    binnedAt: null,
    createdAt: change.now,
    updatedAt: change.now,
    version: 1,
  });
  requireReached(change, id);
  return record(change, {
    action: "create_folder",
    object: { kind: "folder", id },
    change: { before: null, after: { parentId }, version: 1 },
  });
}
