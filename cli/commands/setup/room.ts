// The worker that the `settings` room runs: it writes the files that a person agreed to.

import "../../../containment/native_path.ts";
import { realDisk } from "../../../containment/mod.ts";
import { serveRoom } from "../../../containment/rooms/worker.ts";
import { carryOut, type Orders } from "./carry_out.ts";
import { locked } from "./lock.ts";

serveRoom(() => ({
  carryOut: (orders, { signal }) => carryOut(orders as Orders, { disk: realDisk, signal, locked }),
}));
