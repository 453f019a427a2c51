// Runs the program as it is, but for one room that ends itself where SHIELDFIVE_TEST_DEATH says.

import { processEnvironment } from "../../cli/environment.ts";
import { main } from "../../cli/main.ts";
import { letDie } from "../dying.ts";

using _ = letDie(JSON.parse(Deno.env.get("SHIELDFIVE_TEST_DEATH")!));
Deno.exit(await main(Deno.args, processEnvironment()));
