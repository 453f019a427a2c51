// Every tool of the product. The command line, the MCP server, help, completions and the reference
// are made from this list.

import { list } from "./local/list.ts";
import type { Tool } from "./tool.ts";

export const catalogue: readonly Tool[] = [
  list,
];

/** The tool that answers to a name over MCP. */
export function findTool(name: string): Tool | undefined {
  return catalogue.find((tool) => tool.name === name);
}
