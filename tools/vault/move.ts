// vault_move: a file or folder into another folder (vault spec, 6).

import { confirmArguments } from "../confirm.ts";
import { defineChange } from "../tool.ts";
import { changeSummary, namedSchema, vaultChangeFields } from "./change.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

export const move = defineChange({
  name: "vault_move",
  set: "vault",
  command: ["vault", "move"],
  title: "Move in the vault",
  brief: "Move a file or folder of your vault into another folder",
  description:
    "Moves a file or folder of the user's ShieldFive vault into another folder within the " +
    "connection's reach, under its own name. Its name and keys are sealed anew for that folder, on " +
    "this computer. Nothing is replaced, and nothing moves to the connection's top. Needs a " +
    "connection that may organize. Without confirm it only plans: it reports what it would do, " +
    "returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  hints: CHANGES_VAULT,
  terminal: {
    positionals: ["item_id", "destination_folder_id"],
    usage: "ITEM WHERE",
    vaultItems: ["item_id", "destination_folder_id"],
    examples: [{
      line: "shieldfive vault move /Inbox/scan.pdf /Documents/2024",
      does: "into that folder, which must be there",
    }],
  },
  input: (z) =>
    z.strictObject({
      item_id: id(z).describe("Id of the file or folder."),
      destination_folder_id: id(z).describe("Id of the folder to move it into."),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...vaultChangeFields(z),
      plan: z.object({
        op: z.string(),
        item: z.object(namedSchema(z)),
        from: z.string(),
        to: z.string(),
        dest: z.string(),
      }).optional(),
      moved: z.object({
        ...namedSchema(z),
        from: z.string(),
        path: z.string().describe("Its path now."),
      }).optional(),
    }),
  plan: async (context: VaultContext, input) =>
    (await import("./work/move.ts")).planMove(context, input),
  apply: async (context, _input, plan) => (await import("./work/move.ts")).applyMove(context, plan),
  summary(output) {
    const { plan, moved } = output;
    const kind = (plan?.item ?? moved)?.kind ?? "item";
    return changeSummary(
      output,
      `move the ${kind} ${named(plan?.from ?? "")} to ${named(plan?.to ?? "")}`,
      `the ${kind} ${named(moved?.from ?? "")} is ${named(moved?.path ?? "")} now`,
    );
  },
});
