// Changes at the terminal: the plan, the question, the answer, and what is on disk afterwards.

import assert from "node:assert/strict";
import { COMMAND, onTerminal, shell, shieldfive } from "../cli/program.ts";
import { exists, inTempDir, plant } from "../support.ts";

Deno.test("without a terminal and without --yes the plan is printed, nothing changes, exit 3", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const { code, stdout, stderr } = await shieldfive(["trash", "a.txt"], { cwd: dir });
    assert.equal(code, 3);
    assert.ok(stdout.includes(`${dir}/a.txt`));
    assert.match(stdout, /Planned \(nothing changed\)/);
    assert.doesNotMatch(stdout + stderr, /token/);
    assert.match(stderr, /hint: --yes proceeds without asking/);
    assert.ok(exists(`${dir}/a.txt`));
    const json = await shieldfive(["trash", "a.txt", "--json"], { cwd: dir });
    assert.equal(json.code, 3);
    const preview = JSON.parse(json.stdout);
    assert.deepEqual([preview.performed, preview.plan_token], [false, undefined]);
  }));

Deno.test("--dry-run shows the plan and changes nothing, even with --yes", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const { code, stdout } = await shieldfive(["move", "a.txt", "b.txt", "--dry-run", "--yes"], {
      cwd: dir,
    });
    assert.equal(code, 0);
    assert.match(stdout, /Planned \(nothing changed\)/);
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["a.txt"]);
  }));

Deno.test("--yes proceeds, and --json prints the final output alone", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const { code, stdout } = await shieldfive(["rename", "a.txt", "b.txt", "--yes", "--json"], {
      cwd: dir,
    });
    assert.equal(code, 0);
    const output = JSON.parse(stdout);
    assert.deepEqual([output.performed, output.to], [true, `${dir}/b.txt`]);
    assert.equal(Deno.readTextFileSync(`${dir}/b.txt`), "a");
  }));

Deno.test("a plan with nothing to do is printed and exits 0 without a question", () =>
  inTempDir(async (dir) => {
    plant(dir, { "d/": "" });
    const { code, stdout } = await shieldfive(["mkdir", "d"], { cwd: dir });
    assert.equal(code, 0);
    assert.match(stdout, /exists already/);
  }));

Deno.test("a refusal exits 1 with its code, and nothing changes", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "A", "b": "B" });
    const { code, stdout, stderr } = await shieldfive(["move", "a", "b", "--yes"], { cwd: dir });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /\[destination_exists\]/);
    assert.deepEqual([Deno.readTextFileSync(`${dir}/a`), Deno.readTextFileSync(`${dir}/b`)], [
      "A",
      "B",
    ]);
    const here = await shieldfive(["trash", ".", "--yes"], { cwd: dir });
    assert.match(here.stderr, /\[cannot_trash_root\]/);
    assert.ok(exists(`${dir}/a`));
  }));

Deno.test("what lies elsewhere is changed where it is, and comes back with restore from there", () =>
  inTempDir(async (dir) => {
    plant(dir, { "here/": "", "there/deep/x.txt": "x" });
    const trashed = await shieldfive(["trash", "../there/deep/x.txt", "--yes"], {
      cwd: `${dir}/here`,
    });
    assert.equal(trashed.code, 0, trashed.stderr);
    assert.ok(exists(`${dir}/there/deep/.shieldfive-mcp-trash`));
    const nothing = await shieldfive(["restore", "--yes"], { cwd: `${dir}/here` });
    assert.equal(nothing.code, 1);
    const listed = await shieldfive(["trashed"], { cwd: `${dir}/there` });
    assert.ok(listed.stdout.includes(`${dir}/there/deep/x.txt`), listed.stdout);
    const back = await shieldfive(["restore", "../there/deep/x.txt", "--yes"], {
      cwd: `${dir}/here`,
    });
    assert.equal(back.code, 0, back.stderr);
    assert.equal(Deno.readTextFileSync(`${dir}/there/deep/x.txt`), "x");
  }));

Deno.test("restore without an operand, below the trash, puts the newest batch back", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "A", "b": "B", "sub/deep/": "" });
    assert.equal((await shieldfive(["trash", "a", "--yes"], { cwd: dir })).code, 0);
    assert.equal((await shieldfive(["trash", "b", "--yes"], { cwd: dir })).code, 0);
    const { code, stderr } = await shieldfive(["restore", "--yes"], { cwd: `${dir}/sub/deep` });
    assert.equal(code, 0, stderr);
    assert.deepEqual([exists(`${dir}/a`), exists(`${dir}/b`)], [false, true]);
  }));

Deno.test("a change that was done in part exits 4", () =>
  inTempDir(async (dir) => {
    plant(dir, { "d/a": "a", "b": "b" });
    assert.equal((await shieldfive(["trash", "d/a", "b", "--yes"], { cwd: dir })).code, 0);
    plant(dir, { "b": "another" });
    const { code, stderr } = await shieldfive(["restore", "--yes", "--json"], { cwd: dir });
    assert.equal(code, 4, stderr);
    assert.equal(Deno.readTextFileSync(`${dir}/d/a`), "a");
    assert.equal(Deno.readTextFileSync(`${dir}/b`), "another");
  }));

Deno.test("a report of duplicates goes to the trash through a pipe, and every keeper stays", () =>
  inTempDir(async (dir) => {
    plant(dir, { "1": "same content", "x/2": "same content", "x/3": "same content", "4": "other" });
    const { code, stdout, stderr } = await shell(
      "$SHIELDFIVE dupes --json . | $SHIELDFIVE trash --report - --yes --json",
      { cwd: dir },
    );
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).items.length, 2);
    const left = ["1", "x/2", "x/3"].filter((name) => exists(`${dir}/${name}`));
    assert.equal(left.length, 1);
    assert.ok(exists(`${dir}/4`));
    assert.equal((await shieldfive(["restore", "--yes"], { cwd: dir })).code, 0);
    assert.equal(Deno.readTextFileSync(`${dir}/x/3`), "same content");
  }));

Deno.test("a copy that changed after the report stops the whole call", () =>
  inTempDir(async (dir) => {
    plant(dir, { "1": "same content", "2": "same content" });
    const report = await shieldfive(["dupes", "--json"], { cwd: dir });
    const [{ other_copies: [{ path }] }] = JSON.parse(report.stdout).groups;
    Deno.writeTextFileSync(path, "new  content");
    const { code, stderr } = await shieldfive(["trash", "--report", "-", "--yes"], {
      cwd: dir,
      stdin: report.stdout,
    });
    assert.equal(code, 1);
    assert.match(stderr, /\[content_changed\]/);
    assert.deepEqual([exists(`${dir}/1`), exists(`${dir}/2`)], [true, true]);
  }));

Deno.test("what is no report is refused before anything is looked at", () =>
  inTempDir(async (dir) => {
    plant(dir, { "r.json": '{"groups": 5, "scanned": ["/x"]}' });
    const { code, stderr } = await shieldfive(["trash", "--report", "r.json", "--yes"], {
      cwd: dir,
    });
    assert.equal(code, 1);
    assert.match(stderr, /"r\.json" is no report of `shieldfive dupes --json`/);
    const both = await shieldfive(["trash", "--report", "r.json", "x"], { cwd: dir });
    assert.equal(both.code, 2);
  }));

Deno.test("at a terminal a yes performs exactly what was shown", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const run = await onTerminal([...COMMAND, "trash", "a.txt"], [["[y/N] ", "y\n"]], { cwd: dir });
    if (run === undefined) return;
    assert.equal(run.code, 0, run.screen);
    assert.match(run.screen, /Proceed\? \[y\/N\] y/);
    assert.match(run.screen, /NOTHING WAS DELETED/);
    assert.equal(run.screen.split("Size  Files").length, 2, "the table is shown once");
    assert.ok(!exists(`${dir}/a.txt`));
  }));

Deno.test("at a terminal everything but a clear yes leaves all as it is", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    for (const answer of ["n\n", "\n", "yeah\n", "\x04"]) {
      const run = await onTerminal([...COMMAND, "trash", "a.txt"], [["[y/N] ", answer]], {
        cwd: dir,
      });
      if (run === undefined) return;
      assert.equal(run.code, 1, run.screen);
      assert.match(run.screen, /shieldfive: nothing was changed/);
      assert.ok(exists(`${dir}/a.txt`));
    }
  }));

Deno.test("Ctrl-C at the question ends with 130 and nothing changed", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const run = await onTerminal([...COMMAND, "trash", "a.txt"], [["[y/N] ", "\x03"]], {
      cwd: dir,
    });
    if (run === undefined) return;
    assert.equal(run.code, 130, run.screen);
    assert.ok(exists(`${dir}/a.txt`));
  }));

Deno.test("the question goes to the terminal when the output goes elsewhere", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const words = COMMAND.map((word) => `'${word}'`).join(" ");
    const line = `${words} trash a.txt --json > out.json < /dev/null`;
    const run = await onTerminal(["bash", "-c", line], [["[y/N] ", "y\n"]], { cwd: dir });
    if (run === undefined) return;
    assert.equal(run.code, 0, run.screen);
    assert.ok(run.screen.includes(`${dir}/a.txt`), "the plan is shown where the question is");
    assert.equal(JSON.parse(Deno.readTextFileSync(`${dir}/out.json`)).performed, true);
    assert.ok(!exists(`${dir}/a.txt`));
  }));

Deno.test("a plan that is no longer true at the yes is not carried out", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const run = await onTerminal(
      [...COMMAND, "trash", "a.txt"],
      [["[y/N] ", "y\n", "echo more >> a.txt"]],
      { cwd: dir },
    );
    if (run === undefined) return;
    assert.equal(run.code, 1, run.screen);
    assert.match(run.screen, /\[plan_changed\]/);
    assert.match(run.screen, /hint: something changed in the meantime; run the command again/);
    assert.equal(Deno.readTextFileSync(`${dir}/a.txt`), "amore\n");
  }));

Deno.test("on a terminal lines fit its width and colours can be turned off", () =>
  inTempDir(async (dir) => {
    plant(dir, { [`${"folder/".repeat(20)}文件 report.pdf`]: "x" });
    const colours = await onTerminal([...COMMAND, "list"], [], { cwd: dir, columns: 60 });
    if (colours === undefined) return;
    assert.match(colours.screen, /\x1b\[2mSize/);
    const row = colours.screen.split("\n").find((line) => line.includes("report.pdf"))!;
    assert.ok(row.includes("…") && row.length + 2 <= 60, row);
    const plain = await onTerminal([...COMMAND, "list"], [], { cwd: dir, env: { NO_COLOR: "1" } });
    assert.doesNotMatch(plain!.screen, /\x1b\[\d*m/);
  }));
