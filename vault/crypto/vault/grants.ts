// The keys that an owner seals for one grant (crypto spec, 13). Grant, kind and object are bound
// into every wrap, so a server can neither show one object's key for another's nor a folder's for a
// file's.

import { type Bytes, utf8 } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { HKDF_INFO } from "../labels.ts";
import { importAesKey } from "../primitives/aes_gcm.ts";
import { hkdf } from "../primitives/hkdf.ts";
import { KEY_LENGTH, openKey, requireKey, requireUuid, sealKey, type WrappedKey } from "./keys.ts";

const KINDS = ["folder", "file", "file_pq", "name"] as const;

/**
 * What is inside a wrap: a folder's key; a file's content or envelope key; the combined key of a
 * post-quantum file; or the key of one name envelope.
 */
export type GrantKeyKind = typeof KINDS[number];

/** Which grant, kind and object a wrap belongs to. */
interface WrapPlace {
  grantWrapKey: Uint8Array;
  grantId: string;
  kind: GrantKeyKind;
  objectId: string;
}

/**
 * The key that a grant's wraps are sealed under, from the secret in its connection string.
 *
 * @throws {VaultCryptoError} `invalid_input` for a secret that has not 32 bytes or a malformed id.
 */
export function deriveGrantWrapKey(secret: Uint8Array, grantId: string): Promise<Bytes> {
  return Promise.try(() => {
    requireKey(secret, "the grant secret");
    requireUuid(grantId, "the grant id");
    return hkdf(secret, utf8(grantId), HKDF_INFO.AGENT_GRANT_WRAP, KEY_LENGTH);
  });
}

/** What is bound into a wrap; everything is checked before a cipher runs. */
function boundTo({ grantWrapKey, grantId, kind, objectId }: WrapPlace): Bytes {
  requireKey(grantWrapKey, "the grant's wrap key");
  requireUuid(grantId, "the grant id");
  requireUuid(objectId, "the object id");
  if (!KINDS.includes(kind)) {
    throw new VaultCryptoError("invalid_input", `the kind of a wrap is one of ${KINDS.join(", ")}`);
  }
  return utf8(["sf-grant-v1", grantId, kind, objectId].join("|"));
}

/**
 * Seals a key for a grant.
 *
 * @throws {VaultCryptoError} `invalid_input` for a malformed id, an unknown kind, or a key that is
 * none.
 */
export async function wrapKeyForGrant(
  options: WrapPlace & { key: Uint8Array },
): Promise<WrappedKey> {
  const aad = boundTo(options);
  requireKey(options.key, "the key to wrap");
  return await sealKey(await importAesKey(options.grantWrapKey), options.key, aad);
}

/**
 * The key in a grant's wrap. A wrap that does not open is to be ignored, never trusted.
 *
 * @throws {VaultCryptoError} `unwrap_failed` for a wrong shape and for another grant, kind, object
 * or key; `invalid_input` as {@link wrapKeyForGrant}.
 */
export async function unwrapKeyForGrant(
  options: WrapPlace & { wrapped: WrappedKey },
): Promise<Bytes> {
  const aad = boundTo(options);
  return await openKey(await importAesKey(options.grantWrapKey), options.wrapped, aad);
}
