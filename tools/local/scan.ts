// What the reading tools share: their arguments, where a scan starts, and how a result says what the
// scan did not cover (local-tools spec, 1.0 and 3.5).

import {
  checkRoot,
  DEFAULT_SKIP_DIRS,
  entryBudget,
  MAX_DEPTH,
  quote,
  requireOpened,
  resolveExisting,
  type Root,
  ToolError,
  visible,
  type Visit,
  walk,
  type WalkReport,
  type WalkStart,
} from "../../containment/mod.ts";
import type { Schemas, ToolContext } from "../tool.ts";

/** Ceilings and defaults of the scan arguments (spec 0.2). */
export const MAX_LIMIT = 10_000;
export const MAX_FILES = 1_000_000;
export const DEFAULT_MAX_FILES = 200_000;

/** The arguments that every scan takes. */
export function scanArguments(z: Schemas, defaultLimit: number, what = "rows") {
  return {
    path: z.string().optional().describe(
      "Absolute path of the folder to scan, inside a granted folder. Left out: all granted folders.",
    ),
    include_hidden: z.boolean().default(false).describe(
      "Also scan entries whose name starts with a dot.",
    ),
    max_files: z.number().int().min(1).max(MAX_FILES).default(DEFAULT_MAX_FILES).describe(
      `Files looked at before the scan stops, over all folders together (1 to ${MAX_FILES}).`,
    ),
    limit: z.number().int().min(1).max(MAX_LIMIT).default(defaultLimit).describe(
      `${what} returned (1 to ${MAX_LIMIT}).`,
    ),
    skip_dirs: z.union([z.enum(["default", "none"]), z.array(z.string()).max(1000)])
      .default("default").describe(
        "Names of folders to leave out: the built-in list of build and cache folders, none, or a list.",
      ),
    include_bundles: z.boolean().default(false).describe(
      "Also look inside application bundles and photo or music libraries.",
    ),
    one_volume: z.boolean().default(false).describe("Do not go into other mounted volumes."),
  };
}

export interface ScanInput {
  path?: string;
  include_hidden: boolean;
  max_files: number;
  limit: number;
  skip_dirs: "default" | "none" | string[];
  include_bundles: boolean;
  one_volume: boolean;
}

/** The coverage part of every reading tool's output. */
export function coverageSchema(z: Schemas) {
  return {
    scanned: z.array(z.string()).describe("Folders that were opened, as real paths."),
    not_scanned: z.array(z.string()).describe("Folders never opened: the budget ran out first."),
    warnings: z.array(z.string()).describe("What the result leaves out, in words."),
    complete: z.boolean().describe(
      "False when the scan stopped early or could not read something.",
    ),
    unreadable_count: z.number().describe("Entries that could not be read."),
    unreadable_first: z.array(z.object({ path: z.string(), code: z.string() })).optional()
      .describe("The first of them, each with the system's reason."),
    mount_points: z.array(z.string()).optional().describe("Other volumes met on the way."),
  };
}

export interface Coverage {
  scanned: string[];
  not_scanned: string[];
  warnings: string[];
  complete: boolean;
  unreadable_count: number;
  unreadable_first?: { path: string; code: string }[];
  mount_points?: string[];
}

/**
 * The second check of a number, inside the tool, for callers that come past the schema (spec 0.2).
 *
 * @throws ToolError `invalid_argument`.
 */
export function requireInteger(value: unknown, name: string, min: number, max: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw new ToolError(
    "invalid_argument",
    `${name} must be a whole number from ${min} to ${max}, not ${quote(value, 40)}`,
  );
}

/** Where a scan starts: the place named by `path`, or every root. */
export function scanStarts(context: ToolContext, path: string | undefined): WalkStart[] {
  if (path === undefined && context.roots.length > 0) {
    return context.roots.map((root: Root) => {
      checkRoot(root, context.disk);
      return { path: root.path, info: context.disk.lstat(root.path) };
    });
  }
  const place = resolveExisting(path ?? "/", "path", context);
  if (!place.info.isDirectory && !place.info.isFile) {
    throw new ToolError(
      "not_a_directory",
      `${quote(place.path)} is neither a folder nor a regular file, so it was not opened`,
    );
  }
  return [{ path: place.path, info: place.info }];
}

/** Checks the scan arguments, walks, and reports the files to `visit`. */
export function scan(context: ToolContext, input: ScanInput, visit: Visit): WalkReport {
  requireInteger(input.limit, "limit", 1, MAX_LIMIT);
  requireInteger(input.max_files, "max_files", 1, MAX_FILES);
  const starts = scanStarts(context, input.path);
  const skipDirs = input.skip_dirs === "default"
    ? DEFAULT_SKIP_DIRS
    : input.skip_dirs === "none"
    ? []
    : input.skip_dirs;
  const report = walk(
    starts,
    {
      includeHidden: input.include_hidden,
      maxFiles: input.max_files,
      skipDirs,
      includeBundles: input.include_bundles,
      oneVolume: input.one_volume,
    },
    {
      disk: context.disk,
      signal: context.signal,
      rules: context.rules,
      onProgress: (files) => context.progress({ done: files, unit: "files", label: "scanning" }),
    },
    visit,
  );
  requireOpened(report);
  return report;
}

/** The coverage fields of a result; `more` are the tool's own warnings, which come last. */
export function coverage(
  report: WalkReport,
  input: Pick<ScanInput, "max_files">,
  more: string[] = [],
): Coverage {
  const { unreadable, mountPoints } = report;
  const incomplete = report.truncated.length + report.notScanned.length + unreadable.count +
      report.tooDeep + report.undecodable > 0;
  return {
    scanned: report.scanned,
    not_scanned: report.notScanned,
    warnings: [...walkWarnings(report, input), ...more],
    complete: !incomplete,
    unreadable_count: unreadable.count,
    ...(unreadable.count > 0 ? { unreadable_first: unreadable.first } : {}),
    ...(mountPoints.length > 0 ? { mount_points: mountPoints } : {}),
  };
}

function names(paths: string[]): string {
  return paths.map(visible).join(", ");
}

/** The walk's warnings in the spec's order, with its marker words (3.5 and 1.0.6). */
function walkWarnings(report: WalkReport, input: Pick<ScanInput, "max_files">): string[] {
  const warnings: string[] = [];
  const say = (count: number, text: string) => count > 0 && warnings.push(`${count} ${text}`);
  if (report.truncated.length + report.notScanned.length > 0) {
    const cap = report.entryBudgetHit
      ? `${entryBudget(input.max_files)} entries looked at`
      : `max_files ${input.max_files}`;
    warnings.push(
      `PARTIAL: the scan stopped at its cap (${cap})` +
        (report.truncated.length > 0 ? ` in ${names(report.truncated)}` : "") +
        (report.notScanned.length > 0
          ? `, and did not open ${names(report.notScanned)} at all`
          : "") +
        "; narrow the path or raise max_files before drawing conclusions",
    );
  }
  for (const { root, code } of report.unopened) {
    warnings.push(`${visible(root)} could not be opened (${code}): nothing in it was looked at`);
  }
  say(report.unreadable.count, "item(s) could not be read and are absent from the totals");
  say(report.symlinks, "symlink(s) not followed; links never are");
  say(report.hidden, "hidden item(s) excluded; include_hidden adds them");
  if (report.skipped.count > 0) {
    warnings.push(
      `${report.skipped.count} build/cache director${report.skipped.count === 1 ? "y" : "ies"} ` +
        `(${
          names(report.skipped.names)
        }) skipped, NOT in the totals and often the largest thing on disk`,
    );
  }
  say(
    report.hardlinked,
    "file(s) have hardlinks: the same bytes may be counted twice or be reachable outside the roots",
  );
  say(report.tooDeep, `branch(es) deeper than ${MAX_DEPTH} levels not walked`);
  say(
    report.bundles,
    "application bundle(s) or media librar(ies) not opened; include_bundles does",
  );
  say(report.special, "special file(s) (pipes, sockets, devices) never opened");
  say(report.noise, "system file(s) such as .DS_Store left out");
  say(report.undecodable, "name(s) that are not valid UTF-8 cannot be handled");
  say(report.pseudo, "system folder(s) (/proc, /sys, /dev) never walked");
  say(report.repeated, "folder(s) met a second time through a mount and counted once");
  return warnings;
}

/** A summary line: what was found, then every warning. */
export function summarize(found: string, warnings: string[]): string {
  return [found, ...warnings].join(". ") + ".";
}
