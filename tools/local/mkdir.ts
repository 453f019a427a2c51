// create_local_folder: makes a folder and the missing ones above it (local-tools spec, 1.8).

import {
  asToolError,
  makeFolders,
  nativeRules,
  quote,
  resolveTarget,
  type Target,
  ToolError,
  visible,
} from "../../containment/mod.ts";
import { ADDS, defineChange, type Plan, type ToolContext } from "../tool.ts";
import {
  changeFields,
  confirmArguments,
  folderBinding,
  nameWarnings,
  planning,
  refuseGoverned,
  refuseNewNames,
  refuseTrashTarget,
} from "./change.ts";

/** The preview, which the result repeats. A type, so that it is a JSON value. */
type FolderOutput = {
  performed: boolean;
  action: string;
  path: string;
  already_existed?: boolean;
  creates_directories?: string[];
  warnings?: string[];
};

interface FolderPlan extends Plan {
  target: Target;
  output: FolderOutput;
}

export const mkdir = defineChange({
  name: "create_local_folder",
  set: "local",
  command: ["mkdir"],
  title: "Create a folder",
  brief: "Create a folder, with the missing folders above it",
  description: "Creates a folder inside the granted folders, with missing parents. Does nothing " +
    "when it exists. Without confirm it only plans: it reports what it would do, returns a " +
    "plan_token and changes nothing.",
  effect: "change",
  room: "disk-write",
  hints: { ...ADDS, idempotentHint: true },
  terminal: {
    positionals: ["path"],
    usage: "DIR",
    examples: [{
      line: "shieldfive mkdir Archive/2024",
      does: "both folders, if they are missing",
    }],
  },
  input: (z) =>
    z.strictObject({
      path: z.string().describe("Absolute path of the folder to create."),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...changeFields(z),
      path: z.string(),
      already_existed: z.boolean().optional(),
      creates_directories: z.array(z.string()).optional(),
    }),
  plan: (context, { path }): FolderPlan => planning(path, () => planFolder(context, path)),
  apply(context, _input, { target, output }) {
    context.signal.throwIfCancelled();
    createMissing(context, target);
    return { ...output, performed: true };
  },
  summary(output) {
    const path = visible(output.path);
    const notes = (output.warnings ?? []).map((warning) => ` Note: ${warning}.`).join("");
    if (output.already_existed) return `The folder ${path} exists already; nothing to do.`;
    const more = (output.creates_directories?.length ?? 1) - 1;
    const parents = more > 0 ? ` and ${more} missing folder(s) above it` : "";
    return output.performed
      ? `Created the folder ${path}${parents}.${notes}`
      : `Planned (nothing changed): create the folder ${path}${parents}.${notes}`;
  },
});

function planFolder(context: ToolContext, path: string): FolderPlan {
  const target = resolveTarget(path, "path", context);
  const shown: FolderOutput = { performed: false, action: "create_folder", path: target.path };
  if (target.missing.length === 0) {
    if (!context.disk.lstat(target.path).isDirectory) {
      throw new ToolError(
        "destination_exists",
        `${quote(target.path)} exists and is not a folder; nothing was changed`,
      );
    }
    return { target, output: { ...shown, already_existed: true }, binding: {}, settled: true };
  }
  refuseTrashTarget(target.path, target.root);
  refuseNewNames(context, target.missing);
  refuseGoverned(context, target.path);
  const creates = foldersToMake(target);
  const warnings = target.missing.flatMap(nameWarnings);
  return {
    target,
    output: {
      ...shown,
      creates_directories: creates,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    binding: {
      action: "create_folder",
      path: target.path,
      creates_directories: creates,
      ancestor: folderBinding(context.disk.lstat(target.ancestor)),
    },
  };
}

/** Every folder that has to be made for a target, outermost first. */
export function foldersToMake(target: Target): string[] {
  return target.missing.map((_, i) =>
    nativeRules.join(target.ancestor, ...target.missing.slice(0, i + 1))
  );
}

/** Makes a target's missing folders; all or none. */
export function createMissing(context: ToolContext, target: Target): string[] {
  try {
    return makeFolders(context.disk, target.ancestor, target.missing);
  } catch (error) {
    throw asToolError(error, "creating a folder", target.path);
  }
}
