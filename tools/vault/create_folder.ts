// vault_create_folder: a folder in a folder (vault spec, 6).

import { confirmArguments } from "../confirm.ts";
import { defineChange } from "../tool.ts";
import { changeSummary, vaultChangeFields } from "./change.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

export const createFolder = defineChange({
  name: "vault_create_folder",
  set: "vault",
  command: ["vault", "mkdir"],
  title: "Create a folder in the vault",
  brief: "Create a folder in your vault",
  description:
    "Creates a folder of the user's ShieldFive vault in another folder within the connection's " +
    "reach. Needs a connection that may organize. Without confirm it only plans: it reports what it " +
    "would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  hints: CHANGES_VAULT,
  terminal: {
    positionals: ["parent_folder_id", "name"],
    usage: "PLACE",
    vaultItems: ["parent_folder_id"],
    fromOperands: parentAndName,
    examples: [{
      line: "shieldfive vault mkdir /Documents/2025",
      does: "the folder 2025; Documents must be there",
    }],
  },
  input: (z) =>
    z.strictObject({
      parent_folder_id: id(z).describe("Id of the folder to create it in."),
      name: z.string().max(255).describe(
        "Its name: at most 255 bytes, no slash or backslash, nothing that does not show.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...vaultChangeFields(z),
      plan: z.object({
        op: z.string(),
        parent: z.string(),
        parent_updated: z.string().optional(),
        path: z.string(),
      }).optional(),
      created: z.string().optional().describe("Id of the new folder."),
      path: z.string().optional().describe("Path of the new folder."),
    }),
  plan: async (context: VaultContext, input) =>
    (await import("./work/create_folder.ts")).planCreateFolder(context, input),
  apply: async (context, input, plan) =>
    (await import("./work/create_folder.ts")).applyCreateFolder(context, input, plan),
  summary: (output) =>
    changeSummary(
      output,
      `create the folder ${named(output.plan?.path ?? "")}`,
      `the folder ${named(output.path ?? "")} is there now`,
    ),
});

/** A path as it is typed: the folder to create, in one that is there. */
function parentAndName(operands: string[]): Record<string, unknown> {
  const path = operands.join("/").replace(/\/+$/, "");
  const at = path.lastIndexOf("/");
  return { parent_folder_id: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}
