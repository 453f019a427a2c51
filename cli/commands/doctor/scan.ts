// One walk through the roots for what operations leave behind: copies and renames that were not finished,
// and the batches in the trash folders, whose records say what was done.

import {
  byCodeUnit,
  CancelFlag,
  type Disk,
  errnoOf,
  isPseudo,
  MAX_LISTED,
  nativeRules,
  type Progress,
  readTrash,
  type Root,
  STAGING_PREFIX,
  type StoredBatch,
  TRASH_NAME,
  walk,
} from "../../../containment/mod.ts";

/** Folders looked at. */
const MAX_FOLDERS = 200_000;

export interface Remains {
  /** Entries under a hidden name that a move or a rename uses while it runs. */
  staging: string[];
  /** Newest first. */
  batches: StoredBatch[];
  /** What could not be looked at, the first of it by name. */
  unreadable: { count: number; first: { path: string; code: string }[] };
  /** True when there were too many folders to look into all of them. */
  stopped: boolean;
  /** Folders in the roots that are on another volume than the folder around them. */
  mountPoints: string[];
}

/** Every folder, whatever other walks leave out. */
const EVERY_FOLDER = {
  includeHidden: true,
  includeBundles: true,
  skipDirs: [],
  foldersOnly: true,
  maxFiles: MAX_FOLDERS,
};

type Lost = (path: string, code: string) => void;

/** Looks through the roots. A folder that cannot be read is counted and never fatal. */
export function scanRoots(
  roots: readonly Root[],
  disk: Disk,
  onProgress: (progress: Progress) => void,
): Remains {
  const staging: string[] = [];
  const trashes: string[] = [];
  const unreadable = new Map<string, string>();
  const lost: Lost = (path, code) => {
    // What went away meanwhile has nothing left to find, and what is no disk never had.
    if (code !== "ENOENT" && !isPseudo(path)) unreadable.set(path, code);
  };
  const look = (folder: string) => {
    if (nativeRules.basename(folder) === TRASH_NAME) trashes.push(folder);
    else staging.push(...stagingIn(folder, disk, lost));
  };
  const starts = roots.flatMap(({ path }) =>
    attempt(() => [{ path, info: disk.lstat(path) }], path, lost)
  );
  const signal = new CancelFlag();
  const tell = (done: number) => onProgress({ done, unit: "files", label: "looking" });
  const report = walk(starts, EVERY_FOLDER, { disk, signal, onProgress: tell }, look);
  for (const { path } of starts) look(path);
  for (const { path, code } of report.unreadable.first) lost(path, code);
  return {
    staging: staging.sort(byCodeUnit),
    batches: trashes.flatMap((trash) => readTrash(disk, trash, lost)).sort(newestFirst),
    unreadable: {
      count: unreadable.size,
      first: Array.from(unreadable, ([path, code]) => ({ path, code })).slice(0, MAX_LISTED),
    },
    stopped: report.truncated.length + report.notScanned.length + report.tooDeep > 0,
    mountPoints: report.mountPoints,
  };
}

function stagingIn(
  folder: string,
  disk: Disk,
  lost: Lost,
): string[] {
  return attempt(
    () =>
      Array.from(disk.readDir(folder), ({ name }) => name)
        .filter((name) => name.startsWith(STAGING_PREFIX))
        .map((name) => nativeRules.join(folder, name)),
    folder,
    lost,
  );
}

function attempt<T>(
  look: () => T[],
  path: string,
  lost: Lost,
): T[] {
  try {
    return look();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    lost(path, errno);
    return [];
  }
}

function newestFirst(a: StoredBatch, b: StoredBatch): number {
  return byCodeUnit(b.created ?? "", a.created ?? "") || byCodeUnit(b.folder, a.folder);
}
