// What a server without keys can still check of what it is given to keep (vault spec, 13): that a
// name is a row-bound envelope, that a wrap has the two lengths of one, that a root key's record can be
// read again and that a public key is as long as one.

import { CryptoError, VaultCryptoError } from "../errors.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";
import { decodeFieldOf, decodeWrap, type WrappedKey } from "../vault/keys.ts";
import { decodeEnvelope, parseNameEnvelope } from "../vault/name_envelope.ts";
import { type OwnerRecord, parseOwnerRecord } from "./owner_record.ts";

const ML_KEM_PUBLIC_KEY_LENGTH = 1568;

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

/** The record of a sealed root key in a text, or undefined where a reader would refuse it. */
export function readOwnerRecord(text: string): OwnerRecord | undefined {
  try {
    return parseOwnerRecord(text);
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** Whether a text is canonical base64 of as many bytes as an ML-KEM-1024 public key has. */
export function isMlKemPublicKey(text: string): boolean {
  return decodeFieldOf(text, ML_KEM_PUBLIC_KEY_LENGTH) !== undefined;
}
