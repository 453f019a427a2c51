// Carrying out a move. Order matters: what is displaced is safe in the trash before the source moves,
// and whatever fails after that puts it back (local-tools spec, 1.6 and 6.7).

import {
  asToolError,
  Batch,
  batchName,
  errnoOf,
  lookAt,
  type Lost,
  moveAcrossVolumes,
  moveNoReplace,
  nativeRules,
  quote,
  removeEmptyFolders,
  resolveDestination,
  stagingName,
  ToolError,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { createMissing } from "./mkdir.ts";
import type { MovePlan } from "./move_plan.ts";

/** What the move itself did. */
interface Moved {
  method: "rename" | "copy+remove";
  guard: string;
  left: { path: string; reason: string }[];
  lost: Lost;
  cancelledLate: boolean;
}

/** Carries out a plan that was approved. */
export function applyMove(context: ToolContext, plan: MovePlan) {
  const { final, displaced } = plan;
  const now = resolveDestination(final.path, "destination", context);
  if ((now.info === undefined) !== (final.info === undefined)) {
    throw new ToolError(
      "destination_changed",
      `what is at ${quote(final.path)} changed after the plan was checked; nothing was changed`,
    );
  }
  context.signal.throwIfCancelled();
  const batch = displaced === undefined ? undefined : displace(context, plan);
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
function displace(context: ToolContext, { final, displaced }: MovePlan): Batch {
  const { info, measured, base } = displaced!;
  let batch: Batch | undefined;
  try {
    batch = Batch.open(base, batchName(context.now()), "move_local", [{
      source: final.path,
      info,
      files: measured.files,
      bytes: measured.bytes,
      reason: "displaced by a move",
    }], context);
    batch.move(0);
    return batch;
  } catch (error) {
    if (batch?.has(0)) throw undo(error, final.path, batch);
    batch?.settle();
    throw asToolError(error, "moving to the trash", final.path);
  }
}

function relocate(context: ToolContext, plan: MovePlan): Moved {
  const { source, final } = plan;
  const { disk } = context;
  const rename = (from: string, to: string): Moved => ({
    method: "rename",
    guard: moveNoReplace(disk, from, to, source.info),
    left: [],
    lost: new Set(),
    cancelledLate: false,
  });
  if (plan.respelled) {
    const between = stagingName(nativeRules.dirname(final.path));
    rename(source.path, between);
    try {
      return rename(between, final.path);
    } catch (error) {
      rename(between, source.path);
      throw error;
    }
  }
  if (!plan.crossesVolume) {
    try {
      return rename(source.path, final.path);
    } catch (error) {
      // Two mounts of one volume share its number but refuse a rename between them.
      if (errnoOf(error) !== "EXDEV") throw error;
      refuseSilentCopy(plan);
    }
  }
  const { guard, left, lost, cancelledLate } = moveAcrossVolumes(
    source.path,
    final.path,
    source.info,
    { ...context, onBytes: bytesProgress(context, plan) },
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
  const cause_code = failure instanceof ToolError ? failure.code : "internal";
  const trashed = batch.destination(0);
  try {
    batch.putBack(0);
  } catch (second) {
    return new ToolError(
      "move_failed_destination_in_trash",
      `the move failed (${(failure as Error).message}), and what stood at ${quote(final)} ` +
        `could not be put back (${(second as Error).message}); it is safe at ${quote(trashed)}`,
      {
        detail: { cause_code, trashed_to: trashed, manifest: batch.manifestPath },
        changedAnything: true,
        cause: error,
      },
    );
  }
  if (cause_code === "cancelled" || !(failure instanceof ToolError)) return failure;
  return new ToolError(
    "move_failed_destination_restored",
    `the move failed (${failure.message}); what stood at ${quote(final)} was put back`,
    { detail: { cause_code, ...failure.detail }, cause: error },
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
  const warnings = [...(shown.warnings ?? []), ...more];
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
