// The first steps of an upload: room is made on the server, and the ciphertext goes to where it says. What
// fails here leaves nothing: the room is given back, and the source let go.

import { bytesToHex } from "@shieldfive/crypto";
import { passingHash, tap } from "@shieldfive/crypto/extra/tap.ts";
import { UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import { ToolError } from "../../containment/error.ts";
import { count, isFields, orNull, text } from "./answers.ts";
import { giveUp } from "./finalize.ts";
import type { Workplace } from "./load.ts";
import type { NewFile } from "./new_file.ts";
import { checkedStorageUrl } from "./origin.ts";
import { badAnswer, connectionBroke, Lost } from "./refusals.ts";
import { throwIfCancelled } from "./timing.ts";
import type { StoragePut, UploadRequest } from "./types.ts";

/** Where an upload is made. */
export interface UploadPlace extends Workplace {
  storage: StoragePut;
}

/** What was seen of the ciphertext as it passed. */
export interface Sent {
  proof: string;
  sha1: string;
  sha256: string;
  /** What may still be uploaded; undefined without a limit. */
  budgetRemainingBytes: number | undefined;
}

/** What the server said when it made room. */
interface Reservation {
  url: string;
  proofKey: string;
  budgetRemainingBytes: number | undefined;
}

const ANY_TYPE = "application/octet-stream";
const LONGEST_URL = 8192;

/** @throws ToolError; nothing was stored then. */
export async function send(
  place: UploadPlace,
  file: NewFile,
  request: UploadRequest,
): Promise<Sent> {
  try {
    const answer = await reserve(place, file);
    return await givingUpOnFailure(place, file, async () => {
      const reservation = reservationIn(answer, place.api.origin);
      const { budgetRemainingBytes } = reservation;
      return { ...await put(place, file, reservation, request), budgetRemainingBytes };
    });
  } catch (error) {
    file.outflow.stop(error);
    throw error;
  }
}

async function givingUpOnFailure<T>(
  place: UploadPlace,
  { id }: NewFile,
  body: () => Promise<T>,
): Promise<T> {
  try {
    return await body();
  } catch (error) {
    await giveUp(place, id);
    throw error;
  }
}

async function reserve(place: UploadPlace, { id, row }: NewFile): Promise<unknown> {
  try {
    const idempotencyKey = crypto.randomUUID();
    const call = { method: "POST", path: "/files", body: row, idempotencyKey, acts: true } as const;
    return (await place.api.json(call)).value;
  } catch (error) {
    // Room may be held for a file that will not come.
    if (error instanceof Lost) await giveUp(place, id);
    throw error;
  }
}

/** @throws ToolError `bad_answer`, `upload_failed` */
function reservationIn(value: unknown, origin: string): Reservation {
  const fields = isFields(value) ? value : {};
  const url = text(fields.uploadUrl, LONGEST_URL);
  const proofKey = text(fields.proofKey, 64);
  const left = orNull(fields.budgetRemainingBytes, count);
  if (url === undefined || proofKey === undefined || left === undefined) {
    throw badAnswer("where the file is to be stored");
  }
  if (!/^[0-9a-f]{64}$/i.test(proofKey)) throw badAnswer("the key of the upload's proof");
  const budgetRemainingBytes = left ?? undefined;
  return { url: checkedStorageUrl(url, origin), proofKey, budgetRemainingBytes };
}

/** Sends the ciphertext. */
async function put(
  { storage }: UploadPlace,
  { row, storedBytes, outflow }: NewFile,
  { url, proofKey }: Reservation,
  { signal, progress }: UploadRequest,
): Promise<Omit<Sent, "budgetRemainingBytes">> {
  const proof = new UploadProofV3(proofKey);
  const [sha1, sha256] = [passingHash("sha1"), passingHash("sha256")];
  const total = storedBytes;
  try {
    throwIfCancelled(signal);
    const { status } = await storage({
      url,
      headers: { "content-type": String(row.contentType ?? ANY_TYPE) },
      body: tap(outflow.stream, proof, sha1, sha256),
      size: storedBytes,
      sent: (done) => progress?.({ done, total, unit: "bytes", label: "uploading" }),
      signal: signal ?? new AbortController().signal,
    });
    if (status < 200 || status > 299) throw refusedByStorage(`it answered ${status}`);
    if (sha256.size !== storedBytes) throw refusedByStorage("it did not take all of it");
  } catch (error) {
    throwIfCancelled(signal);
    throw outflow.failure ?? (error instanceof ToolError ? error : connectionBroke(error));
  }
  return {
    proof: proof.digest(),
    sha1: bytesToHex(sha1.digest()),
    sha256: bytesToHex(sha256.digest()),
  };
}

function refusedByStorage(why: string): ToolError {
  return new ToolError(
    "upload_failed",
    `the storage did not take the file (${why}), so nothing was stored; try again`,
  );
}
