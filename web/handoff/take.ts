// Takes a hand-off out of the address, before anything else of the page is there to see it.

import { addressOf } from "../shell/router.tsx";
import { type Handoff, readHandoff } from "./request.ts";

/** The view that a hand-off is decided in. */
export const HANDOFF_QUERY = "settings=agents";

/** The hand-off in the page's address, which then shows nothing of it any more; undefined for none. */
export function takeHandoff(): Handoff | undefined {
  const handoff = readHandoff(location.search, Date.now());
  if (handoff !== undefined) history.replaceState(null, "", addressOf(HANDOFF_QUERY));
  return handoff;
}
