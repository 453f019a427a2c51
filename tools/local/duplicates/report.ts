// From sets of files to the groups of a result: which copy is nominated to stay, what the other names
// of a file are, and how much space would come back, certainly and at most (local-tools spec, 1.2, 4.3).

import { nativeRules, type PathRules } from "../../../containment/mod.ts";
import { formatBytes, modifiedFields } from "../../format.ts";
import type { Schemas } from "../../tool.ts";
import { Best } from "../rows.ts";
import type { DuplicateSet } from "./find.ts";
import { type KeeperOrder, orderedNames } from "./keeper.ts";
import type { FileTable } from "./table.ts";

/** Copies listed besides the nominated one, and names listed besides the one that stands for a copy. */
const MAX_LISTED = 50;

export interface Copy {
  path: string;
  modified?: string;
  modified_at?: string;
  allocated_bytes?: number;
  hardlinked_names?: string[];
  hardlinked_names_omitted?: number;
  links_outside_scan?: number;
}

export interface Group {
  sha256: string;
  size: number;
  size_human: string;
  copies: number;
  names: number;
  reclaimable_bytes: number;
  reclaimable_certain_bytes: number;
  oldest_copy: Copy;
  other_copies: Copy[];
  other_copies_omitted: number;
  names_differ: boolean;
}

function copySchema(z: Schemas) {
  return z.object({
    path: z.string(),
    modified: z.string().optional(),
    modified_at: z.string().optional(),
    allocated_bytes: z.number().optional().describe(
      "Bytes that the copy occupies on disk, where that is less than its size.",
    ),
    hardlinked_names: z.array(z.string()).optional().describe(
      "More names of this same file; removing one of them frees nothing.",
    ),
    hardlinked_names_omitted: z.number().optional(),
    links_outside_scan: z.number().optional().describe(
      "Names of this file that the scan did not meet; its space stays taken while they exist.",
    ),
  });
}

export function groupSchema(z: Schemas) {
  return z.object({
    sha256: z.string(),
    size: z.number().describe("Bytes of each copy."),
    size_human: z.string(),
    copies: z.number().describe("Distinct files on disk."),
    names: z.number().describe("Directory entries of all copies."),
    reclaimable_bytes: z.number().describe("Size times all copies but one."),
    reclaimable_certain_bytes: z.number().describe(
      "What removing all copies but the nominated one surely frees: bytes on disk, without files " +
        "that have names outside the scan.",
    ),
    oldest_copy: copySchema(z).describe("The copy nominated to stay, by keeper_rule."),
    other_copies: z.array(copySchema(z)),
    other_copies_omitted: z.number(),
    names_differ: z.boolean(),
  });
}

/** One file of a set: its names, the one that stands for it first. */
interface File {
  index: number;
  names: number[];
}

interface OrderedSet {
  set: DuplicateSet;
  files: File[];
  certain: number;
}

/** The groups to show and the sums over all of them. */
export interface Report {
  groups: Group[];
  reclaimable: number;
  certain: number;
  /** Hard-linked names beyond the one that stands for each listed copy. */
  extraNames: number;
}

export function report(
  table: FileTable,
  sets: DuplicateSet[],
  order: KeeperOrder,
  limit: number,
  rules: PathRules = nativeRules,
): Report {
  const best = new Best<OrderedSet>(
    limit,
    (a, b) => gain(b.set) - gain(a.set) || order(a.files[0].names[0], b.files[0].names[0]),
  );
  const sums = { reclaimable: 0, certain: 0, extraNames: 0 };
  for (const set of sets) {
    const files = set.files.map((index) => ({ index, names: orderedNames(table, index, order) }));
    files.sort((a, b) => order(a.names[0], b.names[0]));
    const certain = files.slice(1).reduce((sum, file) => sum + certainGain(table, file), 0);
    sums.reclaimable += gain(set);
    sums.certain += certain;
    for (const { names } of files) sums.extraNames += names.length - 1;
    best.offer({ set, files, certain });
  }
  return { ...sums, groups: best.sorted().map((ordered) => groupOf(table, ordered, rules)) };
}

function gain({ size, files }: DuplicateSet): number {
  return size * (files.length - 1);
}

function outside(table: FileTable, file: File): number {
  return Math.max(0, table.links[file.index] - file.names.length);
}

/** A sparse file gives back what it occupies, and a file with a name elsewhere gives back nothing. */
function certainGain(table: FileTable, file: File): number {
  if (outside(table, file) > 0) return 0;
  const size = table.sizes[file.index];
  return Math.min(size, table.allocated(file.index) ?? size);
}

function groupOf(table: FileTable, { set, files, certain }: OrderedSet, rules: PathRules): Group {
  const names = files.flatMap((file) => file.names);
  const others = files.slice(1, 1 + MAX_LISTED);
  return {
    sha256: set.sha256,
    size: set.size,
    size_human: formatBytes(set.size),
    copies: files.length,
    names: names.length,
    reclaimable_bytes: gain(set),
    reclaimable_certain_bytes: certain,
    oldest_copy: copyOf(table, files[0]),
    other_copies: others.map((file) => copyOf(table, file)),
    other_copies_omitted: files.length - 1 - others.length,
    names_differ: new Set(names.map((name) => rules.basename(table.paths[name]))).size > 1,
  };
}

function copyOf(table: FileTable, file: File): Copy {
  const [path, ...more] = file.names.map((name) => table.paths[name]);
  const listed = more.slice(0, MAX_LISTED);
  const size = table.sizes[file.index];
  const allocated = table.allocated(file.index);
  const elsewhere = outside(table, file);
  return {
    path,
    ...modifiedFields(table.mtimes[file.index]),
    ...(allocated !== undefined && allocated < size ? { allocated_bytes: allocated } : {}),
    ...(listed.length > 0 ? { hardlinked_names: listed } : {}),
    ...(more.length > listed.length
      ? { hardlinked_names_omitted: more.length - listed.length }
      : {}),
    ...(elsewhere > 0 ? { links_outside_scan: elsewhere } : {}),
  };
}
