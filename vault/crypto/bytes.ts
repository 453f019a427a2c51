// Bytes and their texts: joining, hex, base64 and base64url, big-endian integers, comparison without
// a hint of where two values differ, wiping, and random bytes. Decoders take the one canonical
// spelling of a value and refuse every other; a refusal never quotes the text, which may be a secret.

import { CryptoError } from "./errors.ts";

/** Bytes in memory of their own kind, as WebCrypto and Blob take them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** All parts one after another, in a buffer of exactly their size. */
export function concatBytes(parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** The UTF-8 bytes of a text. */
export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

const HEX_DIGITS = utf8("0123456789abcdef");
const BASE64_DIGITS = utf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const BASE64URL_DIGITS = utf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
const PADDING = "=".charCodeAt(0);
const NO_DIGIT = 0xff;

/** The value of each character code up to 255 as a digit; NO_DIGIT for what is none. */
function valuesOf(digits: Uint8Array): Uint8Array {
  const values = new Uint8Array(256).fill(NO_DIGIT);
  digits.forEach((code, value) => values[code] = value);
  return values;
}

const HEX_VALUES = valuesOf(HEX_DIGITS);
for (let value = 10; value < 16; value++) HEX_VALUES[HEX_DIGITS[value] - 0x20] = value;
const BASE64_VALUES = valuesOf(BASE64_DIGITS);
const BASE64URL_VALUES = valuesOf(BASE64URL_DIGITS);

function asciiText(codes: Uint8Array): string {
  return new TextDecoder().decode(codes);
}

/** The value of the digit at an index of a text, NO_DIGIT also for characters above 255. */
function digitAt(text: string, index: number, values: Uint8Array): number {
  const code = text.charCodeAt(index);
  return code < 256 ? values[code] : NO_DIGIT;
}

/** Lower-case hex, two digits a byte. */
export function bytesToHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    codes[2 * i] = HEX_DIGITS[bytes[i] >> 4];
    codes[2 * i + 1] = HEX_DIGITS[bytes[i] & 15];
  }
  return asciiText(codes);
}

/**
 * The bytes of a hex text of even length, in either case (crypto spec, 1).
 *
 * @throws {CryptoError} `invalid_encoding` for anything else, a prefix or a space included.
 */
export function hexToBytes(text: string): Bytes {
  if (text.length % 2 !== 0) {
    throw new CryptoError("invalid_encoding", "hex text has an odd number of digits");
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = digitAt(text, 2 * i, HEX_VALUES);
    const low = digitAt(text, 2 * i + 1, HEX_VALUES);
    if ((high | low) > 15) {
      throw new CryptoError("invalid_encoding", "hex text has a character that is no hex digit");
    }
    bytes[i] = high << 4 | low;
  }
  return bytes;
}

function encodeBase64(bytes: Uint8Array, digits: Uint8Array, padded: boolean): string {
  const rest = bytes.length % 3;
  const length = padded ? Math.ceil(bytes.length / 3) * 4 : Math.ceil(bytes.length * 4 / 3);
  const codes = new Uint8Array(length);
  let out = 0;
  let i = 0;
  for (; i < bytes.length - rest; i += 3) {
    const group = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    codes[out++] = digits[group >> 18];
    codes[out++] = digits[group >> 12 & 63];
    codes[out++] = digits[group >> 6 & 63];
    codes[out++] = digits[group & 63];
  }
  if (rest > 0) {
    const group = bytes[i] << 16 | (rest === 2 ? bytes[i + 1] << 8 : 0);
    codes[out++] = digits[group >> 18];
    codes[out++] = digits[group >> 12 & 63];
    if (rest === 2) codes[out++] = digits[group >> 6 & 63];
  }
  codes.fill(PADDING, out);
  return asciiText(codes);
}

/** The bytes of so many digits at the start of a text; unused bits of the last digit must be zero. */
function decodeBase64(text: string, length: number, values: Uint8Array, what: string): Bytes {
  const rest = length % 4;
  const bytes = new Uint8Array((length - rest) / 4 * 3 + (rest === 0 ? 0 : rest - 1));
  let out = 0;
  let group = 0;
  let refused = rest === 1 ? NO_DIGIT : 0;
  for (let i = 0; i < length; i++) {
    const value = digitAt(text, i, values);
    refused |= value & ~63;
    group = group << 6 | value & 63;
    if (i % 4 === 3) {
      bytes[out++] = group >> 16;
      bytes[out++] = group >> 8;
      bytes[out++] = group;
      group = 0;
    }
  }
  if (rest === 2) {
    bytes[out] = group >> 4;
    refused |= group & 15;
  } else if (rest === 3) {
    bytes[out++] = group >> 10;
    bytes[out] = group >> 2;
    refused |= group & 3;
  }
  if (refused !== 0) throw new CryptoError("invalid_encoding", `the text is not canonical ${what}`);
  return bytes;
}

/** base64 with the standard alphabet, padded (crypto spec, 1). */
export function bytesToBase64(bytes: Uint8Array): string {
  return encodeBase64(bytes, BASE64_DIGITS, true);
}

/**
 * The bytes of a padded base64 text in the standard alphabet.
 *
 * @throws {CryptoError} `invalid_encoding` for another alphabet, missing or surplus padding, white
 * space, or unused bits that are not zero.
 */
export function base64ToBytes(text: string): Bytes {
  if (text.length % 4 !== 0) {
    throw new CryptoError("invalid_encoding", "the text is not canonical base64");
  }
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decodeBase64(text, text.length - padding, BASE64_VALUES, "base64");
}

/** base64url without padding (crypto spec, 1). */
export function bytesToBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes, BASE64URL_DIGITS, false);
}

/**
 * The bytes of an unpadded base64url text.
 *
 * @throws {CryptoError} `invalid_encoding` unless encoding the bytes again gives the same text.
 */
export function base64urlToBytes(text: string): Bytes {
  return decodeBase64(text, text.length, BASE64URL_VALUES, "base64url");
}

function requireInteger(value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`the number is not an integer between 0 and ${max}`);
  }
}

/** A view that starts at an offset; a RangeError for any access past the end of the bytes. */
function viewAt(bytes: Uint8Array, offset: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + offset, bytes.length - offset);
}

/** Writes an integer of 0 to 2^32-1 as four bytes, big-endian; a RangeError for any other. */
export function putUint32(bytes: Uint8Array, offset: number, value: number): void {
  requireInteger(value, 0xffff_ffff);
  viewAt(bytes, offset).setUint32(0, value);
}

/** The four bytes at an offset as a big-endian integer. */
export function getUint32(bytes: Uint8Array, offset: number): number {
  return viewAt(bytes, offset).getUint32(0);
}

/** Writes an integer of 0 to 2^53-1 as eight bytes, big-endian; a RangeError for any other. */
export function putUint64(bytes: Uint8Array, offset: number, value: number): void {
  requireInteger(value, Number.MAX_SAFE_INTEGER);
  const view = viewAt(bytes, offset);
  view.setUint32(0, Math.floor(value / 0x1_0000_0000));
  view.setUint32(4, value % 0x1_0000_0000);
}

/**
 * The eight bytes at an offset as a big-endian integer.
 *
 * @throws {RangeError} above 2^53-1, where a number would round (crypto spec, 1).
 */
export function getUint64(bytes: Uint8Array, offset: number): number {
  const view = viewAt(bytes, offset);
  const high = view.getUint32(0);
  if (high > 0x1f_ffff) throw new RangeError("the 64-bit number is above 2^53-1");
  return high * 0x1_0000_0000 + view.getUint32(4);
}

/** Whether two values are the same; how long it takes says nothing but their lengths. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

/** Overwrites a key with zeros. Copies that the engine made meanwhile are beyond reach. */
export function zeroize(bytes: Uint8Array): void {
  bytes.fill(0);
}

/** The most that the platform gives in one call. */
const RANDOM_AT_ONCE = 65_536;

/** So many bytes of the platform's random source. */
export function randomBytes(length: number): Bytes {
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length; offset += RANDOM_AT_ONCE) {
    crypto.getRandomValues(bytes.subarray(offset, offset + RANDOM_AT_ONCE));
  }
  return bytes;
}
