// A disk on which some names are the same name: real files in a real folder, looked up the way that
// a file system does which ignores case or Unicode form. It stands in for file systems that cannot be
// made on every machine; what is on the disk afterwards is looked at through the real one.

import { type Disk, isInside, realDisk } from "../containment/mod.ts";

export interface FoldingOptions {
  /** The one form of all names that are the same. */
  fold(name: string): string;
  /** Numbers every spelling of an entry apart, as some drivers do. */
  numbersSpellings?: boolean;
  /** Has no hard links. */
  withoutLinks?: boolean;
}

/** The disk, folding names below `base`. */
export function foldingDisk(base: string, options: FoldingOptions): Disk {
  const numbers = new Map<string, number>();
  const stored = (path: string) => isInside(path, base) ? lookUp(base, path, options.fold) : path;
  const lstat = (path: string) => {
    const info = realDisk.lstat(stored(path));
    if (!options.numbersSpellings || path === base || !isInside(path, base)) return info;
    if (!numbers.has(path)) numbers.set(path, 1_000_000 + numbers.size);
    return { ...info, ino: numbers.get(path)! };
  };
  return {
    ...realDisk,
    lstat,
    realPath: (path) => realDisk.realPath(stored(path)),
    readDir: (path) => realDisk.readDir(stored(path)),
    readLink: (path) => realDisk.readLink(stored(path)),
    link(existing, name) {
      if (options.withoutLinks) throw Object.assign(new Error("no links"), { code: "EPERM" });
      realDisk.link(stored(existing), stored(name));
    },
    symlink: (target, name) => realDisk.symlink(target, stored(name)),
    rename(from, to) {
      realDisk.rename(stored(from), stored(to));
      const number = numbers.get(from);
      numbers.delete(from);
      if (number !== undefined) numbers.set(to, number);
    },
    mkdir: (path, mode) => realDisk.mkdir(stored(path), mode),
    rmdir: (path) => realDisk.rmdir(stored(path)),
    unlink: (path) => realDisk.unlink(stored(path)),
    open: (path) => realDisk.open(stored(path)),
    create: (path, mode) => realDisk.create(stored(path), mode),
  };
}

/** The path in the spelling that is on the disk, as far as there is one. */
function lookUp(base: string, path: string, fold: FoldingOptions["fold"]): string {
  let at = base;
  for (const part of path.slice(base.length).split("/").filter((part) => part !== "")) {
    at += "/" + spellingIn(at, part, fold);
  }
  return at;
}

function spellingIn(folder: string, name: string, fold: FoldingOptions["fold"]): string {
  try {
    const names = Array.from(Deno.readDirSync(folder), (entry) => entry.name);
    return names.find((each) => fold(each) === fold(name)) ?? name;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return name;
    }
    throw error;
  }
}
