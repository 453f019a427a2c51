// Owner's copies that were sealed before a scope named the keys that a grant must never get: the
// bound text ended at the excluded folders (crypto spec, 0 and 14). Nothing else opens them,
// nothing seals new ones, and what they bind is less: a caller that extends such a grant works out
// the excluded keys from the vault itself and seals the copy again in the full form.

import { type Bytes, utf8 } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { openKey, type WrappedKey } from "../vault/keys.ts";
import { type GrantScope, importCopyKey, scopeWithoutFingerprints } from "../vault/scope.ts";

/** A scope as it once was bound. */
export type LegacyGrantScope = Omit<GrantScope, "excludedKeyFingerprints"> & {
  /** A fingerprint here would look bound and would not be. */
  excludedKeyFingerprints?: never;
};

/**
 * The short text of a scope.
 *
 * @throws {VaultCryptoError} `invalid_input` for a malformed scope, or one that names fingerprints.
 */
export function canonicalLegacyGrantScope(scope: LegacyGrantScope): string {
  if (scope.excludedKeyFingerprints !== undefined) {
    throw new VaultCryptoError("invalid_input", "an old scope does not bind excluded keys");
  }
  return scopeWithoutFingerprints(scope);
}

/**
 * The grant's secret out of an owner's copy of the old form.
 *
 * @throws {VaultCryptoError} `unwrap_failed` for another scope, also for a copy in the full form;
 * `invalid_input` for a malformed scope or a root key that is none.
 */
export async function unwrapLegacyGrantSecret(
  options: { rootKey: Uint8Array; scope: LegacyGrantScope; wrapped: WrappedKey },
): Promise<Bytes> {
  const { rootKey, scope, wrapped } = options;
  const aad = utf8(canonicalLegacyGrantScope(scope));
  return await openKey(await importCopyKey(rootKey, scope.grantId), wrapped, aad);
}
