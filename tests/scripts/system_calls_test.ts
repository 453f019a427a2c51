// What a trace of a run tells about its walls.

import assert from "node:assert/strict";
import { systemCalls, violations } from "../../scripts/smoke/system_calls.ts";

/** The sentences about a log, when `/r` is granted, `/home/cache` is the program's, and `/o` is not. */
function told(log: string): string[] {
  const limits = { cwd: "/w", root: "/r", writable: ["/r", "/home/cache"], closed: ["/o"] };
  return violations(systemCalls(log), limits).map((sentence) => sentence.split(":")[0]);
}

Deno.test("a trace of a run within its walls has nothing to tell", () => {
  const log = `
10 execve("/bin/it", ["it"], 0x7ffd /* 9 vars */) = 0
10 openat(AT_FDCWD</w>, "/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 3</usr/lib/libc.so.6>
10 socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, [6<socket:[1]>, 7<socket:[2]>]) = 0
10 openat(AT_FDCWD</w>, "/dev/null", O_RDWR) = 4</dev/null>
10 mkdir("/home", 0700) = -1 EEXIST (File exists)
10 mkdir("/home/cache/a", 0700) = 0
11 openat(AT_FDCWD</w>, "/r/new", O_WRONLY|O_CREAT|O_EXCL, 0600 <unfinished ...>
12 statx(AT_FDCWD</w>, "/o/secret", AT_SYMLINK_NOFOLLOW, STATX_ALL, 0x7f) = 0
11 <... openat resumed>) = 5</r/new>
11 fchmod(5</r/new>, 0600) = 0
11 symlink("/o/secret", "/r/link") = 0
11 renameat2(AT_FDCWD</w>, "/r/new", 5</r>, "newer", RENAME_NOREPLACE) = 0
11 +++ exited with 0 +++
`;
  assert.equal(systemCalls(log).length, 11);
  assert.deepEqual(told(log), []);
});

Deno.test("a trace tells of every change, opening, socket and program that is out of place", () => {
  const cases: [string, string[]][] = [
    [`1 openat(AT_FDCWD</w>, "/etc/x", O_WRONLY|O_TRUNC) = 3</etc/x>`, [
      "something outside was changed",
    ]],
    // Behind a link, inside is outside.
    [`1 openat(AT_FDCWD</w>, "/r/l/x", O_RDWR) = 3</etc/x>`, ["something outside was changed"]],
    [`1 openat(AT_FDCWD</w>, "/r/l/x", O_RDONLY) = 3</o/x>`, ["something outside was opened"]],
    [`1 openat(AT_FDCWD</w>, "/etc/x", O_RDONLY|O_CREAT, 0600) = -1 EACCES`, [
      "something outside was changed",
    ]],
    [`1 rename("/r/a", "/rest/a") = 0`, ["something outside was changed"]],
    [`1 linkat(AT_FDCWD</w>, "/r/a", 7</home>, "a", 0) = 0`, ["something outside was changed"]],
    [`1 unlink("relative") = 0`, ["something outside was changed"]],
    [`1 unlink("/r/\\303\\274/../../\\303\\274") = 0`, ["something outside was changed"]],
    [`1 fchmod(5</home/x>, 0600) = 0`, ["something outside was changed"]],
    [`1 mkdir("/home/cachet", 0700) = 0`, ["something outside was changed"]],
    [`1 mkdir("/home", 0700) = -1 EPERM (Operation not permitted)`, [
      "something outside was changed",
    ]],
    [`1 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3<socket:[9]>`, ["a socket was used"]],
    [`1 io_uring_setup(64, {flags=0}) = 3<anon_inode:[io_uring]>`, [
      "calls were made that cannot be seen",
    ]],
    [
      `1 statx(AT_FDCWD</w>, "/r", 0, STATX_ALL, 0x7f) = 0\n2 execve("/bin/x", ["x"], 0x7f) = 0`,
      ["a program was started"],
    ],
    [`1 unlink("/etc/x" <unfinished ...>\n2 getcwd("/w", 9) = 3\n1 <... unlink resumed>) = 0`, [
      "something outside was changed",
    ]],
  ];
  for (const [log, sentences] of cases) assert.deepEqual(told(log), sentences, log);
});
