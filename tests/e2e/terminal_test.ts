// The command line from outside: real processes on real folders, away from any terminal.

import assert from "node:assert/strict";
import { VERSION } from "../../cli/version.ts";
import { shieldfive } from "../cli/program.ts";
import { inTempDir, plant } from "../support.ts";

Deno.test("alone, and with --help, the program explains itself", async () => {
  const alone = await shieldfive([]);
  assert.equal(alone.code, 0);
  assert.match(alone.stdout, /Usage: shieldfive COMMAND/);
  assert.equal(alone.stderr, "");
  assert.deepEqual(await shieldfive(["--help"]), alone);
  const page = await shieldfive(["list", "x", "--limit", "--help"]);
  assert.match(page.stdout, /Usage: shieldfive list/);
});

Deno.test("the version is the one of the project", async () => {
  assert.deepEqual(await shieldfive(["--version"]), {
    code: 0,
    stdout: `shieldfive ${VERSION}\n`,
    stderr: "",
  });
});

Deno.test("a mistyped command or option exits 2 with the right one, and says nothing on stdout", async () => {
  const command = await shieldfive(["lsit"]);
  assert.deepEqual([command.code, command.stdout], [2, ""]);
  assert.match(
    command.stderr,
    /^shieldfive: error: there is no command "lsit"; did you mean list\?$/m,
  );
  const option = await shieldfive(["list", "--inclde-hidden"]);
  assert.deepEqual([option.code, option.stdout], [2, ""]);
  assert.match(option.stderr, /did you mean --include-hidden\?/);
  assert.match(option.stderr, /^shieldfive: hint: `shieldfive list --help`/m);
});

Deno.test("a value that the tool does not take exits 2 in the option's own name", () =>
  inTempDir(async (dir) => {
    const { code, stderr } = await shieldfive(["list", "--limit", "0"], { cwd: dir });
    assert.equal(code, 2);
    assert.match(stderr, /^shieldfive: error: --limit: .*"0"/m);
  }));

Deno.test("a table goes to stdout with whole paths, warnings go to stderr", () =>
  inTempDir(async (dir) => {
    const long = "folder/".repeat(20);
    plant(dir, { [`${long}a.txt`]: "12345", ".hidden": "x" });
    const { code, stdout, stderr } = await shieldfive(["list"], {
      cwd: dir,
      env: { COLUMNS: "40" },
    });
    assert.equal(code, 0);
    assert.ok(stdout.includes(`${dir}/${long}a.txt\n`), stdout);
    assert.match(stdout, /1 file, 5 B\.\n$/);
    assert.match(stderr, /^shieldfive: warning: 1 hidden item\(s\) excluded; [^\n]*\n$/);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(stdout + stderr, /\x1b/);
  }));

Deno.test("with --json stdout is the tool's output and nothing else, and so is a failure", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const { code, stdout, stderr } = await shieldfive(["list", "--json"], { cwd: dir });
    assert.deepEqual([code, stderr], [0, ""]);
    const output = JSON.parse(stdout);
    assert.equal(stdout, JSON.stringify(output, null, 2) + "\n");
    assert.deepEqual(output.files.map(({ path }: { path: string }) => path), [`${dir}/a.txt`]);
    const failed = await shieldfive(["list", "nope", "--json"], { cwd: dir });
    assert.equal(failed.code, 1);
    assert.deepEqual(JSON.parse(failed.stdout).error.code, "not_found");
    assert.match(failed.stderr, /^shieldfive: error: nothing is at "[^"]*nope" \[not_found\]$/m);
    const usage = await shieldfive(["list", "--json", "--bogus-option"], { cwd: dir });
    assert.deepEqual([usage.code, JSON.parse(usage.stdout).error.code], [2, "invalid_argument"]);
  }));

Deno.test("file names can neither forge a line nor drive the terminal, and are exact in JSON", () =>
  inTempDir(async (dir) => {
    const names = ["a\nTrashed 0 files", "b\x1b]0;x\x07", "c\rOK   ", "d\u202etxt.exe"];
    plant(dir, Object.fromEntries(names.map((name) => [name, "x"])));
    const human = await shieldfive(["list"], { cwd: dir });
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(human.stdout + human.stderr, /[\x00-\x09\x0b-\x1f\x7f\u202e]/);
    assert.equal(
      human.stdout.split("\n").filter((line) => line.includes(dir)).length,
      names.length,
    );
    const { stdout } = await shieldfive(["list", "--json"], { cwd: dir });
    const listed = JSON.parse(stdout).files.map(({ path }: { path: string }) => path);
    assert.deepEqual(listed, names.map((name) => `${dir}/${name}`).sort());
    const error = await shieldfive(["list", "no\x1b[2J\nshieldfive: all is well"], { cwd: dir });
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(error.stderr, /\x1b|^shieldfive: all/m);
  }));

Deno.test("names that begin with a dash are reached behind --", () =>
  inTempDir(async (dir) => {
    plant(dir, { "-rf/[2024] (a)/a*b.txt": "x", "--yes": "y" });
    const { stdout } = await shieldfive(["list", "--", "-rf"], { cwd: dir });
    assert.ok(stdout.includes("/-rf/[2024] (a)/a*b.txt"));
    const trashed = await shieldfive(["trash", "--yes", "--", "--yes"], { cwd: dir });
    assert.equal(trashed.code, 0, trashed.stderr);
    assert.throws(() => Deno.lstatSync(`${dir}/--yes`), Deno.errors.NotFound);
  }));

Deno.test("given roots limit what a command reaches, from an option or the environment", () =>
  inTempDir(async (dir) => {
    plant(dir, { "in/a": "a", "out/b": "b" });
    const refused = await shieldfive(["list", "--root", "in", "out"], { cwd: dir });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /\[outside_roots\]/);
    const env = { SHIELDFIVE_MCP_ROOTS: `${dir}/in:${dir}/nope` };
    const listed = await shieldfive(["list"], { cwd: dir, env });
    assert.ok(listed.stdout.includes(`${dir}/in/a`) && !listed.stdout.includes("/out/"));
    assert.match(listed.stderr, /warning: root "[^"]*nope" is ignored: it does not exist/);
    const moved = await shieldfive(["move", "in/a", "out/", "--yes"], { cwd: dir, env });
    assert.match(moved.stderr, /\[outside_roots\]/);
    assert.match(moved.stderr, /hint: --root DIR/);
    assert.equal(Deno.readTextFileSync(`${dir}/in/a`), "a");
  }));

Deno.test("--show-permissions prints the rooms of the call and does nothing", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "a" });
    const trash = await shieldfive(["trash", "a", "--yes", "--show-permissions"], { cwd: dir });
    assert.equal(trash.code, 0);
    assert.match(trash.stdout, new RegExp(`^room disk-write\n  read: ${dir}\n  write: ${dir}\n`));
    assert.match(trash.stdout, /^room link\n/m);
    assert.doesNotMatch(trash.stdout, /net|run|env|ffi/);
    assert.equal(Deno.readTextFileSync(`${dir}/a`), "a");
    const list = await shieldfive(["list", "--show-permissions"], { cwd: dir });
    assert.match(list.stdout, new RegExp(`^room disk-read\n  read: ${dir}\n  nothing else\nmain`));
  }));

Deno.test("the runtime's own options are ours to refuse, like any unknown option", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "a" });
    const { code, stderr } = await shieldfive(["list", "--allow-read"], { cwd: dir });
    assert.equal(code, 2);
    assert.match(stderr, /there is no option "--allow-read"/);
    assert.doesNotMatch(stderr, /permission|prompt/i);
  }));
