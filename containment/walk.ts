// The walk that every reading tool shares: breadth first, names in code-unit order, links never
// followed, one budget for all starts. Whatever it leaves out is counted, because a scan that
// skipped something reads exactly like one that did not (local-tools spec, section 3).

import type { CancelFlag } from "./cancel.ts";
import type { Disk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { nativeRules, type PathRules } from "./paths.ts";
import { isPseudo } from "./roots.ts";
import { byCodeUnit } from "./text.ts";

/** The trash folder's name, on every volume (local-tools spec, 0.1). */
export const TRASH_NAME = ".shieldfive-mcp-trash";

/** Build and cache folders that are left out by default (local-tools spec, 3.2). */
export const DEFAULT_SKIP_DIRS: readonly string[] = [
  "node_modules",
  ".git",
  ".svn",
  ".hg",
  ".cache",
  ".venv",
  "venv",
  "__pycache__",
  ".next",
  ".turbo",
  "dist",
  "build",
  "target",
  "Pods",
  ".gradle",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  TRASH_NAME,
];

const NOISE = new Set([".DS_Store", "Thumbs.db", "desktop.ini"]);
// Folders that a person sees as one thing: taking a file out of one breaks it.
const BUNDLE =
  /\.(app|bundle|framework|photoslibrary|musiclibrary|tvlibrary|aplibrary|fcpbundle)$/i;

/** Levels below a start that are walked; the start is level 0. */
export const MAX_DEPTH = 64;
/** Paths that a report lists by name before it only counts. */
export const MAX_LISTED = 20;

export interface WalkStart {
  /** Real path of a folder, or of one regular file. */
  path: string;
  info: Deno.FileInfo;
}

export interface WalkOptions {
  includeHidden?: boolean;
  /** Files over all starts together. */
  maxFiles: number;
  /** Entries looked at over all starts together; five times the files by default. */
  maxEntries?: number;
  /** Folder names left out; {@link TRASH_NAME} always is. */
  skipDirs?: readonly string[];
  includeBundles?: boolean;
  /** Stop at mount points instead of walking into them. */
  oneVolume?: boolean;
  /** Visit folders instead of files: the budget then counts folders. */
  foldersOnly?: boolean;
}

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
  mountPoints: string[];
}

export interface WalkPorts {
  disk: Disk;
  signal: CancelFlag;
  rules?: PathRules;
  /** Called now and then with the number of files so far. */
  onProgress?(files: number): void;
}

/** Called for every regular file; `start` is the index of the start that it was found under. */
export type Visit = (path: string, info: Deno.FileInfo, start: number) => void;

function emptyReport(): WalkReport {
  return {
    scanned: [],
    notScanned: [],
    truncated: [],
    entryBudgetHit: false,
    files: 0,
    perStart: [],
    unreadable: { count: 0, first: [] },
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
    mountPoints: [],
  };
}

/**
 * Walks the starts in order and hands every regular file to `visit`.
 *
 * @throws ToolError `cancelled`; `root_unavailable` when no start at all could be opened.
 */
export function walk(
  starts: WalkStart[],
  options: WalkOptions,
  ports: WalkPorts,
  visit: Visit,
): WalkReport {
  const walker = new Walker(options, ports, visit);
  for (let i = 0; i < starts.length; i++) walker.start(starts[i], i);
  const { report } = walker;
  if (starts.length > 0 && report.scanned.length === 0 && report.notScanned.length === 0) {
    const [first] = report.unreadable.first;
    throw new ToolError(
      "root_unavailable",
      `${JSON.stringify(first.path)} cannot be opened (${first.code}); nothing was read`,
      { detail: { root: first.path, errno: first.code } },
    );
  }
  return report;
}

class Walker {
  readonly report = emptyReport();
  readonly #options: WalkOptions;
  readonly #disk: Disk;
  readonly #signal: CancelFlag;
  readonly #rules: PathRules;
  readonly #onProgress: (files: number) => void;
  readonly #visit: Visit;
  readonly #skip: ReadonlySet<string>;
  readonly #maxEntries: number;
  /** Folders already walked, by volume: a bind mount can lead back to one of them. */
  readonly #seen = new Map<number, Set<number>>();
  #entries = 0;
  #stopped = false;

  constructor(options: WalkOptions, ports: WalkPorts, visit: Visit) {
    this.#options = options;
    this.#disk = ports.disk;
    this.#signal = ports.signal;
    this.#rules = ports.rules ?? nativeRules;
    this.#onProgress = ports.onProgress ?? (() => {});
    this.#visit = visit;
    this.#skip = new Set([...(options.skipDirs ?? DEFAULT_SKIP_DIRS), TRASH_NAME]);
    this.#maxEntries = options.maxEntries ?? 5 * options.maxFiles;
  }

  start(start: WalkStart, index: number): void {
    const { report } = this;
    if (this.#stopped || report.files >= this.#options.maxFiles) {
      report.notScanned.push(start.path);
      return;
    }
    const before = report.files;
    const row = { root: start.path, files: 0, directories: 0, truncated: false };
    if (start.info.isDirectory) {
      const directories = this.#walkFolder(start, index);
      if (directories === undefined) return;
      row.directories = directories;
    } else {
      report.scanned.push(start.path);
      this.#file(start.path, start.info, index);
    }
    row.files = report.files - before;
    row.truncated = this.#stopped;
    if (this.#stopped) report.truncated.push(start.path);
    report.perStart.push(row);
  }

  /** Walks one start; the number of folders opened, or undefined when the start itself failed. */
  #walkFolder(start: WalkStart, index: number): number | undefined {
    const paths = [start.path];
    const depths = [0];
    let opened = 0;
    this.#markSeen(start.info);
    for (let head = 0; head < paths.length && !this.#stopped; head++) {
      this.#signal.throwIfCancelled();
      const path = paths[head];
      paths[head] = "";
      if (depths[head] > MAX_DEPTH) {
        this.report.tooDeep++;
        continue;
      }
      let names: string[];
      try {
        names = Array.from(this.#disk.readDir(path), (entry) => entry.name);
      } catch (error) {
        this.#unreadable(path, error);
        if (head === 0) return undefined;
        continue;
      }
      if (head === 0) this.report.scanned.push(start.path);
      opened++;
      names.sort(byCodeUnit);
      this.#onProgress(this.report.files);
      const prefix = path.endsWith(this.#rules.sep) ? path : path + this.#rules.sep;
      for (let i = 0; i < names.length && !this.#stopped; i++) {
        if ((i & 1023) === 1023) this.#signal.throwIfCancelled();
        const folder = this.#entry(prefix + names[i], names[i], start.info, index);
        if (folder) {
          paths.push(prefix + names[i]);
          depths.push(depths[head] + 1);
        }
      }
    }
    return opened;
  }

  /** Looks at one entry; true when it is a folder to walk. */
  #entry(path: string, name: string, start: Deno.FileInfo, index: number): boolean {
    const { report } = this;
    if (++this.#entries > this.#maxEntries) {
      this.#stopped = report.entryBudgetHit = true;
      return false;
    }
    if (NOISE.has(name)) {
      report.noise++;
      return false;
    }
    let info: Deno.FileInfo;
    try {
      info = this.#disk.lstat(path);
    } catch (error) {
      // A name that is not valid UTF-8 reaches us with replacement characters and so cannot be
      // asked about: the file is there, but not for us.
      if (name.includes("\ufffd") && errnoOf(error) === "ENOENT") report.undecodable++;
      else this.#unreadable(path, error);
      return false;
    }
    if (info.isSymlink) {
      report.symlinks++;
      return false;
    }
    if (info.isDirectory) return this.#folder(path, name, info, start, index);
    if (name.startsWith(".") && !this.#options.includeHidden) {
      report.hidden++;
      return false;
    }
    if (!info.isFile) report.special++;
    else if (!this.#options.foldersOnly) this.#file(path, info, index);
    return false;
  }

  #file(path: string, info: Deno.FileInfo, index: number): void {
    const { report } = this;
    if (report.files >= this.#options.maxFiles) {
      this.#stopped = true;
      return;
    }
    report.files++;
    if ((info.nlink ?? 1) > 1) report.hardlinked++;
    this.#visit(path, info, index);
  }

  #folder(
    path: string,
    name: string,
    info: Deno.FileInfo,
    start: Deno.FileInfo,
    index: number,
  ): boolean {
    const { report } = this;
    // The trash is no folder to walk, but whoever looks for trash folders is told of it.
    if (this.#options.foldersOnly && name === TRASH_NAME) {
      this.#visit(path, info, index);
      return false;
    }
    if (this.#skip.has(name)) {
      report.skipped.count++;
      if (report.skipped.names.length < 3 && !report.skipped.names.includes(name)) {
        report.skipped.names.push(name);
      }
      if (report.skipped.paths.length < 10_000) report.skipped.paths.push(path);
      return false;
    }
    if (name.startsWith(".") && !this.#options.includeHidden) {
      report.hidden++;
      return false;
    }
    if (!this.#options.includeBundles && BUNDLE.test(name)) {
      report.bundles++;
      return false;
    }
    if (isPseudo(path, this.#rules)) {
      report.pseudo++;
      return false;
    }
    if (info.dev !== start.dev) {
      if (report.mountPoints.length < MAX_LISTED) report.mountPoints.push(path);
      if (this.#options.oneVolume) return false;
    }
    if (!this.#markSeen(info)) return false;
    if (this.#options.foldersOnly) {
      if (report.files >= this.#options.maxFiles) {
        this.#stopped = true;
        return false;
      }
      report.files++;
      this.#visit(path, info, index);
    }
    return true;
  }

  /** False when the folder was walked before. */
  #markSeen(info: Deno.FileInfo): boolean {
    const inode = info.ino ?? 0;
    if (inode === 0) return true;
    let inodes = this.#seen.get(info.dev);
    if (inodes === undefined) this.#seen.set(info.dev, inodes = new Set());
    if (inodes.has(inode)) return false;
    inodes.add(inode);
    return true;
  }

  #unreadable(path: string, error: unknown): void {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    this.report.unreadable.count++;
    if (this.report.unreadable.first.length < MAX_LISTED) {
      this.report.unreadable.first.push({ path, code });
    }
  }
}
