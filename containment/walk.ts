// The walk that every reading tool shares: breadth first, names in code-unit order, links never
// followed, one budget for all starts. Whatever it leaves out is counted, because a scan that
// skipped something reads exactly like one that did not (local-tools spec, section 3).

import type { CancelFlag } from "./cancel.ts";
import type { Disk } from "./disk.ts";
import { errnoOf } from "./error.ts";
import { nativeRules, type PathRules } from "./paths.ts";
import { isPseudo } from "./roots.ts";
import { emptyReport, MAX_LISTED, type WalkReport } from "./walk_report.ts";

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

/** Entries that a walk for so many files looks at; small caps leave room for what is no file. */
export function entryBudget(maxFiles: number): number {
  return Math.max(5 * maxFiles, 10_000);
}

export interface WalkStart {
  /** Real path of a folder, or of one regular file. */
  path: string;
  info: Deno.FileInfo;
}

export interface WalkOptions {
  includeHidden?: boolean;
  /** Files over all starts together. */
  maxFiles: number;
  /** Entries looked at over all starts together; {@link entryBudget} by default. */
  maxEntries?: number;
  /** Folder names left out; {@link TRASH_NAME} always is. */
  skipDirs?: readonly string[];
  includeBundles?: boolean;
  /** Stop at mount points instead of walking into them. */
  oneVolume?: boolean;
  /** Visit folders instead of files: the budget then counts folders. */
  foldersOnly?: boolean;
}

export interface WalkPorts {
  disk: Disk;
  signal: CancelFlag;
  rules?: PathRules;
  /** Called now and then with the number of files so far. */
  onProgress?(files: number): void;
}

/** A folder to walk, with what tells it apart from another that takes its place. */
interface Folder {
  path: string;
  dev: number;
  ino: number | null;
}

/** Called for every regular file; `start` is the index of the start that it was found under. */
export type Visit = (path: string, info: Deno.FileInfo, start: number) => void;

/**
 * Walks the starts in order and hands every regular file to `visit`.
 *
 * A start that cannot be opened is in the report; see {@link requireOpened}.
 *
 * @throws ToolError `cancelled`.
 */
export function walk(
  starts: WalkStart[],
  options: WalkOptions,
  ports: WalkPorts,
  visit: Visit,
): WalkReport {
  const walker = new Walker(options, ports, visit);
  for (let i = 0; i < starts.length; i++) walker.start(starts[i], i);
  return walker.report;
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
    this.#maxEntries = options.maxEntries ?? entryBudget(options.maxFiles);
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
  #walkFolder({ path, info }: WalkStart, index: number): number | undefined {
    let opened = 0;
    let level: Folder[] = [{ path, dev: info.dev, ino: info.ino }];
    this.#markSeen(info);
    for (let depth = 0; level.length > 0 && !this.#stopped; depth++) {
      if (depth > MAX_DEPTH) {
        this.report.tooDeep += level.length;
        break;
      }
      const below: Folder[] = [];
      for (const folder of level) {
        this.#signal.throwIfCancelled();
        const failure = this.#open(folder, below, index);
        if (failure === undefined) opened++;
        else if (depth === 0) {
          this.report.unopened.push({ root: path, code: failure });
          return undefined;
        }
        if (this.#stopped) break;
      }
      level = below;
    }
    this.report.scanned.push(path);
    return opened;
  }

  /** Looks at everything in one folder; the folders in it go to `below`. Gives why it could not. */
  #open(folder: Folder, below: Folder[], index: number): string | undefined {
    const { path, dev } = folder;
    let names: string[];
    try {
      names = this.#namesIn(folder);
    } catch (error) {
      return this.#unreadable(path, error);
    }
    this.#onProgress(this.report.files);
    const prefix = path.endsWith(this.#rules.sep) ? path : path + this.#rules.sep;
    for (let i = 0; i < names.length && !this.#stopped; i++) {
      if ((i & 1023) === 1023) this.#signal.throwIfCancelled();
      // No folder holds a name twice: one of the two is not valid UTF-8 and only looks the same.
      if (names[i] === names[i - 1]) {
        this.report.undecodable++;
        continue;
      }
      const found = this.#entry(prefix + names[i], names[i], dev, index);
      if (found !== undefined) {
        below.push({ path: prefix + names[i], dev: found.dev, ino: found.ino });
      }
    }
    return undefined;
  }

  /**
   * The names in a folder, in order. Listing follows links, so the folder must still be the one that
   * was looked at: otherwise somebody has put a link in its place, or in a parent's.
   */
  #namesIn({ path, dev, ino }: Folder): string[] {
    const names = Array.from(this.#disk.readDir(path), (entry) => entry.name);
    const now = this.#disk.lstat(path);
    if (now.isDirectory && now.dev === dev && now.ino === ino) return names.sort(); // by code unit
    throw Object.assign(new Error(`another folder took the place of ${path}`), { code: "ESTALE" });
  }

  /** Looks at one entry; gives it back when it is a folder to walk. */
  #entry(path: string, name: string, dev: number, index: number): Deno.FileInfo | undefined {
    const { report } = this;
    if (++this.#entries > this.#maxEntries) {
      this.#stopped = report.entryBudgetHit = true;
      return undefined;
    }
    if (NOISE.has(name)) {
      report.noise++;
      return undefined;
    }
    let info: Deno.FileInfo;
    try {
      info = this.#disk.lstat(path);
    } catch (error) {
      // A name that is not valid UTF-8 reaches us with replacement characters and so cannot be
      // asked about: the file is there, but not for us.
      if (name.includes("\ufffd") && errnoOf(error) === "ENOENT") report.undecodable++;
      else this.#unreadable(path, error);
      return undefined;
    }
    if (info.isSymlink) {
      report.symlinks++;
      return undefined;
    }
    if (info.isDirectory) {
      return this.#folder(path, name, info, dev, index) ? info : undefined;
    }
    if (name.startsWith(".") && !this.#options.includeHidden) {
      report.hidden++;
      return undefined;
    }
    if (!info.isFile) report.special++;
    else if (!this.#options.foldersOnly) this.#file(path, info, index);
    return undefined;
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
    parentDev: number,
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
      if (name === TRASH_NAME) report.trashes.push(path);
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
    if (info.dev !== parentDev) {
      if (report.mountPoints.length < MAX_LISTED) report.mountPoints.push(path);
      if (this.#options.oneVolume) return false;
    }
    if (!this.#markSeen(info)) {
      report.repeated++;
      return false;
    }
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

  #unreadable(path: string, error: unknown): string {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    this.report.unreadable.count++;
    if (this.report.unreadable.first.length < MAX_LISTED) {
      this.report.unreadable.first.push({ path, code });
    }
    return code;
  }
}
