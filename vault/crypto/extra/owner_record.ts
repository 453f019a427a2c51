// The record in which a server keeps the vault's root key for its owner: sealed, versioned, and
// read only as it is written. The server can withhold or exchange it; it cannot make a reader do
// anything but fail.

import { CryptoError } from "../errors.ts";
import { decodeFieldOf, decodeWrap, isUuid, type WrappedKey } from "../vault/keys.ts";

/** Which of the owner's two secrets opens a record. */
export type OwnerSecret = "passphrase" | "recovery";

/** Bytes of the salt that is stretched with a passphrase. */
export const OWNER_SALT_LENGTH = 16;

/** A sealed root key; `salt` is base64, and a recovery key needs none. */
export type OwnerRecord =
  & WrappedKey
  & { owner: string }
  & (
    | { opens: "passphrase"; salt: string }
    | { opens: "recovery" }
  );

/** Of both kinds, in the order in which they are written. */
const FIELDS: Record<OwnerSecret, readonly string[]> = {
  passphrase: ["v", "opens", "owner", "kdf", "salt", "wrapped", "iv"],
  recovery: ["v", "opens", "owner", "wrapped", "iv"],
};
const VERSION = 1;
/** Argon2id 1.3 at the preset `moderate`; version 1 has no other, so no record sets its cost. */
const KDF = "argon2id-moderate";
const MAX_RECORD_CHARACTERS = 1024;

/** The text of a record. */
export function formatOwnerRecord(record: OwnerRecord): string {
  const { opens, owner, wrapped, iv } = record;
  const stretching = record.opens === "passphrase" ? { kdf: KDF, salt: record.salt } : {};
  return JSON.stringify({ v: VERSION, opens, owner, ...stretching, wrapped, iv });
}

function refuse(reason: string): never {
  throw new CryptoError("invalid_owner_record", `the record of the root key ${reason}`);
}

function parseJson(text: string): Record<string, unknown> {
  if (typeof text !== "string" || text.length > MAX_RECORD_CHARACTERS) refuse("is not one");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return refuse("is not a JSON object");
}

/**
 * Reads a record that a server gave.
 *
 * @throws {CryptoError} `invalid_owner_record` for another version or key stretching, a field too
 * many or too few, and a field that is not canonical or has another length than it must.
 */
export function parseOwnerRecord(text: string): OwnerRecord {
  const object = parseJson(text);
  const { v, opens, owner, kdf, salt, wrapped, iv } = object;
  if (v !== VERSION) refuse(`has another version than ${VERSION}`);
  if (opens !== "passphrase" && opens !== "recovery") refuse("says not which secret opens it");
  const fields = Object.keys(object);
  if (fields.length !== FIELDS[opens].length || !FIELDS[opens].every((f) => fields.includes(f))) {
    refuse("has not the fields that it must have");
  }
  if (!isUuid(owner)) refuse("names no owner");
  const wrap = { wrapped, iv } as WrappedKey;
  if (decodeWrap(wrap) === undefined) refuse("has a malformed key");
  if (opens === "recovery") return { opens, owner, ...wrap };
  if (kdf !== KDF) refuse(`has another key stretching than ${KDF}`);
  if (decodeFieldOf(salt, OWNER_SALT_LENGTH) === undefined) refuse("has a malformed salt");
  return { opens, owner, salt: salt as string, ...wrap };
}
