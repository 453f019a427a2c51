// What the vault's server needs of cryptography: shapes of ids and tokens, a MAC for the texts that it
// hands out and takes back (upload URLs, places in listings), fingerprints of requests, and random
// values. It holds no key of the vault.

import {
  base64urlToBytes,
  bytesToBase64url,
  bytesToHex,
  constantTimeEqual,
  randomBytes,
  utf8,
  zeroize,
} from "../bytes.ts";
import { sha256 } from "../primitives/hash.ts";
import { hmacSha256 } from "../primitives/hmac.ts";
import { decodeKeyText, isFingerprint, isUuid, KEY_LENGTH } from "../vault/keys.ts";

export { isFingerprint, isUuid };

/** Whether a value is the one spelling of 32 bytes in base64url. */
export function isKeyText(value: unknown): value is string {
  return decodeKeyText(value) !== undefined;
}

/** 32 random bytes as 43 characters of base64url: a token, or the key of {@link macOf}. */
export function randomKeyText(): string {
  return bytesToBase64url(randomBytes(KEY_LENGTH));
}

/** 32 random bytes as 64 lower-case hex digits: the key of an upload's proof. */
export function randomKeyHex(): string {
  return bytesToHex(randomBytes(KEY_LENGTH));
}

/** The SHA-256 of a text in lower-case hex. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8(text)));
}

/**
 * The HMAC-SHA-256 of a list of texts as 43 characters of base64url. The list goes in as JSON, so no
 * two lists are one message.
 *
 * @param keyText from {@link randomKeyText}.
 */
export function macOf(keyText: string, parts: readonly (string | number | null)[]): string {
  const key = base64urlToBytes(keyText);
  try {
    return bytesToBase64url(hmacSha256(key, utf8(JSON.stringify(parts))));
  } finally {
    zeroize(key);
  }
}

/** Whether two texts are the same; how long it takes says nothing but their lengths. */
export function sameText(a: string, b: string): boolean {
  return constantTimeEqual(utf8(a), utf8(b));
}
