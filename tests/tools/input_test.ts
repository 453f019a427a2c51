import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { ToolError } from "../../containment/mod.ts";
import { findTool, localTools } from "../../tools/catalogue.ts";
import { checkInput, nearest } from "../../tools/input.ts";
import { contextFor, inTempDir, refusal } from "../support.ts";

const READING = ["list_local", "find_large_files", "find_old_files", "storage_summary"];

function check(tool: string, args: unknown): Record<string, unknown> {
  return checkInput(findTool(tool)!, z, args);
}

function problem(tool: string, args: unknown): ToolError {
  return refusal(() => check(tool, args));
}

Deno.test("no arguments, null and an empty object are the same, and fill in the defaults", () => {
  const defaults: Record<string, number> = {
    list_local: 200,
    find_large_files: 100,
    find_old_files: 100,
    storage_summary: 15,
  };
  for (const tool of READING) {
    for (const args of [undefined, null, {}]) {
      const input = check(tool, args);
      assert.equal(input.limit, defaults[tool]);
      assert.equal(input.max_files, 200_000);
      assert.equal(input.include_hidden, false);
      assert.equal(input.path, undefined);
    }
  }
  assert.equal(check("find_large_files", {}).min_bytes, 100_000_000);
  assert.equal(check("find_old_files", {}).older_than_days, 365);
});

Deno.test("null stands for an omitted number and for nothing else", () => {
  const input = check("find_old_files", { limit: null, max_files: null, older_than_days: null });
  assert.deepEqual([input.limit, input.max_files, input.older_than_days], [100, 200_000, 365]);
  for (const args of [{ path: null }, { include_hidden: null }, { skip_dirs: null }]) {
    assert.throws(() => check("find_old_files", args), ToolError);
  }
});

Deno.test("whole numbers are taken within their limits and never made of something else", () => {
  const limits: [string, string, number, number][] = [
    ["list_local", "limit", 1, 10_000],
    ["list_local", "max_files", 1, 1_000_000],
    ["list_local", "offset", 0, 1_000_000],
    ["find_large_files", "min_bytes", 1, Number.MAX_SAFE_INTEGER],
    ["find_old_files", "older_than_days", 1, 36_500],
    ["find_duplicates", "max_files_hashed", 1, 1_000_000],
    ["find_duplicates", "min_bytes", 0, Number.MAX_SAFE_INTEGER],
  ];
  for (const [tool, name, min, max] of limits) {
    assert.equal(check(tool, { [name]: min })[name], min);
    assert.equal(check(tool, { [name]: max })[name], max);
    for (const bad of [min - 1, max + 1, -5, 1.5, NaN, Infinity, "10", [1], {}, true]) {
      const error = problem(tool, { [name]: bad });
      assert.equal(error.code, "invalid_argument", `${name}: ${bad}`);
      assert.ok(error.message.startsWith(`${name}: `), error.message);
      assert.match(error.message, /nothing was changed$/);
    }
  }
});

Deno.test("an unknown argument is refused with the one that was meant", () => {
  const cases: [string, Record<string, unknown>, string, string][] = [
    ["list_local", {}, "sortby", "sort_by"],
    ["list_local", {}, "includeHidden", "include_hidden"],
    ["find_large_files", {}, "min_byte", "min_bytes"],
    ["move_local", { source: "/a", destination: "/b" }, "ovewrite", "overwrite"],
    ["storage_summary", {}, "measure_skiped", "measure_skipped"],
  ];
  for (const [tool, args, given, meant] of cases) {
    const error = problem(tool, { ...args, [given]: 1 });
    assert.equal(error.code, "invalid_argument");
    assert.ok(error.message.includes(`no argument "${given}"; did you mean "${meant}"?`));
  }
  const far = problem("list_local", { zzzzzzzzzz: 1 });
  assert.match(far.message, /it takes path, include_hidden/);
  const long = problem("list_local", { ["q".repeat(5000)]: 1 });
  assert.match(long.message, /it takes path/);
});

Deno.test("names of JavaScript's own are unknown arguments like any other", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const args = JSON.parse(`{"${name}": null}`);
    assert.equal(problem("list_local", args).code, "invalid_argument", name);
  }
});

Deno.test("arguments that are no object are refused with what they are", () => {
  for (const [args, kind] of [[[], "list"], ["path", "string"], [5, "number"], [true, "boolean"]]) {
    const error = problem("list_local", args);
    assert.equal(error.code, "invalid_argument");
    assert.match(error.message, new RegExp(`not a? ?${kind}`));
  }
});

Deno.test("a path of the wrong type is invalid_path, a name invalid_name, and a list is not unpacked", () => {
  assert.equal(problem("list_local", { path: 5 }).code, "invalid_path");
  assert.equal(problem("list_local", { path: ["/a"] }).code, "invalid_path");
  assert.equal(problem("trash_local", { paths: '["/a","/b"]' }).code, "invalid_path");
  assert.equal(problem("trash_local", {}).code, "invalid_path");
  assert.equal(problem("rename_local", { path: "/a" }).code, "invalid_name");
  assert.equal(problem("rename_local", { path: "/a", new_name: 7 }).code, "invalid_name");
});

Deno.test("a value that is none of the choices is told what the choices are", () => {
  const order = problem("list_local", { sort_by: "name" });
  assert.match(order.message, /sort_by.*path.*size.*modified/);
  const skip = problem("list_local", { skip_dirs: "all" });
  assert.match(skip.message, /skip_dirs.*default.*none/);
});

Deno.test("no argument makes a refusal of more than 1,000 characters, or of two lines", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.constantFrom("\u202e", "\n", "\x1b", "\ud800").map((c) => c.repeat(3000)),
    fc.jsonValue(),
  );
  const name = fc.oneof(
    fc.constantFrom("path", "limit", "skip_dirs", "sort_by", "extensions", "name_contains"),
    fc.string({ unit: "binary", maxLength: 3000 }),
  );
  fc.assert(
    fc.property(name, value, (name, value) => {
      try {
        check("list_local", { [name]: value });
      } catch (error) {
        assert.ok(error instanceof ToolError, String(error));
        assert.ok(error.message.length <= 1000, `${error.message.length}`);
        assert.doesNotMatch(error.message, /[\n\r\x1b\u202e]/);
      }
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});

Deno.test("the nearest name is offered only where it is near", () => {
  const names = ["path", "include_hidden", "max_files", "limit"];
  assert.equal(nearest("pth", names), "path");
  assert.equal(nearest("PATH", names), "path");
  assert.equal(nearest("lmiit", names), "limit");
  assert.equal(nearest("maxfiles", names), "max_files");
  assert.equal(nearest("confirmation", names), undefined);
  assert.equal(nearest("x".repeat(500), names), undefined);
});

Deno.test("reading tools repeat the check of their numbers for callers past the schema", async () => {
  await inTempDir(async (dir) => {
    for (const tool of localTools) {
      if (!READING.includes(tool.name) || tool.effect !== "read") continue;
      const good = check(tool.name, {});
      for (
        const bad of [{ limit: 10_001 }, { limit: 0 }, { limit: "5" }, { max_files: NaN }, {
          max_files: 1_000_001,
        }]
      ) {
        await assert.rejects(
          async () => await tool.run(contextFor([dir]), { ...good, ...bad }),
          (error: ToolError) => error.code === "invalid_argument",
        );
      }
    }
  });
});
