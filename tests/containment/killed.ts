// Replaces a file in a process of its own that kills itself, as with kill -9, at one of its calls of the
// disk: at the first, then at the second, and so on until it gets through.

import assert from "node:assert/strict";
import { type Disk, realDisk, replaceFile, type Replacement } from "../../containment/mod.ts";

/** A replacement, in values that can be handed to another process. */
export interface Replacing extends Replacement {
  path: string;
  text: string;
}

/**
 * Calls the body for the first call, the second, and so on, with a function that runs a replacement until
 * it is killed there. Gives the number of calls.
 */
export async function killedAtEachCall(
  body: (number: number, run: (replacing: Replacing) => Promise<void>) => Promise<void>,
): Promise<number> {
  for (let number = 1;; number++) {
    let survived = false;
    await body(number, async (replacing) => {
      const { signal, code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", import.meta.url, String(number)]
          .concat(JSON.stringify(replacing)),
        stdin: "null",
      }).output();
      assert.ok(signal === "SIGKILL" || code === 0, new TextDecoder().decode(stderr));
      survived = signal === null;
    });
    if (survived) return number - 1;
  }
}

/** The real disk, until the call of this number. */
function dyingAt(last: number): Disk {
  let calls = 0;
  const disk = Object.entries(realDisk).map(([name, call]) => [name, (...args: unknown[]) => {
    if (++calls === last) Deno.kill(Deno.pid, "SIGKILL");
    return (call as (...args: unknown[]) => unknown)(...args);
  }]);
  return Object.fromEntries(disk);
}

if (import.meta.main) {
  const [number, replacing] = Deno.args;
  const { path, text, ...how } = JSON.parse(replacing) as Replacing;
  replaceFile(dyingAt(Number(number)), path, new TextEncoder().encode(text), how);
}
