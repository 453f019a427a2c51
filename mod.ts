#!/usr/bin/env -S deno run --allow-all --no-prompt
// The program. It gives up its rights by itself; without --no-prompt the runtime would offer, at a
// terminal, to hand them back.

import { processEnvironment } from "./cli/environment.ts";
import { main } from "./cli/main.ts";

if (import.meta.main) Deno.exit(await main(Deno.args, processEnvironment()));
