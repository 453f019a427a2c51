// The bytes of an upload come in (vault spec, 3: PUT uploadUrl). The address is all that lets them in; it
// takes the announced length and type, once. Nothing is written for a request that cannot be right, and
// what is cut short or too long leaves nothing.

import { giveBack } from "../../../../containment/rooms/bodies/give_back.ts";
import { isStorageKey, type StoredObject } from "../../objects/objects.ts";
import type { UploadRow } from "../../rows/rows.ts";
import { piecesOf } from "../pieces.ts";
import { badRequest, conflict, Refusal } from "../refusal.ts";
import type { Call, Reply } from "../router.ts";
import { isSigned } from "../signature.ts";
import { sentTypeOf } from "./reserve.ts";

/** One refusal for an unknown key, a wrong or expired signature and a connection that has ended. */
function refused(): Refusal {
  return new Refusal(403, "upload_refused");
}

function wrongLength(): Refusal {
  return new Refusal(400, "wrong_length", "the body must have the length that was announced");
}

/** Whether the connection that an upload is for is still good; the owner's always is. */
function isLive({ context }: Call, grantId: string | null): boolean {
  if (grantId === null) return true;
  const grant = context.rows.grant(grantId);
  return grant !== undefined && grant.revokedAt === null && grant.expiresAt > context.now();
}

function addressedUpload(call: Call): UploadRow {
  const { context, state, parameters, request } = call;
  const { key } = parameters;
  const upload = isStorageKey(key) ? context.rows.uploadByStorageKey(key) : undefined;
  // One that is stored has no announced columns any more.
  if (upload?.state !== "reserved") throw refused();
  const signed = { ...upload, contentType: sentTypeOf(upload) };
  if (!isSigned(state.signingKey, signed, request.query, context.now())) throw refused();
  if (!isLive(call, upload.grantId)) throw refused();
  return upload;
}

function requireAnnounced({ headers }: Call["request"], upload: UploadRow): void {
  if (headers["content-length"] !== String(upload.sizeBytes)) throw wrongLength();
  if (headers["content-type"] !== sentTypeOf(upload)) {
    throw new Refusal(400, "wrong_type", "the content type must be the one that was announced");
  }
}

/** Makes what came the upload's object. There is no wait in here, so nothing comes in between. */
function settle({ context }: Call, id: string, commit: () => StoredObject): void {
  const { rows, limits } = context;
  const upload = rows.upload(id);
  if (upload?.state !== "reserved") throw refused();
  const { sha1, sha256 } = commit();
  // Who took long to send has as much time as anyone to finish.
  const expiresAt = Math.max(upload.expiresAt, context.now() + limits.uploadMs);
  rows.transaction(() => rows.updateUpload(id, { sha1, sha256, expiresAt }));
}

async function write(call: Call, upload: UploadRow): Promise<void> {
  const { objects } = call.context;
  // An object without a hash in its row was left by a process that was killed between the two.
  objects.remove(upload.storageKey);
  const writer = objects.create(upload.storageKey);
  try {
    let received = 0;
    for await (const piece of piecesOf(call.request.body!)) {
      received += piece.length;
      if (received > upload.sizeBytes) throw wrongLength();
      // Else who was revoked could go on sending slowly, and hold one of the few places.
      if (!isLive(call, upload.grantId)) throw refused();
      writer.write(piece);
      giveBack(piece);
    }
    if (received < upload.sizeBytes) throw wrongLength();
    settle(call, upload.id, () => writer.commit());
  } finally {
    // Does nothing after the commit.
    writer.abort();
  }
}

/**
 * Takes the bytes of an upload.
 *
 * @throws Refusal 400 with an Authorization header, `wrong_length`, `wrong_type`, `broken_off`; 403
 * `upload_refused`; 409 when the bytes are there already or coming in.
 */
export async function receive(call: Call): Promise<Reply> {
  const { request, state } = call;
  // A token has no business here, and whoever sends one must learn of it.
  if (request.headers.authorization !== undefined) {
    throw badRequest("an upload address takes no Authorization header");
  }
  const upload = addressedUpload(call);
  if (upload.sha1 !== null || state.incoming.has(upload.id)) {
    throw conflict("the bytes are there already, or are coming in");
  }
  requireAnnounced(request, upload);
  if (request.body === null) throw wrongLength();
  state.incoming.add(upload.id);
  try {
    await write(call, upload);
  } finally {
    state.incoming.delete(upload.id);
  }
  return { body: null };
}
