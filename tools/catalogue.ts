// Every tool of the product. The command line, the MCP server, help, completions and the reference
// are made from this list.

import { duplicates } from "./local/duplicates.ts";
import { large } from "./local/large.ts";
import { list } from "./local/list.ts";
import { mkdir } from "./local/mkdir.ts";
import { move } from "./local/move.ts";
import { old } from "./local/old.ts";
import { rename } from "./local/rename.ts";
import { restore } from "./local/restore.ts";
import { summary } from "./local/summary.ts";
import { trash } from "./local/trash.ts";
import { trashed } from "./local/trashed.ts";
import type { AnyTool, Tool } from "./tool.ts";
import { connect } from "./vault/connect.ts";
import { vaultTools } from "./vault/tools.ts";

/** The tools for the user's own folders, which the disk rooms carry out. */
export const localTools: readonly Tool[] = [
  list,
  duplicates,
  large,
  old,
  summary,
  move,
  rename,
  mkdir,
  trash,
  trashed,
  restore,
];

export const catalogue: readonly AnyTool[] = [...localTools, connect, ...vaultTools];

/** The local tool that answers to a name over MCP. */
export function findTool(name: string): Tool | undefined {
  return localTools.find((tool) => tool.name === name);
}
