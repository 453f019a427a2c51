// What the changing tools share: how an entry is described, and the rules that hold for everything that
// is moved (local-tools spec, 1.0.2 and section 5).

import {
  asToolError,
  type Existing,
  hasHidden,
  identityOf,
  isInTrash,
  ITEMS_FOLDER,
  MANIFEST_NAME,
  type Measure,
  measure,
  nativeRules,
  quote,
  README_NAME,
  refuseProtected,
  STAGING_PREFIX,
  ToolError,
  TRASH_NAME,
  windowsNameProblem,
} from "../../containment/mod.ts";
import { count, formatBytes } from "../format.ts";
import type { Bound, ToolContext } from "../tool.ts";

export { approvalOf, changeFields, confirmArguments } from "../confirm.ts";
export { reasonOf } from "../reason.ts";

/** Counts of an entry as a plan shows them. */
export function measureFields(measured: Measure) {
  return {
    kind: measured.kind,
    files: measured.files,
    bytes: measured.bytes,
    bytes_human: formatBytes(measured.bytes),
  };
}

/** Counts of an entry as a plan is bound to them. */
export function measureBinding(measured: Measure): { [field: string]: Bound } {
  return {
    kind: measured.kind,
    files: measured.files,
    bytes: measured.bytes,
    unreadable: measured.unreadable.count,
    tree: measured.digest,
  };
}

/** An entry's identity as a plan is bound to it; a type that is not there reads as `absent`. */
export function entryBinding(info: Deno.FileInfo | undefined): Bound {
  return info === undefined ? "absent" : identityOf(info);
}

/** Identity of a folder whose content may change without mattering. */
export function folderBinding(info: Deno.FileInfo): Bound {
  return { dev: info.dev, ino: info.ino };
}

/** Makes a plan; a system error that nothing in it expected is told with its code. */
export function planning<P>(path: string, plan: () => P): P {
  try {
    return plan();
  } catch (error) {
    throw asToolError(error, "looking at the disk", path);
  }
}

/** Measures with the context's signal and progress. */
export function measureEntry(context: ToolContext, path: string, info: Deno.FileInfo): Measure {
  return measure(path, info, context);
}

const KIND_NAMES: Record<string, string> = {
  directory: "folder",
  special: "special file",
  symlink: "symbolic link",
};

/** A kind as people call it. */
export function kindName(kind: string): string {
  return KIND_NAMES[kind] ?? kind;
}

/** `folder (3 files, 1.2 MB)`, for summaries. */
export function describeEntry(kind: string, files: number, bytes: number): string {
  if (kind === "directory") return `folder (${count(files, "file")}, ${formatBytes(bytes)})`;
  return kind === "file" ? `file (${formatBytes(bytes)})` : kindName(kind);
}

/** A warning for what could not be looked at, so that the counts are not taken for the whole. */
export function unreadableWarnings(measured: Measure): string[] {
  const { count: n, first } = measured.unreadable;
  if (n === 0) return [];
  return [`${n} item(s) could not be read and are not in the counts (first: ${quote(first)})`];
}

/** What a person may not have meant by a new name, in words. */
export function nameWarnings(name: string): string[] {
  const warnings: string[] = [];
  if (hasHidden(name)) {
    warnings.push(`the name ${quote(name)} holds characters that cannot be seen`);
  }
  const problem = windowsNameProblem(name);
  if (problem !== undefined) warnings.push(`the name ${quote(name)} ${problem}`);
  return warnings;
}

/** Throws `invalid_path` for a new name that the platform would turn into another one. */
export function refuseNewNames(context: ToolContext, names: readonly string[]): void {
  if ((context.rules ?? nativeRules).sep === "/") return;
  for (const name of names) {
    const problem = windowsNameProblem(name);
    if (problem === undefined) continue;
    throw new ToolError(
      "invalid_path",
      `the name ${quote(name)} ${problem}; nothing was changed. Choose another name`,
    );
  }
}

/** What makes a batch a batch; anything else in it is an item, which may be moved out by hand. */
const BATCH_PARTS: readonly string[] = [MANIFEST_NAME, README_NAME, ITEMS_FOLDER];

/** Throws `trash_protected` when a change would take a trash apart (spec 1.6). */
export function refuseTrashPart(entry: Existing, measured: Measure | undefined): void {
  const refusal = (why: string) =>
    new ToolError("trash_protected", `${quote(entry.path)} ${why}; nothing was changed`);
  if (entry.path !== entry.root.path) {
    const below = entry.path.slice(entry.root.path.length + 1).split(nativeRules.sep);
    const at = below.indexOf(TRASH_NAME);
    const inside = at < 0 ? -1 : below.length - 1 - at;
    if (inside === 0 && entry.info.isDirectory) throw refusal("is a trash folder");
    if (inside === 1) throw refusal("is a trash batch; use restore_local to put it back");
    if (inside === 2 && BATCH_PARTS.includes(below.at(-1)!)) {
      throw refusal("is part of a trash batch");
    }
  }
  if (measured !== undefined && measured.trashes.count > 0) {
    throw refusal(`holds a trash folder, ${quote(measured.trashes.first)}`);
  }
}

/** Throws when something new would be put into a trash, or under a name that the program uses. */
export function refuseTrashTarget(path: string, root: Existing["root"]): void {
  const name = nativeRules.basename(path);
  if (isInTrash(path, root)) {
    throw new ToolError(
      "trash_protected",
      `${quote(path)} is inside a trash folder, where only trash_local puts things; ` +
        "nothing was changed",
    );
  }
  if (name.startsWith(STAGING_PREFIX)) {
    throw new ToolError(
      "trash_protected",
      `the name ${quote(name)} is kept for copies in progress; nothing was changed`,
    );
  }
}

/** What every moved or removed entry must pass. */
export function refuseGoverned(context: ToolContext, ...paths: string[]): void {
  for (const path of paths) refuseProtected(path, context.protectedPaths);
}
