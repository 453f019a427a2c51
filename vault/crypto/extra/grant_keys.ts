// The keys that an owner's client seals for a grant, at its creation and whenever it is extended
// (crypto spec, 13 and 14). The row ids come from the server, so no id says whose key it is: a key
// that the grant must never get is known by its fingerprint, under whatever row it is presented.

import { zeroize } from "../bytes.ts";
import { CryptoError, VaultCryptoError } from "../errors.ts";
import { keyFingerprint } from "../vault/chain.ts";
import { type GrantKeyKind, wrapKeyForGrant } from "../vault/grants.ts";
import { isFingerprint, type WrappedKey } from "../vault/keys.ts";
import type { NameEnvelope } from "../vault/name_envelope.ts";
import type { NameKeyDeriver } from "../vault/name_key.ts";
import { deriveNameKeyForEnvelope } from "../vault/names.ts";
import { nameFitsRow } from "./row_binding.ts";

/** One wrap as a server keeps it and lists it to the grant's holder. */
export interface GrantKey extends WrappedKey {
  kind: GrantKeyKind;
  objectId: string;
}

/** The grant that keys are sealed for. */
export interface SealingGrant {
  grantWrapKey: Uint8Array;
  grantId: string;
  /** From the scope that opened the owner's copy, not from a listing. */
  excludedKeyFingerprints: readonly string[];
}

/**
 * Refuses a key that must stay outside a grant.
 *
 * @throws {CryptoError} `key_excluded`; `invalid_input` for a key that is none, or for a list that
 * could never match because an entry is not 64 lower-case hex digits.
 */
export function requireNotExcluded(key: Uint8Array, excluded: readonly string[]): void {
  if (!Array.isArray(excluded) || !excluded.every(isFingerprint)) {
    throw new VaultCryptoError("invalid_input", "excluded keys are 64 lower-case hex digits each");
  }
  if (excluded.includes(keyFingerprint(key))) {
    throw new CryptoError("key_excluded", "this key belongs to a folder that the grant excludes");
  }
}

/**
 * Seals the key of a folder or a file for a grant.
 *
 * @param object.kind `folder`, `file` (what `csk_wrapped` holds) or `file_pq` (the combined key).
 * @throws {CryptoError} `key_excluded`, or `invalid_input` for a malformed id, kind, key or
 * exclusion.
 */
export async function sealKeyForGrant(
  grant: SealingGrant,
  object: { kind: Exclude<GrantKeyKind, "name">; objectId: string; key: Uint8Array },
): Promise<GrantKey> {
  const { kind, objectId, key } = object;
  requireNotExcluded(key, grant.excludedKeyFingerprints);
  const { grantWrapKey, grantId } = grant;
  const wrapped = await wrapKeyForGrant({ grantWrapKey, grantId, kind, objectId, key });
  return { kind, objectId, ...wrapped };
}

/**
 * Seals the key of one name for a grant that does not hold the key of the folder above. It opens
 * this envelope alone: a renamed item needs a new wrap.
 *
 * @throws {CryptoError} `key_excluded` when the name stands in an excluded folder;
 * `unsupported_envelope` for a name that its row must not carry; `name_decrypt_failed`, or
 * `invalid_input` as {@link sealKeyForGrant}.
 */
export async function sealNameForGrant(
  grant: SealingGrant,
  object: { envelope: NameEnvelope; parentKey: Uint8Array; rowId: string },
  deriver?: NameKeyDeriver,
): Promise<GrantKey> {
  const { envelope, parentKey, rowId } = object;
  requireNotExcluded(parentKey, grant.excludedKeyFingerprints);
  if (!nameFitsRow(envelope, rowId)) {
    throw new VaultCryptoError("unsupported_envelope", "the name is not bound to its row");
  }
  const key = await deriveNameKeyForEnvelope({ envelope, parentKey, rowId }, deriver);
  try {
    const { grantWrapKey, grantId } = grant;
    const place = { grantWrapKey, grantId, kind: "name", objectId: rowId } as const;
    return { kind: "name", objectId: rowId, ...await wrapKeyForGrant({ ...place, key }) };
  } finally {
    zeroize(key);
  }
}
