// What the vault's formats share: 32-byte keys sealed under other keys, and the checks that come
// before any cipher runs. Every wrap of the vault is AES-256-GCM over exactly one key, stored as
// two base64 texts; what differs is the wrapping key and what is bound to it (crypto spec, 11, 13,
// 14).

import {
  base64ToBytes,
  base64urlToBytes,
  type Bytes,
  bytesToBase64,
  randomBytes,
} from "../bytes.ts";
import { CryptoError, VaultCryptoError } from "../errors.ts";
import { aesGcmOpen, aesGcmSeal, type AesKey } from "../primitives/aes_gcm.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";

/** Bytes of every key of the vault. */
export const KEY_LENGTH = 32;
/** Bytes of every AES-GCM IV. */
export const IV_LENGTH = 12;

/** A key sealed under another one, both parts base64: 48 bytes and 12 (crypto spec, 11). */
export interface WrappedKey {
  wrapped: string;
  iv: string;
}

/** Throws `invalid_input` unless the value is a 32-byte key; names it, never shows it. */
export function requireKey(value: Uint8Array, what: string): void {
  if (!(value instanceof Uint8Array) || value.length !== KEY_LENGTH) {
    throw new VaultCryptoError("invalid_input", `${what} must be a key of ${KEY_LENGTH} bytes`);
  }
}

const LOWER_CASE_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LOWER_CASE_SHA256 = /^[0-9a-f]{64}$/;

/** Whether the value is a UUID as grants write it: lower-case, of any version (crypto spec, 1). */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && LOWER_CASE_UUID.test(value);
}

/** Throws `invalid_input` unless {@link isUuid}. */
export function requireUuid(value: unknown, what: string): void {
  if (!isUuid(value)) {
    throw new VaultCryptoError("invalid_input", `${what} must be a lower-case UUID`);
  }
}

/** Whether the value is a SHA-256 as 64 lower-case hex digits. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === "string" && LOWER_CASE_SHA256.test(value);
}

/** Characters of so many bytes in padded base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** What a decoder makes of a text, or undefined where it refuses. */
function decoded(decode: (text: string) => Bytes, text: string): Bytes | undefined {
  try {
    return decode(text);
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** The bytes of a base64 text, or undefined when it is none; the text is bounded by the caller. */
export function decodeField(text: string): Bytes | undefined {
  return decoded(base64ToBytes, text);
}

/** The bytes of a base64 field, or undefined unless they are exactly so many. */
export function decodeFieldOf(text: unknown, length: number): Bytes | undefined {
  if (typeof text !== "string" || text.length !== base64Length(length)) return undefined;
  const bytes = decodeField(text);
  return bytes?.length === length ? bytes : undefined;
}

/** Characters of a 32-byte value in base64url. */
export const KEY_TEXT_LENGTH = 43;

/** The 32 bytes of a base64url text, or undefined unless it is their one spelling. */
export function decodeKeyText(text: unknown): Bytes | undefined {
  if (typeof text !== "string" || text.length !== KEY_TEXT_LENGTH) return undefined;
  return decoded(base64urlToBytes, text);
}

/** Seals a key under another one with a fresh IV; `aad` is bound without being stored. */
export async function sealKey(
  wrappingKey: AesKey,
  key: Uint8Array,
  aad?: Uint8Array,
): Promise<WrappedKey> {
  const iv = randomBytes(IV_LENGTH);
  const sealed = await aesGcmSeal(wrappingKey, iv, key, aad);
  return { wrapped: bytesToBase64(sealed), iv: bytesToBase64(iv) };
}

/** A wrap's two parts as bytes, or undefined unless both have their one length. */
export function decodeWrap(
  wrapped: WrappedKey,
): { sealed: Bytes; iv: Bytes } | undefined {
  const sealed = decodeFieldOf(wrapped?.wrapped, KEY_LENGTH + TAG_LENGTH);
  const iv = decodeFieldOf(wrapped?.iv, IV_LENGTH);
  return sealed !== undefined && iv !== undefined ? { sealed, iv } : undefined;
}

/**
 * The key inside a wrap. A wrong shape, another key and another `aad` look the same: a wrap comes
 * from a server, and which of the three it was is nothing to act on.
 *
 * @throws {VaultCryptoError} `unwrap_failed`.
 */
export async function openKey(
  wrappingKey: AesKey,
  wrapped: WrappedKey,
  aad?: Uint8Array,
): Promise<Bytes> {
  const parts = decodeWrap(wrapped);
  const key = parts && await aesGcmOpen(wrappingKey, parts.iv, parts.sealed, aad);
  if (key === undefined) {
    throw new VaultCryptoError("unwrap_failed", "the wrapped key does not open");
  }
  return key;
}
