// What ties names and content to their rows (crypto spec, 16). Key wraps are bound to no row, so a
// server could show one file's ciphertext and keys under another file's row; the header's file id
// and the version of the name envelope are what tells.

import { type Bytes, constantTimeEqual, hexToBytes } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import type { NameEnvelope } from "../vault/name_envelope.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Whether a row's id is a UUIDv7, which takes row-bound names alone. */
export function isRowBound(rowId: string): boolean {
  return UUID_V7.test(rowId);
}

/** Whether an envelope may stand in a row: any in an old one, only version 6 in a bound one. */
export function nameFitsRow(envelope: NameEnvelope, rowId: string): boolean {
  return envelope.v === 6 || !isRowBound(rowId);
}

/**
 * The file id for the content of a row: the 16 bytes of its UUID, which may be in either case.
 *
 * @throws {CryptoError} `invalid_input` for an id that is no UUID.
 */
export function fileIdOfRow(rowId: string): Bytes {
  if (!UUID.test(rowId)) throw new CryptoError("invalid_input", "the row id must be a UUID");
  return hexToBytes(rowId.replaceAll("-", ""));
}

/** Whether content with this file id belongs to the row. */
export function contentFitsRow(fileId: Uint8Array, rowId: string): boolean {
  return UUID.test(rowId) && constantTimeEqual(fileId, fileIdOfRow(rowId));
}
