// What a walk tells about itself: what it opened, and a count of everything that it left out.

import { ToolError } from "./error.ts";
import { quote } from "./text.ts";

/** Paths that a report lists by name before it only counts. */
export const MAX_LISTED = 20;

/** What the walk saw and what it left out. */
export interface WalkReport {
  /** Starts that were opened. */
  scanned: string[];
  /** Starts never opened because the budget ran out first. */
  notScanned: string[];
  /** Starts in which the budget ran out. */
  truncated: string[];
  /** True when it was the budget of entries, not of files, that ran out. */
  entryBudgetHit: boolean;
  files: number;
  perStart: { root: string; files: number; directories: number; truncated: boolean }[];
  unreadable: { count: number; first: { path: string; code: string }[] };
  /** Starts that could not be opened at all; also among the unreadable. */
  unopened: { root: string; code: string }[];
  symlinks: number;
  hidden: number;
  skipped: { count: number; names: string[]; paths: string[] };
  hardlinked: number;
  tooDeep: number;
  noise: number;
  special: number;
  undecodable: number;
  bundles: number;
  pseudo: number;
  /** Folders met a second time by way of a mount, and not walked again. */
  repeated: number;
  mountPoints: string[];
  /** Trash folders that were met, and not walked. */
  trashes: string[];
}

export function emptyReport(): WalkReport {
  return {
    scanned: [],
    notScanned: [],
    truncated: [],
    entryBudgetHit: false,
    files: 0,
    perStart: [],
    unreadable: { count: 0, first: [] },
    unopened: [],
    symlinks: 0,
    hidden: 0,
    skipped: { count: 0, names: [], paths: [] },
    hardlinked: 0,
    tooDeep: 0,
    noise: 0,
    special: 0,
    undecodable: 0,
    bundles: 0,
    pseudo: 0,
    repeated: 0,
    mountPoints: [],
    trashes: [],
  };
}

/**
 * Refuses a walk in which no start at all could be opened: its totals would read as a clean zero.
 *
 * @throws ToolError `root_unavailable` (local-tools spec, 3.4).
 */
export function requireOpened({ scanned, unopened }: WalkReport): void {
  if (scanned.length > 0 || unopened.length === 0) return;
  const [{ root, code }] = unopened;
  throw new ToolError(
    "root_unavailable",
    `${quote(root)} cannot be opened (${code}); nothing was read`,
    { detail: { root, errno: code } },
  );
}
