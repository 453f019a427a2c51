// The first look at a path argument, and the boundary test. Both are pure, so that they can be
// tested with the rules of another platform. Nothing here decides containment alone: the boundary
// test is only ever applied to a path whose links have been resolved.

import { posix, win32 } from "node:path";
import { ToolError } from "./error.ts";
import { quote } from "./text.ts";

/** The path functions of one platform. */
export type PathRules = typeof posix;

/** The rules of the platform that the program runs on. */
export const nativeRules: PathRules = Deno.build.os === "windows" ? win32 : posix;

/** Longest path argument, in UTF-16 units (local-tools spec, 0.2). */
export const MAX_PATH_LENGTH = 4096;

/**
 * Whether `child` is `parent` or lies below it. Separator-aware: `/data/root-evil` is not inside
 * `/data/root`. Apply it to resolved real paths only (local-tools spec, 2.2).
 */
export function isInside(child: string, parent: string, rules: PathRules = nativeRules): boolean {
  if (child === parent) return true;
  return child.startsWith(parent.endsWith(rules.sep) ? parent : parent + rules.sep);
}

/**
 * A path argument in the one form in which the resolvers take it: absolute, without `.`, `..`,
 * repeated or trailing separators, all taken lexically, so that `link/` names the link itself.
 * White space is part of the path.
 *
 * @throws ToolError `invalid_path` for anything that cannot name a place.
 */
export function normalizeArgument(
  value: unknown,
  field: string,
  rules: PathRules = nativeRules,
): string {
  const bad = (why: string) =>
    new ToolError("invalid_path", `${field} ${why}; nothing was changed`);
  if (typeof value !== "string") throw bad(`must be a string, not ${typeof value}`);
  if (value === "") throw bad("is empty: give an absolute path");
  if (value.length > MAX_PATH_LENGTH) {
    throw bad(`is longer than ${MAX_PATH_LENGTH} characters: ${quote(value, 80)}`);
  }
  if (value.includes("\0")) throw bad(`contains a NUL byte: ${quote(value)}`);
  if (!rules.isAbsolute(value)) throw bad(`must be an absolute path, not ${quote(value)}`);
  const normal = rules.normalize(value);
  const root = rules.parse(normal).root;
  return normal.length > root.length && normal.endsWith(rules.sep) ? normal.slice(0, -1) : normal;
}

const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *\..*)?$/i;

/** Why a name cannot exist on Windows, or undefined where it can. */
export function windowsNameProblem(name: string): string | undefined {
  if (WINDOWS_DEVICE.test(name.trimEnd())) return "is a device name on Windows";
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which Windows drops";
  // deno-lint-ignore no-control-regex
  if (/[<>:"|?*\x00-\x1f]/.test(name)) return "holds a character that Windows does not allow";
  return undefined;
}

/**
 * Checks a new name for one directory entry, byte for byte as given (local-tools spec, 1.7).
 *
 * @throws ToolError `invalid_name`.
 */
export function checkNewName(name: unknown, rules: PathRules = nativeRules): string {
  const bad = (why: string) =>
    new ToolError("invalid_name", `new_name ${why}: ${quote(name, 60)}; nothing was changed`);
  if (typeof name !== "string") throw bad("must be a string");
  if (name === "") throw bad("is empty");
  if (name === "." || name === "..") throw bad("must be a name, not a place");
  if (name.includes("/") || name.includes(rules.sep)) {
    throw bad("must be one name, not a path (to change the folder use move_local)");
  }
  if (name.includes("\0")) throw bad("contains a NUL byte");
  if (new TextEncoder().encode(name).length > 255) throw bad("is longer than 255 bytes");
  if (rules === win32) {
    const problem = windowsNameProblem(name);
    if (problem !== undefined) throw bad(problem);
  }
  return name;
}
