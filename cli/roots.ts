// Which folders a command may touch. Over MCP that is fixed beforehand; at a terminal the person says it
// by where they are and what they name (local-tools spec, section 9). Given roots, by option or
// variable, are a limit: folders named beside them can only narrow it.

import {
  errnoOf,
  isInside,
  nativeRules,
  type OpenedRoots,
  openRoots,
  quote,
  realDisk,
  type Root,
  ToolError,
  TRASH_NAME,
} from "../containment/mod.ts";
import type { Environment } from "./environment.ts";
import { UsageError } from "./usage.ts";

/** The folders of one call. */
export interface Reach {
  roots: Root[];
  /** What is worth a line on stderr. */
  notices: string[];
  /** The one file that a reading command was asked about. */
  path?: string;
}

/** Where the roots of a call come from. */
export interface RootSource {
  environment: Environment;
  /** Values of `--root`. */
  given: string[];
  /** Also take the nearest folder above that holds a trash. */
  findTrash: boolean;
}

/** A path operand of a changing command. */
export interface PathOperand {
  /** As {@link placeOf} gives it. */
  path: string;
  /** True for where something goes: an existing folder there is worked in, not on. */
  destination: boolean;
}

/**
 * A path as it was typed, made absolute without looking at the disk: links are the resolvers' affair.
 *
 * @throws UsageError when it is empty, which must never come to mean the current folder.
 */
export function absolute(typed: string, environment: Environment): string {
  if (typed === "") throw new UsageError("an empty path was given");
  if (nativeRules.isAbsolute(typed)) return nativeRules.resolve(typed);
  return nativeRules.resolve(currentFolder(environment), typed);
}

/**
 * A folder as an option names it, for {@link openRoots}. A shell expands the tilde of `--root ~/x` but not
 * that of `--root=~/x`, and no two ways of writing the same option may mean different folders. A folder
 * that is really called `~` is written `./~`.
 *
 * @throws UsageError when it is empty.
 */
export function folderOption(typed: string, environment: Environment): string {
  if (typed === "~" || typed.startsWith("~/")) return typed;
  // A closing separator keeps the spaces at the end of a name, which are part of it.
  return absolute(typed, environment) + nativeRules.sep;
}

/**
 * The place of the entry that was typed, not followed itself: the links above it are resolved here,
 * since a room cannot look at links that lie outside its folders.
 */
export function placeOf(typed: string, environment: Environment): string {
  return realPlace(absolute(typed, environment));
}

function realPlace(path: string): string {
  return nativeRules.join(nearestFolder(nativeRules.dirname(path)), nativeRules.basename(path));
}

function currentFolder({ cwd }: Environment): string {
  if (cwd === undefined) throw new ToolError("not_found", "the current folder no longer exists");
  return cwd;
}

/** The reach of a reading command that was given these folders, or this one file. */
export function reachForReading(operands: string[], source: RootSource): Reach {
  const given = givenReach(source);
  const named = operands.map((typed) => lookUp(absolute(typed, source.environment)));
  const file = named.find(({ info }) => info.isFile);
  if (file !== undefined && named.length > 1) {
    throw new UsageError(`${quote(file.path)} is a file: name folders, or one file alone`);
  }
  if (given !== undefined) {
    for (const { path } of named) requireInside(path, given.roots);
    if (named.length === 0) return given;
  }
  const folders = file !== undefined
    ? [nativeRules.dirname(file.path)]
    : named.length > 0
    ? named.map(({ path }) => path)
    : [currentFolder(source.environment)];
  if (given === undefined && source.findTrash) folders.push(...folders.flatMap(trashHolder));
  return { ...openNamed(folders), notices: given?.notices ?? [], path: file?.path };
}

/** The reach of a changing command: the current folder, and for what lies outside it, its folder. */
export function reachForChange(operands: PathOperand[], source: RootSource): Reach {
  const given = givenReach(source);
  if (given !== undefined) return given;
  const here = currentFolder(source.environment);
  const folders = [here];
  for (const operand of operands) {
    if (!isInside(operand.path, here)) folders.push(folderFor(operand, here));
  }
  if (source.findTrash) {
    folders.push(...[here, ...operands.map(({ path }) => path)].flatMap(trashHolder));
  }
  return openNamed(folders);
}

/** Opens folders, given as real paths, each of which must do. */
export function openNamed(folders: string[]): Reach {
  const outermost = folders.filter((folder) =>
    !folders.some((other) => other !== folder && isInside(folder, other))
  );
  // A closing separator keeps the spaces at the end of a name, which are part of it.
  const { roots, rejected } = openRoots(outermost.map((folder) => folder + nativeRules.sep));
  if (rejected.length === 0) return { roots, notices: [] };
  const [{ candidate, reason }] = rejected;
  throw new ToolError("invalid_path", `cannot work in ${shown(candidate)}: ${reason}`);
}

/** The roots of `--root` and the variable, or undefined when there are none. */
export function givenReach({ given, environment }: RootSource): Reach | undefined {
  const listed = (environment.variables.SHIELDFIVE_MCP_ROOTS ?? "").split(nativeRules.delimiter)
    .filter((candidate) => candidate.trim() !== "");
  if (given.length + listed.length === 0) return undefined;
  const typed = given.map((root) => folderOption(root, environment));
  const opened = openRoots([...typed, ...listed], { home: environment.home });
  if (opened.roots.length === 0) {
    throw new ToolError("no_roots", `none of the given roots can be used: ${reasons(opened)}`);
  }
  return {
    roots: opened.roots,
    notices: [
      ...opened.rejected.map((bad) => `root ${shown(bad.candidate)} is ignored: ${bad.reason}`),
      ...opened.warnings,
    ],
  };
}

function reasons({ rejected }: OpenedRoots): string {
  return rejected.map(({ candidate, reason }) => `${shown(candidate)}: ${reason}`).join("; ");
}

/** A candidate as it was meant, without the closing separator. */
function shown(candidate: string): string {
  return quote(candidate.length > 1 ? candidate.replace(/[/\\]$/, "") : candidate);
}

function requireInside(path: string, roots: Root[]): void {
  if (roots.some((root) => isInside(path, root.path))) return;
  throw new ToolError("outside_roots", `${quote(path)} is not inside a given root`);
}

function lookUp(path: string): { path: string; info: Deno.FileInfo } {
  let found;
  try {
    const real = realDisk.realPath(path);
    found = { path: real, info: realDisk.lstat(real) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === "ENOENT" || errno === "ENOTDIR") {
      throw new ToolError("not_found", `nothing is at ${quote(path)}`);
    }
    throw new ToolError("unreadable", `${quote(path)} cannot be looked at (${errno})`);
  }
  if (found.info.isDirectory || found.info.isFile) return found;
  throw new ToolError(
    "not_a_directory",
    `${quote(path)} is neither a folder nor a regular file, and is not opened`,
  );
}

/** The real path of the folder, or of the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  for (let at = folder;; at = nativeRules.dirname(at)) {
    try {
      return nativeRules.join(realDisk.realPath(at), nativeRules.relative(at, folder));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      if (at === nativeRules.dirname(at)) return folder;
    }
  }
}

/**
 * The folder to work in for an operand outside the current one. An operand that holds the current
 * folder is taken as a root itself: roots are not moved or trashed.
 */
function folderFor({ path, destination }: PathOperand, here: string): string {
  if (isInside(here, path)) return path;
  if (destination && isFolder(path)) return path;
  for (let at = nativeRules.dirname(path);; at = nativeRules.dirname(at)) {
    if (isFolder(at) || at === nativeRules.dirname(at)) return at;
  }
}

function isFolder(path: string): boolean {
  try {
    return realDisk.lstat(path).isDirectory;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** The nearest folder at or above the path that holds a trash. */
function trashHolder(path: string): string[] {
  for (let at = realPlace(path);; at = nativeRules.dirname(at)) {
    if (isFolder(nativeRules.join(at, TRASH_NAME))) return [at];
    if (at === nativeRules.dirname(at)) return [];
  }
}
