// The owner's own copy of a grant's secret, from which a grant is extended later (crypto spec, 14).
// The grant's whole scope is bound to it: a server that shows another scope than was agreed to, to
// have more keys sealed for the grant, finds that the copy does not open.

import { type Bytes, utf8, zeroize } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { HKDF_INFO } from "../labels.ts";
import { type AesKey, importAesKey } from "../primitives/aes_gcm.ts";
import { hkdf } from "../primitives/hkdf.ts";
import {
  isFingerprint,
  KEY_LENGTH,
  openKey,
  requireKey,
  requireUuid,
  sealKey,
  type WrappedKey,
} from "./keys.ts";

/** What a grant covers, as its owner agreed to it. Order and repetition in lists mean nothing. */
export interface GrantScope {
  grantId: string;
  /** Covers the whole vault but for what is excluded. */
  scopeAll: boolean;
  includeMedia: boolean;
  rootIds: readonly string[];
  /** The grant's own trash folder; a grant that may only read has none. */
  trashFolderId: string | null;
  /** The folders at the top that a grant of the whole vault does not cover. */
  excludedIds: readonly string[];
  /** The `keyFingerprint` of each excluded folder's key. */
  excludedKeyFingerprints: readonly string[];
}

/** Distinct values in code-unit order, each of the right form. */
function listOf(
  values: readonly string[],
  check: (value: unknown, what: string) => void,
  what: string,
): string {
  if (!Array.isArray(values)) throw new VaultCryptoError("invalid_input", `${what} must be a list`);
  for (const value of values) check(value, `every entry of ${what}`);
  return [...new Set(values)].sort().join(",");
}

function flagOf(value: boolean, what: string): string {
  if (typeof value !== "boolean") {
    throw new VaultCryptoError("invalid_input", `${what} must be true or false`);
  }
  return value ? "1" : "0";
}

function requireFingerprint(value: unknown, what: string): void {
  if (!isFingerprint(value)) {
    throw new VaultCryptoError("invalid_input", `${what} must be 64 lower-case hex digits`);
  }
}

/** The scope's text without the fingerprints, as it once was in full. */
export function scopeWithoutFingerprints(
  scope: Omit<GrantScope, "excludedKeyFingerprints">,
): string {
  requireUuid(scope.grantId, "the grant id");
  if (scope.trashFolderId !== null) requireUuid(scope.trashFolderId, "the trash folder's id");
  return [
    "sf-grant-scope-v1",
    scope.grantId,
    `all=${flagOf(scope.scopeAll, "scopeAll")}`,
    `media=${flagOf(scope.includeMedia, "includeMedia")}`,
    `roots=${listOf(scope.rootIds, requireUuid, "rootIds")}`,
    `trash=${scope.trashFolderId ?? "-"}`,
    `excluded=${listOf(scope.excludedIds, requireUuid, "excludedIds")}`,
  ].join("|");
}

/**
 * The one text of a scope, which is bound to the owner's copy (crypto spec, 14).
 *
 * @throws {VaultCryptoError} `invalid_input` for a malformed id, fingerprint or flag.
 */
export function canonicalGrantScope(scope: GrantScope): string {
  const fingerprints = listOf(
    scope.excludedKeyFingerprints,
    requireFingerprint,
    "excludedKeyFingerprints",
  );
  return `${scopeWithoutFingerprints(scope)}|excludedKeys=${fingerprints}`;
}

/** The key that seals the copy of this grant's secret. */
export async function importCopyKey(rootKey: Uint8Array, grantId: string): Promise<AesKey> {
  requireKey(rootKey, "the root key");
  const key = hkdf(rootKey, utf8(grantId), HKDF_INFO.AGENT_GRANT_SECRET, KEY_LENGTH);
  try {
    return await importAesKey(key);
  } finally {
    zeroize(key);
  }
}

/**
 * Seals the owner's copy of a grant's secret.
 *
 * @throws {VaultCryptoError} `invalid_input` for a malformed scope, or a key or secret that is
 * none.
 */
export async function wrapGrantSecret(
  options: { rootKey: Uint8Array; scope: GrantScope; secret: Uint8Array },
): Promise<WrappedKey> {
  const { rootKey, scope, secret } = options;
  const aad = utf8(canonicalGrantScope(scope));
  requireKey(secret, "the grant secret");
  return await sealKey(await importCopyKey(rootKey, scope.grantId), secret, aad);
}

/**
 * The grant's secret out of the owner's copy.
 *
 * @throws {VaultCryptoError} `unwrap_failed` when any part of the scope is not what it was sealed
 * for; `invalid_input` for a malformed scope or a root key that is none.
 */
export async function unwrapGrantSecret(
  options: { rootKey: Uint8Array; scope: GrantScope; wrapped: WrappedKey },
): Promise<Bytes> {
  const { rootKey, scope, wrapped } = options;
  const aad = utf8(canonicalGrantScope(scope));
  return await openKey(await importCopyKey(rootKey, scope.grantId), wrapped, aad);
}
