// Names as the server keeps them, opened and sealed. A name is bound to its row; one that is not, on a
// row that only takes bound names, counts as not opening (crypto spec, 16).

import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { decryptPooledName } from "@shieldfive/crypto/extra/pooled_names.ts";
import { nameFitsRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { encryptNameV6, type NameEnvelope, parseNameEnvelope } from "@shieldfive/crypto/vault";
import { OwnerError } from "./error.ts";
import type { Keyring } from "./keyring.ts";

/** A stored name that opened, or did not. */
export interface OpenedName {
  /** The envelope's text. */
  raw: string;
  /** The folder under whose key it was tried. */
  parentId: string | null;
  /** Null when it does not open. */
  name: string | null;
}

/** The envelope in a row; undefined for what is none, or what the row must not carry. */
export function envelopeOf(raw: string, rowId: string): NameEnvelope | undefined {
  const envelope = parseNameEnvelope(raw);
  return envelope !== null && nameFitsRow(envelope, rowId) ? envelope : undefined;
}

/**
 * The name in a row, or null when it does not open under the key.
 *
 * @throws the signal's reason; what hinders derivations at all.
 */
export async function openName(
  keyring: Keyring,
  { raw, rowId, key }: { raw: string; rowId: string; key: Uint8Array },
  signal?: AbortSignal,
): Promise<string | null> {
  const envelope = envelopeOf(raw, rowId);
  if (envelope === undefined) return null;
  try {
    return await decryptPooledName(keyring.pool, { envelope, folderKey: key, rowId }, signal);
  } catch (error) {
    if (!(error instanceof CryptoError) || !UNREADABLE.has(error.code)) throw error;
    return null;
  }
}

const UNREADABLE = new Set(["name_decrypt_failed", "unsupported_envelope", "invalid_input"]);

/** The text of a fresh envelope. */
export async function sealName(
  keyring: Keyring,
  { name, rowId, key }: { name: string; rowId: string; key: Uint8Array },
): Promise<string> {
  const envelope = await encryptNameV6({ name, folderKey: key, rowId }, keyring.nameKeys());
  return JSON.stringify(envelope);
}

/** @throws OwnerError `name_unavailable` for a name that could not be sealed again as it is. */
export function sealable(raw: string, rowId: string): NameEnvelope {
  const envelope = envelopeOf(raw, rowId);
  if (envelope === undefined) throw nameUnavailable();
  return envelope;
}

export function nameUnavailable(): OwnerError {
  return new OwnerError(
    "name_unavailable",
    "its name does not open, so it has to stay where it is",
  );
}
