// The owner's own uploads and downloads: as a connection's, without an allowance, and to the root too.

import { requestedPart, requireRoomFor, send } from "../download.ts";
import { nullable, uuid } from "../fields.ts";
import { notFound, Refusal } from "../refusal.ts";
import type { Call, Reply, Route } from "../router.ts";
import { finalizeInput } from "../uploads/finalize.ts";
import {
  LARGEST_AGENT_FILE,
  largestCiphertext,
  newFileInput,
  reserve,
} from "../uploads/reserve.ts";
import { abortUpload, finishUpload } from "../uploads/steps.ts";
import { asOwner, OWNER_API, ownerChange, ownerInput } from "./as_owner.ts";

/** Whether the session of a request is still good; a download that goes on keeps it from going idle. */
function isSignedIn(call: Call): boolean {
  try {
    return asOwner(call, () => true);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function content(call: Call): Reply {
  const { file, part } = asOwner(call, ({ rows, owner }) => {
    // However deep it lies.
    const file = rows.file(call.parameters.id);
    if (file === undefined) throw notFound();
    const part = requestedPart(call.request.headers.range, file.ciphertextSize);
    requireRoomFor(call, owner, part);
    return { file, part };
  });
  return send(call, file, part, () => isSignedIn(call));
}

async function finalize(call: Call): Promise<Reply> {
  const input = await ownerInput(call, finalizeInput);
  return await finishUpload(call, input, (act) => asOwner(call, act));
}

/** Its body, if any, is not looked at. */
function abort(call: Call): Reply {
  return abortUpload(call, (act) => asOwner(call, act));
}

const newFile = newFileInput(nullable(uuid), largestCiphertext(LARGEST_AGENT_FILE));

export const transferRoutes: Route[] = [
  ownerChange(
    { method: "POST", path: "/files" },
    newFile,
    (owned, input) => reserve(owned.call, owned, input),
  ),
  { method: "POST", pattern: `${OWNER_API}/files/:id/finalize`, handle: finalize },
  { method: "POST", pattern: `${OWNER_API}/uploads/:id/abort`, handle: abort },
  { method: "GET", pattern: `${OWNER_API}/files/:id/content`, handle: content },
];
