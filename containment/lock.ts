// One process at a time. The lock is the system's own and ends with the process that has it, so that
// nobody ever has to take away a lock that somebody left.

import { ToolError } from "./error.ts";

/** Milliseconds between two tries, and until there are no more of them. */
const BETWEEN = 20;
const PATIENCE = 10_000;

/**
 * Runs the body while this process alone has the lock on a file, which is made for it and stays.
 *
 * @param busy what is said when another process keeps it.
 * @throws ToolError `busy`; system errors as they are.
 */
export function locked<T>(path: string, busy: string, body: () => T): T {
  using file = Deno.openSync(path, { create: true, write: true, mode: 0o600 });
  for (let waited = 0; !file.tryLockSync(true); waited += BETWEEN) {
    if (waited >= PATIENCE) throw new ToolError("busy", busy);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN);
  }
  return body();
}
