// The plan of a move: every check in the spec's order, so that a preview that passes is a move that
// would pass (local-tools spec, 1.6).

import {
  type Destination,
  type Existing,
  inspectTrash,
  isInside,
  isSameEntry,
  type Measure,
  nativeRules,
  quote,
  resolveDestination,
  resolveEntry,
  ToolError,
  trashBase,
  trashFolder,
} from "../../containment/mod.ts";
import { formatBytes } from "../format.ts";
import type { Bound, Plan, ToolContext } from "../tool.ts";
import {
  entryBinding,
  folderBinding,
  measureBinding,
  measureEntry,
  refuseGoverned,
  refuseNewNames,
  refuseTrashPart,
  refuseTrashTarget,
} from "./change.ts";
import { describeMove, type MoveOutput, newNames } from "./move_output.ts";

export interface MoveInput {
  source: string;
  destination: string;
  overwrite: boolean;
}

/** What stands where the source goes, and the trash that it goes to. */
export interface Displaced {
  info: Deno.FileInfo;
  measured: Measure;
  base: string;
}

/** What a move is made of. */
export interface MoveParts {
  source: Existing;
  final: Destination;
  measured: Measure;
  crossesVolume: boolean;
  /** The destination is another spelling of the source. */
  respelled: boolean;
  displaced?: Displaced;
}

export interface MovePlan extends Plan, MoveParts {
  output: MoveOutput;
}

export function planMove(context: ToolContext, input: MoveInput): MovePlan {
  const source = resolveEntry(input.source, "source", context);
  if (source.path === source.root.path) {
    throw new ToolError(
      "cannot_move_root",
      `${quote(source.path)} is a granted folder itself and is not moved; nothing was changed`,
    );
  }
  const { final, respelled } = finalPlace(context, source, input);
  const measured = measureEntry(context, source.path, source.info);
  refuseTrashPart(source, measured);
  refuseTrashTarget(final.path, final.root);
  refuseNewNames(context, newNames(source, final));
  refuseGoverned(context, source.path, final.path);
  const displaced = respelled ? undefined : planDisplaced(context, source, final);
  const ancestor = context.disk.lstat(final.ancestor);
  const crossesVolume = source.info.dev !== ancestor.dev;
  refuseUncopyable(source, measured, crossesVolume, displaced !== undefined);
  const space = crossesVolume ? freeSpace(context, final, measured) : undefined;
  const plan = { source, final, measured, crossesVolume, respelled, displaced };
  return {
    ...plan,
    output: describeMove(context, plan, space),
    binding: bind(plan, input, ancestor),
  };
}

/** Steps 2 to 7: where the entry would end up, and whether it may. */
function finalPlace(context: ToolContext, source: Existing, input: MoveInput) {
  const named = resolveDestination(input.destination, "destination", context);
  // Another spelling of the source's own name is no folder to move into; the very same one is.
  const spelled = named.path !== source.path && isSameEntry(context.disk, source.path, named.path);
  const final = named.info?.isDirectory && !spelled
    ? resolveDestination(
      nativeRules.join(named.path, nativeRules.basename(source.path)),
      "destination",
      context,
    )
    : named;
  if (final.path === source.path) {
    throw new ToolError(
      "destination_is_source",
      `${quote(source.path)} is already there; nothing was changed`,
    );
  }
  if (source.info.isDirectory && isInside(final.path, source.path)) {
    throw new ToolError(
      "destination_inside_source",
      `a folder cannot be moved into itself: ${quote(final.path)} is inside ${
        quote(source.path)
      }; ` +
        "nothing was changed",
    );
  }
  const respelled = isSameEntry(context.disk, source.path, final.path);
  if (final.info !== undefined && !respelled && !input.overwrite) {
    throw new ToolError(
      "destination_exists",
      `something is already at ${quote(final.path)}; nothing was changed. ` +
        (final.info.isSymlink
          ? "It is a symbolic link, which would itself be replaced: to move into a folder, give its real path"
          : "With overwrite it would go to the trash first"),
      { detail: { path: final.path } },
    );
  }
  return { final, respelled };
}

function planDisplaced(
  context: ToolContext,
  source: Existing,
  final: Destination,
): Displaced | undefined {
  const { info } = final;
  if (info === undefined) return undefined;
  const stays = final.path === final.root.path
    ? "is a granted folder itself"
    : isInside(source.path, final.path)
    ? "holds the source"
    : undefined;
  if (stays !== undefined) {
    throw new ToolError(
      "destination_exists",
      `${quote(final.path)} ${stays} and is not displaced; nothing was changed`,
      { detail: { path: final.path } },
    );
  }
  const measured = measureEntry(context, final.path, info);
  refuseTrashPart({ ...final, info }, measured);
  const base = trashBase(context.disk, final.path, info, final.root);
  inspectTrash(base, context);
  return { info, measured, base };
}

/** Steps 11 and 12: what cannot be copied faithfully is refused before anything moves. */
function refuseUncopyable(
  source: Existing,
  { kind, symlinks, special }: Measure,
  crossesVolume: boolean,
  displaces: boolean,
): void {
  const refuse = (code: string, what: string) => {
    throw new ToolError(code, `${quote(source.path)} ${what}; nothing was changed`);
  };
  if (crossesVolume || displaces) {
    if (symlinks.count > 0) {
      refuse(
        "symlink_in_tree",
        `holds ${symlinks.count} symlink(s), first ${quote(symlinks.first)}`,
      );
    }
    if (special.count > 0) {
      refuse(
        "special_file_in_tree",
        `holds ${special.count} special file(s), first ${quote(special.first)}`,
      );
    }
  }
  if (crossesVolume && kind === "special") {
    refuse("special_file", "is a special file and cannot be copied to another volume");
  }
}

/** Bytes free at the destination of a copy; refuses a copy that would not fit. */
function freeSpace(context: ToolContext, final: Destination, measured: Measure): number {
  const free = context.disk.freeSpace(final.ancestor);
  if (measured.allocated <= free) return free;
  throw new ToolError(
    "insufficient_space",
    `the copy needs ${formatBytes(measured.allocated)} and only ${formatBytes(free)} is free at ` +
      `${quote(final.ancestor)}; nothing was changed`,
    { detail: { needed: measured.allocated, free } },
  );
}

function bind(plan: MoveParts, input: MoveInput, ancestor: Deno.FileInfo) {
  const { source, final, measured, displaced } = plan;
  const binding: { [field: string]: Bound } = {
    action: "move",
    source: source.path,
    destination: final.path,
    overwrite: input.overwrite,
    ...measureBinding(measured),
    replaces_existing: displaced !== undefined,
    respelled: plan.respelled,
    crosses_volume: plan.crossesVolume,
    creates_directories: final.missing,
    ancestor: folderBinding(ancestor),
    source_entry: entryBinding(source.info),
    destination_entry: entryBinding(final.info),
  };
  if (displaced !== undefined) {
    binding.displaced_files = displaced.measured.files;
    binding.displaced_bytes = displaced.measured.bytes;
    binding.displaced_tree = displaced.measured.digest;
    binding.displaced_unreadable = displaced.measured.unreadable.count;
    binding.moved_to_trash = trashFolder(displaced.base);
  }
  return binding;
}
