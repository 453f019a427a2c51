// The last steps of an upload, finished or given up, the same for a connection and for the owner: how the
// caller is authorised in each transaction is handed in.

import { record } from "../audit.ts";
import type { Change } from "../changes/change.ts";
import { conflict } from "../refusal.ts";
import type { Call, Reply } from "../router.ts";
import { drop, removePurged } from "./drop.ts";
import { checkUpload, type FinalizeInput, ownUpload, storeUpload } from "./finalize.ts";

/** Authorises the caller and acts, in one transaction. */
export type Within = <T>(act: (change: Change) => T) => T;

/** Makes the upload of the path's `:id` a file; a repetition gets the same answer. */
export async function finishUpload(
  { context, parameters }: Call,
  input: FinalizeInput,
  within: Within,
): Promise<Reply> {
  const upload = within((change) => ownUpload(change, parameters.id));
  if (upload.state === "stored") return { body: upload.answer };
  const size = await checkUpload(context.objects, upload, input);
  return { body: within((change) => storeUpload(change, upload, size)) };
}

/** Frees what the upload of the path's `:id` holds. */
export function abortUpload({ context, parameters }: Call, within: Within): Reply {
  within((change) => {
    const upload = ownUpload(change, parameters.id);
    if (upload.state === "stored") throw conflict("the upload is finished");
    drop(change.rows, upload, change.now);
    record(change, { action: "abort_upload", object: { kind: "file", id: upload.id } });
  });
  removePurged(context.rows, context.objects, 20);
  return { body: { ok: true } };
}
