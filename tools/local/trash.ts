// trash_local: moves items into the trash of their own volume, with a record of where each one was.
// Nothing is deleted and no space is freed (local-tools spec, 1.9 and section 6).

import { visible } from "../../containment/mod.ts";
import { count, formatBytes } from "../format.ts";
import { defineChange, TAKES_AWAY } from "../tool.ts";
import { approvalOf, changeFields, confirmArguments, planning } from "./change.ts";
import { applyTrash } from "./trash_apply.ts";
import { planTrash, type TrashPlan } from "./trash_plan.ts";

/** Paths in one call (spec 0.2). */
const MAX_PATHS = 1000;

export const trash = defineChange({
  name: "trash_local",
  set: "local",
  command: ["trash"],
  title: "Move to the trash",
  brief: "Move files or folders to the trash; nothing is deleted",
  description:
    "Moves files, folders or symbolic links into the trash folder on their own volume, " +
    "with a manifest that says where each one was. Nothing is deleted and no disk space is freed " +
    "until the user empties that folder. A link is trashed itself. With expect it first makes sure " +
    "that an item still has the reported content and that the copy to keep still exists. Without " +
    "confirm it only plans: it reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "disk-write",
  hints: TAKES_AWAY,
  terminal: {
    positionals: ["paths…"],
    usage: "PATH…",
    examples: [
      {
        line: "shieldfive trash old.zip Drafts",
        does: "two items; `shieldfive restore` undoes it",
      },
      {
        line: "shieldfive dupes --json ~/Photos | shieldfive trash --report - --dry-run",
        does: "what trashing all extra copies would do",
      },
    ],
  },
  input: (z) =>
    z.strictObject({
      paths: z.array(z.string()).min(1).max(MAX_PATHS).describe(
        `Absolute paths of the items, 1 to ${MAX_PATHS}.`,
      ),
      expect: z.array(z.strictObject({
        path: z.string().describe("One of the paths."),
        sha256: z.string().regex(/^[0-9a-f]{64}$/).optional(),
        size: z.number().int().min(0).optional(),
        keep: z.string().optional().describe("The copy that stays; it must have the same content."),
      })).max(MAX_PATHS).optional().describe(
        "What is known of items from find_duplicates. Checked by reading, at preview and again at " +
          "confirmation: an item that changed, or whose kept copy is gone, stops the call.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...changeFields(z),
      trash_stamp: z.string().describe("Name of the batch; a preview's is not final."),
      repeated_paths_ignored: z.number(),
      space_freed_bytes: z.number().optional().describe("Always 0."),
      space_recoverable_bytes: z.number().optional(),
      manifests: z.array(z.string()).optional(),
      items: z.array(z.object({
        source: z.string(),
        root: z.string(),
        trash_directory: z.string(),
        destination: z.string(),
        kind: z.string(),
        files: z.number(),
        bytes: z.number(),
        bytes_human: z.string(),
        plan_binding: z.string(),
        trashed_to: z.string().optional(),
        method: z.string().optional(),
        replace_guard: z.string().optional(),
      })),
      note: z.string(),
    }),
  plan: (context, input): TrashPlan =>
    planning(String(input.paths?.[0]), () => planTrash(context, input)),
  apply: (context, input, plan) => applyTrash(context, plan, approvalOf(input)),
  summary(output) {
    const files = output.items.reduce((sum, item) => sum + item.files, 0);
    const bytes = output.items.reduce((sum, item) => sum + item.bytes, 0);
    const what = `${count(output.items.length, "item")} (${count(files, "file")}, ${
      formatBytes(bytes)
    })`;
    const repeats = output.repeated_paths_ignored > 0
      ? ` ${count(output.repeated_paths_ignored, "repeated path")} counted once.`
      : "";
    const notes = (output.warnings ?? []).map((warning) => ` Note: ${warning}.`).join("");
    if (!output.performed) {
      const places = [...new Set(output.items.map((item) => visible(item.trash_directory)))];
      return `Planned (nothing changed): move ${what} to the trash in ${places.join(", ")}. ` +
        "Nothing will be deleted, and no disk space is freed until the user empties that folder." +
        `${repeats}${notes}`;
    }
    const batches = (output.manifests ?? []).map((path) => visible(path.replace(/[^/\\]+$/, "")));
    return `Moved ${what} to ${
      batches.join(", ")
    } on the same volume. NOTHING WAS DELETED and no ` +
      "disk space was freed: that happens when the user deletes the folder. The manifest beside " +
      `the items says where each one was.${repeats}${notes}`;
  },
  view: (output) => ({
    tables: [{
      columns: [
        { title: "Size", kind: "size" },
        { title: "Files", kind: "count" },
        { title: "Path", kind: "path" },
      ],
      rows: output.items.map((item) => [item.bytes, item.files, item.source]),
    }],
  }),
});
