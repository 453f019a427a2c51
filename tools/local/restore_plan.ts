// The plan of a restore: which items, from which batches, to where, and which cannot go back as
// things are (local-tools spec, 1.10).

import {
  byCodeUnit,
  cut,
  type Destination,
  type Kind,
  lookAt,
  nativeRules,
  quote,
  resolveDestination,
  type StoredBatch,
  type StoredItem,
  ToolError,
} from "../../containment/mod.ts";
import { formatBytes } from "../format.ts";
import type { Plan, ToolContext } from "../tool.ts";
import {
  entryBinding,
  folderBinding,
  measureBinding,
  measureEntry,
  reasonOf,
  refuseGoverned,
  refuseTrashTarget,
  unreadableWarnings,
} from "./change.ts";
import { foldersToMake } from "./mkdir.ts";
import { choose, type Chosen, type RestoreInput } from "./restore_choose.ts";

/** An item to put back. */
export interface Restorable {
  batch: StoredBatch;
  item: StoredItem & { info: Deno.FileInfo };
  to: Destination;
}

/** An item that stays, and why. A type, so that it is a JSON value. */
export type Blocked = { original_path: string; code: string; message: string; restore_as?: string };

export interface RestorePlan extends Plan {
  restorable: Restorable[];
  blocked: Blocked[];
}

export function planRestore(context: ToolContext, input: RestoreInput): RestorePlan {
  const chosen = choose(context, input);
  if (input.restore_as !== undefined && chosen.length !== 1) {
    throw new ToolError(
      "invalid_argument",
      `restore_as goes with exactly one item, and this would restore ${chosen.length}; ` +
        "nothing was changed",
    );
  }
  const restorable: Restorable[] = [];
  const blocked: Blocked[] = [];
  const claimed = new Set<string>();
  for (const each of chosen) {
    const found = place(context, each, input.restore_as, claimed);
    if ("code" in found) blocked.push(found);
    else restorable.push(found);
  }
  // Outer folders first, so that what was inside them finds its place.
  restorable.sort((a, b) => byCodeUnit(a.to.path, b.to.path));
  if (restorable.length === 0) throw nothingToRestore(blocked);
  return finishPlan(context, restorable, blocked);
}

function nothingToRestore(blocked: Blocked[]): ToolError {
  const [only] = blocked;
  if (only === undefined) {
    return new ToolError(
      "not_found",
      "nothing in the trash is left to restore; nothing was changed",
    );
  }
  const detail = { not_restored: blocked };
  if (blocked.length === 1) {
    return new ToolError(only.code, `${only.message}; nothing was changed`, { detail });
  }
  return new ToolError(
    "restore_failed",
    `none of the ${blocked.length} items can be restored (first: ${only.message}); ` +
      "nothing was changed",
    { detail },
  );
}

/** Where an item can go back to, or why it cannot. */
function place(
  context: ToolContext,
  { batch, item }: Chosen,
  restoreAs: string | undefined,
  claimed: Set<string>,
): Restorable | Blocked {
  const wanted = restoreAs ?? item.original;
  const block = (code: string, message: string, free?: string): Blocked => ({
    original_path: item.original,
    code,
    message,
    ...(free === undefined ? {} : { restore_as: free }),
  });
  const { info } = item;
  if (info === undefined) {
    return item.state === "restored"
      ? block("not_found", `${quote(item.original)} was restored already`)
      : block("not_found", `${quote(item.original)} is not in its batch any more`);
  }
  let to: Destination;
  try {
    to = resolveDestination(
      wanted,
      restoreAs === undefined ? "original_path" : "restore_as",
      context,
    );
    refuseTrashTarget(to.path, to.root);
    refuseGoverned(context, to.path);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return block(error.code, reasonOf(error));
  }
  if (to.info !== undefined || claimed.has(to.path)) {
    const free = freeName(context, to.path, item.entry.kind, claimed);
    return block(
      "destination_exists",
      `something is already at ${quote(to.path)} and is not replaced; restore_as ${
        quote(free)
      } is free`,
      free,
    );
  }
  const { dev } = context.disk.lstat(nativeRules.dirname(item.stored));
  if (dev !== context.disk.lstat(to.ancestor).dev) {
    return block("trash_cross_device", otherVolume(to.path));
  }
  claimed.add(to.path);
  return { batch, item: { ...item, info }, to };
}

/** Why an item cannot go back to a place that is not on its trash's volume. */
export function otherVolume(path: string): string {
  return `${quote(path)} is on another volume than its trash; restore it on its own volume and ` +
    "then use move_local";
}

/** Bytes of the longest name that every common file system takes. */
const MAX_NAME = 255;

/** The path with a number that nothing has yet. */
function freeName(
  context: ToolContext,
  path: string,
  kind: Kind,
  claimed: Set<string>,
): string {
  const size = (text: string) => new TextEncoder().encode(text).length;
  const { dir, base, ext } = nativeRules.parse(path);
  const suffix = kind === "directory" || size(ext) > 32 ? "" : ext;
  const stem = base.slice(0, base.length - suffix.length);
  for (let n = 1;; n++) {
    const end = ` (restored${n === 1 ? "" : ` ${n}`})${suffix}`;
    let units = stem.length;
    while (size(cut(stem, units) + end) > MAX_NAME) units--;
    const free = nativeRules.join(dir, cut(stem, units) + end);
    if (!claimed.has(free) && lookAt(context.disk, free) === undefined) return free;
  }
}

function finishPlan(
  context: ToolContext,
  restorable: Restorable[],
  blocked: Blocked[],
): RestorePlan {
  const measured = restorable.map(({ item }) => measureEntry(context, item.stored, item.info));
  const creates = new Set(restorable.flatMap(({ to }) => foldersToMake(to)));
  for (const { to } of restorable) creates.delete(to.path);
  const modified = restorable.filter(({ item }) => item.state === "modified").length;
  const warnings = [
    ...measured.flatMap(unreadableWarnings),
    ...(modified > 0 ? [`${modified} item(s) changed while they were in the trash`] : []),
  ];
  return {
    restorable,
    blocked,
    output: {
      performed: false,
      action: "restore",
      items: restorable.map(({ batch, item, to }, i) => ({
        batch: batch.name,
        original_path: item.original,
        trashed_to: item.stored,
        restore_to: to.path,
        kind: measured[i].kind,
        files: measured[i].files,
        bytes: measured[i].bytes,
        bytes_human: formatBytes(measured[i].bytes),
        plan_binding: measured[i].binding,
      })),
      blocked,
      creates_directories: [...creates].sort(byCodeUnit),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    binding: {
      action: "restore",
      items: Object.fromEntries(restorable.map(({ item, to }, i) => [item.stored, {
        original_path: item.original,
        restore_to: to.path,
        creates_directories: to.missing,
        ancestor: folderBinding(context.disk.lstat(to.ancestor)),
        ...measureBinding(measured[i]),
        entry: entryBinding(item.info),
      }])),
      blocked: blocked.map(({ original_path, code }) => ({ original_path, code })),
    },
  };
}
