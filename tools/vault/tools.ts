// The tools for the vault that the vault's room carries out.

import type { Tool } from "../tool.ts";
import type { VaultContext } from "./context.ts";
import { createFolder } from "./create_folder.ts";
import { duplicates } from "./duplicates.ts";
import { list } from "./list.ts";
import { move } from "./move.ts";
import { moveIn } from "./move_in.ts";
import { read } from "./read.ts";
import { rename } from "./rename.ts";
import { search } from "./search.ts";
import { stats } from "./stats.ts";
import { trash } from "./trash.ts";
import { upload } from "./upload.ts";

export const vaultTools: readonly Tool<VaultContext>[] = [
  list,
  search,
  stats,
  duplicates,
  read,
  rename,
  move,
  createFolder,
  upload,
  trash,
  moveIn,
];

/** The vault's tool that answers to a name over MCP. */
export function findVaultTool(name: string): Tool<VaultContext> | undefined {
  return vaultTools.find((tool) => tool.name === name);
}
