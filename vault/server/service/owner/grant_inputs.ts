// What a connection is made of, as the owner's page gives it: the server checks that the parts fit each
// other and the vault, and opens none of them (vault spec, 1 and 13; crypto spec, 13 and 14).

import { canonicalGrantScope } from "@shieldfive/crypto/vault";
import {
  type Field,
  flag,
  integer,
  iv,
  list,
  nameEnvelope,
  nullable,
  object,
  oneOf,
  optional,
  sha256Hex,
  time,
  uuid,
  type ValueOf,
  wrapped,
} from "../fields.ts";
import { badRequest } from "../refusal.ts";
import { sealedFolderRow } from "./new_folder.ts";

const HOUR = 3_600_000;
const SHORTEST = HOUR;
const LONGEST = 90 * 24 * HOUR;
/** The page counts from its own clock, and the request takes its time. */
const TOLERANCE = 60_000;

/** Far more than a body has room for. */
const MOST_ENTRIES = 10_000;

/** A list in which nothing is there twice. */
function distinct<T>(
  entries: Field<T[]>,
  keyOf: (entry: T) => string,
): Field<T[]> {
  return (value, path) => {
    const checked = entries(value, path);
    if (new Set(checked.map(keyOf)).size < checked.length) {
      throw badRequest(`${path} must not have an entry twice`);
    }
    return checked;
  };
}

const ids = (most: number) => distinct(list(uuid, 0, most), (id) => id);

const grantKey = object({
  kind: oneOf("folder", "file", "file_pq", "name"),
  objectId: uuid,
  wrapped,
  iv,
});
export type GrantKeyInput = ValueOf<typeof grantKey>;

const grantKeys = (least: number) =>
  distinct(list(grantKey, least, MOST_ENTRIES), ({ kind, objectId }) => `${kind} ${objectId}`);

const ownerCopy = object({
  wrapped,
  iv,
  scope: object({
    grantId: uuid,
    scopeAll: flag,
    includeMedia: flag,
    rootIds: ids(MOST_ENTRIES),
    trashFolderId: nullable(uuid),
    excludedIds: ids(MOST_ENTRIES),
    excludedKeyFingerprints: list(sha256Hex, 0, MOST_ENTRIES),
  }),
});

export const grantInput = object({
  id: uuid,
  label: nameEnvelope,
  clientHint: oneOf("claude-desktop", "claude-code", "cursor", "chatgpt", "local", "other"),
  scopes: distinct(list(oneOf("read", "organize", "write"), 1, 3), (scope) => scope),
  scopeAll: flag,
  includeMedia: flag,
  rootIds: ids(MOST_ENTRIES),
  expiresAt: time,
  writeBudgetBytes: nullable(integer(0)),
  tokenHash: sha256Hex,
  pkFingerprint: sha256Hex,
  trashFolder: nullable(sealedFolderRow),
  keys: grantKeys(0),
  ownerCopy,
});
export type GrantInput = ValueOf<typeof grantInput>;

export const keysInput = object({ keys: grantKeys(1) });
export const extendInput = object({
  expiresAt: optional(time),
  writeBudgetBytes: optional(nullable(integer(0))),
});
export type ExtendInput = ValueOf<typeof extendInput>;

/** @throws Refusal 400 unless a connection may last until then. */
export function requireLifetime(expiresAt: number, now: number): void {
  const lifetime = expiresAt - now;
  if (lifetime < SHORTEST - TOLERANCE || lifetime > LONGEST + TOLERANCE) {
    throw badRequest("expiresAt must be 1 hour to 90 days from now, by the server's clock");
  }
}

/** The scope that a connection will have, in the words of its owner's copy. */
function scopeOf({ id, scopeAll, includeMedia, rootIds, trashFolder }: GrantInput) {
  return { grantId: id, scopeAll, includeMedia, rootIds, trashFolderId: trashFolder?.id ?? null };
}

/** Whether the owner's copy was sealed for the scope that the connection will have. */
function isOwnCopy(input: GrantInput): boolean {
  const { scope } = input.ownerCopy;
  const { excludedIds, excludedKeyFingerprints } = scope;
  const own = { ...scopeOf(input), excludedIds, excludedKeyFingerprints };
  return canonicalGrantScope(own) === canonicalGrantScope(scope);
}

/** @throws Refusal 400 where the parts of a new connection do not fit each other. */
export function requireCoherent(input: GrantInput): void {
  const { scopes, scopeAll, includeMedia, rootIds, trashFolder, writeBudgetBytes } = input;
  if (!scopes.includes("read")) throw badRequest("scopes must have read");
  if (scopeAll ? rootIds.length > 0 : rootIds.length === 0) {
    throw badRequest("rootIds must name folders, or scopeAll be true");
  }
  if (includeMedia && !scopeAll) throw badRequest("includeMedia goes with scopeAll");
  if (trashFolder === null ? scopes.includes("organize") : scopes.length === 1) {
    throw badRequest("trashFolder goes with the scope organize, and not with read alone");
  }
  if (writeBudgetBytes !== null && !scopes.includes("write")) {
    throw badRequest("writeBudgetBytes goes with the scope write");
  }
  if (!isOwnCopy(input)) throw badRequest("ownerCopy.scope must be the connection's own");
}
