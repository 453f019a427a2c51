// The program's version, from the one place that holds it.

import config from "../deno.json" with { type: "json" };

export const VERSION: string = config.version;
