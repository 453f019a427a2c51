// move_local: moves a file, folder or symbolic link. What stands at the destination is never
// replaced: it goes to the trash first, and comes back if the move fails (local-tools spec, 1.6).

import { quote, visible } from "../../containment/mod.ts";
import { formatBytes } from "../format.ts";
import { defineChange, TAKES_AWAY } from "../tool.ts";
import { approvalOf, changeFields, confirmArguments, describeEntry, planning } from "./change.ts";
import { applyMove } from "./move_apply.ts";
import { type MovePlan, planMove } from "./move_plan.ts";

export const move = defineChange({
  name: "move_local",
  set: "local",
  command: ["move"],
  title: "Move a file or folder",
  brief: "Move a file or folder; what it would replace goes to the trash",
  description:
    "Moves a file, folder or symbolic link inside the granted folders; a link is moved " +
    "itself. An existing folder as destination means into it. Nothing is replaced: without " +
    "overwrite a taken destination is refused, with it the item there is moved to the trash first. " +
    "Between volumes it copies, verifies by SHA-256 and only then removes the source. Without " +
    "confirm it only plans: it reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "disk-write",
  hints: TAKES_AWAY,
  terminal: {
    positionals: ["source", "destination"],
    usage: "SRC DEST",
    examples: [
      { line: "shieldfive move report.pdf Archive/", does: "into the folder Archive" },
      { line: "shieldfive move a.txt b.txt", does: "under a new name; refused when b.txt exists" },
      { line: "shieldfive move --overwrite a.txt b.txt", does: "the old b.txt goes to the trash" },
    ],
  },
  input: (z) =>
    z.strictObject({
      source: z.string().describe("Absolute path of the entry to move."),
      destination: z.string().describe(
        "Absolute path: an existing real folder to move into, or the new path itself.",
      ),
      overwrite: z.boolean().default(false).describe(
        "Move what is at the destination to the trash and take its place.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) => {
    const counts = {
      kind: z.string(),
      files: z.number(),
      bytes: z.number(),
      bytes_human: z.string(),
    };
    return z.object({
      ...changeFields(z),
      source: z.string(),
      destination: z.string().describe("The final path."),
      ...counts,
      replaces_existing: z.boolean(),
      displaced: z.object({ ...counts, moved_to_trash: z.string() }).optional(),
      crosses_volume: z.boolean(),
      creates_directories: z.array(z.string()).optional(),
      unreadable: z.number().optional(),
      plan_binding: z.string(),
      free_space: z.number().optional().describe("Bytes free where the copy would go."),
      metadata_not_preserved: z.array(z.string()).optional(),
      link: z.object({
        link_target: z.string(),
        resolves_before: z.string(),
        resolves_after: z.string(),
      }).optional().describe("Where a relative link led and would lead."),
      method: z.enum(["rename", "copy+remove"]).optional(),
      replace_guard: z.string().optional(),
      source_left_in_place: z.array(z.string()).optional(),
      source_left_reasons: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
      displaced_to: z.string().optional(),
      manifest: z.string().optional(),
      cancelled_after_start: z.boolean().optional(),
    });
  },
  plan: (context, input): MovePlan => planning(input.source, () => planMove(context, input)),
  apply: (context, input, plan) => applyMove(context, plan, approvalOf(input)),
  partial: (output) => (output.source_left_in_place?.length ?? 0) > 0,
  summary(output) {
    const parts = [
      `${describeEntry(output.kind, output.files, output.bytes)} ${visible(output.source)} to ` +
      visible(output.destination),
    ];
    if (output.crosses_volume) parts.push(crossingText(output));
    if (output.displaced !== undefined) parts.push(displacedText(output));
    const left = output.source_left_in_place ?? [];
    if (left.length > 0) {
      parts.push(
        `${left.length} item(s) of the source were left in place (first: ${quote(left[0])})`,
      );
    }
    if (output.cancelled_after_start) parts.push("it was cancelled too late and completed");
    parts.push(...(output.warnings ?? []).map((warning) => `note: ${warning}`));
    const text = parts.join("; ");
    return output.performed ? `Moved the ${text}.` : `Planned (nothing changed): move the ${text}.`;
  },
});

function crossingText({ performed, kind, method }: {
  performed: boolean;
  kind: string;
  method?: string;
}): string {
  if (kind === "symlink") {
    return performed
      ? "it crossed a volume, where the link was made anew with the same target"
      : "this crosses a volume: the link is made anew there, and then the original is removed";
  }
  if (!performed) {
    return "this crosses a volume, the one operation that removes an original: it is copied, " +
      "verified by SHA-256, and then the original is removed";
  }
  return method === "rename"
    ? "it crossed a volume, and the system could rename it"
    : "it crossed a volume: copied, flushed and verified by SHA-256 before the original was removed";
}

function displacedText(output: {
  performed: boolean;
  displaced?: { kind: string; files: number; bytes: number; moved_to_trash: string };
  displaced_to?: string;
}): string {
  const { kind, files, bytes, moved_to_trash } = output.displaced!;
  const what = kind === "file" || kind === "directory"
    ? `the ${describeEntry(kind, files, bytes)} there`
    : "what is there";
  return output.performed
    ? `${what} was moved to ${visible(output.displaced_to ?? moved_to_trash)}, not deleted`
    : `it DISPLACES ${what}, ${files} file(s) and ${formatBytes(bytes)}, which goes to the trash ` +
      `${visible(moved_to_trash)} and is not deleted`;
}
