// Carrying out a move. Order matters: what is displaced is safe in the trash before the source moves,
// and whatever fails after that puts it back (local-tools spec, 1.6 and 6.7).

import {
  asToolError,
  Batch,
  batchName,
  errnoOf,
  type Lost,
  moveAcrossVolumes,
  moveNoReplace,
  nativeRules,
  quote,
  removeEmptyFolders,
  resolveDestination,
  respell,
  stagingName,
  ToolError,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { createMissing } from "./mkdir.ts";
import type { MovePlan } from "./move_plan.ts";
import { reasonOf } from "./change.ts";

/** What the move itself did. */
interface Moved {
  method: "rename" | "copy+remove";
  guard: string;
  left: { path: string; reason: string }[];
  lost: Lost;
  cancelledLate: boolean;
}

/** Carries out a plan that was approved. */
export function applyMove(context: ToolContext, plan: MovePlan, approval?: string) {
  const { final, displaced } = plan;
  const now = resolveDestination(final.path, "destination", context);
  if ((now.info === undefined) !== (final.info === undefined)) {
    throw new ToolError(
      "destination_changed",
      `what is at ${quote(final.path)} changed after the plan was checked; nothing was changed`,
    );
  }
  context.signal.throwIfCancelled();
  const batch = displaced === undefined ? undefined : displace(context, plan, approval);
  let made: string[] = [];
  let moved: Moved;
  try {
    context.signal.throwIfCancelled();
    made = createMissing(context, { ...final, path: nativeRules.dirname(final.path) });
    moved = relocate(context, plan);
  } catch (error) {
    removeEmptyFolders(context.disk, made);
    throw undo(error, final.path, batch);
  }
  const warnings = finishBatch(batch);
  return describe(plan, moved, batch, warnings);
}

/** Moves what stands at the destination to the trash; on failure nothing has happened. */
function displace(
  context: ToolContext,
  { final, displaced }: MovePlan,
  approval: string | undefined,
): Batch {
  const { info, measured, base } = displaced!;
  const origin = {
    base,
    root: final.root.path,
    name: batchName(context.now()),
    tool: "move_local",
    approval,
  };
  const { files, bytes } = measured;
  const item = { source: final.path, info, files, bytes, reason: "displaced by a move" };
  let batch: Batch | undefined;
  try {
    batch = Batch.open(origin, [item], context);
    batch.move(0);
    return batch;
  } catch (error) {
    if (batch?.has(0)) throw undo(error, final.path, batch);
    const failure = asToolError(error, "moving to the trash", final.path);
    try {
      batch?.settle();
    } catch (second) {
      // The manifest as it is names the item's place; the failure that led here matters more.
      if (errnoOf(second) === undefined) throw second;
    }
    throw failure;
  }
}

function relocate(context: ToolContext, plan: MovePlan): Moved {
  const { source, final } = plan;
  const { disk } = context;
  try {
    const guard = plan.respelled
      ? respell(
        disk,
        source.path,
        final.path,
        stagingName(nativeRules.dirname(final.path)),
        source.info,
      )
      : moveNoReplace(disk, source.path, final.path, source.info);
    return { method: "rename", guard, left: [], lost: new Set(), cancelledLate: false };
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    // Two mounts of one volume share its number but refuse a rename between them.
    if (!plan.crossesVolume) refuseSilentCopy(plan);
  }
  const { guard, left, lost, cancelledLate } = moveAcrossVolumes(
    source.path,
    final.path,
    source.info,
    { ...context, entries: plan.measured.entries, onBytes: bytesProgress(context, plan) },
  );
  const method = source.info.isSymlink ? "rename" : "copy+remove";
  return { method, guard, left, lost, cancelledLate };
}

/** A copy removes its original, so it is never made without having been announced. */
function refuseSilentCopy({ source, final }: MovePlan): void {
  throw new ToolError(
    "destination_changed",
    `${quote(final.path)} turned out to be on another mount than ${
      quote(source.path)
    }, so that a ` +
      "move would be a copy, which was not planned; nothing was changed",
    { detail: { errno: "EXDEV" } },
  );
}

/** Every byte is read from the source and read again from the copy. */
function bytesProgress(context: ToolContext, { measured }: MovePlan): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    context.progress({ done, total: 2 * measured.bytes, unit: "bytes", label: "copying" });
  };
}

/**
 * After a failed move: puts back what was displaced and says what became of it.
 *
 * @returns the error to throw.
 */
function undo(error: unknown, final: string, batch: Batch | undefined): unknown {
  const failure = asToolError(error, "moving", final);
  if (batch === undefined) return failure;
  const [cause_code, detail] = failure instanceof ToolError
    ? [failure.code, failure.detail]
    : ["internal", undefined];
  const trashed = batch.destination(0);
  try {
    batch.putBack(0);
  } catch (second) {
    return new ToolError(
      "move_failed_destination_in_trash",
      `the move failed (${reasonOf(failure)}), and what stood at ${quote(final)} could not be ` +
        `put back (${reasonOf(second)}); it is safe at ${quote(trashed)}`,
      {
        detail: { ...detail, cause_code, trashed_to: trashed, manifest: batch.manifestPath },
        changedAnything: true,
        cause: error,
      },
    );
  }
  batch.discard();
  if (cause_code === "cancelled" || !(failure instanceof ToolError)) return failure;
  return new ToolError(
    "move_failed_destination_restored",
    `the move failed (${reasonOf(failure)}); what stood at ${quote(final)} was put back`,
    {
      detail: { ...detail, cause_code },
      changedAnything: failure.changedAnything,
      cause: error,
    },
  );
}

/** A manifest that cannot be brought up to date still names every place, as planned. */
function finishBatch(batch: Batch | undefined): string[] {
  try {
    batch?.finish();
    return [];
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return [
      `the manifest could not be brought up to date (${errno}); it lists the item as planned`,
    ];
  }
}

function describe(plan: MovePlan, moved: Moved, batch: Batch | undefined, more: string[]) {
  const { metadata_not_preserved, ...shown } = plan.output;
  const left = moved.left.map(({ path }) => path);
  const warnings = [...(shown.warnings ?? []), ...(batch?.warnings ?? []), ...more];
  const lost = moved.method === "copy+remove"
    ? [...(metadata_not_preserved ?? []), ...moved.lost]
    : [];
  return {
    ...shown,
    performed: true,
    method: moved.method,
    replace_guard: moved.guard,
    source_left_in_place: left,
    ...(left.length > 0 ? { source_left_reasons: moved.left } : {}),
    ...(batch === undefined
      ? {}
      : { displaced_to: batch.destination(0), manifest: batch.manifestPath }),
    ...(lost.length > 0 ? { metadata_not_preserved: lost } : {}),
    cancelled_after_start: moved.cancelledLate,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
