// rename_local: gives an entry another name in its folder, never one that is taken (local-tools
// spec, 1.7).

import {
  asToolError,
  checkNewName,
  type Existing,
  isSameEntry,
  kindOf,
  moveNoReplace,
  nativeRules,
  quote,
  resolveDestination,
  resolveEntry,
  respell,
  stagingName,
  ToolError,
  visible,
} from "../../containment/mod.ts";
import { ADDS, defineChange, type Plan, type ToolContext } from "../tool.ts";
import {
  changeFields,
  confirmArguments,
  entryBinding,
  kindName,
  nameWarnings,
  planning,
  refuseGoverned,
  refuseTrashPart,
  refuseTrashTarget,
} from "./change.ts";

interface RenamePlan extends Plan {
  /** The preview, which the result repeats. */
  output: {
    performed: boolean;
    action: string;
    from: string;
    to: string;
    kind: string;
    warnings?: string[];
  };
  entry: Existing;
  to: string;
  /** The new name is another spelling of the same entry (case, Unicode form). */
  respelled: boolean;
}

export const rename = defineChange({
  name: "rename_local",
  set: "local",
  command: ["rename"],
  title: "Rename a file or folder",
  brief: "Rename a file or folder in place, never over another",
  description:
    "Renames a file, folder or symbolic link within its folder. A link is renamed itself. " +
    "Never replaces anything: a name that is taken is refused. Without confirm it only plans: it " +
    "reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "disk-write",
  hints: ADDS,
  terminal: {
    positionals: ["path", "new_name"],
    usage: "PATH NAME",
    examples: [{
      line: "shieldfive rename IMG_0001.jpg beach.jpg",
      does: "the new name, same folder",
    }],
  },
  input: (z) =>
    z.strictObject({
      path: z.string().describe("Absolute path of the entry to rename."),
      new_name: z.string().max(255).describe(
        "The new name, used byte for byte: one name, at most 255 bytes, no separator.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...changeFields(z),
      from: z.string(),
      to: z.string(),
      kind: z.string(),
      replace_guard: z.string().optional().describe(
        "How it was made sure that nothing was replaced.",
      ),
    }),
  plan: (context, input): RenamePlan => planning(input.path, () => planRename(context, input)),
  apply(context, _input, { entry, to, respelled, output }) {
    context.signal.throwIfCancelled();
    const { disk } = context;
    try {
      const guard = respelled
        ? respell(disk, entry.path, to, stagingName(nativeRules.dirname(to)), entry.info)
        : moveNoReplace(disk, entry.path, to, entry.info);
      return { ...output, performed: true, replace_guard: guard };
    } catch (error) {
      throw asToolError(error, "renaming", entry.path);
    }
  },
  summary(output) {
    const { dirname, basename } = nativeRules;
    const what = `${kindName(output.kind)} ` +
      `${quote(basename(output.from))} to ${quote(basename(output.to))} in ` +
      visible(dirname(output.from));
    const warnings = (output.warnings ?? []).map((warning) => ` Note: ${warning}.`).join("");
    return output.performed
      ? `Renamed the ${what}.${warnings}`
      : `Planned (nothing changed): rename the ${what}.${warnings}`;
  },
});

function planRename(
  context: ToolContext,
  input: { path: string; new_name: string },
): RenamePlan {
  const name = checkNewName(input.new_name, context.rules);
  const entry = resolveEntry(input.path, "path", context);
  if (entry.path === entry.root.path) {
    throw new ToolError(
      "outside_roots",
      `${quote(entry.path)} is a granted folder itself, and its new name would lie outside; ` +
        "nothing was changed",
    );
  }
  const to = nativeRules.join(nativeRules.dirname(entry.path), name);
  const there = resolveDestination(to, "new_name", context);
  const respelled = to !== entry.path && isSameEntry(context.disk, entry.path, to);
  if (there.info !== undefined && !respelled) throw nameTaken(to);
  refuseTrashPart(entry, undefined);
  refuseTrashTarget(to, entry.root);
  refuseGoverned(context, entry.path, to);
  const kind = kindOf(entry.info);
  const shown = { action: "rename", from: entry.path, to, kind };
  const warnings = renameWarnings(nativeRules.basename(entry.path), name, kind);
  return {
    entry,
    to,
    respelled,
    output: { performed: false, ...shown, ...(warnings.length > 0 ? { warnings } : {}) },
    binding: { ...shown, respelled, from_entry: entryBinding(entry.info) },
  };
}

function nameTaken(path: string): ToolError {
  return new ToolError(
    "destination_exists",
    `something is already called ${quote(path)}; nothing was changed. Choose another name`,
    { detail: { path } },
  );
}

/** What a person may not have meant by the change of a name. */
function renameWarnings(from: string, to: string, kind: string): string[] {
  const warnings: string[] = [];
  const extension = (name: string) => nativeRules.extname(name).toLowerCase();
  if (kind !== "directory" && extension(from) !== extension(to)) {
    warnings.push(
      `the extension changes from ${quote(extension(from))} to ${quote(extension(to))}`,
    );
  }
  if (to.startsWith(".") && !from.startsWith(".")) warnings.push("a leading dot hides the entry");
  return [...warnings, ...nameWarnings(to)];
}
