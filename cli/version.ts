// The program's version, from the one place that holds it, and what `--version` says of this very build.

import config from "../deno.json" with { type: "json" };
import { COMMIT } from "./commit.ts";

export const VERSION: string = config.version;

/** The program with its version and, where it was bundled, the commit: `shieldfive 0.1.0 (374380a)`. */
export const BUILD = `shieldfive ${VERSION}${COMMIT === undefined ? "" : ` (${COMMIT})`}`;
