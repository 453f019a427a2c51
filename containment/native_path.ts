// Brings node's path functions along for a thread that is going to look at paths. Importing them takes
// less than half of the time that asking the process for them at first use does.

import * as path from "node:path";
import { provideNodePath } from "./paths.ts";

provideNodePath(path);
