// The search itself: walk, look, compare. With a second room and a budget that cannot run out, files
// are looked at over there while the walk goes on here.

import type { WalkReport } from "../../../containment/mod.ts";
import type { ToolContext } from "../../tool.ts";
import { scan, type ScanInput } from "../scan.ts";
import { Budget } from "./budget.ts";
import { isCloudOnly } from "./cloud.ts";
import { Dispatcher } from "./dispatch.ts";
import { Finder, type Found, type Step } from "./find.ts";
import { type KeeperOrder, keeperOrder, type KeepRule } from "./keeper.ts";
import { Looks } from "./looks.ts";
import { FileTable } from "./table.ts";
import { Tally } from "./tally.ts";

export interface SearchInput extends ScanInput {
  min_bytes: number;
  max_files_hashed: number;
  max_bytes_hashed?: number;
  keep: KeepRule;
  include_cloud_only: boolean;
}

export interface Searched {
  walked: WalkReport;
  table: FileTable;
  order: KeeperOrder;
  found: Found;
  counts: {
    hashReads: number;
    bytesHashed: number;
    empty: number;
    cloudOnly: { files: number; bytes: number };
    /** Files of which several names were met and of which there is no copy. */
    alone: number;
  };
}

/** @throws ToolError `cancelled`, and what the walk throws. */
export function search(context: ToolContext, input: SearchInput): Searched {
  const table = new FileTable();
  const progress = new StepProgress(context);
  const { tally } = progress;
  const dispatcher = new Dispatcher(context, table, tally);
  const looks = new Looks(dispatcher);
  const limits = { maxReads: input.max_files_hashed, maxBytes: input.max_bytes_hashed };
  const budget = new Budget(limits, tally);
  const ahead = context.peer !== undefined && budget.allowsLookingAhead(input.max_files);
  const { walked, ...left } = collect(context, input, table, ahead ? looks : undefined);
  const order = keeperOrder(table, input.keep, context.rules);
  const finder = new Finder({
    table,
    looks,
    dispatcher,
    budget,
    order,
    signal: context.signal,
    onStep: (step) => progress.begin(step),
  });
  const found = finder.find();
  return {
    walked,
    table,
    order,
    found,
    counts: {
      hashReads: budget.reads,
      bytesHashed: tally.bytes,
      ...left,
      alone: aloneWithNames(table, found),
    },
  };
}

/** Walks and takes in the files that pass the size filter; with `looks` those that share a size. */
function collect(context: ToolContext, input: SearchInput, table: FileTable, looks?: Looks) {
  let empty = 0;
  const cloudOnly = { files: 0, bytes: 0 };
  const walked = scan(context, input, (path, info) => {
    if (info.size < input.min_bytes) {
      if (info.size === 0) empty++;
      return;
    }
    if (!input.include_cloud_only && isCloudOnly(path, info)) {
      cloudOnly.files++;
      cloudOnly.bytes += info.size;
      return;
    }
    const index = table.add(path, info);
    if (looks === undefined || index === undefined) return;
    const previous = table.previousOfSize(index);
    if (previous === undefined) return;
    looks.add(previous);
    looks.add(index);
  });
  return { walked, empty, cloudOnly };
}

/** Counts the files with several names that are known to have no copy. */
function aloneWithNames(table: FileTable, { sets, unread, refused }: Found): number {
  const inSets = new Set<number>();
  for (const set of sets) for (const file of set.files) inSets.add(file);
  let alone = 0;
  for (const file of table.manyNamed()) {
    if (!inSets.has(file) && !unread.files.has(file) && !refused.has(file)) alone++;
  }
  return alone;
}

/** Tells how far the step at hand is, from what both rooms have counted. */
class StepProgress {
  readonly tally: Tally;
  #step?: Step;
  #before = 0;

  constructor(context: ToolContext) {
    this.tally = new Tally(undefined, () => {
      if (this.#step === undefined) return;
      const { label, total } = this.#step;
      const done = Math.min(this.#done() - this.#before, total);
      context.progress({ label, total, done, unit: label === "looking" ? "files" : "bytes" });
    });
  }

  begin(step: Step): void {
    this.#step = step;
    this.#before = step.label === "looking" ? 0 : this.tally.bytes;
  }

  #done(): number {
    return this.#step?.label === "looking" ? this.tally.looks : this.tally.bytes;
  }
}
