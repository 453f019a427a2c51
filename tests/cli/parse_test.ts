import assert from "node:assert/strict";
import { optionsOf } from "../../cli/options.ts";
import { parseWords } from "../../cli/parse.ts";
import { UsageError } from "../../cli/usage.ts";
import { list } from "../../tools/local/list.ts";
import { trash } from "../../tools/local/trash.ts";

function parse(...words: string[]) {
  const { own, common } = optionsOf(list);
  const { values, operands } = parseWords(words, [...own, ...common]);
  return { ...Object.fromEntries(values), operands };
}

function refused(...words: string[]): UsageError {
  try {
    parse(...words);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("the words were not refused");
}

Deno.test("options take their values beside or behind an equals sign, between operands", () => {
  assert.deepEqual(parse("a", "--limit", "5", "--sort-by=size", "b", "--json"), {
    limit: 5,
    "sort-by": "size",
    json: true,
    operands: ["a", "b"],
  });
});

Deno.test("what follows -- is an operand, and so is a single dash", () => {
  assert.deepEqual(parse("-", "--", "-rf", "--json"), { operands: ["-", "-rf", "--json"] });
});

Deno.test("lists are separated by commas or repeated", () => {
  assert.deepEqual(parse("--extensions", "pdf,docx", "--extensions=txt"), {
    extensions: ["pdf", "docx", "txt"],
    operands: [],
  });
});

Deno.test("an option that may be repeated keeps every value whole", () => {
  assert.deepEqual(parse("--root", "/a,b", "--root", "/c"), {
    root: ["/a,b", "/c"],
    operands: [],
  });
});

Deno.test("a size is bytes in decimal or binary units", () => {
  assert.deepEqual(parse("--min-bytes", "1.5GiB"), { "min-bytes": 1_610_612_736, operands: [] });
});

Deno.test("a mistyped option is refused with the one that was meant", () => {
  assert.match(
    refused("--inclde-hidden").message,
    /no option "--inclde-hidden"; did you mean --include-hidden\?/,
  );
  assert.match(refused("--jsno").message, /did you mean --json\?/);
  assert.doesNotMatch(refused("--frobnicate-all-of-it").message, /did you mean/);
});

Deno.test("a mistyped choice is refused with the one that was meant", () => {
  assert.match(
    refused("--sort-by", "sise").message,
    /path, size, modified, not "sise"; did you mean size\?/,
  );
});

Deno.test("a value that is missing, empty, or looks like the next option is refused", () => {
  assert.match(refused("--limit").message, /--limit needs a value/);
  assert.match(refused("--name-contains=").message, /--name-contains needs a value/);
  const error = refused("--name-contains", "--json");
  assert.match(error.message, /needs a value, but "--json" follows/);
  assert.match(error.hint!, /--name-contains=--json/);
});

Deno.test("a value for a switch and an option given twice are refused", () => {
  assert.match(refused("--json=yes").message, /takes no value/);
  assert.match(refused("--limit", "1", "--limit", "2").message, /given twice/);
});

Deno.test("what is no whole number is refused for a number", () => {
  for (const text of ["1.5", "many", "1e3", "", "0x10", "99999999999999999999"]) {
    assert.match(
      refused(`--limit=${text}`).message,
      /--limit (takes a whole number|needs a value)/,
    );
  }
});

Deno.test("an unknown option is shown with nothing hidden in it", () => {
  const { message } = refused("--\x1b]0;x\x07");
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(message, /[\x00-\x1f]/);
});

Deno.test("short options can be put together", () => {
  const { own, common } = optionsOf(trash);
  const { values } = parseWords(["-yn", "x"], [...own, ...common]);
  assert.deepEqual(Object.fromEntries(values), { yes: true, "dry-run": true });
});
