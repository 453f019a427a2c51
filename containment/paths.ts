// The first look at a path argument, and the boundary test. Both are pure, so that they can be
// tested with the rules of another platform. Nothing here decides containment alone: the boundary
// test is only ever applied to a path whose links have been resolved.

import type { posix } from "node:path";
import { ToolError } from "./error.ts";
import { quote } from "./text.ts";

const USED = [
  "basename",
  "delimiter",
  "dirname",
  "extname",
  "isAbsolute",
  "join",
  "normalize",
  "parse",
  "relative",
  "resolve",
  "sep",
] as const;

/** The path functions of one platform. */
export type PathRules = Pick<typeof posix, typeof USED[number]>;

const PLATFORM = Deno.build.os === "windows" ? "win32" : "posix";

/**
 * The rules of the platform that the program runs on. Node's path functions are loaded when the first
 * of them is used: loading takes a third of the time that an empty program takes, which what looks
 * at no path, such as help, need not wait for.
 */
export const nativeRules: PathRules = loadedOnUse();

function loadedOnUse(): PathRules {
  const rules = {} as PathRules;
  for (const name of USED) {
    Object.defineProperty(rules, name, {
      configurable: true,
      get() {
        provideNodePath(process.getBuiltinModule("node:path"));
        return rules[name];
      },
    });
  }
  return rules;
}

/** Fills in {@link nativeRules} from node's path module; for {@link ./native_path.ts}. */
export function provideNodePath(path: typeof import("node:path")): void {
  for (const name of USED) {
    Object.defineProperty(nativeRules, name, { configurable: true, value: path[PLATFORM][name] });
  }
}

function isWindows(rules: PathRules): boolean {
  return rules.sep === "\\";
}

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

/** What a text turned into: a path in the one form that the resolvers take, or why it is none. */
export type PathReading = { path: string } | { problem: string };

/** Why a text cannot be a path or a name at all, or undefined where it can. */
function notText(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL byte";
  // The system would put a replacement character in its place, which names another file.
  if (!text.isWellFormed()) return "holds half a character (a lone surrogate)";
  return undefined;
}

/**
 * Brings a path into the one form in which the resolvers take it: absolute, without `.`, `..`,
 * repeated or trailing separators, all taken lexically, so that `link/` names the link itself.
 * White space is part of the path. A problem reads on from the name of what holds the path.
 */
export function readPath(text: string, rules: PathRules = nativeRules): PathReading {
  if (text === "") return { problem: "is empty: give an absolute path" };
  if (text.length > MAX_PATH_LENGTH) {
    return { problem: `is longer than ${MAX_PATH_LENGTH} characters: ${quote(text, 80)}` };
  }
  const unusable = notText(text);
  if (unusable !== undefined) return { problem: `${unusable}: ${quote(text)}` };
  if (!rules.isAbsolute(text)) return { problem: `must be an absolute path, not ${quote(text)}` };
  const plain = isWindows(rules) ? plainWindowsPath(text) : text;
  if (plain === undefined) {
    return { problem: `must begin with a drive or a share, not ${quote(text)}` };
  }
  const normal = rules.normalize(plain);
  const top = rules.parse(normal).root;
  if (isWindows(rules) && normal.slice(top.length).includes(":")) {
    return { problem: `names a stream inside a file, which is never touched: ${quote(text)}` };
  }
  const trailing = normal.length > top.length && normal.endsWith(rules.sep);
  return { path: trailing ? normal.slice(0, -1) : normal };
}

/**
 * A path argument as {@link readPath} reads it.
 *
 * @throws ToolError `invalid_path` for anything that cannot name a place.
 */
export function normalizeArgument(
  value: unknown,
  field: string,
  rules: PathRules = nativeRules,
): string {
  const read: PathReading = typeof value === "string"
    ? readPath(value, rules)
    : { problem: `must be a string, not ${typeof value}` };
  if ("path" in read) return read.path;
  throw new ToolError("invalid_path", `${field} ${read.problem}; nothing was changed`);
}

/**
 * A Windows path in its everyday form: the long-path prefix dropped, the drive letter in upper
 * case. Undefined for devices and for paths that depend on the current drive.
 */
function plainWindowsPath(path: string): string | undefined {
  const even = path.replaceAll("/", "\\");
  const short = even.replace(/^\\\\\?\\UNC\\/i, "\\\\").replace(/^\\\\\?\\(?=[a-z]:\\)/i, "");
  if (/^[a-z]:/i.test(short)) return short[0].toUpperCase() + short.slice(1);
  return /^\\\\[^\\?.]/.test(short) ? short : undefined;
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
  const unusable = notText(name);
  if (unusable !== undefined) throw bad(unusable);
  if (new TextEncoder().encode(name).length > 255) throw bad("is longer than 255 bytes");
  if (isWindows(rules)) {
    const problem = windowsNameProblem(name);
    if (problem !== undefined) throw bad(problem);
  }
  return name;
}
