/**
 * The vault's formats under the names of the published package (crypto spec, 19), and nothing more,
 * so that an import map can point here or there. What is ours beside it is under
 * `@shieldfive/crypto/extra/`.
 *
 * @module
 */

export { VaultCryptoError, type VaultCryptoErrorCode } from "../errors.ts";
export { keyFingerprint, unwrapChainKey, wrapChainKey } from "./chain.ts";
export {
  createGrantCredential,
  formatConnectionString,
  GRANT_CONNECTION_PREFIX,
  grantBearerToken,
  type GrantCredential,
  hashGrantToken,
  parseConnectionString,
  publicKeyFingerprint,
} from "./connection.ts";
export {
  deriveGrantWrapKey,
  type GrantKeyKind,
  unwrapKeyForGrant,
  wrapKeyForGrant,
} from "./grants.ts";
export type { WrappedKey } from "./keys.ts";
export { type NameEnvelope, type NameKdfLevel, parseNameEnvelope } from "./name_envelope.ts";
export { deriveNameKey } from "./name_key.ts";
export {
  decryptName,
  decryptNameWithKey,
  deriveNameKeyForEnvelope,
  encryptNameV6,
} from "./names.ts";
export { buildUploadProofV3 } from "./proof.ts";
export {
  canonicalGrantScope,
  type GrantScope,
  unwrapGrantSecret,
  wrapGrantSecret,
} from "./scope.ts";
