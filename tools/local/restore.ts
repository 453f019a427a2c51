// restore_local: puts trashed items back where they were, never over something, and marks their
// manifest (local-tools spec, 1.10).

import { visible } from "../../containment/mod.ts";
import { count, formatBytes } from "../format.ts";
import { ADDS, defineChange } from "../tool.ts";
import { changeFields, confirmArguments, planning } from "./change.ts";
import { applyRestore } from "./restore_apply.ts";
import { NEWEST } from "./restore_choose.ts";
import { planRestore, type RestorePlan } from "./restore_plan.ts";

export const restore = defineChange({
  name: "restore_local",
  set: "local",
  command: ["restore"],
  title: "Restore from the trash",
  brief: "Put trashed items back where they were, never over something",
  description: "Puts a batch, or single items, from the trash back to where they were. Never " +
    "replaces anything: an item whose old place is taken is reported and stays in the trash; " +
    "restore_as gives one item another place. Without confirm it only plans: it reports what it " +
    "would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "disk-write",
  hints: ADDS,
  terminal: {
    positionals: ["paths…"],
    usage: "[BATCH|PATH…]",
    fromOperands: operandsToRestore,
    examples: [
      { line: "shieldfive restore", does: "the newest batch that is still in the trash" },
      { line: "shieldfive restore Documents/plan.txt", does: "one item, by where it was" },
    ],
  },
  input: (z) =>
    z.strictObject({
      batch: z.string().min(1).max(4096).optional().describe(
        `Name or folder of a batch from list_trash, or "${NEWEST}". Exactly one of batch and paths.`,
      ),
      paths: z.array(z.string()).min(1).max(1000).optional().describe(
        "Absolute paths of single items: where they were, or where they are in the trash.",
      ),
      restore_as: z.string().optional().describe(
        "Absolute path to restore to instead; only with exactly one item.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) => {
    const failure = z.object({
      original_path: z.string(),
      code: z.string(),
      message: z.string(),
      restore_as: z.string().optional(),
    });
    return z.object({
      ...changeFields(z),
      items: z.array(z.object({
        batch: z.string(),
        original_path: z.string(),
        trashed_to: z.string(),
        restore_to: z.string(),
        kind: z.string(),
        files: z.number(),
        bytes: z.number(),
        bytes_human: z.string(),
        plan_binding: z.string(),
      })).optional(),
      blocked: z.array(failure).optional().describe("Items that cannot go back as things are."),
      creates_directories: z.array(z.string()).optional(),
      restored: z.array(z.object({ original_path: z.string(), restored_to: z.string() }))
        .optional(),
      not_restored: z.array(failure).optional(),
      manifests: z.array(z.string()).optional(),
    });
  },
  plan: (context, input): RestorePlan =>
    planning(input.batch ?? String(input.paths?.[0]), () => planRestore(context, input)),
  apply: (context, _input, plan) => applyRestore(context, plan),
  partial: (output) => (output.not_restored?.length ?? 0) > 0,
  summary(output) {
    const notes = (output.warnings ?? []).map((warning) => ` Note: ${warning}.`).join("");
    if (output.performed) {
      const failed = output.not_restored ?? [];
      const rest = failed.length > 0
        ? ` ${count(failed.length, "item")} stayed in the trash (first: ${failed[0].message}).`
        : "";
      return `Restored ${
        count(output.restored?.length ?? 0, "item")
      }.${rest} Nothing was replaced.${notes}`;
    }
    const items = output.items ?? [];
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    const blocked = output.blocked?.length ?? 0;
    const stays = blocked > 0
      ? ` ${count(blocked, "item")} cannot go back and stays in the trash.`
      : "";
    const where = items.length === 1 ? ` to ${visible(items[0].restore_to)}` : "";
    return `Planned (nothing changed): restore ${count(items.length, "item")}, ${
      formatBytes(bytes)
    }` +
      `${where}.${stays}${notes}`;
  },
  view: (output) => ({
    tables: [{
      columns: [
        { title: "Size", kind: "size" },
        { title: "Back to", kind: "path" },
      ],
      rows: (output.items ?? []).map((item) => [item.bytes, item.restore_to]),
    }],
    lines: [...(output.blocked ?? []), ...(output.not_restored ?? [])].map((item) => item.message),
  }),
});

/** No operand is the newest batch; a batch's name begins with its time; anything else is a path. */
function operandsToRestore(operands: string[]): Record<string, unknown> {
  if (operands.length === 0) return { batch: NEWEST };
  const [only] = operands;
  return operands.length === 1 && /^\d{4}-\d\d-\d\dT[\w-]+$/.test(only)
    ? { batch: only }
    : { paths: operands };
}
