// vault_trash: items into the connection's folder in the owner's Bin (vault spec, 6).

import { confirmArguments } from "../confirm.ts";
import { count } from "../format.ts";
import { defineChange, type Table } from "../tool.ts";
import { changeSummary, namedSchema, vaultChangeFields } from "./change.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

/** Items in one call. */
const MAX_ITEMS = 50;

export const trash = defineChange({
  name: "vault_trash",
  set: "vault",
  command: ["vault", "trash"],
  title: "Move to the vault's Bin",
  brief: "Move files or folders of your vault to its Bin; nothing is deleted",
  description:
    "Moves up to 50 files or folders of the user's ShieldFive vault into the connection's own " +
    "folder in the Bin. Nothing is deleted and no space is freed: only the owner empties the Bin, in " +
    "ShieldFive, and can undo this there. Needs a connection that may organize. Without confirm it " +
    "only plans: it reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  hints: { ...CHANGES_VAULT, destructiveHint: true },
  terminal: {
    positionals: ["item_ids…"],
    usage: "ITEM…",
    vaultItems: ["item_ids"],
    examples: [{
      line: "shieldfive vault trash /Inbox/old.zip /Drafts",
      does: "two items; the owner can take them out of the Bin",
    }],
  },
  input: (z) =>
    z.strictObject({
      item_ids: z.array(id(z)).min(1).max(MAX_ITEMS).describe(
        `Ids of the files and folders, 1 to ${MAX_ITEMS}.`,
      ),
      ...confirmArguments(z),
    }),
  output: (z) => {
    const item = { ...namedSchema(z), path: z.string() };
    const failed = { id: z.string(), code: z.string().describe("Why it stays where it is.") };
    return z.object({
      ...vaultChangeFields(z),
      plan: z.object({
        op: z.string(),
        items: z.array(z.object(item)),
        failed: z.array(z.object(failed)).optional(),
      }).optional(),
      trashed: z.array(z.object({ ...item, ok: z.boolean(), audit_id: z.string().optional() }))
        .optional(),
      failed: z.array(
        z.object({
          ...failed,
          kind: item.kind.optional(),
          ok: z.boolean(),
          path: z.string().optional(),
        }),
      ).optional(),
      restore: z.string().optional().describe("How the owner gets them back."),
    });
  },
  plan: async (context: VaultContext, input) =>
    (await import("./work/trash.ts")).planTrash(context, input),
  apply: async (context, _input, plan) =>
    (await import("./work/trash.ts")).applyTrash(context, plan),
  partial: ({ performed, failed }) => performed && (failed?.length ?? 0) > 0,
  summary(output) {
    const { plan, trashed = [], failed = plan?.failed ?? [] } = output;
    const paths = (plan?.items ?? trashed).map(({ path }) => path);
    const what = paths.length === 1
      ? named(paths[0])
      : `${count(paths.length, "item")} (first: ${named(paths[0] ?? "")})`;
    const missing = failed.length === 0
      ? ""
      : `; ${count(failed.length, "item")} ${failed.length === 1 ? "stays" : "stay"} where ` +
        `${failed.length === 1 ? "it is" : "they are"} (first: ${failed[0].code})`;
    if (output.performed && trashed.length === 0) return `Nothing was moved to the Bin${missing}.`;
    return changeSummary(
      output,
      `move ${what} to the connection's folder in the Bin; nothing is deleted${missing}`,
      `${what} moved to the Bin, not deleted${missing}`,
    );
  },
  view: ({ plan, trashed = [], failed = plan?.failed ?? [] }) => ({
    tables: [
      {
        columns: [{ title: "Path", kind: "path" }],
        rows: (plan?.items ?? trashed)
          .map(({ kind, path }) => [kind === "folder" ? `${path}/` : path]),
      },
      ...(failed.length === 0 ? [] : [leftTable(failed)]),
    ],
  }),
});

function leftTable(failed: readonly { id: string; code: string; path?: string }[]): Table {
  return {
    title: "Left where they are",
    columns: [{ title: "Why", kind: "text" }, { title: "Item", kind: "path" }],
    rows: failed.map(({ id, code, path = id }) => [code, path]),
  };
}
