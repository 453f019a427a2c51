// The last step of an upload: the object must be what was announced, for the row that it is to stand in,
// from someone who had its first chunk in hands; then row, allowance and record change in one transaction
// (vault spec, 13). The object was complete before, so no moment has a row without its object.

import { HeaderError, VaultCryptoError } from "@shieldfive/crypto/extra/errors.ts";
import { uploadFault, UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import type { ObjectReader, Objects } from "../../objects/objects.ts";
import type { Json, UploadRow } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import type { Change } from "../changes/change.ts";
import { requireDestination } from "../changes/move.ts";
import { object, sha1Hex, text, type ValueOf } from "../fields.ts";
import { badRequest, conflict, notFound, Refusal } from "../refusal.ts";
import { use } from "./allowance.ts";
import type { GivenColumns } from "./reserve.ts";

/** What is sent to finish an upload. The proof is compared as it is, in constant time. */
export const finalizeInput = object({ proof: text(1, 64), ciphertextHash: sha1Hex });
export type FinalizeInput = ValueOf<typeof finalizeInput>;

const PIECE = 256 * 1024;

function failed(message: string): Refusal {
  return new Refusal(400, "finalize_failed", message);
}

/** The proof over what is stored; others have their turn between pieces, since a chunk may be large. */
async function proofOver(reader: ObjectReader, proofKey: string): Promise<UploadProofV3> {
  const proof = new UploadProofV3(proofKey);
  for (let offset = 0; offset < reader.size;) {
    const piece = reader.read(offset, PIECE);
    if (piece.length === 0 || proof.absorb(piece)) break;
    offset += piece.length;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return proof;
}

async function provedSize(
  reader: ObjectReader,
  upload: UploadRow,
  input: FinalizeInput,
): Promise<number> {
  const proof = await proofOver(reader, upload.proofKey);
  if (!proof.matches(input.proof) || proof.header === undefined) {
    throw failed("the proof does not match what was stored");
  }
  const fault = uploadFault(proof.header, {
    rowId: upload.id,
    ciphertextSize: upload.sizeBytes,
  });
  if (fault !== undefined) throw failed(`the file cannot stand in its row: ${fault}`);
  return proof.header.plaintextSize;
}

/**
 * Looks whether an upload's object is what it has to be.
 *
 * @returns the bytes of its plaintext.
 * @throws Refusal 400 `finalize_failed`, or `bad_request` for another hash.
 */
export async function checkUpload(
  objects: Objects,
  upload: UploadRow,
  input: FinalizeInput,
): Promise<number> {
  const reader = upload.sha1 === null ? undefined : objects.open(upload.storageKey);
  if (reader === undefined) throw failed("the bytes have not come");
  try {
    if (reader.size !== upload.sizeBytes) throw failed("the object has another size");
    if (input.ciphertextHash !== upload.sha1) {
      throw badRequest("ciphertextHash must be the SHA-1 of what was stored");
    }
    return await provedSize(reader, upload, input);
  } catch (error) {
    if (error instanceof HeaderError || error instanceof VaultCryptoError) {
      throw failed(error.message);
    }
    throw error;
  } finally {
    reader.close();
  }
}

/** The caller's own upload. @throws Refusal 404 for any other, and for one whose time is over. */
export function ownUpload({ rows, actor, now }: Change, id: string): UploadRow {
  const upload = rows.upload(id);
  if (upload === undefined || upload.grantId !== actor.grantId) throw notFound();
  if (upload.state === "reserved" && upload.expiresAt <= now) throw notFound();
  return upload;
}

function insertRow({ rows, now }: Change, upload: UploadRow, size: number): string {
  const given = upload.row as unknown as GivenColumns;
  const { sha1, sha256 } = upload;
  if (sha1 === null || sha256 === null) throw new Error("a checked upload has its hashes");
  rows.insertFile({
    ...given,
    id: upload.id,
    ownerId: upload.ownerId,
    folderId: upload.folderId,
    size,
    ciphertextSize: upload.sizeBytes,
    storageKey: upload.storageKey,
    cipherPartsSha1: sha1,
    sha256,
    cipherChunkSize: null,
    cipherNoncePrefix: null,
    originId: null,
    binnedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  });
  return sha256;
}

/**
 * Makes a checked upload a file, in the caller's transaction.
 *
 * @param checked the upload as it was when its object was looked at.
 * @param size bytes of the plaintext.
 * @returns what is answered, now and to a repetition.
 * @throws Refusal 404 when the destination is no longer open; 409 when the id was taken meanwhile.
 */
export function storeUpload(change: Change, checked: UploadRow, size: number): Json {
  const { rows } = change;
  const { id } = checked;
  const upload = ownUpload(change, id);
  // Another request may have finished it while this one read the object,
  if (upload.state === "stored") return upload.answer;
  // or given it up and reserved the id again, for an object that nobody looked at.
  if (upload.storageKey !== checked.storageKey) throw notFound();
  requireDestination(change, upload.folderId);
  if (rows.file(id) !== undefined || rows.folder(id) !== undefined) {
    throw conflict("the id is taken");
  }
  const sha256 = insertRow(change, upload, size);
  if (upload.grantId !== null) use(rows, upload.grantId, upload.sizeBytes);
  const auditId = record(change, {
    action: "upload_file",
    object: { kind: "file", id },
    change: { before: null, after: { folderId: upload.folderId }, version: 1 },
  });
  const answer = { fileId: id, sizeBytes: upload.sizeBytes, sha256, auditId, status: "stored" };
  // What the file's row has now need not stay a second time.
  rows.updateUpload(id, { state: "stored", answer, row: null, proofKey: "" });
  return answer;
}
