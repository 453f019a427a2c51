// How a server ends. The end of input, a stop signal and a client that reads no more all come to the
// same: nothing new is begun, what runs is stopped where stopping is safe, what is already answered
// is written in full, and then the process goes (local-tools spec, section 8).

import type { Calls } from "./calls.ts";
import type { Log } from "./log.ts";
import type { End, StdioWire } from "./wire.ts";

/** Milliseconds that calls which only read may go on after the end of input: a script that pipes
 * its requests in and closes the pipe wants the answers. */
const GRACE = 1000;
/** Milliseconds until a read has noticed that it should stop. */
const STOP_TIME = 500;
/** Milliseconds that a change gets to reach a safe stop, or to finish where stopping is worse. */
const CHANGE_TIME = 60_000;
/** Milliseconds without a byte taken after which the reader counts as gone. */
const READER_TIME = 5000;

/** Brings everything to its end; the process may go when this settles. */
export async function end(
  why: End | "signal",
  { calls, wire, log }: { calls: Calls; wire: StdioWire; log: Log },
): Promise<void> {
  await turn();
  calls.stop("changes");
  if (why === "input") await within(GRACE, calls.idle());
  calls.stop("all");
  await within(calls.changing ? CHANGE_TIME : STOP_TIME, calls.idle());
  await turn();
  await wire.drain(READER_TIME);
  await within(STOP_TIME, log.flush());
}

/** Lets everything that is ready to run, run: requests that just came in, answers just made. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits for the promise, but not longer than so many milliseconds. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
