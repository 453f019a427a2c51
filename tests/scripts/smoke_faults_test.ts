// What the smoke suite is good for: for each planted fault the check that is there for it fails. The faulty
// executables are small scripts in front of the real program that change one thing.

import assert from "node:assert/strict";
import { AREAS } from "../../scripts/smoke.ts";
import { Skipped } from "../../scripts/smoke/check.ts";
import { Subject } from "../../scripts/smoke/subject.ts";
import { inTempDir } from "../support.ts";
import { script, sourceExecutable } from "./executables.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

/** A fault, the check that must notice it, and what that must say. */
interface Fault {
  what: string;
  /** Shell text in which `"$real"` is the program. */
  script: string;
  check: string;
  says: RegExp;
  /** For what only traced runs can show. */
  traced?: true;
}

const FAULTS: Fault[] = [
  {
    what: "prints a banner when it starts to serve",
    script: `test "$1" = mcp && echo "shieldfive is ready"; exec "$real" "$@"`,
    check: "mcp: the handshake is answered",
    says: /expected JSON, saw "shieldfive is ready"/,
  },
  {
    what: "prints a line on stdout while it serves",
    script: `"$real" "$@" | { read -r line; printf '%s\\n' "$line" "one request served"; cat; }`,
    check: "mcp: the handshake is answered",
    says: /expected JSON, saw "one request served"/,
  },
  {
    what: "goes on for seconds after its client went",
    script: `"$real" "$@"; sleep 2.5`,
    check: "mcp: the handshake is answered",
    says: /an end within 2000 ms/,
  },
  {
    what: "deletes what it should put into the trash",
    script:
      `"$real" "$@"; code=$?; test "$1" = trash && rm -rf .shieldfive-mcp-trash/*/items/*; exit $code`,
    check: "changes: trash keeps every byte",
    says: /insurance\.pdf/,
  },
  {
    what: "deletes with no trash at all",
    script: `test "$1" = trash || exec "$real" "$@"
rm -rf -- "$2" "$3"; echo '{"performed": true}'`,
    check: "changes: trash keeps every byte",
    says: /expected a trash/,
  },
  {
    what: "changes a byte of what it restores",
    script: `"$real" "$@"; code=$?
test "$1" = restore && printf x | dd of=docs/insurance.pdf conv=notrunc status=none; exit $code`,
    check: "changes: trash keeps every byte",
    says: /docs\/insurance\.pdf: its content was/,
  },
  {
    what: "takes silence for a yes",
    script:
      `case $1 in trash|move|rename|mkdir) exec "$real" "$@" --yes ;; *) exec "$real" "$@" ;; esac`,
    check: "changes: trash without a yes",
    says: /expected exit code 3, saw \{"code":0/,
  },
  {
    what: "replaces what is at the new name",
    script: `test "$1" = move || exec "$real" "$@"; mv "$2" "$3"; echo '{"performed": true}'`,
    check: "changes: move and rename refuse a name that is taken",
    says: /expected exit code 1/,
  },
  {
    what: "ends with 0 whatever the options",
    script: `"$real" "$@"; code=$?; test $code = 2 && exit 0; exit $code`,
    check: "help: list refuses an option",
    says: /expected exit code 2, saw 0/,
  },
  {
    what: "has a command that help does not list",
    script: `"$real" "$@" | grep -v '^  dupes '`,
    check: "help: help lists the commands",
    says: /expected the commands .*"dupes"/,
  },
  {
    what: "complains when its reader goes",
    script: `"$real" "$@"; code=$?; test $code = 141 && echo "Uncaught BrokenPipe" >&2; exit $code`,
    check: "local: a reader that stops reading",
    says: /saw \[141,"Uncaught BrokenPipe/,
  },
  {
    what: "warns of something else on stderr",
    script: `echo "Warning: this is a preview" >&2; exec "$real" "$@"`,
    check: "local: list names every file",
    says: /on stderr .*saw "Warning: this is a preview/,
  },
  {
    what: "leaves out a file",
    script: `"$real" "$@" | sed 's/almost\\.jpg/other.jpg/'`,
    check: "local: list names every file",
    says: /almost\.jpg/,
  },
  {
    what: "lists what a link leads to",
    script: `test "$1" = list || exec "$real" "$@"; exec "$real" "$@" . ../outside`,
    check: "walls: looking shows nothing of what a link leads to",
    says: /outside\/secret\.txt/,
  },
  {
    what: "trashes what a link leads to",
    script: `test "$1" = trash || exec "$real" "$@"
for word; do shift; test -L "\${word%/}" && word=$(readlink -f "$word"); set -- "$@" "$word"; done
exec "$real" "$@" --root ..`,
    check: "walls: a link is moved, renamed, trashed",
    says: /saw /,
  },
  {
    what: "makes a folder through a link",
    script: `test "$1 $2" = "mkdir folder/new" && mkdir folder/new; exec "$real" "$@"`,
    check: "walls: nothing is made, moved or trashed through a link",
    says: /new was not there before/,
  },
  {
    what: "repeats the connection that it is given",
    script: `test "$1" = login || exec "$real" "$@"
given=$(cat); printf '%s' "$given" | "$real" "$@"; code=$?; echo "$given" >&2; exit $code`,
    check: "vault: login keeps a connection",
    says: /no secret in the output/,
  },
  {
    what: "lists another folder of the vault",
    script: `test "$1" = vault || exec "$real" "$@"; "$real" "$@" | sed 's|"/Papers"|"/Private"|'`,
    check: "vault: list and read show",
    says: /what is listed .*saw \["\/Private"/,
  },
  {
    what: "deletes an original that is in the vault",
    script: `test "$1" = move-in || exec "$real" "$@"
"$real" "$@"; code=$?; rm -rf .shieldfive-mcp-trash/*/items/*; exit $code`,
    check: "vault: files move in",
    says: /No such file/,
  },
  {
    what: "says that a room may use the network",
    script: `"$real" "$@" | sed 's/^  nothing else/  net: anywhere/'`,
    check: "walls: --show-permissions",
    says: /one room/,
  },
  {
    what: "leaves a note in the home of the user",
    script: `echo "$*" >> "$HOME/history"; exec "$real" "$@"`,
    check: "walls: list changes nothing at all",
    says: /something outside was changed: .*history/,
    traced: true,
  },
  {
    what: "leaves a note in the folder that it lists",
    script: `test "$1" = list && : > "$3/.index"; exec "$real" "$@"`,
    check: "walls: list changes nothing at all",
    says: /something outside was changed: .*\.index/,
    traced: true,
  },
  {
    what: "reads a file outside, by way of a link",
    script: `test "$1" = list && cat "$3/out/secret.txt" > /dev/null; exec "$real" "$@"`,
    check: "walls: list changes nothing at all",
    says: /something outside was opened: .*secret\.txt/,
    traced: true,
  },
  {
    what: "makes a connection",
    script: `(: < /dev/tcp/127.0.0.1/9) 2>/dev/null; exec "$real" "$@"`,
    check: "walls: list changes nothing at all",
    says: /a socket was used: .*AF_INET/,
    traced: true,
  },
  {
    what: "starts another program after its work",
    script: `"$real" "$@"; code=$?; /bin/true; exit $code`,
    check: "walls: list changes nothing at all",
    says: /a program was started: .*true/,
    traced: true,
  },
  {
    what: "has a room that can change what was not granted",
    script: `test "$1" = doctor || exec "$real" "$@"
beside=$(dirname "$3"); mv "$beside/.shieldfive-probe-1" "$beside/.shieldfive-probe-2" 2>/dev/null
exec "$real" "$@"`,
    check: "walls: the rooms of doctor try to get out",
    says: /expected 1 tries in .* to be made, saw .*probe-1/,
    traced: true,
  },
];

Deno.test("each fault is noticed by the check that is there for it:", POSIX, async (test) => {
  await inTempDir(async (dir) => {
    const real = sourceExecutable(`${dir}/bin/real`);
    for (const [i, fault] of FAULTS.entries()) {
      await test.step(`one that ${fault.what}`, async () => {
        const text = `#!/usr/bin/env bash\nreal='${real}'\n${fault.script}\n`;
        const executable = script(`${dir}/bin/faulty-${i}`, text);
        const subject = new Subject(executable, dir, { home: `${dir}/home` });
        const found = await outcome(fault, subject);
        if (fault.traced && found instanceof Skipped) {
          return console.log(`skipped: ${found.message}`);
        }
        assert.ok(found instanceof Error, `${fault.check} passed`);
        assert.match(found.message, fault.says);
      });
    }
  });
});

/** How the check ended on the faulty executable: with an error, or with none. */
async function outcome(fault: Fault, subject: Subject): Promise<unknown> {
  const [area, name] = fault.check.split(/: (.*)/s);
  const checks = AREAS.find((each) => each.name === area)?.checks ?? [];
  const found = checks.filter((check) => check.name.startsWith(name));
  assert.equal(found.length, 1, `there is no one check ${fault.check}`);
  try {
    await found[0].run(subject);
  } catch (error) {
    return error;
  }
}
