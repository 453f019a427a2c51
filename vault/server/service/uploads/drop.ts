// An upload that will not be finished: its hold is freed and its row goes in one transaction, which leaves
// a tombstone for the object; then the object goes, and then the tombstone. Killed anywhere in between,
// the next sweep takes it from there.

import type { Objects } from "../../objects/objects.ts";
import type { Rows, UploadRow } from "../../rows/rows.ts";
import type { Context } from "../context.ts";
import type { State } from "../state.ts";
import { release } from "./allowance.ts";

/** Removes an upload's row in the caller's transaction. */
export function drop(rows: Rows, upload: UploadRow, now: number): void {
  if (upload.grantId !== null) release(rows, upload.grantId, upload.sizeBytes);
  rows.addPurgedObject({ storageKey: upload.storageKey, at: now });
  rows.removeUpload(upload.id);
}

/**
 * Drops the uploads whose time is over, in the caller's transaction; those whose bytes are coming in are
 * left to their sender. The objects follow with the next sweep.
 */
export function dropExpired({ rows, now }: Context, { incoming }: Pick<State, "incoming">): void {
  for (const upload of rows.expiredUploads(now())) {
    if (!incoming.has(upload.id)) drop(rows, upload, now());
  }
}

/** Removes the objects of tombstones, so many at most, and the tombstones. */
export function removePurged(rows: Rows, objects: Objects, most: number): void {
  const purged = rows.purgedObjects(most);
  if (purged.length === 0) return;
  for (const { storageKey } of purged) objects.remove(storageKey);
  rows.transaction(() => {
    for (const { storageKey } of purged) rows.removePurgedObject(storageKey);
  });
}
