// The folders that were granted. They are fixed when the program starts, kept as real paths, and
// known by identity, so that an unmounted drive or a replaced folder is noticed instead of being
// read as empty (local-tools spec, 2.1).

import { type Disk, realDisk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { isInside, nativeRules, type PathRules, readPath } from "./paths.ts";
import { quote, visible } from "./text.ts";

/** One granted folder. */
export interface Root {
  /** Real path: no link in it. */
  path: string;
  /** The other ways in which the folder was written; a path argument may use them too. */
  spellings: string[];
  dev: number;
  ino: number;
}

/** What the candidates turned into. */
export interface OpenedRoots {
  roots: Root[];
  /** Candidates that were dropped, each with the reason in words. */
  rejected: { candidate: string; reason: string }[];
  /** Roots that were taken but are wider than people usually mean. */
  warnings: string[];
}

export interface OpenRootsOptions {
  disk?: Disk;
  rules?: PathRules;
  /** The user's home folder: a leading `~/` stands for it, and as a root it earns a warning. */
  home?: string;
}

/** Pseudo file systems: their files lie about their size, never end, or hold other programs' secrets. */
const PSEUDO = ["/proc", "/sys", "/dev"];

/**
 * Whether a folder belongs to a pseudo file system, which is never walked or read whatever the
 * root (field case F10). `/dev/shm` is an ordinary memory disk.
 */
export function isPseudo(path: string, rules: PathRules = nativeRules): boolean {
  if (rules.sep !== "/" || isInside(path, "/dev/shm", rules)) return false;
  return PSEUDO.some((place) => isInside(path, place, rules));
}

/** The candidate as a root, or why it cannot be one. */
function openRoot(candidate: string, disk: Disk, rules: PathRules): string | Root {
  if (candidate.startsWith("~")) return "~ is not known here: write the folder out in full";
  if (!rules.isAbsolute(candidate)) return "it is not an absolute path";
  const read = readPath(candidate, rules);
  if ("problem" in read) return `it ${read.problem}`;
  let path: string;
  let info: Deno.FileInfo;
  try {
    path = disk.realPath(read.path);
    info = disk.lstat(path);
    if (info.isDirectory && rules.sep === "/") disk.probeFolder(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno === "ENOENT" ? "it does not exist" : `it cannot be read (${errno})`;
  }
  if (!info.isDirectory) return "it is not a folder";
  if (isPseudo(path, rules)) return "it is part of the system, not of a disk";
  return {
    path,
    spellings: [...new Set([read.path, ...aliases(path, disk)])].filter((s) => s !== path),
    dev: info.dev,
    ino: info.ino ?? 0,
  };
}

/**
 * Spellings that this system takes for the same folder: the other Unicode form of its name, and the
 * short names of macOS's /private folders.
 */
function aliases(path: string, disk: Disk): string[] {
  const short = path.replace(/^\/private(?=\/(tmp|var|etc)\/)/, "");
  return [path.normalize("NFC"), path.normalize("NFD"), short].filter((other) => {
    try {
      return other !== path && disk.realPath(other) === path;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  });
}

/**
 * Turns what was typed or configured into roots. White space around a candidate is dropped, empty
 * ones are ignored, two spellings of one folder are one root, and a root inside another is dropped.
 */
export function openRoots(candidates: string[], options: OpenRootsOptions = {}): OpenedRoots {
  const { disk = realDisk, rules = nativeRules, home } = options;
  const opened: OpenedRoots = { roots: [], rejected: [], warnings: [] };
  const found: Root[] = [];
  for (const raw of candidates) {
    let candidate = raw.trim();
    if (candidate === "") continue;
    if (home !== undefined && (candidate === "~" || candidate.startsWith("~/"))) {
      candidate = rules.join(home, candidate.slice(1));
    }
    const root = openRoot(candidate, disk, rules);
    if (typeof root === "string") {
      opened.rejected.push({ candidate: raw, reason: root });
      continue;
    }
    const same = found.find((other) => other.path === root.path);
    if (same === undefined) found.push(root);
    else same.spellings = [...new Set([...same.spellings, ...root.spellings])];
  }
  for (const root of found) {
    const outer = found.find((other) => other !== root && isInside(root.path, other.path, rules));
    if (outer === undefined) {
      opened.roots.push(root);
      const wide = tooWide(root, disk, rules, home);
      if (wide !== undefined) {
        opened.warnings.push(`the root ${visible(root.path)} ${wide}; grant less where you can`);
      }
    } else {
      opened.rejected.push({
        candidate: root.path,
        reason: `it lies inside another root, ${visible(outer.path)}`,
      });
    }
  }
  return opened;
}

/** Why a root is wider than people usually mean, or undefined where it is not. */
function tooWide(root: Root, disk: Disk, rules: PathRules, home?: string): string | undefined {
  const parent = rules.dirname(root.path);
  if (parent === root.path) return "is the whole file system";
  if (home !== undefined && isInside(realHome(home, disk), root.path, rules)) {
    return "holds a whole home folder";
  }
  try {
    if (disk.lstat(parent).dev !== root.dev) return "is a whole volume";
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return undefined;
}

function realHome(home: string, disk: Disk): string {
  try {
    return disk.realPath(home);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return home;
  }
}

/**
 * Throws `root_unavailable` when the root is gone or has become another folder since the start, or
 * when the runtime lets no room look at it, as it does for all of /dev.
 */
export function checkRoot(root: Root, disk: Disk): void {
  let info: Deno.FileInfo | undefined;
  let withheld = false;
  try {
    info = disk.lstat(root.path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    withheld = errno === "NOT_CAPABLE";
  }
  if (info?.isDirectory && info.dev === root.dev && (info.ino ?? 0) === root.ino) return;
  throw new ToolError(
    "root_unavailable",
    withheld
      ? `the runtime lets nothing look into the root ${quote(root.path)}; nothing was read or ` +
        "changed. Use a folder elsewhere"
      : `the root ${quote(root.path)} is no longer the folder that it was at the start ` +
        "(unmounted, removed or replaced); nothing was read or changed. Bring it back and start again",
    { detail: { root: root.path } },
  );
}
