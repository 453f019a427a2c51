// The worker that a `vault` room runs while there are no tools to run in it: it asks one server about a
// connection, and can reach no other address, no file and no program.

import { type ProofRequest, PROVE, tryNet, tryRights } from "../../containment/rooms/proof.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { checkGrant, type GrantQuestion } from "./check.ts";

/** Milliseconds between two looks at whether the call is to stop. */
const LOOK_MS = 100;

serveRoom((init) => ({
  async grant(args, { signal }) {
    const stop = new AbortController();
    const timer = setInterval(() => {
      if (signal.cancelled) stop.abort();
    }, LOOK_MS);
    try {
      const log = (line: string) => console.log(line);
      return await checkGrant(args as GrantQuestion, { log, signal: stop.signal });
    } finally {
      clearInterval(timer);
    }
  },
  [PROVE]: (args) => [...tryRights(args as ProofRequest), ...tryNet(init as string[])],
}));
