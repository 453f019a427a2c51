// From a path argument to a place inside a root. Links are resolved first and the result is
// compared with the roots afterwards, never the other way round: a string check is defeated by
// `..`, and a check of the unresolved path by a link (local-tools spec, 2.3 and 2.4).
//
// A refusal about a place outside every root says the same whether that place exists or not, so
// that nobody can use it to look around the machine (2.8).

import type { Disk } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { isInside, nativeRules, normalizeArgument, type PathRules } from "./paths.ts";
import { checkRoot, type Root } from "./roots.ts";
import { quote } from "./text.ts";

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

function requireRoots(scope: Scope): void {
  if (scope.roots.length > 0) return;
  throw new ToolError(
    "no_roots",
    "no folder was granted, so there is nothing to work in; nothing was changed. " +
      "Name folders after `shieldfive mcp`, or set SHIELDFIVE_MCP_ROOTS, and start again",
  );
}

function outside(argument: string, resolved?: string): ToolError {
  const where = resolved === undefined || resolved === argument
    ? ""
    : `, which leads to ${quote(resolved)},`;
  return new ToolError(
    "outside_roots",
    `${quote(argument)}${where} is not inside a granted folder; nothing was changed`,
  );
}

/** The root that a real path lies in. */
export function rootOf(path: string, scope: Scope): Root | undefined {
  return scope.roots.find((root) => isInside(path, root.path, scope.rules));
}

/**
 * The argument in the roots' own spelling. `lexical` is false when no root or spelling is a prefix
 * of it: then only a resolution that ends inside may be told from any other outcome.
 */
function enter(value: unknown, field: string, scope: Scope) {
  requireRoots(scope);
  const rules = scope.rules ?? nativeRules;
  const argument = normalizeArgument(value, field, rules);
  for (const root of scope.roots) {
    if (isInside(argument, root.path, rules)) return { argument, path: argument, root, rules };
    for (const spelling of root.spellings) {
      if (!isInside(argument, spelling, rules)) continue;
      return {
        argument,
        path: rules.join(root.path, argument.slice(spelling.length)),
        root,
        rules,
      };
    }
  }
  return { argument, path: argument, root: undefined, rules };
}

function resolutionFailed(error: unknown, argument: string, inside: boolean): unknown {
  if (error instanceof ToolError) return error;
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  if (!inside || errno === "NOT_CAPABLE") return outside(argument);
  if (errno === "ENOENT" || errno === "ENOTDIR") {
    return new ToolError("not_found", `nothing is at ${quote(argument)}; nothing was changed`);
  }
  return new ToolError(
    "unreadable",
    `${quote(argument)} cannot be resolved (${errno}); nothing was changed`,
    { detail: { errno }, cause: error },
  );
}

/** Resolves a place to read: links followed, it must exist (2.3 "existing"). */
export function resolveExisting(value: unknown, field: string, scope: Scope): Existing {
  const { argument, path, root, rules } = enter(value, field, scope);
  if (root !== undefined) checkRoot(root, scope.disk);
  try {
    const real = scope.disk.realPath(path);
    const owner = rootOf(real, { ...scope, rules });
    if (owner === undefined) throw outside(argument, root === undefined ? undefined : real);
    return { path: real, root: owner, info: scope.disk.lstat(real) };
  } catch (error) {
    throw resolutionFailed(error, argument, root !== undefined);
  }
}

/**
 * Resolves the thing itself that a change acts on: its parent's links are followed, its own are not
 * (2.3 "entry"). A root resolves to itself, so that the caller can refuse it by name.
 */
export function resolveEntry(value: unknown, field: string, scope: Scope): Existing {
  const { argument, path, root, rules } = enter(value, field, scope);
  if (rules.dirname(path) === path) {
    throw new ToolError(
      "invalid_path",
      `${field} is the top of a file system: ${quote(argument)}; nothing was changed`,
    );
  }
  if (root !== undefined) checkRoot(root, scope.disk);
  if (root !== undefined && path === root.path) {
    return { path, root, info: scope.disk.lstat(path) };
  }
  try {
    const real = rules.join(scope.disk.realPath(rules.dirname(path)), rules.basename(path));
    const owner = rootOf(real, { ...scope, rules });
    if (owner === undefined) throw outside(argument, root === undefined ? undefined : real);
    return { path: real, root: owner, info: scope.disk.lstat(real) };
  } catch (error) {
    throw resolutionFailed(error, argument, root !== undefined);
  }
}

/** Resolves a place to create: links followed, anything may be missing (2.3 "target"). */
export function resolveTarget(value: unknown, field: string, scope: Scope): Target {
  const { argument, path, root, rules } = enter(value, field, scope);
  if (root !== undefined) checkRoot(root, scope.disk);
  return nearest(path, argument, root, { ...scope, rules });
}

/** Resolves where an entry would go: the parent as a target, the name itself not followed. */
export function resolveDestination(value: unknown, field: string, scope: Scope): Destination {
  const { argument, path, root, rules } = enter(value, field, scope);
  const parent = rules.dirname(path);
  if (parent === path) {
    throw new ToolError(
      "invalid_path",
      `${field} is the top of a file system: ${quote(argument)}; nothing was changed`,
    );
  }
  if (root !== undefined) checkRoot(root, scope.disk);
  if (root !== undefined && path === root.path) {
    return { path, root, ancestor: path, missing: [], info: scope.disk.lstat(path) };
  }
  const above = nearest(parent, argument, root, { ...scope, rules });
  const real = rules.join(above.path, rules.basename(path));
  let info: Deno.FileInfo | undefined;
  if (above.missing.length === 0) {
    try {
      info = scope.disk.lstat(real);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw resolutionFailed(error, argument, root !== undefined);
    }
  }
  return { ...above, path: real, info };
}

/**
 * Resolves the nearest existing ancestor and puts the rest back on (2.4). A link whose target is
 * missing looks exactly like a missing path to realpath; writing through it would create the
 * target wherever it points, so it is told apart and refused.
 */
function nearest(path: string, argument: string, root: Root | undefined, scope: Scope): Target {
  const rules = scope.rules ?? nativeRules;
  const missing: string[] = [];
  for (let at = path;;) {
    try {
      const ancestor = scope.disk.realPath(at);
      const real = missing.length === 0 ? ancestor : rules.join(ancestor, ...missing);
      const owner = rootOf(real, scope);
      if (owner === undefined || rootOf(ancestor, scope) === undefined) {
        throw outside(argument, root === undefined ? undefined : real);
      }
      return { path: real, root: owner, ancestor, missing };
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw resolutionFailed(error, argument, root !== undefined);
      if (root === undefined) throw outside(argument);
      refuseDangling(at, argument, scope);
      const parent = rules.dirname(at);
      if (parent === at) {
        throw new ToolError("not_found", `nothing is at ${quote(argument)}; nothing was changed`);
      }
      missing.unshift(rules.basename(at));
      at = parent;
    }
  }
}

function refuseDangling(path: string, argument: string, scope: Scope): void {
  let info: Deno.FileInfo;
  try {
    info = scope.disk.lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw resolutionFailed(error, argument, true);
  }
  if (!info.isSymlink) return;
  throw new ToolError(
    "dangling_symlink",
    `${quote(argument)} passes through a symbolic link whose target is missing ` +
      `(${quote(path)}); nothing was changed`,
  );
}
