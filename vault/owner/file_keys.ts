// The keys of one file. Their wraps are bound to no row, so a server could show another file's in their
// place: what is about to be sealed for somebody else is proven first by the header of the content.

import { parseHeader, verifyHeaderMac, zeroize } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { contentFitsRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { decapsulateFromHeader } from "@shieldfive/crypto/pq-hybrid-v1";
import { unwrapChainKey, type WrappedKey } from "@shieldfive/crypto/vault";
import type { Api } from "./api.ts";
import { OwnerError } from "./error.ts";
import type { Keyring } from "./keyring.ts";
import { bytesOf } from "./pieces.ts";
import type { FileRow } from "./rows.ts";

/** What opens the content of a file; see `openFileStream`. */
export type ContentKeys =
  | { contentKey: Uint8Array }
  | { recipientSecretKey: Uint8Array; envelopeKey: Uint8Array };

/** The keys to seal again when a file moves; the caller wipes them. */
export interface SealableKeys {
  /** What `csk` holds. */
  csk: Uint8Array;
  /** The combined key of a post-quantum file. */
  combined: Uint8Array | undefined;
}

/** Bytes of the header of a file by its `cipherVersion`; the oldest format has none. */
const HEADER_BYTES: Record<number, number> = { 2: 149, 3: 1741 };

/** @throws OwnerError `key_unavailable` */
async function opened(keyring: Keyring, row: FileRow, wrap: WrappedKey): Promise<Uint8Array> {
  try {
    return await unwrapChainKey(keyring.keyOf(row.folderId), wrap);
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new OwnerError("key_unavailable", "the file's key does not open", { cause });
  }
}

/**
 * What opens a file's content. The owner's own way to the key of a post-quantum file comes first: it
 * does not depend on what a connection wrote beside it.
 *
 * @throws OwnerError `key_unavailable`
 */
export async function contentKeys(keyring: Keyring, row: FileRow): Promise<ContentKeys> {
  if (row.cipherVersion !== 3) return { contentKey: await opened(keyring, row, row.csk) };
  try {
    const envelopeKey = await opened(keyring, row, row.csk);
    return { recipientSecretKey: keyring.pair.secretKey, envelopeKey };
  } catch (error) {
    if (row.pqk === null) throw error;
    return { contentKey: await opened(keyring, row, row.pqk) };
  }
}

/**
 * The keys of a file, proven to be those of its content and its row.
 *
 * @throws OwnerError `key_unavailable`, `row_mismatch`, `decrypt_failed`, and as `Api.content`.
 */
export async function provenKeys(
  { api, keyring }: { api: Api; keyring: Keyring },
  row: FileRow,
  signal?: AbortSignal,
): Promise<SealableKeys> {
  const csk = await opened(keyring, row, row.csk);
  const size = HEADER_BYTES[row.cipherVersion];
  if (size === undefined) return { csk, combined: undefined };
  try {
    const header = parseHeader(await headerBytes(api, row, size, signal));
    const combined = row.cipherVersion === 3
      ? (await decapsulateFromHeader({
        ...header,
        recipientSecretKey: keyring.pair.secretKey,
        envelopeKey: csk,
      })).combinedKey
      : undefined;
    await verifyHeaderMac(header, combined ?? csk);
    if (!contentFitsRow(header.fileId, row.id)) throw rowMismatch();
    return { csk, combined };
  } catch (cause) {
    zeroize(csk);
    throw contentError(cause);
  }
}

async function headerBytes(
  api: Api,
  row: FileRow,
  size: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const stream = await api.content(`/files/${row.id}/content`, { range: [0, size - 1], signal });
  return await bytesOf(stream, size);
}

export function rowMismatch(): OwnerError {
  return new OwnerError("row_mismatch", "the content belongs to a different file");
}

/** What a failure with content is called; what is no fault of the content stays as it is. */
export function contentError(cause: unknown): unknown {
  const broken = cause instanceof CryptoError || cause instanceof RangeError;
  if (!broken) return cause;
  if (cause instanceof CryptoError && cause.code === "file_id_mismatch") return rowMismatch();
  return new OwnerError("decrypt_failed", "the content does not open: it was cut or changed", {
    cause,
  });
}
