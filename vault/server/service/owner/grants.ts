// The owner's connections: made whole in one transaction, listed, given more keys or time, and revoked.
// A revocation holds from the next request on, since every request looks at the row.

import type { GrantRow, Json, Rows } from "../../rows/rows.ts";
import { isLive } from "../agent/admission.ts";
import { record } from "../audit.ts";
import { badRequest, conflict, notFound, Refusal } from "../refusal.ts";
import type { Call, Reply, Route } from "../router.ts";
import { timeText, timeTextOrNull } from "../times.ts";
import {
  asOwner,
  type Owned,
  OWNER_API,
  type OwnerAction,
  ownerChange,
  ownerRead,
} from "./as_owner.ts";
import {
  type ExtendInput,
  extendInput,
  type GrantInput,
  grantInput,
  type GrantKeyInput,
  keysInput,
  requireCoherent,
  requireLifetime,
} from "./grant_inputs.ts";
import { insertFolder } from "./new_folder.ts";

function grantAsJson(rows: Rows, grant: GrantRow): Json {
  const copy = rows.grantOwnerCopy(grant.id);
  return {
    id: grant.id,
    label: grant.label,
    clientHint: grant.clientHint,
    scopes: grant.scopes,
    scopeAll: grant.scopeAll,
    includeMedia: grant.includeMedia,
    rootIds: rows.grantRoots(grant.id),
    trashFolderId: grant.trashFolderId,
    pkFingerprint: grant.pkFingerprint,
    createdAt: timeText(grant.createdAt),
    expiresAt: timeText(grant.expiresAt),
    revokedAt: timeTextOrNull(grant.revokedAt),
    lastUsedAt: timeTextOrNull(grant.lastUsedAt),
    writeBudgetBytes: grant.writeBudgetBytes,
    writeUsedBytes: grant.writeUsedBytes,
    writeReservedBytes: grant.writeReservedBytes,
    ownerCopy: copy === undefined
      ? null
      : { wrapped: copy.wrapped, iv: copy.iv, scope: copy.scope },
  };
}

/** @throws Refusal 409 `too_many_grants`. */
function requireRoom({ call, rows, now }: Owned): void {
  const { liveGrants } = call.context.limits;
  if (rows.liveGrantCount(now) < liveGrants) return;
  throw new Refusal(409, "too_many_grants", `at most ${liveGrants} connections can be live`);
}

/** @throws Refusal 400 for the key of a folder that a connection never gets: the Bin, or Media. */
function requireNoExcluded(
  { owner }: Owned,
  { scopeAll, includeMedia }: Pick<GrantRow, "scopeAll" | "includeMedia">,
  keys: readonly GrantKeyInput[],
): void {
  const excluded = scopeAll && !includeMedia
    ? [owner.binFolderId, owner.mediaFolderId]
    : [owner.binFolderId];
  if (keys.some(({ objectId }) => excluded.includes(objectId))) {
    throw badRequest("keys must not be of a folder that the connection does not cover");
  }
}

/** What only the vault can tell about a new connection. */
function requireFitting(owned: Owned, input: GrantInput): void {
  const { rows, reach } = owned;
  if (input.rootIds.some((id) => reach.placeOfFolder(id) !== "scope")) throw notFound();
  requireNoExcluded(owned, input, input.keys);
  if (rows.grant(input.id) !== undefined) throw conflict("the id is taken");
  if (rows.grantByTokenHash(input.tokenHash) !== undefined) throw conflict("the token is taken");
  if (input.trashFolder !== null && rows.idTaken(input.trashFolder.id)) {
    throw conflict("the id of trashFolder is taken");
  }
}

function newGrant({ owner, now }: Owned, input: GrantInput): GrantRow {
  const { id, label, clientHint, scopes, scopeAll, includeMedia, tokenHash, pkFingerprint } = input;
  return {
    id,
    ownerId: owner.id,
    label,
    clientHint,
    tokenHash,
    scopes,
    scopeAll,
    includeMedia,
    trashFolderId: input.trashFolder?.id ?? null,
    pkFingerprint,
    writeBudgetBytes: input.writeBudgetBytes,
    writeUsedBytes: 0,
    writeReservedBytes: 0,
    createdAt: now,
    expiresAt: input.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
}

function insertTrashFolder({ rows, owner, now }: Owned, { trashFolder }: GrantInput): void {
  if (trashFolder === null) return;
  const { id: ownerId, binFolderId: parentId } = owner;
  insertFolder(rows, trashFolder, { ownerId, parentId, kind: "normal", now });
}

function createGrant(owned: Owned, input: GrantInput): Json {
  const { rows, now } = owned;
  requireCoherent(input);
  requireLifetime(input.expiresAt, now);
  requireFitting(owned, input);
  requireRoom(owned);
  const grant = newGrant(owned, input);
  insertTrashFolder(owned, input);
  rows.insertGrant(grant);
  for (const folderId of input.rootIds) rows.addGrantRoot(grant.id, folderId);
  for (const key of input.keys) rows.putGrantKey({ grantId: grant.id, ...key });
  rows.putGrantOwnerCopy({ grantId: grant.id, ...input.ownerCopy });
  note(owned, "create_grant", grant.id);
  return { grant: grantAsJson(rows, grant) };
}

function note(owned: Owned, action: OwnerAction, grantId: string): string {
  return record<OwnerAction>(owned, { action, object: { kind: null, id: grantId } });
}

/** @throws Refusal 404 for an unknown connection; 409 `grant_revoked`. */
function unrevoked({ rows }: Owned, id: string): GrantRow {
  const grant = rows.grant(id);
  if (grant === undefined) throw notFound();
  if (grant.revokedAt !== null) throw new Refusal(409, "grant_revoked", "it was revoked for good");
  return grant;
}

function addKeys(owned: Owned, keys: readonly GrantKeyInput[], id: string): Json {
  const grant = unrevoked(owned, id);
  requireNoExcluded(owned, grant, keys);
  for (const key of keys) owned.rows.putGrantKey({ grantId: id, ...key });
  return { ok: true, auditId: note(owned, "extend_grant", id) };
}

function extend(owned: Owned, input: ExtendInput, id: string): Json {
  const { rows, now } = owned;
  const grant = unrevoked(owned, id);
  if (input.expiresAt === undefined && input.writeBudgetBytes === undefined) {
    throw badRequest("expiresAt or writeBudgetBytes must be given");
  }
  const { expiresAt = grant.expiresAt, writeBudgetBytes = grant.writeBudgetBytes } = input;
  if (input.expiresAt !== undefined) {
    requireLifetime(expiresAt, now);
    // One that had expired is live again.
    if (!isLive(grant, now)) requireRoom(owned);
  }
  if (input.writeBudgetBytes !== undefined && !grant.scopes.includes("write")) {
    throw badRequest("writeBudgetBytes goes with the scope write");
  }
  const extended = rows.updateGrant(id, { expiresAt, writeBudgetBytes });
  return { grant: grantAsJson(rows, extended), auditId: note(owned, "extend_grant", id) };
}

/** Its body, if any, is not looked at; to revoke again changes nothing. */
function revoke(call: Call): Reply {
  const body = asOwner(call, (owned): Json => {
    const { rows, now } = owned;
    const grant = rows.grant(call.parameters.id);
    if (grant === undefined) throw notFound();
    if (grant.revokedAt !== null) return { ok: true, revokedAt: timeText(grant.revokedAt) };
    rows.updateGrant(grant.id, { revokedAt: now });
    return { ok: true, revokedAt: timeText(now), auditId: note(owned, "revoke_grant", grant.id) };
  });
  return { body };
}

export const grantRoutes: Route[] = [
  ownerChange({ method: "POST", path: "/grants", status: 201 }, grantInput, createGrant),
  ownerRead("/grants", ({ rows }) => ({
    grants: rows.grants().map((grant) => grantAsJson(rows, grant)),
  })),
  ownerChange(
    { method: "POST", path: "/grants/:id/keys" },
    keysInput,
    (owned, { keys }, id) => addKeys(owned, keys, id),
  ),
  ownerChange({ method: "POST", path: "/grants/:id/extend" }, extendInput, extend),
  { method: "POST", pattern: `${OWNER_API}/grants/:id/revoke`, handle: revoke },
];
