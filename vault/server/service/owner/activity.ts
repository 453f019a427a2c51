// What was done to the vault, the newest first, and the undoing of it.

import type { AuditRow, Json } from "../../rows/rows.ts";
import { trashItem } from "../changes/inputs.ts";
import { object, optional, type ValueOf } from "../fields.ts";
import { pageOf, requestedPage } from "../paging.ts";
import type { Route } from "../router.ts";
import { timeText, timeTextOrNull } from "../times.ts";
import { type Owned, ownerChange, ownerRead } from "./as_owner.ts";
import { rowFields } from "./items.ts";
import { isUndoable, undo } from "./undo.ts";

function entryAsJson(owned: Owned, entry: AuditRow): Json {
  return {
    id: entry.id,
    grantId: entry.grantId,
    action: entry.action,
    objectKind: entry.objectKind,
    objectId: entry.objectId,
    result: entry.result,
    code: entry.code,
    at: timeText(entry.at),
    undoable: isUndoable(owned, entry),
    undoneAt: timeTextOrNull(entry.undoneAt),
  };
}

function activityOf(owned: Owned): Json {
  const { call, rows, owner } = owned;
  const listing = { name: "activity", actorId: owner.id };
  const page = requestedPage(call, listing);
  const found = rows.activity({ ...page, limit: page.limit + 1 })
    .map((entry) => ({ ...entry, createdAt: entry.at }));
  const { rows: entries, next } = pageOf(call, listing, page, found);
  return { entries: entries.map((entry) => entryAsJson(owned, entry)), next };
}

const undoInput = object({ item: optional(trashItem) });

function undoOne(owned: Owned, { item }: ValueOf<typeof undoInput>, entryId: string): Json {
  const { auditId, kind, id } = undo(owned, entryId, item);
  return { ok: true, auditId, kind, id, ...rowFields(owned.rows, kind, id) };
}

export const activityRoutes: Route[] = [
  ownerRead("/activity", activityOf),
  ownerChange({ method: "POST", path: "/activity/:id/undo" }, undoInput, undoOne),
];
