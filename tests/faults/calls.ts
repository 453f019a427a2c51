// The system calls that a change made, as strace wrote them down, and the faults that can be put on
// them. A call is named by its kind and its number among the calls of that kind in its thread, which
// is how strace counts.

/** One system call of a change. */
export interface SystemCall {
  kind: string;
  /** Its number among the calls of its kind, from 1. */
  nth: number;
  /** True when it changes something on disk. */
  changes: boolean;
  /** The line in the log. */
  text: string;
}

/** One rule of injection: what happens to which call. */
export interface Injection {
  kind: string;
  /** `3`, or `3+` for the third and all that follow. */
  when: string;
  /** An errno name, or `KILL`. */
  what: string;
}

/** What is done to a run. */
export interface Fault {
  family: "kill" | "error" | "kill after error" | "read-only" | "full" | "gone";
  injections: Injection[];
  /** The call that is hit first, for people. */
  at: string;
}

const CHANGING = new Set(
  ("link linkat symlink symlinkat unlink unlinkat rmdir rename renameat renameat2 mkdir mkdirat " +
    "mknod mknodat write pwrite64 writev pwritev pwritev2 copy_file_range sendfile fallocate fsync " +
    "fdatasync sync_file_range truncate ftruncate chmod fchmod fchmodat fchmodat2 chown fchown " +
    "lchown fchownat utimensat setxattr fsetxattr lsetxattr close").split(" "),
);
const LOOKING = new Set(
  ("open openat statx stat lstat fstat newfstatat readlink readlinkat getdents64 read pread64 " +
    "preadv lseek statfs fstatfs access faccessat faccessat2 getcwd").split(" "),
);
/** The runtime's own, which touch no file. */
const NEITHER = new Set(["mmap", "epoll_wait", "epoll_ctl", "ioctl", "fcntl", "poll", "futex"]);
/** What a volume without free space refuses. */
const GROWING = new Set(["mkdir", "linkat", "symlink", "pwrite64", "rename", "ftruncate"]);

/** The calls between the word to go and the driver's own last line. */
export function callsIn(log: string): SystemCall[] {
  const calls = countCalls(log.split("\n"));
  const start = calls.findIndex(({ text }) => text.startsWith("read(0,"));
  const end = calls.findIndex(({ text }) => text.startsWith("write(1,"));
  return calls.slice(start + 1, end < 0 ? undefined : end);
}

/** One thread's calls, numbered as strace numbers them. */
export function countCalls(lines: readonly string[]): SystemCall[] {
  const counts = new Map<string, number>();
  return lines.flatMap((text) => {
    const kind = /^(\w+)\(/.exec(text)?.[1];
    if (kind === undefined || NEITHER.has(kind)) return [];
    const nth = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, nth);
    return [{ kind, nth, changes: isChange(kind, text), text }];
  });
}

function isChange(kind: string, text: string): boolean {
  if (CHANGING.has(kind)) return true;
  if (!LOOKING.has(kind)) throw new Error(`a kind of call that nobody thought of: ${text}`);
  return kind === "openat" && text.includes("O_CREAT");
}

/** A kill before each changing call, and an error from each call: looking fails for one reason. */
export function singleFaults(calls: readonly SystemCall[]): Fault[] {
  return calls.flatMap(({ kind, nth, changes, text }) => {
    const whats = changes ? ["KILL", "EIO", "ENOSPC", "EACCES"] : ["EIO"];
    return whats.map((what): Fault => ({
      family: what === "KILL" ? "kill" : "error",
      injections: [{ kind, when: String(nth), what }],
      at: text,
    }));
  });
}

/** From each changing call on nothing works any more: the volume is read-only, full, or gone. */
export function lastingFaults(calls: readonly SystemCall[]): Fault[] {
  return calls.flatMap((call, index) => {
    if (!call.changes) return [];
    const from = (hit: (kind: string) => boolean, what: string): Injection[] => {
      // The driver's own last line goes out with `write`, which containment does not use.
      const kinds = [...CHANGING, ...LOOKING].filter((kind) => kind !== "write" && hit(kind));
      return kinds.map((kind) => ({ kind, when: `${before(calls, index, kind) + 1}+`, what }));
    };
    // Opening to read would still work there, and strace cannot tell it from opening to create.
    const closed = call.kind === "openat" || call.kind === "close" || call.kind === "fsync";
    const families: [Fault["family"], Injection[]][] = [
      ["gone", from(() => true, "EIO")],
      ...(closed ? [] : [
        ["read-only", from((kind) => CHANGING.has(kind) && kind !== "close", "EROFS")],
      ] as [Fault["family"], Injection[]][]),
      ...(GROWING.has(call.kind)
        ? [["full", from((kind) => GROWING.has(kind), "ENOSPC")]] as [
          Fault["family"],
          Injection[],
        ][]
        : []),
    ];
    return families.map(([family, injections]) => ({ family, injections, at: call.text }));
  });
}

/** How many calls of the kind were made before the one at the index. */
function before(calls: readonly SystemCall[], index: number, kind: string): number {
  const next = calls.slice(index).find((call) => call.kind === kind);
  if (next !== undefined) return next.nth - 1;
  const last = calls.slice(0, index).findLast((call) => call.kind === kind);
  return last?.nth ?? (kind === "read" ? 1 : 0);
}

/** After the error, a kill before each changing call with which the change tries to recover. */
export function killsAfter(fault: Fault, log: string): Fault[] {
  const [first] = fault.injections;
  const calls = callsIn(log);
  const hit = calls.findIndex(({ text }) => text.endsWith("(INJECTED)"));
  // Strace keeps one rule for a kind, so a kill on the kind that failed cannot be asked for.
  return calls.slice(hit + 1).filter(({ kind, changes }) => changes && kind !== first.kind)
    .map(({ kind, nth, text }) => ({
      family: "kill after error",
      injections: [first, { kind, when: String(nth), what: "KILL" }],
      at: `${fault.at} = ${first.what}, then ${text}`,
    }));
}
