// Carrying out a restore: item by item, going on after one that fails, and noting in its manifest what
// went back. The items themselves are moved with the same rule as everything: never over something.

import {
  asToolError,
  errnoOf,
  MANIFEST_NAME,
  moveNoReplace,
  nativeRules,
  quote,
  removeEmptyFolders,
  resolveDestination,
  type StoredBatch,
  ToolError,
  writeManifest,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { createMissing } from "./mkdir.ts";
import type { Blocked, Restorable, RestorePlan } from "./restore_plan.ts";

type Restored = { original_path: string; restored_to: string };

/** Carries out a plan that was approved. */
export function applyRestore(context: ToolContext, plan: RestorePlan) {
  const restored: Restored[] = [];
  const failed: Blocked[] = [...plan.blocked];
  const touched = new Set<StoredBatch>();
  let cancelled: ToolError | undefined;
  for (const each of plan.restorable) {
    try {
      context.signal.throwIfCancelled();
      const { path } = restoreOne(context, each);
      restored.push({ original_path: each.item.original, restored_to: path });
      touched.add(each.batch);
      note(context, each, path);
    } catch (error) {
      if (error instanceof ToolError && error.code === "cancelled") {
        cancelled = error;
        break;
      }
      failed.push(blocked(error, each));
    }
    const total = plan.restorable.length;
    context.progress({ done: restored.length, total, unit: "files", label: "restoring" });
  }
  const warnings = [...touched].flatMap((batch) => record(context, batch));
  const manifests = [...touched].map((batch) => nativeRules.join(batch.folder, MANIFEST_NAME));
  if (cancelled !== undefined) throw stopped(cancelled, plan, restored, manifests);
  if (restored.length === 0) throw allFailed(failed);
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
  const made = createMissing(context, { ...now, path: nativeRules.dirname(now.path) });
  try {
    moveNoReplace(context.disk, item.stored, now.path, item.info);
  } catch (error) {
    removeEmptyFolders(context.disk, made);
    if (errnoOf(error) !== "EXDEV") throw error;
    throw new ToolError(
      "trash_cross_device",
      `${quote(now.path)} is on another volume than its trash; restore it on its own volume and ` +
        "then use move_local",
      { cause: error },
    );
  }
  return now;
}

function blocked(error: unknown, { item }: Restorable): Blocked {
  const failure = asToolError(error, "restoring", item.original);
  if (!(failure instanceof ToolError)) throw failure;
  return { original_path: item.original, code: failure.code, message: failure.message };
}

/** Notes an item's return in the manifest that was read; unknown keys stay as they are. */
function note(context: ToolContext, { item }: Restorable, path: string): void {
  item.entry.state = "restored";
  item.entry.restored_to = path;
  item.entry.restored_at = new Date(context.now()).toISOString();
}

/** Writes a batch's manifest; where that fails, the items are back all the same. */
function record(context: ToolContext, batch: StoredBatch): string[] {
  try {
    writeManifest(context.disk, batch.folder, batch.record!, { first: false });
    return [];
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return [`the manifest of ${quote(batch.name)} could not be brought up to date (${errno})`];
  }
}

function stopped(
  cause: ToolError,
  plan: RestorePlan,
  restored: Restored[],
  manifests: string[],
): ToolError {
  if (restored.length === 0) return cause;
  const back = new Set(restored.map((item) => item.original_path));
  const rest = plan.restorable.map(({ item }) => item.original).filter((path) => !back.has(path));
  return new ToolError(
    "cancelled_partially_applied",
    `cancelled: ${restored.length} of ${plan.restorable.length} items were restored; ` +
      "the rest is still in the trash",
    { detail: { restored, not_restored: rest, manifests }, changedAnything: true, cause },
  );
}

function allFailed(failed: Blocked[]): ToolError {
  const [first] = failed;
  const code = failed.length === 1 ? first.code : "restore_failed";
  return new ToolError(code, `nothing was restored: ${first.message}`, {
    detail: { not_restored: failed },
  });
}
