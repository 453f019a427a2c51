// What a server without keys can still check of what it is given to keep (vault spec, 13): that a
// name is a row-bound envelope and that a wrap has the two lengths of one.

import { VaultCryptoError } from "../errors.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";
import { decodeWrap, type WrappedKey } from "../vault/keys.ts";
import { decodeEnvelope, parseNameEnvelope } from "../vault/name_envelope.ts";

/** Whether a text is a version 6 name envelope whose every field decodes to its length. */
export function isRowBoundName(text: string, rowId: string): boolean {
  const envelope = parseNameEnvelope(text);
  if (envelope?.v !== 6) return false;
  try {
    // A tag and nothing else would be a name without a character.
    return decodeEnvelope(envelope, rowId).sealed.length > TAG_LENGTH;
  } catch (error) {
    if (error instanceof VaultCryptoError) return false;
    throw error;
  }
}

/** Whether both parts of a wrap are canonical base64 of 48 and 12 bytes. */
export function isWrappedKey(value: WrappedKey): boolean {
  return decodeWrap(value) !== undefined;
}
