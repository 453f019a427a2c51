// What the tests of find_duplicates share: a call with checked arguments, and content to compare.

import { z } from "zod";
import { checkInput } from "../../tools/input.ts";
import { duplicates } from "../../tools/local/duplicates.ts";
import type { Copy, Group } from "../../tools/local/duplicates/report.ts";
import type { ReadTool, ToolContext } from "../../tools/tool.ts";
import { contextFor } from "../support.ts";

/** The fields of a result that tests look at. */
export interface Result {
  scanned: string[];
  warnings: string[];
  complete: boolean;
  files_considered: number;
  hash_reads: number;
  hash_budget: number;
  bytes_hashed: number;
  groups_skipped_for_budget: number;
  groups_partially_hashed: number;
  files_not_hashed: number;
  duplicate_groups: number;
  reclaimable_bytes: number;
  reclaimable_certain_bytes: number;
  shown: number;
  omitted_by_limit: number;
  empty_files_left_out: number;
  unreadable: { path: string; code: string }[];
  changed_during_scan: string[];
  keeper_rule: unknown;
  method: string;
  groups: Group[];
}

/** Runs the tool on folders as its callers do, arguments checked. */
export function find(
  folders: string | string[],
  args: Record<string, unknown> = {},
  over: Partial<ToolContext> = {},
): Result {
  const input = checkInput(duplicates, z, args);
  const context = contextFor([folders].flat(), over);
  return (duplicates as ReadTool).run(context, input) as unknown as Result;
}

/** The line that sums a result up. */
export function summaryOf(result: Result): string {
  return duplicates.summary(result as never);
}

/** The copies of a group, the nominated one first. */
export function copiesOf(group: Group): Copy[] {
  return [group.oldest_copy, ...group.other_copies];
}

/** Every group as the paths of its copies relative to the folder, in a fixed order. */
export function pathsOf(dir: string, { groups }: Result): string[][] {
  const relative = (copy: Copy) => copy.path.slice(dir.length + 1);
  return groups.map((group) => copiesOf(group).map(relative).sort()).sort();
}

/** So many bytes that repeat nowhere soon and are the same for the same seed. */
export function bytes(length: number, seed = 1): Uint8Array {
  const content = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content[i] = state >>> 24;
  }
  return content;
}

/** The content with one byte changed. */
export function flipped(content: Uint8Array, at: number): Uint8Array {
  const other = content.slice();
  other[at] ^= 0xff;
  return other;
}
