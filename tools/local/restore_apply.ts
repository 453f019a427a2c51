// Carrying out a restore: item by item, going on after one that fails, and noting in its manifest what
// went back. The items themselves are moved with the same rule as everything: never over something.

import {
  asToolError,
  errnoOf,
  MANIFEST_NAME,
  moveNoReplace,
  nativeRules,
  quote,
  readBatch,
  removeEmptyFolders,
  resolveDestination,
  type StoredBatch,
  ToolError,
  writeManifest,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { createMissing } from "./mkdir.ts";
import { reasonOf } from "./change.ts";
import { type Blocked, otherVolume, type Restorable, type RestorePlan } from "./restore_plan.ts";

type Restored = { original_path: string; restored_to: string };

/** What one batch's manifest has to note: what becomes of an item, by its place in the trash. */
type Notes = Map<string, { state: "restored"; restored_to: string; restored_at: string }>;

/** Carries out a plan that was approved. */
export function applyRestore(context: ToolContext, plan: RestorePlan) {
  const restored: Restored[] = [];
  const failed: Blocked[] = [...plan.blocked];
  const touched = new Map<StoredBatch, Notes>();
  let cancelled: ToolError | undefined;
  /** Whether something stayed behind of an item that could not be restored. */
  let left = false;
  for (const each of plan.restorable) {
    try {
      context.signal.throwIfCancelled();
      restoreOne(context, each);
      restored.push({ original_path: each.item.original, restored_to: each.to.path });
      const notes: Notes = touched.get(each.batch) ?? new Map();
      touched.set(each.batch, notes);
      notes.set(each.item.stored, {
        state: "restored",
        restored_to: each.to.path,
        restored_at: new Date(context.now()).toISOString(),
      });
    } catch (error) {
      if (error instanceof ToolError && error.code === "cancelled") {
        cancelled = error;
        break;
      }
      failed.push(blocked(error, each));
      left ||= error instanceof ToolError && error.changedAnything;
    }
    const total = plan.restorable.length;
    context.progress({ done: restored.length, total, unit: "files", label: "restoring" });
  }
  const warnings = [...touched].flatMap(([batch, notes]) => record(context, batch, notes));
  const manifests = [...touched.keys()].map(({ folder }) =>
    nativeRules.join(folder, MANIFEST_NAME)
  );
  if (cancelled !== undefined) throw stopped(cancelled, plan, restored, failed, manifests);
  if (restored.length === 0) throw allFailed(failed, left);
  return {
    performed: true,
    action: "restore",
    restored,
    not_restored: failed,
    manifests,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function restoreOne(context: ToolContext, { item, to }: Restorable) {
  const now = resolveDestination(to.path, "restore_to", context);
  if (now.path !== to.path) {
    throw new ToolError(
      "destination_changed",
      `${quote(to.path)} leads to ${quote(now.path)} by now, which was not planned`,
    );
  }
  const made = createMissing(context, { ...now, path: nativeRules.dirname(now.path) });
  try {
    moveNoReplace(context.disk, item.stored, now.path, item.info);
  } catch (error) {
    removeEmptyFolders(context.disk, made);
    if (errnoOf(error) !== "EXDEV") throw error;
    throw new ToolError("trash_cross_device", otherVolume(now.path), { cause: error });
  }
}

function blocked(error: unknown, { item }: Restorable): Blocked {
  const failure = asToolError(error, "restoring", item.original);
  if (!(failure instanceof ToolError)) throw failure;
  return { original_path: item.original, code: failure.code, message: reasonOf(failure) };
}

/**
 * Notes what went back in a batch's manifest, read afresh since another process may have written
 * it; keys that are not known stay as they are. Where that fails, the items are back all the same.
 */
function record({ disk }: ToolContext, { folder, name }: StoredBatch, notes: Notes): string[] {
  const stale = (why: string) => [
    `the manifest of ${quote(name)} could not be brought up to date (${why})`,
  ];
  try {
    const { record, items } = readBatch(disk, folder);
    if (record === undefined) return stale("it cannot be read any more");
    for (const { stored, entry } of items) Object.assign(entry, notes.get(stored));
    writeManifest(disk, folder, record.manifest, record.info);
    return [];
  } catch (error) {
    const why = error instanceof ToolError ? error.message : errnoOf(error);
    if (why === undefined) throw error;
    return stale(why);
  }
}

function stopped(
  cause: ToolError,
  plan: RestorePlan,
  restored: Restored[],
  failed: Blocked[],
  manifests: string[],
): ToolError {
  if (restored.length === 0) return cause;
  const tried = restored.length + failed.length - plan.blocked.length;
  const rest = plan.restorable.slice(tried).map(({ item }) => ({
    original_path: item.original,
    code: "cancelled",
    message: "the call was cancelled before this item",
  }));
  return new ToolError(
    "cancelled_partially_applied",
    `cancelled: ${restored.length} of ${plan.restorable.length} items were restored; ` +
      "the rest is still in the trash",
    {
      detail: { restored, not_restored: [...failed, ...rest], manifests },
      changedAnything: true,
      cause,
    },
  );
}

function allFailed(failed: Blocked[], changedAnything: boolean): ToolError {
  const [first] = failed;
  const code = failed.length === 1 ? first.code : "restore_failed";
  return new ToolError(code, `nothing was restored: ${first.message}`, {
    detail: { not_restored: failed },
    changedAnything,
  });
}
