// The recovery key as a person writes it down and types it again. 32 random bytes and a checksum of
// three make 56 characters in groups of four, in Crockford's base32: no letter in it can be read
// for a digit, and what people confuse all the same (O for 0, I and L for 1, lower case, missing
// hyphens) is taken as meant. One mistyped text in about 17 million passes the checksum, and then
// it opens nothing.

import { type Bytes, concatBytes, constantTimeEqual, utf8, zeroize } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { sha256 } from "../primitives/hash.ts";
import { KEY_LENGTH, requireKey } from "../vault/keys.ts";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Says what the paper is for, and which version of it. */
const PREFIX = "SFR1";
const CHECKSUM_LENGTH = 3;
const CHECKSUM_DOMAIN = "shieldfive-serve/1/recovery-key";
/** Five bytes are eight digits: 40 bits, which a number holds exactly. */
const BLOCK_BYTES = 5;
const BLOCK_DIGITS = 8;
const DIGIT_COUNT = (KEY_LENGTH + CHECKSUM_LENGTH) / BLOCK_BYTES * BLOCK_DIGITS;
/** Longer input is not a key with separators, however many. */
const MAX_TYPED = 1000;

function checksumOf(key: Uint8Array): Bytes {
  const message = concatBytes([utf8(CHECKSUM_DOMAIN), key]);
  const checksum = sha256(message).slice(0, CHECKSUM_LENGTH);
  zeroize(message);
  return checksum;
}

function encodeBase32(bytes: Uint8Array): string {
  let digits = "";
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    let value = bytes.subarray(start, start + BLOCK_BYTES).reduce(
      (sum, byte) => sum * 256 + byte,
      0,
    );
    let block = "";
    for (let i = 0; i < BLOCK_DIGITS; i++) {
      block = DIGITS[value % 32] + block;
      value = Math.floor(value / 32);
    }
    digits += block;
  }
  return digits;
}

/** The bytes of so many whole blocks of digits. */
function decodeBase32(digits: string): Bytes {
  const bytes = new Uint8Array(digits.length / BLOCK_DIGITS * BLOCK_BYTES);
  for (let block = 0; block < digits.length / BLOCK_DIGITS; block++) {
    let value = 0;
    for (const digit of digits.slice(block * BLOCK_DIGITS, (block + 1) * BLOCK_DIGITS)) {
      value = value * 32 + DIGITS.indexOf(digit);
    }
    for (let i = BLOCK_BYTES - 1; i >= 0; i--) {
      bytes[block * BLOCK_BYTES + i] = value % 256;
      value = Math.floor(value / 256);
    }
  }
  return bytes;
}

/**
 * A recovery key for paper: `SFR1-` and 14 groups of four.
 *
 * @throws {CryptoError} `invalid_input` unless the key has 32 bytes.
 */
export function formatRecoveryKey(key: Uint8Array): string {
  requireKey(key, "the recovery key");
  const bytes = concatBytes([key, checksumOf(key)]);
  const groups = encodeBase32(bytes).match(/.{4}/g) ?? [];
  zeroize(bytes);
  return [PREFIX, ...groups].join("-");
}

function refuse(shape: string): never {
  throw new CryptoError("invalid_recovery_key", `a recovery key ${shape}`);
}

/** What was typed, without separators and in one spelling. */
function normalise(typed: string): string {
  const text = typed.replace(/[\s\p{Pd}\p{Cf}]/gu, "");
  if (!/^[0-9A-Za-z]*$/.test(text)) refuse("has letters, digits and hyphens only");
  return text.toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
}

/**
 * The key that somebody typed.
 *
 * @throws {CryptoError} `invalid_recovery_key`, naming what is wrong and nothing of what was typed.
 */
export function parseRecoveryKey(typed: string): Bytes {
  const text = typeof typed === "string" && typed.length <= MAX_TYPED ? normalise(typed) : "";
  if (!text.startsWith(PREFIX)) refuse(`starts with ${PREFIX}`);
  const digits = text.slice(PREFIX.length);
  if (digits.length !== DIGIT_COUNT) {
    refuse(`has ${DIGIT_COUNT} characters after ${PREFIX}, and this has ${digits.length}`);
  }
  if (digits.includes("U")) refuse("has no letter U; it may be a V");
  const bytes = decodeBase32(digits);
  const key = bytes.slice(0, KEY_LENGTH);
  const fits = constantTimeEqual(bytes.subarray(KEY_LENGTH), checksumOf(key));
  zeroize(bytes);
  if (!fits) {
    zeroize(key);
    refuse("has a checksum, and it does not fit: there is a mistake in what was typed");
  }
  return key;
}
