// The smoke suite as a whole: it passes on the real program, counts and prints what it found, and refuses
// what is no executable.

import assert from "node:assert/strict";
import { AREAS, smoke } from "../../scripts/smoke.ts";
import { type Area, expectEqual, Skipped } from "../../scripts/smoke/check.ts";
import { inTempDir } from "../support.ts";
import { PROJECT, runtimeFolder, script, sourceExecutable } from "./executables.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

/** Runs the task as somebody would in a folder of theirs. */
async function task(args: string[], cwd: string, env: Record<string, string> = {}) {
  // These tests are run by a task themselves; the folder that one was called in is not this one's.
  const { INIT_CWD: _outer, ...outer } = Deno.env.toObject();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--config", `${PROJECT}deno.json`, "smoke", ...args],
    cwd,
    clearEnv: true,
    env: { ...outer, NO_COLOR: "1", ...env },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, lines: text.decode(stdout).trimEnd().split("\n"), stderr: text.decode(stderr) };
}

Deno.test(
  "the real program passes, nothing is left behind, and the home of the user is not touched",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      sourceExecutable(`${dir}/a folder/shield five`);
      for (const name of ["home", "temporary"]) Deno.mkdirSync(`${dir}/${name}`);
      const { code, lines, stderr } = await task(["./a folder/shield five"], dir, {
        HOME: `${dir}/home`,
        XDG_CACHE_HOME: `${dir}/home/cache`,
        DENO_DIR: runtimeFolder(),
        TMPDIR: `${dir}/temporary`,
      });
      assert.equal(stderr, "");
      assert.deepEqual(lines.filter((line) => line.startsWith("FAILED")), []);
      assert.equal(code, 0);
      const passed = lines.filter((line) => line.startsWith("ok "));
      assert.equal(lines.at(-1), `${passed.length} passed, 0 failed`);
      const checks = AREAS.flatMap(({ name, checks }) => checks.map((check) => [name, check.name]));
      assert.equal(lines.length, checks.length + 2);
      for (const [area, name] of checks) {
        assert.ok(lines.some((line) => line.includes(`${area}: ${name}`)), `${area}: ${name}`);
      }
      assert.match(lines.join("\n"), /^ok +startup: --version: \d+ ms \(median/m);
      assert.deepEqual([...Deno.readDirSync(`${dir}/temporary`)], []);
      assert.deepEqual([...Deno.readDirSync(`${dir}/home`)], []);
    }),
);

Deno.test(
  "an executable that does nothing fails, and the exit code says so",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      script(`${dir}/idle`, "#!/bin/sh\n");
      const { code, lines } = await task(["idle"], dir);
      assert.equal(code, 1);
      assert.match(lines.at(-1)!, /^\d+ passed, [1-9]\d* failed$/);
      const [version] = lines.filter((line) => line.includes("help: --version"));
      assert.match(version, /^FAILED +help: .*: expected .*, saw ""$/);
    }),
);

Deno.test(
  "one that does not start or ends with an error is tried no further",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      script(`${dir}/broken`, "#!/nowhere/interpreter\n");
      script(`${dir}/failing`, "#!/bin/sh\nexit 7\n");
      for (
        const [name, reason] of [["broken", /NotFound/], [
          "failing",
          /expected exit code and stderr \[0,""\], saw \[7,""\]/,
        ]]
      ) {
        const lines: string[] = [];
        const tally = await smoke(`${dir}/${name}`, AREAS, (line) => lines.push(line));
        assert.deepEqual(tally, { passed: 0, failed: 1 });
        assert.match(lines.join("\n"), reason as RegExp);
      }
    }),
);

Deno.test(
  "a path that is missing, a folder or not executable is refused in one sentence",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      Deno.writeTextFileSync(`${dir}/plain`, "x", { mode: 0o644 });
      const refused: [string[], string][] = [
        [["no such file"], `smoke: there is no file ${dir}/no such file\n`],
        [["plain"], `smoke: ${dir}/plain is not executable\n`],
        [[dir], `smoke: ${dir} is not a file\n`],
        [["plain/x"], `smoke: ${dir}/plain/x cannot be looked at (ENOTDIR)\n`],
        [["a", "b"], "smoke: name one executable, or none for the one in dist\n"],
      ];
      for (const [args, sentence] of refused) {
        assert.deepEqual(await task(args, dir), { code: 2, lines: [""], stderr: sentence });
      }
    }),
);

Deno.test(
  "results are printed in order and counted; what cannot be tried counts as neither",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const late = () => new Promise<string>((done) => setTimeout(() => done("a note"), 50));
      const area: Area = {
        name: "area",
        checks: [
          { name: "one", run: late },
          { name: "two", run: () => expectEqual("number", 2, 3) },
          { name: "three", run: () => Promise.reject(new Skipped("no moon")) },
          { name: "four", run: () => JSON.parse("{") },
          { name: "five", run: () => {} },
        ],
      };
      const lines: string[] = [];
      const executable = script(`${dir}/idle`, "#!/bin/sh\n");
      const tally = await smoke(executable, [area], (line) => lines.push(line));
      assert.deepEqual(tally, { passed: 3, failed: 2 });
      assert.deepEqual(lines.slice(0, 4), [
        "ok      start: the executable starts",
        "ok      area: one: a note",
        "FAILED  area: two: expected number 3, saw 2",
        "skipped area: three: no moon",
      ]);
      assert.match(lines[4], /^FAILED +area: four: SyntaxError/);
      assert.equal(lines[5], "ok      area: five");
    }),
);
