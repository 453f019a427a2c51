// The lengths that the primitives insist on, checked in one place.

import { CryptoError } from "../errors.ts";

/** Throws `invalid_input` unless the value has exactly so many bytes; names the value, never shows it. */
export function requireLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) {
    throw new CryptoError(
      "invalid_input",
      `${what} must have ${length} bytes, not ${bytes.length}`,
    );
  }
}

/** Bytes of the tag of every cipher here. */
export const TAG_LENGTH = 16;
