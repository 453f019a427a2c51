import assert from "node:assert/strict";
import { callFor } from "../../cli/commands/call.ts";
import { optionsOf } from "../../cli/options.ts";
import { parseWords } from "../../cli/parse.ts";
import { findTool } from "../../tools/catalogue.ts";
import { inTempDir, plant } from "../support.ts";
import { testEnvironment } from "./environment.ts";

/** What `shieldfive TOOL WORDS` asks of the tool. */
function input(name: string, words: string[], cwd: string): Record<string, unknown> {
  const tool = findTool(name)!;
  const { own, common } = optionsOf(tool);
  return callFor(tool, parseWords(words, [...own, ...common]), testEnvironment({ cwd })).input;
}

Deno.test("operands become the arguments that they stand for, as absolute paths", () =>
  inTempDir((dir) => {
    plant(dir, { "a": "a", "d/": "" });
    assert.deepEqual(input("move_local", ["a", "d/", "--overwrite"], dir), {
      source: `${dir}/a`,
      destination: `${dir}/d`,
      overwrite: true,
    });
    assert.deepEqual(input("rename_local", ["d/../a", "b c "], dir), {
      path: `${dir}/a`,
      new_name: "b c ",
    });
    assert.deepEqual(input("trash_local", ["--", "-rf", "a"], dir), {
      paths: [`${dir}/-rf`, `${dir}/a`],
    });
  }));

Deno.test("a reading tool gets a path only for a single file, and starts from a terminal's defaults", () =>
  inTempDir((dir) => {
    plant(dir, { "a": "a", "d/": "" });
    assert.deepEqual(input("list_local", ["d", "--limit", "3"], dir), {
      max_files: 1_000_000,
      limit: 3,
    });
    assert.equal(input("list_local", ["a"], dir).path, `${dir}/a`);
  }));

Deno.test("a word that may stand in place of a list is the word itself", () =>
  inTempDir((dir) => {
    assert.equal(input("list_local", ["--skip-dirs", "none"], dir).skip_dirs, "none");
    assert.deepEqual(input("list_local", ["--skip-dirs", "x"], dir).skip_dirs, ["x"]);
    assert.deepEqual(input("list_local", ["--skip-dirs", "none,x"], dir).skip_dirs, ["none", "x"]);
  }));

Deno.test("too few and too many operands are refused with what the command takes", () =>
  inTempDir((dir) => {
    assert.throws(() => input("move_local", ["a"], dir), /move needs SRC DEST/);
    assert.throws(() => input("rename_local", ["a", "b", "c"], dir), /PATH NAME and nothing more/);
    assert.throws(() => input("trash_local", [], dir), /trash needs PATH…/);
    assert.throws(() => input("trash_local", [""], dir), /empty path/);
  }));

Deno.test("restore takes nothing, a batch, or paths", () =>
  inTempDir((dir) => {
    const batch = "2024-05-01T10-00-00-000Z-12-1";
    assert.deepEqual(input("restore_local", [], dir), { batch: "newest" });
    assert.deepEqual(input("restore_local", [batch], dir), { batch });
    assert.deepEqual(input("restore_local", ["--batch", batch], dir), { batch });
    assert.deepEqual(input("restore_local", ["a", "--restore-as", "b"], dir), {
      paths: [`${dir}/a`],
      restore_as: `${dir}/b`,
    });
  }));
