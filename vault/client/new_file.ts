// A new file as it leaves: its row sealed for the folder that it goes to, and its ciphertext, which is made
// as it is asked for.

import { bytesToHex, randomBytes, zeroize } from "@shieldfive/crypto";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { passingHash, tap } from "@shieldfive/crypto/extra/tap.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { encryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { wrapChainKey } from "@shieldfive/crypto/vault";
import type { Workplace } from "./load.ts";
import { Outflow } from "./outflow.ts";
import { storedBytes } from "./rules.ts";
import type { UploadRequest, VaultFolder } from "./types.ts";

export interface NewFile {
  id: string;
  /** What it is announced with. */
  row: Record<string, string | number>;
  /** Bytes of the ciphertext. */
  storedBytes: number;
  outflow: Outflow;
  /** The SHA-256 of the content in hex, once all of it has passed. */
  contentHash(): string;
}

/** What a new file is sealed with. */
export interface SealingKeys {
  /** The owner's public key. */
  recipient: Uint8Array;
  /** Of the folder that it goes to. */
  folderKey: Uint8Array;
}

/**
 * Seals a new file. Nothing of its source is read before the ciphertext is.
 *
 * @throws what hinders the derivation of its name's key; the source is let go then.
 */
export async function sealNewFile(
  { names, now }: Workplace,
  { recipient, folderKey }: SealingKeys,
  destination: VaultFolder,
  { name, size, contentType, source, signal }: UploadRequest,
): Promise<NewFile> {
  const id = uuidV7(now());
  const hash = passingHash("sha256");
  const envelopeKey = randomBytes(32);
  const { ciphertext, combinedKey } = await encryptStreamPqHybridV1(tap(source, hash), {
    recipientPublicKey: recipient,
    envelopeKey,
    plaintextSize: size,
    fileId: fileIdOfRow(id),
  });
  const outflow = new Outflow(ciphertext);
  try {
    const csk = await wrapChainKey(folderKey, envelopeKey);
    const pqk = await wrapChainKey(folderKey, combinedKey);
    const row = {
      id,
      folderId: destination.id,
      name: await names.seal(name, { rowId: id, folderKey, signal }),
      cskWrapped: csk.wrapped,
      cskIv: csk.iv,
      pqkFkWrapped: pqk.wrapped,
      pqkFkIv: pqk.iv,
      cipherVersion: 3,
      sizeBytes: storedBytes(size),
      ...(contentType === undefined ? {} : { contentType }),
    };
    const contentHash = () => bytesToHex(hash.digest());
    return { id, row, storedBytes: storedBytes(size), outflow, contentHash };
  } catch (error) {
    outflow.stop(error);
    throw error;
  } finally {
    zeroize(envelopeKey);
    zeroize(combinedKey);
  }
}
