// vault_rename: another name for a file or folder, where it is (vault spec, 6).

import { confirmArguments } from "../confirm.ts";
import { defineChange } from "../tool.ts";
import { changeSummary, namedSchema, vaultChangeFields } from "./change.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

export const rename = defineChange({
  name: "vault_rename",
  set: "vault",
  command: ["vault", "rename"],
  title: "Rename in the vault",
  brief: "Rename a file or folder of your vault",
  description:
    "Renames a file or folder of the user's ShieldFive vault, in place. What lies directly at the " +
    "connection's top cannot be renamed. Needs a connection that may organize. Without confirm it " +
    "only plans: it reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  hints: CHANGES_VAULT,
  terminal: {
    positionals: ["item_id", "new_name"],
    usage: "ITEM NAME",
    vaultItems: ["item_id"],
    examples: [{
      line: "shieldfive vault rename /Photos/IMG_0001.jpg beach.jpg",
      does: "the new name, same folder",
    }],
  },
  input: (z) =>
    z.strictObject({
      item_id: id(z).describe("Id of the file or folder."),
      new_name: z.string().max(255).describe(
        "The new name: at most 255 bytes, no slash or backslash, nothing that does not show.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...vaultChangeFields(z),
      plan: z.object({
        op: z.string(),
        item: z.object(namedSchema(z)),
        from: z.string(),
        to_name: z.string(),
      }).optional(),
      renamed: z.object({
        ...namedSchema(z),
        from: z.string(),
        path: z.string().describe("Its path now."),
      }).optional(),
    }),
  plan: async (context: VaultContext, input) =>
    (await import("./work/rename.ts")).planRename(context, input),
  apply: async (context, input, plan) =>
    (await import("./work/rename.ts")).applyRename(context, input, plan),
  summary(output) {
    const { plan, renamed } = output;
    const kind = (plan?.item ?? renamed)?.kind ?? "item";
    return changeSummary(
      output,
      `rename the ${kind} ${named(plan?.from ?? "")} to ${named(plan?.to_name ?? "")}`,
      `the ${kind} ${named(renamed?.from ?? "")} is ${named(renamed?.path ?? "")} now`,
    );
  },
});
