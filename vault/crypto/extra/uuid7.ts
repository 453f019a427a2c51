// Ids for new rows: UUID version 7, which sorts by time and marks a row whose name must be bound to
// it (crypto spec, 16).

import { CryptoError } from "../errors.ts";

/**
 * A new id, lower-case: 48 bits of time, version and variant, and 74 random bits.
 *
 * @param now milliseconds since 1970.
 * @throws {CryptoError} `invalid_input` for a time that 48 bits cannot hold.
 */
export function uuidV7(now: number = Date.now()): string {
  if (!Number.isInteger(now) || now < 0 || now >= 2 ** 48) {
    throw new CryptoError("invalid_input", "the time of an id is whole milliseconds since 1970");
  }
  const time = now.toString(16).padStart(12, "0");
  // Behind its version digit a random UUID has 12 random bits, the variant, and 62 random bits.
  const random = crypto.randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}
