// Who asks, and whether they may (vault spec, 2 and 13). A connection is known by the hash of its token;
// token, expiry, revocation and scope are looked at before the body is read, so that nobody else's is, and
// again in the transaction that acts, so that nothing can change in between.

import type { GrantRow, OwnerRow, Rows, Scope } from "../../rows/rows.ts";
import { bearerHash } from "../bearer.ts";
import type { Change } from "../changes/change.ts";
import { Refusal } from "../refusal.ts";
import type { Call } from "../router.ts";
import { grantReach } from "../scope.ts";

/** A connection at work in one transaction. */
export interface Work extends Change {
  call: Call;
  grant: GrantRow;
  owner: OwnerRow;
}

/** One refusal for an unknown, an expired and a revoked token. */
export function grantInvalid(): Refusal {
  return new Refusal(401, "grant_invalid");
}

/** Whether a connection is neither revoked nor expired. */
export function isLive(grant: GrantRow | undefined, now: number): boolean {
  return grant !== undefined && grant.revokedAt === null && grant.expiresAt > now;
}

/** The connection of a request's token, whatever its state; undefined for an unknown one. */
export function presentedGrant({ request, context }: Call): GrantRow | undefined {
  const hash = bearerHash(request);
  return hash === undefined ? undefined : context.rows.grantByTokenHash(hash);
}

/** @throws Refusal 403 `missing_scope`. */
export function requireScope(grant: GrantRow, scope: Scope | undefined): void {
  if (scope === undefined || grant.scopes.includes(scope)) return;
  throw new Refusal(403, "missing_scope", undefined, { fields: { scope } });
}

function ownerOf(rows: Rows): OwnerRow {
  const owner = rows.owner();
  if (owner === undefined) throw new Error("a connection has an owner");
  return owner;
}

/**
 * Authorises a connection in the caller's transaction.
 *
 * @throws Refusal 401 `grant_invalid`; 403 `missing_scope`.
 */
export function enter(call: Call, grantId: string, scope: Scope | undefined): Work {
  const { rows } = call.context;
  const now = call.context.now();
  const grant = rows.grant(grantId);
  if (grant === undefined || !isLive(grant, now)) throw grantInvalid();
  requireScope(grant, scope);
  const owner = ownerOf(rows);
  return {
    call,
    rows,
    now,
    owner,
    grant: rows.updateGrant(grantId, { lastUsedAt: now }),
    actor: { ownerId: owner.id, grantId },
    reach: grantReach(rows, owner, grant),
  };
}
