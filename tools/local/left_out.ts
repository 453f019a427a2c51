// What a summary leaves out of its totals and measures on its own: the trash folders, and on
// request the build and cache folders (local-tools spec, 1.5 and 6.9).

import {
  byCodeUnit,
  errnoOf,
  isInside,
  nativeRules,
  TRASH_NAME,
  walk,
  type WalkReport,
  type WalkStart,
} from "../../containment/mod.ts";
import { count } from "../format.ts";
import type { ToolContext } from "../tool.ts";
import type { Total } from "./totals.ts";

/** One trash folder. */
export interface TrashSize {
  /** The scanned folder that it lies in. */
  root: string;
  trash_directory: string;
  files: number;
  bytes: number;
  batches: number;
  /** When its oldest batch was made. */
  oldest_batch?: string;
}

/** Sizes, and what they do not cover. */
export interface Measured<T> {
  sizes: T[];
  warnings: string[];
}

/** Measures everything below the folders, whatever its name; one total a folder. */
function measureAll(
  context: ToolContext,
  folders: string[],
  maxFiles: number,
  label: string,
): Measured<Total> {
  const starts = folders.flatMap((path) => startAt(context, path));
  const sizes: Total[] = starts.map(({ path }) => ({ key: path, count: 0, bytes: 0 }));
  const report = walk(
    starts,
    { includeHidden: true, skipDirs: [], includeBundles: true, maxFiles },
    {
      ...context,
      onProgress: (done) => context.progress({ done, unit: "files", label }),
    },
    (_path, info, start) => {
      sizes[start].count++;
      sizes[start].bytes += info.size;
    },
  );
  return { sizes, warnings: measureWarnings(report, maxFiles, label) };
}

/** The folder as a place to start at; nothing when it is none, or went away meanwhile. */
function startAt(context: ToolContext, path: string): WalkStart[] {
  try {
    const info = context.disk.lstat(path);
    return info.isDirectory ? [{ path, info }] : [];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

function measureWarnings(report: WalkReport, maxFiles: number, label: string): string[] {
  const { truncated, notScanned, unreadable } = report;
  return [
    ...truncated.length + notScanned.length > 0
      ? [`${label} stopped at its cap (max_files ${maxFiles}): its size is a lower bound`]
      : [],
    ...unreadable.count > 0
      ? [
        `${label}: ${
          count(unreadable.count, "item")
        } could not be read, so its size is a lower bound`,
      ]
      : [],
  ];
}

/** Measures the trash folders that the walk met, and those at the top of what it walked. */
export function measureTrash(
  context: ToolContext,
  report: WalkReport,
  maxFiles: number,
): Measured<TrashSize> {
  const rules = context.rules ?? nativeRules;
  const tops = report.scanned.map((root) => rules.join(root, TRASH_NAME));
  const folders = [...new Set([...tops, ...report.trashes])];
  const { sizes, warnings } = measureAll(context, folders, maxFiles, "measuring the trash");
  return {
    warnings,
    sizes: sizes.map(({ key, count, bytes }) => ({
      root: report.scanned.find((root) => isInside(key, root, rules)) ?? rules.dirname(key),
      trash_directory: key,
      files: count,
      bytes,
      ...batchesIn(context, key),
    })),
  };
}

const BATCH_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-/;

/** Batches carry their time in their names, so none is opened. */
function batchesIn(
  context: ToolContext,
  trash: string,
): { batches: number; oldest_batch?: string } {
  let names: string[];
  try {
    names = Array.from(context.disk.readDir(trash), (entry) => entry.name);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { batches: 0 };
  }
  const times = names.map((name) => BATCH_TIME.exec(name)).filter((match) => match !== null)
    .map(([, day, hour, minute, second, milli]) => `${day}T${hour}:${minute}:${second}.${milli}Z`)
    .sort(byCodeUnit);
  return { batches: times.length, ...(times.length === 0 ? {} : { oldest_batch: times[0] }) };
}

/** Measures the build and cache folders that the walk left out. */
export function measureSkipped(
  context: ToolContext,
  { skipped, trashes }: WalkReport,
  maxFiles: number,
): Measured<Total> {
  const folders = skipped.paths.filter((path) => !trashes.includes(path));
  const measured = measureAll(context, folders, maxFiles, "measuring the skipped folders");
  if (skipped.count > skipped.paths.length) {
    measured.warnings.push(
      `only the first ${skipped.paths.length} skipped folders were measured: their size is a ` +
        "lower bound",
    );
  }
  return measured;
}
