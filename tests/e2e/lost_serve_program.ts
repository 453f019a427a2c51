// Runs the program as it is, but for one of the rooms of `serve`, which ends itself when it is told to.

import { processEnvironment } from "../../cli/environment.ts";
import { main } from "../../cli/main.ts";

const { Worker } = globalThis;
const LOST = Deno.env.get("SHIELDFIVE_TEST_LOST")!;

globalThis.Worker = class extends Worker {
  constructor(module: string | URL, options?: WorkerOptions) {
    const lost = options?.name === LOST;
    super(
      lost ? new URL(`./lost_${LOST.replace("-", "_")}_room.ts`, import.meta.url) : module,
      options,
    );
  }
};
Deno.exit(await main(Deno.args, processEnvironment()));
