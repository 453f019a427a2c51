// What every route of the signed-in owner has in common: the session is checked in the transaction of
// what it is for, the body has its one shape, and what is done is recorded.

import type { Json, OwnerRow, Rows, SessionRow } from "../../rows/rows.ts";
import type { AuditAction } from "../audit.ts";
import { jsonBody } from "../body.ts";
import type { Change } from "../changes/change.ts";
import type { Field } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Call, Route } from "../router.ts";
import { ownerReach } from "../scope.ts";
import { presentedSession, requireSession } from "./sessions.ts";

/** Where the Owner API lies. */
export const OWNER_API = "/api/owner/v1";

/** What the owner does; beside it, what a connection can do too. */
export type OwnerAction =
  | AuditAction
  | "setup"
  | "login"
  | "recover"
  | "change_passphrase"
  | "change_recovery"
  | "complete_file"
  | "restore_file"
  | "restore_folder"
  | "purge_file"
  | "purge_folder"
  | "create_grant"
  | "extend_grant"
  | "revoke_grant"
  | "undo";

/** The owner at work, within one transaction. */
export interface Owned extends Change {
  call: Call;
  owner: OwnerRow;
  session: SessionRow;
}

/** @throws Refusal 409 `not_initialized` as long as nobody set the vault up. */
export function requireOwner(rows: Rows): OwnerRow {
  const owner = rows.owner();
  if (owner === undefined) {
    throw new Refusal(409, "not_initialized", "this vault has no owner yet");
  }
  return owner;
}

/**
 * Runs a body in a transaction, for a request whose session is good.
 *
 * @throws Refusal 401 `session_invalid`.
 */
export function asOwner<T>(call: Call, body: (owned: Owned) => T): T {
  const { rows, now: clock } = call.context;
  return rows.transaction(() => {
    const now = clock();
    const session = requireSession(rows, call.request, now);
    const owner = requireOwner(rows);
    const actor = { ownerId: owner.id, grantId: null };
    return body({ call, rows, actor, now, reach: ownerReach(rows, owner), owner, session });
  });
}

/**
 * The body of an owner's request; one without a good session is refused unread.
 *
 * @throws Refusal 401 `session_invalid`; 400 `bad_request`; 413 `too_large`.
 */
export async function ownerInput<T>(call: Call, field: Field<T>): Promise<T> {
  const { rows, now } = call.context;
  presentedSession(rows, call.request, now());
  return field((await jsonBody(call)).value, "");
}

/** A route that reads. */
export function ownerRead(path: string, answer: (owned: Owned) => Json): Route {
  return {
    method: "GET",
    pattern: OWNER_API + path,
    handle: (call) => ({ body: asOwner(call, answer) }),
  };
}

/** A route that changes something. */
export interface ChangeSpec {
  method: "POST" | "PATCH";
  path: string;
  /** 200 when it is left out. */
  status?: number;
}

/** @param act what is done and answered; `id` is what `:id` stands for, where the path has it. */
export function ownerChange<T>(
  { method, path, status }: ChangeSpec,
  input: Field<T>,
  act: (owned: Owned, input: T, id: string) => Json,
): Route {
  return {
    method,
    pattern: OWNER_API + path,
    handle: async (call) => {
      const checked = await ownerInput(call, input);
      const body = asOwner(call, (owned) => act(owned, checked, call.parameters.id));
      return { status, body };
    },
  };
}
