// Reads what strace wrote down about a run, and finds in it what a run within its walls does not do.

import { resolve } from "node:path";

/** The calls that must be written down: all that name a file or change one, and all about sockets. */
export const TRACED =
  "%file,%network,fchmod,fchown,ftruncate,fsetxattr,fremovexattr,io_uring_setup";

/** One call that ended, in the order in which they did. */
export interface SystemCall {
  name: string;
  /** Its arguments as strace shows them. */
  args: string;
  /** What it gave, as strace shows it: a number, and the real path of a new descriptor. */
  result: string;
}

/** Where a run may do what. All are real paths. */
export interface Limits {
  /** The folder that it was started in, from which relative paths count. */
  cwd: string;
  /** The folder that was granted. */
  root: string;
  /** Folders in which it may change something. */
  writable: readonly string[];
  /** Folders in which it may not even open a file. */
  closed: readonly string[];
}

/** The calls in a log of `strace -f -y`, those that were interrupted by another thread put together. */
export function systemCalls(log: string): SystemCall[] {
  const begun = new Map<string, string>();
  return log.split("\n").flatMap((line): SystemCall[] => {
    const [, thread, text] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    if (text.endsWith(" <unfinished ...>")) {
      begun.set(thread, text.slice(0, -" <unfinished ...>".length));
      return [];
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const whole = rest === undefined ? text : (begun.get(thread) ?? "") + rest;
    const [, name, args, result] = /^(\w+)\((.*)\) += (.*)$/.exec(whole) ?? [];
    return name === undefined ? [] : [{ name, args, result }];
  });
}

const CHANGES_BY_PATH = new Set(
  ("mkdir mkdirat mknod mknodat rename renameat renameat2 link linkat unlink unlinkat rmdir symlink " +
    "symlinkat chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat truncate ftruncate utime " +
    "utimes utimensat futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr " +
    "mount umount2 pivot_root swapon acct").split(" "),
);
const OPENS = new Set(["open", "openat", "openat2", "creat"]);
const STARTS = new Set(["execve", "execveat"]);
/** A pair of sockets leads nowhere but to its other end; the rest only uses what another call made. */
const MAKES_SOCKETS = new Set(["socket", "connect", "bind", "listen", "accept", "accept4"]);

/** Writing there changes no file. A shell that launches the program opens them. */
const DEVICES = ["/dev/null", "/dev/tty"];

/** What the run did that it may not do, one sentence each. */
export function violations(calls: readonly SystemCall[], limits: Limits): string[] {
  const writable = [...limits.writable, ...DEVICES];
  let began = false;
  return calls.flatMap((call) => {
    const { name } = call;
    const paths = pathsOf(call, limits.cwd);
    const tell = (what: string) => [`${what}: ${name}(${call.args}) = ${call.result}`];
    // Before it looks at the folder, a launcher may start the program itself.
    if (STARTS.has(name)) return began && call.result === "0" ? tell("a program was started") : [];
    began ||= paths.some((path) => isWithin(path, [limits.root]));
    if (MAKES_SOCKETS.has(name)) return tell("a socket was used");
    if (name === "io_uring_setup") return tell("calls were made that cannot be seen");
    if (!isEffective(call)) return [];
    if (changes(call) && !paths.every((path) => isWithin(path, writable))) {
      return tell("something outside was changed");
    }
    const opened = OPENS.has(name) && paths.some((path) => isWithin(path, limits.closed));
    return opened ? tell("something outside was opened") : [];
  });
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Whether it was done, or would have been but for the rights of the user who runs the check. */
function isEffective({ result }: SystemCall): boolean {
  return !result.startsWith("-1 ") || /^-1 (EACCES|EPERM|EROFS)\b/.test(result);
}

function changes({ name, args }: SystemCall): boolean {
  if (CHANGES_BY_PATH.has(name) || name === "creat") return true;
  return OPENS.has(name) && /\bO_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE)\b/.test(args);
}

/**
 * The absolute paths that a call names, in its order. One that opened a file names the file that was really opened,
 * behind all links.
 */
export function pathsOf({ name, args, result }: SystemCall, cwd: string): string[] {
  const opened = OPENS.has(name) ? /^\d+<(\/.*?)>/.exec(result)?.[1] : undefined;
  if (opened !== undefined) return [plain(opened)];
  if (name === "symlink" || name === "symlinkat") return namedIn(args, cwd).slice(1);
  return namedIn(args, cwd);
}

/** Paths in quotes, each from the descriptor before it, or the path of the descriptor alone. */
function namedIn(args: string, cwd: string): string[] {
  const named = [...args.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)];
  if (named.length > 0) {
    return named.map(([, from, path]) =>
      resolve(from === undefined ? cwd : plain(from), plain(path))
    );
  }
  const descriptor = /^\d+<(\/[^>]*)>/.exec(args)?.[1];
  return descriptor === undefined ? [] : [plain(descriptor)];
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };

/** A text as it was before strace escaped the bytes that are not plain ASCII. */
function plain(text: string): string {
  const bytes = text.replaceAll(
    /\\([0-7]{1,3}|.)/g,
    (_, code: string) =>
      /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8)) : ESCAPES[code] ?? code,
  );
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
