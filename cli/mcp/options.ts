// What can be said to `shieldfive mcp`. Apart from the command, so that help does not load the server.

import type { Option } from "../options.ts";

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
