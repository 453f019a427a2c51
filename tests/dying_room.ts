// A disk room that ends itself in the middle of its work: at the file operation that its name tells.
// Nothing of it is left then that could tell anybody, which is how a thread is lost for good.

/// <reference lib="deno.worker" />

import { type Disk, realDisk } from "../containment/mod.ts";
import "../tools/room.ts";

const [_kind, operation, after] = self.name.split(" ") as [string, keyof Disk, string];
const real = realDisk[operation] as (...args: unknown[]) => unknown;
let left = Number(after);

Object.assign(realDisk, {
  [operation](...args: unknown[]) {
    if (left-- === 0) self.close();
    return real(...args);
  },
});
