// A file into the vault (vault spec, 10): encrypted for the owner's key as it is read, hashed and proven as
// it passes, stored, and then read back and compared. Nothing of it is ever held whole. Whatever fails
// before the file is finished leaves nothing behind.

import { finalize } from "./finalize.ts";
import { recipientKey } from "./grant.ts";
import type { Loaded } from "./load.ts";
import { type NewFile, sealNewFile } from "./new_file.ts";
import { checkUpload } from "./rules.ts";
import { keyOf, requireTrusted } from "./seal.ts";
import { send, type UploadPlace } from "./send.ts";
import { throwIfCancelled } from "./timing.ts";
import type { Uploaded, UploadRequest, VaultFolder } from "./types.ts";
import { unverified, verify } from "./verify.ts";

/** @throws ToolError as `VaultClient.upload` */
export async function upload(
  place: UploadPlace,
  loaded: Loaded,
  destination: VaultFolder,
  request: UploadRequest,
): Promise<Uploaded> {
  const file = await prepared(place, loaded, destination, request);
  const sent = await send(place, file, request);
  const { storedHash, ...changed } = await finalize(place, file.id, sent);
  const { id } = file;
  const { name, size } = request;
  const sha256 = file.contentHash();
  if (storedHash !== undefined && storedHash !== sent.sha256) {
    throw unverified(id, "the server stored something else");
  }
  await verify(place, { id, size, sha256 }, request);
  const { budgetRemainingBytes } = sent;
  return {
    ...changed,
    id,
    path: `${loaded.view.path(destination)}/${name}`,
    bytes: size,
    sha256,
    ...(budgetRemainingBytes === undefined ? {} : { budgetRemainingBytes }),
  };
}

/** Everything that comes before the first request. */
async function prepared(
  place: UploadPlace,
  loaded: Loaded,
  destination: VaultFolder,
  request: UploadRequest,
): Promise<NewFile> {
  throwIfCancelled(request.signal);
  checkUpload(loaded.view, destination, request);
  const recipient = recipientKey(loaded.grant, place.credential);
  await requireTrusted(loaded, place.names, destination, request.signal);
  const keys = { recipient, folderKey: keyOf(loaded, destination) };
  return await sealNewFile(place, keys, destination, request);
}
