// Two setups at once wait for each other.

import { locked as lockedFile } from "../../../containment/mod.ts";

/**
 * Runs the body while this process alone has the lock on a file, which is made for it and stays.
 *
 * @throws ToolError `busy` when another process keeps it; system errors as they are.
 */
export function locked<T>(path: string, body: () => T): T {
  return lockedFile(path, "another `shieldfive setup` is at work; try again when it is done", body);
}
