// The connection string that an owner hands to an assistant, and what is in it: the grant's id, the
// token that the server knows by its hash, the secret that no server ever sees, and the fingerprint
// of the owner's public key (crypto spec, 13). One string has one spelling; a refusal says which
// part is wrong and quotes none of it.

import { bytesToBase64url, bytesToHex, randomBytes } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { sha256 } from "../primitives/hash.ts";
import {
  decodeKeyText,
  isFingerprint,
  isUuid,
  KEY_LENGTH,
  KEY_TEXT_LENGTH,
  requireKey,
  requireUuid,
} from "./keys.ts";

/** What every connection string starts with. */
export const GRANT_CONNECTION_PREFIX = "sf-grant-v1:";

/** What a connection string holds. */
export interface GrantCredential {
  grantId: string;
  /** The bearer credential, 32 bytes. */
  token: Uint8Array;
  /** Opens the grant's wraps, 32 bytes; never leaves the client. */
  secret: Uint8Array;
  /** SHA-256 of the owner's ML-KEM-1024 public key, lower-case hex. */
  publicKeyFingerprint: string;
}

const ML_KEM_PUBLIC_KEY_LENGTH = 1568;

/**
 * The fingerprint by which a connection string pins the owner's ML-KEM-1024 public key.
 *
 * @throws {VaultCryptoError} `invalid_input` unless the key has 1568 bytes.
 */
export function publicKeyFingerprint(mlKemPublicKey: Uint8Array): string {
  if (
    !(mlKemPublicKey instanceof Uint8Array) || mlKemPublicKey.length !== ML_KEM_PUBLIC_KEY_LENGTH
  ) {
    throw new VaultCryptoError(
      "invalid_input",
      `an ML-KEM-1024 public key has ${ML_KEM_PUBLIC_KEY_LENGTH} bytes`,
    );
  }
  return bytesToHex(sha256(mlKemPublicKey));
}

/**
 * A new grant's credential, with token and secret drawn afresh.
 *
 * @throws {VaultCryptoError} `invalid_input` for an id that is not a lower-case UUID or a key that
 * is none.
 */
export function createGrantCredential(
  options: { grantId: string; mlKemPublicKey: Uint8Array },
): GrantCredential {
  requireUuid(options.grantId, "the grant id");
  return {
    grantId: options.grantId,
    publicKeyFingerprint: publicKeyFingerprint(options.mlKemPublicKey),
    token: randomBytes(KEY_LENGTH),
    secret: randomBytes(KEY_LENGTH),
  };
}

/**
 * The connection string of a credential.
 *
 * @throws {VaultCryptoError} `invalid_input` for a credential with a malformed part.
 */
export function formatConnectionString(credential: GrantCredential): string {
  requireUuid(credential.grantId, "the grant id");
  requireKey(credential.secret, "the grant secret");
  if (!isFingerprint(credential.publicKeyFingerprint)) {
    throw new VaultCryptoError("invalid_input", "the fingerprint must be 64 lower-case hex digits");
  }
  return GRANT_CONNECTION_PREFIX + [
    credential.grantId,
    grantBearerToken(credential),
    bytesToBase64url(credential.secret),
    credential.publicKeyFingerprint,
  ].join(".");
}

function refuse(shape: string): never {
  throw new VaultCryptoError("invalid_connection_string", `a connection string ${shape}`);
}

/**
 * The credential in a connection string; white space around it is ignored.
 *
 * @throws {VaultCryptoError} `invalid_connection_string`, naming the part that is wrong.
 */
export function parseConnectionString(text: string): GrantCredential {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (!trimmed.startsWith(GRANT_CONNECTION_PREFIX)) {
    refuse(`starts with ${GRANT_CONNECTION_PREFIX}`);
  }
  const parts = trimmed.slice(GRANT_CONNECTION_PREFIX.length).split(".", 5);
  if (parts.length !== 4) refuse("has four parts with dots between them");
  const [grantId, tokenText, secretText, publicKeyFingerprint] = parts;
  if (!isUuid(grantId)) refuse("has a lower-case UUID for its first part");
  const token = decodeKeyText(tokenText) ??
    refuse(`has 32 bytes as ${KEY_TEXT_LENGTH} characters of base64url for its second part`);
  const secret = decodeKeyText(secretText) ??
    refuse(`has 32 bytes as ${KEY_TEXT_LENGTH} characters of base64url for its third part`);
  if (!isFingerprint(publicKeyFingerprint)) {
    refuse("has 64 lower-case hex digits for its last part");
  }
  return { grantId, token, secret, publicKeyFingerprint };
}

/**
 * What goes behind `Authorization: Bearer`: the token in 43 characters.
 *
 * @throws {VaultCryptoError} `invalid_input` unless the token has 32 bytes.
 */
export function grantBearerToken(credential: Pick<GrantCredential, "token">): string {
  requireKey(credential.token, "the grant token");
  return bytesToBase64url(credential.token);
}

/**
 * What a server keeps of a bearer token: the SHA-256 of its 32 bytes in lower-case hex.
 *
 * @throws {VaultCryptoError} `invalid_input` unless the text is the one spelling of 32 bytes.
 */
export function hashGrantToken(bearer: string): string {
  const token = decodeKeyText(bearer);
  if (token === undefined) {
    throw new VaultCryptoError(
      "invalid_input",
      `a bearer token is 32 bytes as ${KEY_TEXT_LENGTH} characters of base64url`,
    );
  }
  return bytesToHex(sha256(token));
}
