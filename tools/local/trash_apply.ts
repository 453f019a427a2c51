// Carrying out a trash call: one batch for each trash folder, opened when its first item is due. The
// first failure, or a wish to stop, ends the loop between two items; what moved by then is recorded
// and told item by item (local-tools spec, 6.5 and 6.6).

import {
  asToolError,
  Batch,
  batchName,
  quote,
  type ReplaceGuard,
  ToolError,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { reasonOf } from "./change.ts";
import type { PlannedItem, TrashPlan } from "./trash_plan.ts";

/** Items named in a message before it only counts. */
const MAX_NAMED = 10;

interface Move {
  item: PlannedItem;
  batch: Batch;
  /** The item's place in its batch. */
  index: number;
  guard: ReplaceGuard;
}

/** Carries out a plan that was approved. */
export function applyTrash(context: ToolContext, plan: TrashPlan, approval?: string) {
  const run = new TrashRun(context, plan, approval);
  const failure = run.moveAll();
  const stale = run.finish(failure !== undefined);
  if (failure !== undefined) throw run.failed(failure, stale);
  return describe(plan, run, stale);
}

class TrashRun {
  readonly moves: Move[] = [];
  readonly #context: ToolContext;
  readonly #plan: TrashPlan;
  readonly #approval?: string;
  readonly #batches = new Map<string, Batch>();
  readonly #next = new Map<string, number>();
  readonly stamp: string;

  constructor(context: ToolContext, plan: TrashPlan, approval?: string) {
    this.#context = context;
    this.#plan = plan;
    this.#approval = approval;
    this.stamp = batchName(context.now());
  }

  /** The failure that stopped the loop, or undefined when everything moved. */
  moveAll(): unknown {
    for (const item of this.#plan.items) {
      try {
        this.#context.signal.throwIfCancelled();
        const batch = this.#batchFor(item);
        const index = this.#next.get(item.base)!;
        this.#next.set(item.base, index + 1);
        this.#moveOne(item, batch, index);
        const done = this.moves.length;
        const total = this.#plan.items.length;
        this.#context.progress({ done, total, unit: "files", label: "trashing" });
      } catch (error) {
        return error;
      }
    }
    return undefined;
  }

  #moveOne(item: PlannedItem, batch: Batch, index: number): void {
    try {
      const guard = batch.move(index);
      this.moves.push({ item, batch, index, guard });
    } catch (error) {
      // The item may have moved and only the record of it failed.
      if (batch.has(index)) this.moves.push({ item, batch, index, guard: "checked" });
      throw error;
    }
  }

  #batchFor({ base, entry }: PlannedItem): Batch {
    const open = this.#batches.get(base);
    if (open !== undefined) return open;
    const items = this.#plan.items.filter((item) => item.base === base).map((item) => ({
      source: item.entry.path,
      info: item.entry.info,
      files: item.measured.files,
      bytes: item.measured.bytes,
      ...(item.sha256 === undefined ? {} : { sha256: item.sha256 }),
    }));
    const origin = {
      base,
      root: entry.root.path,
      name: this.stamp,
      tool: "trash_local",
      approval: this.#approval,
    };
    const batch = Batch.open(origin, items, this.#context);
    this.#batches.set(base, batch);
    this.#next.set(base, 0);
    return batch;
  }

  /** Brings the manifests up to date; the ones that could not be, with the reason. */
  finish(failed: boolean): { manifest: string; reason: string }[] {
    return [...this.#batches.values()].flatMap((batch) => {
      try {
        if (failed) batch.settle();
        else batch.finish();
        return [];
      } catch (error) {
        return [{ manifest: batch.manifestPath, reason: (error as Error).message }];
      }
    });
  }

  get warnings(): string[] {
    return [...this.#batches.values()].flatMap((batch) => batch.warnings);
  }

  get manifests(): string[] {
    return [...new Set(this.moves.map(({ batch }) => batch.manifestPath))];
  }

  /** What to throw after the loop stopped early (spec 1.9). */
  failed(cause: unknown, stale: { manifest: string }[]): unknown {
    const first = this.#plan.items[this.moves.length]?.entry.path ?? "";
    const error = asToolError(cause, "moving to the trash", first);
    if (!(error instanceof ToolError)) return error;
    const cancelled = error.code === "cancelled";
    const detail = {
      ...error.detail,
      cause_code: error.code,
      moved: this.moves.map(({ item, batch, index }) => ({
        original_path: item.entry.path,
        trashed_to: batch.destination(index),
      })),
      not_moved: this.#plan.items.slice(this.moves.length).map((item) => item.entry.path),
      manifests: this.manifests,
      ...(stale.length > 0 ? { manifests_not_updated: stale } : {}),
    };
    if (this.moves.length === 0) {
      const code = error.code === "io_error" ? "trash_failed" : error.code;
      const { changedAnything } = error;
      return new ToolError(code, error.message, { detail, changedAnything, cause });
    }
    return new ToolError(
      cancelled ? "cancelled_partially_applied" : "trash_partially_applied",
      this.#partialMessage(cancelled ? "it was cancelled" : reasonOf(error), stale),
      { detail, changedAnything: true, cause },
    );
  }

  #partialMessage(cause: string, stale: { manifest: string }[]): string {
    const named = this.moves.slice(0, MAX_NAMED).map(({ item, batch, index }) =>
      `${quote(item.entry.path)} is now ${quote(batch.destination(index))}`
    );
    const more = this.moves.length - named.length;
    return [
      `${this.moves.length} of ${this.#plan.items.length} items were moved, then it stopped: ${cause}`,
      named.join("; ") + (more > 0 ? `; and ${more} more` : ""),
      `the rest is where it was; what moved is recorded in ${
        this.manifests.map((m) => quote(m)).join(", ")
      }`,
      ...stale.map(({ manifest }) => `${quote(manifest)} could not be brought up to date`),
    ].join(". ");
  }
}

function describe(plan: TrashPlan, run: TrashRun, stale: { manifest: string; reason: string }[]) {
  const warnings = [
    ...(plan.output.warnings ?? []),
    ...run.warnings,
    ...stale.map(({ manifest, reason }) =>
      `${
        quote(manifest)
      } could not be brought up to date (${reason}); it lists the items as planned`
    ),
  ];
  return {
    ...plan.output,
    performed: true,
    trash_stamp: run.stamp,
    space_freed_bytes: 0,
    space_recoverable_bytes: plan.items.reduce((sum, item) => sum + item.measured.bytes, 0),
    manifests: run.manifests,
    items: run.moves.map(({ batch, index, guard }, i) => ({
      ...plan.output.items[i],
      destination: batch.destination(index),
      trashed_to: batch.destination(index),
      method: "rename",
      replace_guard: guard,
    })),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
