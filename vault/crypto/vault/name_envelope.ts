// The envelope in which a name is stored, and what a reader takes for one (crypto spec, 12). The
// text comes from a server: it is bounded before it is parsed, only the known fields are kept, and
// every field has its one length before a key is derived, which costs 64 MiB.

import { type Bytes, concatBytes, utf8 } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";
import { base64Length, decodeField, decodeFieldOf, IV_LENGTH } from "./keys.ts";

/** How costly a name key is to derive: 64 MiB and 2 passes, or 256 MiB and 3 (crypto spec, 12). */
export type NameKdfLevel = "interactive" | "moderate";

/** A sealed name; all but `v` and `kdf` are base64. Version 6 is bound to its row, 4 is not. */
export interface NameEnvelope {
  v: 4 | 6;
  ct: string;
  iv: string;
  tag: string;
  salt: string;
  kdf?: NameKdfLevel;
}

/** Bytes of a name key's salt. */
export const NAME_SALT_LENGTH = 16;
/** The most characters of an envelope's text. */
export const MAX_ENVELOPE_CHARACTERS = 8192;

const ENVELOPE_WITHOUT_NAME: NameEnvelope = {
  v: 6,
  ct: "",
  iv: " ".repeat(base64Length(IV_LENGTH)),
  tag: " ".repeat(base64Length(TAG_LENGTH)),
  salt: " ".repeat(base64Length(NAME_SALT_LENGTH)),
  kdf: "interactive",
};
/** The most bytes of a name whose envelope a reader still takes. */
export const MAX_NAME_BYTES = Math.floor(
  (MAX_ENVELOPE_CHARACTERS - JSON.stringify(ENVELOPE_WITHOUT_NAME).length) / 4,
) * 3;

/** The value of a JSON text that is an object; undefined for every other text. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The envelope in a stored text, or null when it is none: too long, no JSON object, another
 * version, a missing field, an unknown level (crypto spec, 12). That its fields decode is not
 * checked here.
 */
export function parseNameEnvelope(raw: string): NameEnvelope | null {
  if (typeof raw !== "string" || raw.length < 1 || raw.length > MAX_ENVELOPE_CHARACTERS) {
    return null;
  }
  const object = parseObject(raw);
  if (object === undefined) return null;
  const { v, ct, iv, tag, salt, kdf } = object;
  if (v !== 4 && v !== 6) return null;
  if (typeof ct !== "string" || typeof iv !== "string") return null;
  if (typeof tag !== "string" || typeof salt !== "string") return null;
  if (kdf !== undefined && kdf !== "interactive" && kdf !== "moderate") return null;
  return { v, ct, iv, tag, salt, ...(kdf === undefined ? {} : { kdf }) };
}

/** An envelope's parts as bytes. */
export interface OpenEnvelope {
  iv: Bytes;
  salt: Bytes;
  /** Ciphertext and tag, as AES-GCM takes them. */
  sealed: Bytes;
  /** What the name is bound to; undefined for version 4. */
  aad: Bytes | undefined;
  /** The levels to try, in this order. */
  levels: readonly NameKdfLevel[];
}

/**
 * Decodes an envelope for the row that it stands in.
 *
 * The stored level is the server's word, so it can only spare work: `interactive` means that level
 * alone, anything else means that one and then the dearer one (crypto spec, 12).
 *
 * @throws {VaultCryptoError} `unsupported_envelope` for another version or a field of wrong length
 * or encoding; `invalid_input` for version 6 without a row id.
 */
export function decodeEnvelope(envelope: NameEnvelope, rowId: string | undefined): OpenEnvelope {
  const { v, ct, iv, tag, salt, kdf } = envelope;
  const decoded = {
    iv: decodeFieldOf(iv, IV_LENGTH),
    salt: decodeFieldOf(salt, NAME_SALT_LENGTH),
    tag: decodeFieldOf(tag, TAG_LENGTH),
    ct: typeof ct === "string" && ct.length <= MAX_ENVELOPE_CHARACTERS
      ? decodeField(ct)
      : undefined,
  };
  if (
    (v !== 4 && v !== 6) || decoded.iv === undefined || decoded.salt === undefined ||
    decoded.tag === undefined || decoded.ct === undefined
  ) {
    throw new VaultCryptoError("unsupported_envelope", "the name envelope is malformed");
  }
  if (v === 6 && (typeof rowId !== "string" || rowId === "")) {
    throw new VaultCryptoError("invalid_input", "a row-bound name needs the id of its row");
  }
  return {
    iv: decoded.iv,
    salt: decoded.salt,
    sealed: concatBytes([decoded.ct, decoded.tag]),
    aad: v === 6 ? utf8(rowId!) : undefined,
    levels: kdf === "interactive" ? ["interactive"] : ["interactive", "moderate"],
  };
}
