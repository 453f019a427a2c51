// A file into the vault: encrypted as it is read, for this vault's own key, hashed and proven as it passes,
// and compared with what the server says that it stored. Nothing of it is ever held whole under Deno; a
// browser holds the ciphertext in a blob, which it keeps on disk.

import { bytesToHex, randomBytes, zeroize } from "@shieldfive/crypto";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { type Observer, passingHash, tap } from "@shieldfive/crypto/extra/tap.ts";
import { UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { encryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { wrapChainKey } from "@shieldfive/crypto/vault";
import type { Answer } from "./answer.ts";
import { changed } from "./change.ts";
import { downloadRow } from "./download.ts";
import { OwnerError } from "./error.ts";
import { sealName } from "./names.ts";
import { requireName, requireOutsideBin } from "./organise.ts";
import type { FileRow } from "./rows.ts";
import { MAX_FILE_BYTES } from "./rules.ts";
import { requireTrusted, type Workplace } from "./sealing.ts";
import type { File, UploadRequest } from "./types.ts";

const ANY_TYPE = "application/octet-stream";
const STORAGE = "/storage/v1/";

/** A file on its way: its row as it will be, and its ciphertext. */
interface Sealing {
  row: FileRow;
  size: number;
  ciphertext: ReadableStream<Uint8Array>;
}

/** What the server said when it made room. */
interface Reservation {
  url: string;
  proofKey: string;
}

/** What was seen of the ciphertext as it passed. */
interface Sent {
  proof: string;
  sha1: string;
  sha256: string;
}

/** @throws OwnerError as `OwnerVault.upload` says */
export async function upload(
  place: Workplace,
  folderId: string | null,
  request: UploadRequest,
): Promise<File> {
  requireUpload(request);
  requireOutsideBin(place, folderId);
  await requireTrusted(place, folderId);
  const plaintext = passingHash("sha256");
  const sealing = await seal(place, folderId, request, plaintext);
  const { row } = sealing;
  const reservation = await reserve(place, sealing, request);
  const sent = await sendOrGiveUp(place, sealing, reservation, request);
  const answer = await finalize(place, row, sent, request);
  place.contents.named(row.id, { raw: row.name, parentId: folderId, name: request.name });
  place.contents.put(changed(row, answer));
  if (request.verify) await verify(place, row, bytesToHex(plaintext.digest()), request);
  return place.contents.tree.files.get(row.id)!;
}

function requireUpload({ name, size }: UploadRequest): void {
  requireName(name);
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new OwnerError("invalid_argument", "a file's size is a whole number of bytes");
  }
  if (size === 0) throw new OwnerError("empty_file", "an empty file cannot be stored");
  if (size > MAX_FILE_BYTES) {
    throw new OwnerError("too_large", `a file has at most ${MAX_FILE_BYTES / 2 ** 20} MiB`);
  }
}

/** Starts to encrypt: keys and row are there at once, the bytes when they are asked for. */
async function seal(
  { keyring }: Workplace,
  folderId: string | null,
  request: UploadRequest,
  hash: Observer,
): Promise<Sealing> {
  const { size, content, onProgress } = request;
  const id = uuidV7();
  const envelopeKey = randomBytes(32);
  let done = 0;
  const counter: Observer = {
    absorb: ({ length }) =>
      onProgress?.({ phase: "encrypting", done: done += length, total: size }),
  };
  const source = content instanceof Blob ? content.stream() : content();
  const { ciphertext, combinedKey } = await encryptStreamPqHybridV1(tap(source, hash, counter), {
    recipientPublicKey: keyring.pair.publicKey,
    envelopeKey,
    plaintextSize: size,
    fileId: fileIdOfRow(id),
  });
  const folderKey = keyring.keyOf(folderId);
  try {
    const row = newFile(id, folderId, request, {
      name: await sealName(keyring, { name: request.name, rowId: id, key: folderKey }),
      csk: await wrapChainKey(folderKey, envelopeKey),
      pqk: await wrapChainKey(folderKey, combinedKey),
    });
    return { row, size: ciphertextLength(size), ciphertext };
  } finally {
    zeroize(envelopeKey);
    zeroize(combinedKey);
  }
}

/** The row of a file that does not exist yet. */
function newFile(
  id: string,
  folderId: string | null,
  { size, type }: UploadRequest,
  sealed: Pick<FileRow, "name" | "csk" | "pqk">,
): FileRow {
  const now = new Date().toISOString();
  return {
    kind: "file",
    id,
    folderId,
    ...sealed,
    originId: undefined,
    createdAt: now,
    updatedAt: now,
    unconfirmed: true,
    version: 0,
    contentType: type || null,
    size,
    ciphertextSize: ciphertextLength(size),
    cipherVersion: 3,
    cipherChunkSize: null,
    cipherNoncePrefix: null,
  };
}

async function reserve(
  { api }: Workplace,
  { row, size, ciphertext }: Sealing,
  { signal }: UploadRequest,
): Promise<Reservation> {
  try {
    const answer = await api.call("POST", "/files", {
      id: row.id,
      folderId: row.folderId,
      name: row.name,
      cskWrapped: row.csk.wrapped,
      cskIv: row.csk.iv,
      pqkFkWrapped: row.pqk?.wrapped,
      pqkFkIv: row.pqk?.iv,
      cipherVersion: row.cipherVersion,
      sizeBytes: size,
      ...(row.contentType === null ? {} : { contentType: row.contentType }),
    }, signal);
    return { url: storageUrl(api.origin, answer), proofKey: answer.text("proofKey") };
  } catch (error) {
    await ciphertext.cancel(error); // lets go of the source
    throw error;
  }
}

/**
 * Where the ciphertext goes: to this very server, by the name that it was reached under. What it calls
 * itself may be another, which a page could not send to.
 */
function storageUrl(origin: string, answer: Answer): string {
  const url = URL.parse(answer.text("uploadUrl"), origin);
  if (url === null || !url.pathname.startsWith(STORAGE)) {
    throw new OwnerError("bad_answer", "the server gave no address to store the file at");
  }
  return `${origin}${url.pathname}${url.search}`;
}

async function sendOrGiveUp(
  place: Workplace,
  sealing: Sealing,
  reservation: Reservation,
  request: UploadRequest,
): Promise<Sent> {
  try {
    return await send(place, sealing, reservation, request);
  } catch (error) {
    await place.api.call("POST", `/uploads/${sealing.row.id}/abort`, {}).catch(() => {
      // The room is given back in a quarter of an hour anyway; what failed before is what matters.
    });
    throw error;
  }
}

async function send(
  { api }: Workplace,
  { row, size, ciphertext }: Sealing,
  { url, proofKey }: Reservation,
  { onProgress, signal }: UploadRequest,
): Promise<Sent> {
  const proof = new UploadProofV3(proofKey);
  const sha1 = passingHash("sha1");
  const sha256 = passingHash("sha256");
  const until = api.until(signal);
  const source: { error?: unknown } = {};
  const body = rememberingFailure(tap(ciphertext, proof, sha1, sha256), source);
  const headers = { "content-type": row.contentType ?? ANY_TYPE };
  const onSent = (done: number) => onProgress?.({ phase: "sending", done, total: size });
  try {
    const { status } = await api.transport.put(url, headers, body, size, onSent, until);
    if (status < 200 || status > 299) {
      throw new OwnerError("upload_failed", `the server did not take the file (${status})`);
    }
  } catch (cause) {
    until.throwIfAborted();
    if (source.error !== undefined) throw sourceError(source.error);
    if (cause instanceof OwnerError) throw cause;
    throw new OwnerError("network_error", "the connection broke", { cause });
  }
  return {
    proof: proof.digest(),
    sha1: bytesToHex(sha1.digest()),
    sha256: bytesToHex(sha256.digest()),
  };
}

/** The same stream. A transport may tell of a source that failed in words of its own. */
function rememberingFailure(
  stream: ReadableStream<Uint8Array>,
  failure: { error?: unknown },
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure.error = error;
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** What it means that the source failed. */
function sourceError(cause: unknown): unknown {
  if (cause instanceof OwnerError || cause instanceof DOMException) return cause;
  const changed = cause instanceof CryptoError && cause.code === "plaintext_size_mismatch";
  const what = changed ? "the file changed while it was read" : "the file cannot be read";
  return new OwnerError("upload_failed", what, { cause });
}

/** @throws OwnerError `verify_failed` when the server stored something else. */
async function finalize(
  { api }: Workplace,
  row: FileRow,
  { proof, sha1, sha256 }: Sent,
  { signal }: UploadRequest,
): Promise<Answer> {
  const body = { proof, ciphertextHash: sha1 };
  const answer = await api.call("POST", `/files/${row.id}/finalize`, body, signal);
  if (answer.text("sha256") !== sha256) throw unverified();
  return answer;
}

/** Reads the file back and compares. */
async function verify(
  place: Workplace,
  row: FileRow,
  expected: string,
  { onProgress, signal }: UploadRequest,
): Promise<void> {
  const hash = passingHash("sha256");
  try {
    const checking = onProgress &&
      ((progress: { done: number; total: number }) =>
        onProgress({ ...progress, phase: "checking" }));
    const content = await downloadRow(place, row, { onProgress: checking, signal });
    await content.pipeTo(new WritableStream({ write: (piece) => void hash.absorb(piece) }), {
      signal,
    });
  } catch (cause) {
    if (cause instanceof OwnerError && cause.code === "decrypt_failed") throw unverified(cause);
    throw cause;
  }
  if (bytesToHex(hash.digest()) !== expected) throw unverified();
}

function unverified(cause?: unknown): OwnerError {
  return new OwnerError("verify_failed", "what is in the vault now is not what was sent", {
    cause,
  });
}
