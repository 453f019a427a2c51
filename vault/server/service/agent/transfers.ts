// The routes that carry content: download, and the steps of an upload around the sending of its bytes.

import { record } from "../audit.ts";
import { reachableFile } from "../changes/change.ts";
import { requestedPart, requireRoomFor, send } from "../download.ts";
import { uuid } from "../fields.ts";
import type { Call, Reply, Route } from "../router.ts";
import { finalizeInput } from "../uploads/finalize.ts";
import {
  LARGEST_AGENT_FILE,
  largestCiphertext,
  newFileInput,
  reserve,
} from "../uploads/reserve.ts";
import { abortUpload, finishUpload } from "../uploads/steps.ts";
import { isLive } from "./admission.ts";
import { bodyOf, changeRoute, inTransaction, longRoute, type Passing, type Spec } from "./route.ts";

const downloadSpec: Spec = {
  method: "POST",
  path: "/files/:id/download",
  scope: "read",
  kind: "file",
  action: "download",
};

function download(call: Call, passing: Passing): Promise<Reply> {
  const { rows, now } = call.context;
  const { file, part } = inTransaction(downloadSpec, call, passing, (work) => {
    const file = reachableFile(work, call.parameters.id);
    const part = requestedPart(call.request.headers.range, file.ciphertextSize);
    requireRoomFor(call, work.owner, part);
    record(work, { action: "download", object: { kind: "file", id: file.id } });
    return { file, part };
  });
  const isAllowed = () => isLive(rows.grant(passing.grant.id), now());
  return Promise.resolve(send(call, file, part, isAllowed));
}

const reserveSpec: Spec = {
  method: "POST",
  path: "/files",
  scope: "write",
  kind: "file",
  action: "reserve_upload",
};
const agentFileInput = newFileInput(uuid, largestCiphertext(LARGEST_AGENT_FILE));

const finalizeSpec: Spec = {
  method: "POST",
  path: "/files/:id/finalize",
  scope: "write",
  kind: "file",
  action: "upload_file",
};

async function finalize(call: Call, passing: Passing): Promise<Reply> {
  const input = await bodyOf(call, passing, finalizeInput);
  return await finishUpload(
    call,
    input,
    (act) => inTransaction(finalizeSpec, call, passing, act),
  );
}

const abortSpec: Spec = {
  method: "POST",
  path: "/uploads/:id/abort",
  scope: "write",
  kind: "file",
  action: "abort_upload",
};

function abort(call: Call, passing: Passing): Promise<Reply> {
  const reply = abortUpload(call, (act) => inTransaction(abortSpec, call, passing, act));
  return Promise.resolve(reply);
}

export const transferRoutes: Route[] = [
  longRoute(downloadSpec, download),
  changeRoute(
    reserveSpec,
    agentFileInput,
    (work, input) => ({ status: 200, body: reserve(work.call, work, input) }),
  ),
  longRoute(finalizeSpec, finalize),
  longRoute(abortSpec, abort),
];
