// The first step of an upload: everything is checked that can be before the bytes come, the allowance is
// held, and the address is signed that takes the bytes (vault spec, 13).

import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { randomKeyHex } from "@shieldfive/crypto/extra/server_values.ts";
import { newStorageKey } from "../../objects/objects.ts";
import type { Json, UploadRow } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import type { Change } from "../changes/change.ts";
import { requireDestination } from "../changes/move.ts";
import {
  contentType,
  type Field,
  integer,
  iv,
  nameEnvelope,
  object,
  oneOf,
  optional,
  uuid,
  type ValueOf,
  wrapped,
} from "../fields.ts";
import { conflict, Refusal } from "../refusal.ts";
import type { Call } from "../router.ts";
import { uploadUrl } from "../signature.ts";
import { budgetLeft, hold } from "./allowance.ts";
import { dropExpired } from "./drop.ts";

/** The largest file that a connection uploads, in bytes of plaintext. */
export const LARGEST_AGENT_FILE = 512 * 1024 * 1024;

/** Bytes of the ciphertext of so many bytes: suite 0x03, in chunks of 4 MiB. */
export function largestCiphertext(plaintextBytes: number): number {
  return ciphertextLength(plaintextBytes);
}

/**
 * What a new file is announced with.
 *
 * @param destination `uuid`, or `nullable(uuid)` for who may put files at the root.
 * @param largest bytes of ciphertext.
 */
export function newFileInput<To extends string | null>(destination: Field<To>, largest: number) {
  return object({
    id: uuid,
    folderId: destination,
    name: nameEnvelope,
    cskWrapped: wrapped,
    cskIv: iv,
    pqkFkWrapped: wrapped,
    pqkFkIv: iv,
    cipherVersion: oneOf(3),
    sizeBytes: integer(1, largest),
    contentType: optional(contentType),
  });
}

export type NewFileInput = ValueOf<ReturnType<typeof newFileInput<string | null>>>;

/** The columns of the file to come that were given with its announcement. */
export type GivenColumns = Omit<NewFileInput, "id" | "folderId" | "sizeBytes" | "contentType"> & {
  contentType: string | null;
};

/** How a file's bytes are to be sent where its announcement says nothing of their type. */
const ANY_TYPE = "application/octet-stream";

/** The content type with which an upload's bytes have to come. */
export function sentTypeOf(upload: UploadRow): string {
  return (upload.row as unknown as GivenColumns).contentType ?? ANY_TYPE;
}

function requireRoom({ context }: Call): void {
  if (context.rows.reservedUploadCount() < context.limits.concurrentUploads) return;
  throw new Refusal(429, "too_many_uploads", "other uploads have to end first", {
    headers: { "retry-after": "30" },
  });
}

function newUpload(change: Change, input: NewFileInput, expiresAt: number): UploadRow {
  const { id, folderId, sizeBytes, contentType, ...columns } = input;
  const row = { ...columns, contentType: contentType ?? null } satisfies GivenColumns;
  return {
    id,
    ownerId: change.actor.ownerId,
    grantId: change.actor.grantId,
    folderId,
    storageKey: newStorageKey(),
    sizeBytes,
    proofKey: randomKeyHex(),
    row,
    state: "reserved",
    sha1: null,
    sha256: null,
    answer: null,
    createdAt: change.now,
    expiresAt,
  };
}

/** Holds the bytes; says what is left of the allowance, null where there is none. */
function holdFor(change: Change, bytes: number): number | null {
  const { grantId } = change.actor;
  const grant = grantId === null ? undefined : change.rows.grant(grantId);
  return grant === undefined ? null : budgetLeft(hold(change.rows, grant, bytes));
}

/**
 * Reserves an upload in the caller's transaction.
 *
 * @returns what is answered: where and how long the bytes may be sent, and the key of their proof.
 * @throws Refusal 404 for a destination out of scope; 409 for an id that exists; 429
 * `write_budget_exhausted`, `too_many_uploads`.
 */
export function reserve(call: Call, change: Change, input: NewFileInput): Record<string, Json> {
  const { context, state } = call;
  requireDestination(change, input.folderId);
  dropExpired(context, state);
  if (change.rows.idTaken(input.id)) throw conflict("the id is taken");
  requireRoom(call);
  const budgetRemainingBytes = holdFor(change, input.sizeBytes);
  const expiresAt = change.now + context.limits.uploadMs;
  const upload = newUpload(change, input, expiresAt);
  change.rows.insertUpload(upload);
  record(change, { action: "reserve_upload", object: { kind: "file", id: input.id } });
  const signed = { ...upload, contentType: sentTypeOf(upload), expiresAt };
  return {
    fileId: input.id,
    uploadUrl: uploadUrl(context.origin, state.signingKey, signed),
    expiresInSeconds: Math.floor(context.limits.uploadMs / 1000),
    proofKey: upload.proofKey,
    budgetRemainingBytes,
  };
}
