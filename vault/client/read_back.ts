// What became of a change whose answer was lost: the vault is read again until it tells. A change that is
// not seen was not made, unless the server may still be at it; whatever cannot be told is said to be so.

import { ToolError } from "../../containment/error.ts";
import { load, type Loaded, type Workplace } from "./load.ts";
import type { Lost } from "./refusals.ts";
import { pause } from "./timing.ts";

/** Milliseconds before each look. */
const LOOKS = [1000, 3000, 5000];

/** What a look at the vault says of a change. */
export type Seen = "done" | "not done" | "neither";

/** What is known of a change in the end. */
export type Fate = "done" | "not done" | "unknown";

/**
 * Reads the vault until it tells what became of changes.
 *
 * @param lost how the answer got lost.
 * @param look what a fresh view says of each.
 * @returns the fate of each; none at all where the vault could not be read.
 */
export async function fatesOf(
  place: Workplace,
  lost: Lost,
  look: (now: Loaded) => Seen[],
): Promise<Fate[]> {
  let fates: Fate[] = [];
  for (const wait of LOOKS) {
    await pause(place.api.alarm, wait, undefined);
    const now = await loadedOrNone(place);
    if (now === undefined) continue;
    const seen = look(now);
    fates = seen.map((each) => fateOf(each, lost));
    // What has not happened yet may still.
    if (!lost.late || !seen.includes("not done")) break;
  }
  return fates;
}

function fateOf(seen: Seen, { late }: Lost): Fate {
  if (seen === "not done" && !late) return "not done";
  return seen === "done" ? "done" : "unknown";
}

/** The vault without its names, or nothing where it cannot be had. */
async function loadedOrNone(place: Workplace): Promise<Loaded | undefined> {
  try {
    return await load(place, { names: "none" });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** @param what was tried, as in "the file was renamed". */
export function notDone(lost: Lost, what: string): ToolError {
  return new ToolError(
    lost.code,
    `it was not found out at once whether ${what}, so the vault was read again: it was not, and nothing ` +
      "was changed; try again",
    { cause: lost },
  );
}

/** @param what as {@link notDone} */
export function outcomeUnknown(lost: Lost, what: string): ToolError {
  return new ToolError(
    "outcome_unknown",
    `the server's answer was lost, and it could not be found out whether ${what}; list the vault before ` +
      "anything is tried again",
    { changedAnything: true, cause: lost },
  );
}
