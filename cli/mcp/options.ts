// What can be said to `shieldfive mcp`. Apart from the command, so that help does not load the server.

import { quote } from "../../containment/mod.ts";
import type { Option } from "../options.ts";
import { UsageError } from "../usage.ts";

export const MCP_OPTIONS: Option[] = [
  {
    name: "read-only",
    kind: { type: "switch" },
    does: "Leave out every tool that changes anything",
  },
  {
    name: "client-roots",
    kind: { type: "choice", choices: ["ignore", "narrow"] },
    placeholder: "ignore|narrow",
    default: "ignore",
    does: "Whether the folders that the client works in narrow the granted ones",
  },
  {
    name: "with",
    kind: { type: "list", words: [], choices: [] },
    placeholder: "SET,…",
    repeatable: true,
    does: "Add sets of tools",
  },
];

/**
 * Refuses sets of tools that there are not: for the server, and for whatever writes down how to start it.
 *
 * @throws UsageError
 */
export function requireToolSets([set]: readonly string[]): void {
  if (set === undefined) return;
  throw new UsageError(
    `there is no set of tools called ${quote(set, 40)} to be added`,
    "leave out --with: the local tools and the vault's need no flag",
  );
}
