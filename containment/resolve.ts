// From a path argument to a place inside a root. Links are resolved first and the result is
// compared with the roots afterwards, never the other way round: a string check is defeated by
// `..`, and a check of the unresolved path by a link (local-tools spec, 2.3 and 2.4).
//
// A refusal about a place outside every root says the same whether that place exists or not, so
// that nobody can use it to look around the machine (2.8).

import type { Disk } from "./disk.ts";
import { errnoOf, isMissing, ToolError } from "./error.ts";
import { isInside, nativeRules, normalizeArgument, type PathRules } from "./paths.ts";
import { checkRoot, isPseudo, type Root } from "./roots.ts";
import { quote, spelledOut } from "./text.ts";
import { lookAlike, wayOut } from "./way_out.ts";

/** Where paths may lead, and what looks at the disk. */
export interface Scope {
  roots: Root[];
  disk: Disk;
  rules?: PathRules;
}

/** A place that exists. */
export interface Existing {
  path: string;
  root: Root;
  info: Deno.FileInfo;
}

/** A place that may not exist yet. */
export interface Target {
  path: string;
  root: Root;
  /** The nearest folder above (or at) the place that exists, as a real path. */
  ancestor: string;
  /** Folders between the ancestor and the place, outermost first; empty when all exist. */
  missing: string[];
}

/** Where an entry would be put: its parent resolved, itself looked at without following. */
export interface Destination extends Target {
  /** What has the name now; undefined when it is free. */
  info?: Deno.FileInfo;
}

/** An argument on its way to a place. */
interface Asked {
  /** As the caller wrote it, normalised. */
  argument: string;
  /** The same with a root's own path in place of another spelling of it. */
  path: string;
  /**
   * The root that the path begins with. Without one, nothing but a resolution that ends inside a
   * root may be told from any other outcome.
   */
  root?: Root;
  scope: Scope;
  rules: PathRules;
}

function requireRoots(scope: Scope): void {
  if (scope.roots.length > 0) return;
  throw new ToolError(
    "no_roots",
    "no folder was granted, so there is nothing to work in; nothing was changed. " +
      "Name folders after `shieldfive mcp`, or set SHIELDFIVE_MCP_ROOTS, and start again",
  );
}

/** The root that a real path lies in. */
export function rootOf(path: string, scope: Scope): Root | undefined {
  return scope.roots.find((root) => isInside(path, root.path, scope.rules));
}

function enter(value: unknown, field: string, scope: Scope): Asked {
  requireRoots(scope);
  const rules = scope.rules ?? nativeRules;
  const argument = normalizeArgument(value, field, rules);
  const asked: Asked = { argument, path: argument, scope, rules };
  for (const root of scope.roots) {
    const spelling = [root.path, ...root.spellings].find((s) => isInside(argument, s, rules));
    if (spelling === undefined) continue;
    checkRoot(root, scope.disk);
    asked.path = rules.join(root.path, argument.slice(spelling.length));
    asked.root = root;
    if (isPseudo(asked.path, rules)) throw partOfSystem(argument);
    break;
  }
  return asked;
}

function insideOf({ scope, rules }: Asked) {
  return { roots: scope.roots.map((root) => root.path), disk: scope.disk, rules };
}

/** The refusal for a place outside; `followed` is the path whose links were followed to get there. */
function outside(asked: Asked, followed: string): ToolError {
  const way = asked.root === undefined ? undefined : wayOut(followed, insideOf(asked));
  const where = way === undefined ? "" : `, which leads to ${quote(way)},`;
  return new ToolError(
    "outside_roots",
    `${quote(asked.argument)}${where} is not inside a granted folder; nothing was changed`,
  );
}

function partOfSystem(argument: string): ToolError {
  return new ToolError(
    "outside_roots",
    `${quote(argument)} belongs to the system (/proc, /sys, /dev), which no granted folder ` +
      "includes; nothing was changed",
  );
}

/** The root that a resolved place lies in; throws when it lies in none. */
function ownerOf(real: string, asked: Asked, followed: string): Root {
  const owner = rootOf(real, asked.scope);
  if (owner === undefined) throw outside(asked, followed);
  if (isPseudo(real, asked.rules)) throw partOfSystem(asked.argument);
  if (owner !== asked.root) checkRoot(owner, asked.scope.disk);
  return owner;
}

/** What a failed resolution is told as. */
function resolutionFailed(error: unknown, asked: Asked, followed: string): unknown {
  const errno = errnoOf(error);
  if (error instanceof ToolError || errno === undefined) return error;
  const inside = asked.root !== undefined && errno !== "NOT_CAPABLE" &&
    wayOut(followed, insideOf(asked)) === undefined;
  if (!inside) return outside(asked, followed);
  if (isMissing(error)) return notFound(asked);
  return new ToolError(
    "unreadable",
    `${quote(asked.argument)} cannot be resolved (${errno}); nothing was changed`,
    { detail: { errno }, cause: error },
  );
}

function notFound(asked: Asked): ToolError {
  const alike = lookAlike(asked.path, insideOf(asked));
  if (alike === undefined) {
    return new ToolError(
      "not_found",
      `nothing is at ${quote(asked.argument)}; nothing was changed`,
    );
  }
  return new ToolError(
    "not_found",
    `nothing is at ${quote(asked.argument)}, but a name that looks the same is there: ` +
      `${
        quote(alike.name, 200, spelledOut)
      } (each \\u{…} is one character). If that one is meant, ` +
      "give its exact name; nothing was changed",
    { detail: { look_alike: alike.path } },
  );
}

function requireParent(asked: Asked, field: string): string {
  const parent = asked.rules.dirname(asked.path);
  if (parent !== asked.path) return parent;
  throw new ToolError(
    "invalid_path",
    `${field} is the top of a file system: ${quote(asked.argument)}; nothing was changed`,
  );
}

/** Resolves a place to read: links followed, it must exist (2.3 "existing"). */
export function resolveExisting(value: unknown, field: string, scope: Scope): Existing {
  const asked = enter(value, field, scope);
  try {
    const path = scope.disk.realPath(asked.path);
    return { path, root: ownerOf(path, asked, asked.path), info: scope.disk.lstat(path) };
  } catch (error) {
    throw resolutionFailed(error, asked, asked.path);
  }
}

/**
 * Resolves the thing itself that a change acts on: its parent's links are followed, its own are not
 * (2.3 "entry"). A root resolves to itself, so that the caller can refuse it by name.
 */
export function resolveEntry(value: unknown, field: string, scope: Scope): Existing {
  const asked = enter(value, field, scope);
  const parent = requireParent(asked, field);
  if (asked.path === asked.root?.path) {
    return { path: asked.path, root: asked.root, info: scope.disk.lstat(asked.path) };
  }
  try {
    const { rules } = asked;
    const path = rules.join(scope.disk.realPath(parent), rules.basename(asked.path));
    return { path, root: ownerOf(path, asked, parent), info: scope.disk.lstat(path) };
  } catch (error) {
    throw resolutionFailed(error, asked, parent);
  }
}

/** Resolves a place to create: links followed, anything may be missing (2.3 "target"). */
export function resolveTarget(value: unknown, field: string, scope: Scope): Target {
  const asked = enter(value, field, scope);
  return nearest(asked.path, asked);
}

/** Resolves where an entry would go: the parent as a target, the name itself not followed. */
export function resolveDestination(value: unknown, field: string, scope: Scope): Destination {
  const asked = enter(value, field, scope);
  const parent = requireParent(asked, field);
  if (asked.path === asked.root?.path) {
    const { path, root } = asked;
    return { path, root, ancestor: path, missing: [], info: scope.disk.lstat(path) };
  }
  const above = nearest(parent, asked);
  const path = asked.rules.join(above.path, asked.rules.basename(asked.path));
  if (above.missing.length > 0) return { ...above, path };
  try {
    return { ...above, path, info: scope.disk.lstat(path) };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return { ...above, path };
    throw resolutionFailed(error, asked, parent);
  }
}

/**
 * Resolves the nearest existing ancestor and puts the rest back on (2.4). A link whose target is
 * missing looks exactly like a missing path to realpath; writing through it would create the
 * target wherever it points, so it is told apart and refused.
 */
function nearest(path: string, asked: Asked): Target {
  const { rules, scope } = asked;
  const missing: string[] = [];
  for (let at = path;;) {
    try {
      const ancestor = scope.disk.realPath(at);
      const root = ownerOf(ancestor, asked, path);
      return { path: rules.join(ancestor, ...missing), root, ancestor, missing };
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw resolutionFailed(error, asked, path);
      refuseDangling(at, asked, path);
      const parent = rules.dirname(at);
      if (parent === at) throw resolutionFailed(error, asked, path);
      missing.unshift(rules.basename(at));
      at = parent;
    }
  }
}

function refuseDangling(at: string, asked: Asked, followed: string): void {
  let info: Deno.FileInfo;
  try {
    info = asked.scope.disk.lstat(at);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw resolutionFailed(error, asked, followed);
  }
  if (!info.isSymlink) return;
  const parent = asked.rules.dirname(at);
  if (asked.root === undefined || wayOut(parent, insideOf(asked)) !== undefined) {
    throw outside(asked, followed);
  }
  throw new ToolError(
    "dangling_symlink",
    `${quote(asked.argument)} passes through a symbolic link whose target is missing ` +
      `(${quote(at)}); nothing was changed`,
  );
}
