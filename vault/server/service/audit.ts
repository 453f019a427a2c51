// The record of what was asked and done: ids, action, result and time, and of a change the columns that it
// replaced, so that it can be undone (vault spec, 13). No plaintext name, address or user agent is ever
// in reach of it.

import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { Json, Rows } from "../rows/rows.ts";

/** Who acts: the owner, or a connection. */
export interface Actor {
  ownerId: string;
  /** Null for the owner. */
  grantId: string | null;
}

/** What acts, on which rows, and when. */
export interface Acting {
  rows: Rows;
  actor: Actor;
  /** Milliseconds since 1970. */
  now: number;
}

/** What a connection or the owner did or tried. */
export type AuditAction =
  | "list"
  | "download"
  | "rename_file"
  | "move_file"
  | "rename_folder"
  | "move_folder"
  | "create_folder"
  | "trash"
  | "trash_file"
  | "trash_folder"
  | "reserve_upload"
  | "abort_upload"
  | "upload_file";

export interface AuditEntry<Action extends string = AuditAction> {
  action: Action;
  /** Without a kind: a connection. */
  object?: { kind: "file" | "folder" | null; id: string };
  /** The code of a refusal; left out for what was done. */
  refused?: string;
  /** The columns that a change replaced and what they are now; left out where nothing can be undone. */
  change?: { before: Json; after: Json; version: number };
}

/**
 * Records an entry in the caller's transaction.
 *
 * @typeParam Action the owner's side has actions of its own.
 * @returns its id.
 */
export function record<Action extends string = AuditAction>(
  { rows, actor, now }: Acting,
  entry: AuditEntry<Action>,
): string {
  const id = uuidV7(now);
  rows.insertAudit({
    id,
    ownerId: actor.ownerId,
    grantId: actor.grantId,
    action: entry.action,
    objectKind: entry.object?.kind ?? null,
    objectId: entry.object?.id ?? null,
    result: entry.refused === undefined ? "ok" : "refused",
    code: entry.refused ?? null,
    at: now,
    before: entry.change?.before ?? null,
    after: entry.change?.after ?? null,
    version: entry.change?.version ?? null,
    undoneAt: null,
  });
  return id;
}
