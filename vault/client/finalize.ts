// The last step of an upload, in which the server makes a file of what was stored; and the step that takes
// its place when there is to be none. The two cannot both succeed, so giving up also tells what became of
// a last step whose answer was lost.

import { ToolError } from "../../containment/error.ts";
import { auditIdIn, isFields, text } from "./answers.ts";
import type { Workplace } from "./load.ts";
import { fatesOf, notDone, outcomeUnknown } from "./read_back.ts";
import { Lost } from "./refusals.ts";
import type { Sent } from "./send.ts";
import type { Changed } from "./types.ts";

const WHAT = "the file was added to the vault";
/** Milliseconds for giving up: nobody should wait long for what ends by itself. */
const GIVE_UP_MS = 10_000;

/** A file that is in the vault now. */
export interface Finished extends Changed {
  /** The SHA-256 of what the server stored, by its own word. */
  storedHash: string | undefined;
}

/** @throws ToolError with the server's code, and `outcome_unknown`. */
export async function finalize(place: Workplace, id: string, sent: Sent): Promise<Finished> {
  try {
    const { value } = await place.api.json({
      method: "POST",
      path: `/files/${id}/finalize`,
      body: { proof: sent.proof, ciphertextHash: sent.sha1 },
      acts: true,
    });
    const storedHash = isFields(value) ? text(value.sha256, 64) : undefined;
    return { ...auditIdIn(value), outcome: "done", storedHash };
  } catch (error) {
    if (error instanceof Lost) return await foundOut(place, id, error);
    await giveUp(place, id);
    throw error;
  }
}

/** What became of a last step without an answer. */
async function foundOut(place: Workplace, id: string, lost: Lost): Promise<Finished> {
  const found: Finished = { outcome: "done_after_read_back", storedHash: undefined };
  const refusal = await giveUp(place, id);
  if (refusal === undefined) throw notDone(lost, WHAT);
  if (refusal === "conflict") return found; // what is finished cannot be given up
  const [fate] = await fatesOf(
    place,
    lost,
    ({ rows }) => [rows.files.has(id) ? "done" : "not done"],
  );
  if (fate === "done") return found;
  throw fate === "not done" ? notDone(lost, WHAT) : outcomeUnknown(lost, WHAT);
}

/**
 * Gives the room of an upload back.
 *
 * @returns why that was refused or failed; undefined where it was done. Then there will be no such file.
 */
export async function giveUp(place: Workplace, id: string): Promise<string | undefined> {
  try {
    const path = `/uploads/${id}/abort`;
    await place.api.json({ method: "POST", path, body: {}, acts: true, limitMs: GIVE_UP_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    place.log(
      `the room of an upload was not given back at once (${error.code}); it ends by itself`,
    );
    return error.code;
  }
}
