// Results, refusals, and results that are too large for a line.

import assert from "node:assert/strict";
import fc from "fast-check";
import { cutToFit, jsonBytes } from "../../cli/mcp/fit.ts";
import { failure, success } from "../../cli/mcp/results.ts";
import { ToolError } from "../../containment/mod.ts";

const MIB = 1024 * 1024;
const rows = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => ({ path: `/${i}/`.padEnd(length, "é\n") }));

Deno.test("a result is the summary, the payload as JSON text, and the payload", () => {
  const output = { total: 1, files: [{ path: "/a\n" }] };
  assert.deepEqual(success("One file.", output), {
    content: [
      { type: "text", text: "One file." },
      { type: "text", text: JSON.stringify(output, null, 2) },
    ],
    structuredContent: output,
  });
});

Deno.test("a refusal carries its code in the text, and its detail where it has one", () => {
  const plain = failure(new ToolError("not_found", "nothing is there"));
  assert.deepEqual(plain, {
    content: [{ type: "text", text: "[not_found] nothing is there" }],
    structuredContent: {
      error: { code: "not_found", message: "nothing is there", changed_anything: false },
    },
    isError: true,
  });
  const detail = { moved: ["/a"] };
  const partly = failure(
    new ToolError("trash_partially_applied", "half", { detail, changedAnything: true }),
  );
  assert.deepEqual(JSON.parse(partly.content[1].text), detail);
  assert.deepEqual(partly.structuredContent.error, {
    code: "trash_partially_applied",
    message: "half",
    changed_anything: true,
    detail,
  });
});

Deno.test("a note stands before what it is about, and a text by itself is not repeated in the data's text", () => {
  const output = { file: { path: "/a" }, content: "<fenced>\ntext\n</fenced>" };
  const text = { text: output.content, rest: { file: output.file } };
  const result = success("A text.", output, { note: "This is data.", text });
  assert.deepEqual(result.content.map(({ text }) => text), [
    "A text.",
    "This is data.",
    output.content,
    JSON.stringify(text.rest, null, 2),
  ]);
  assert.deepEqual(result.structuredContent, output);
  const refused = failure(new ToolError("not_found", "gone", { detail: { path: "/a" } }), {
    note: "This is data.",
  });
  assert.deepEqual(refused.content.map(({ text }) => text).slice(0, 2), [
    "[not_found] gone",
    "This is data.",
  ]);
});

Deno.test("a text that is too large to be sent twice stays in the data, and the note stays before it", () => {
  for (const character of ["\u001b", "\u4e00", '"']) {
    const content = character.repeat(1_000_000);
    const text = { text: content, rest: {} };
    const result = success("A text.", { content }, { note: "This is data.", text });
    assert.ok(jsonBytes(result) < 8 * MIB);
    assert.equal(result.structuredContent.content, content);
    assert.ok(result.content.some(({ text }) => text === "This is data."));
  }
});

Deno.test("a result too large to be sent twice gives up its text and keeps its data", () => {
  const output = { warnings: [], files: rows(10_000, 400) };
  const result = success("Many files.", output);
  assert.equal(result.content.length, 1);
  assert.match(result.content[0].text, /^Many files\. .*structured content/);
  assert.deepEqual(result.structuredContent, output);
  assert.ok(jsonBytes(result) < 8 * MIB);
});

Deno.test("a result too large to be sent at all is cut and says by how much", () => {
  const output = { shown: 30_000, warnings: ["kept"], files: rows(30_000, 400) };
  const result = success("Very many files.", output);
  const { files, omitted_by_size, warnings } = result.structuredContent as {
    files: unknown[];
    omitted_by_size: number;
    warnings: string[];
  };
  assert.ok(files.length > 1000 && omitted_by_size > 0);
  assert.equal(files.length + omitted_by_size, 30_000);
  assert.deepEqual(files, output.files.slice(0, files.length));
  assert.deepEqual(warnings, ["kept"]);
  assert.match(result.content[0].text, new RegExp(`${omitted_by_size} list items were left out`));
  assert.ok(jsonBytes(result) < 8 * MIB);
  assert.equal(output.files.length, 30_000);
});

Deno.test("the detail of a refusal is cut like any result", () => {
  const error = new ToolError("trash_partially_applied", "half", {
    detail: { items: rows(30_000, 400) },
  });
  const result = failure(error);
  assert.equal(result.isError, true);
  assert.ok(jsonBytes(result) < 8 * MIB);
  assert.ok((result.structuredContent.omitted_by_size as number) > 0);
});

Deno.test("cutting reaches the limit, loses only list ends, and counts what it loses", () => {
  const item = fc.oneof(fc.string({ unit: "binary" }), fc.object({ maxDepth: 1 }));
  const value = fc.record({
    note: fc.string(),
    first: fc.array(item),
    nested: fc.record({ second: fc.array(item) }),
  });
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 400 }), (original, spare) => {
      const bare = jsonBytes({ ...original, first: [], nested: { second: [] } });
      const limit = bare + 60 + spare;
      const cut = cutToFit(original, limit) as typeof original & { omitted_by_size?: number };
      assert.ok(jsonBytes(cut) <= limit);
      assert.deepEqual(cut.first, structuredClone(original.first).slice(0, cut.first.length));
      const lost = original.first.length - cut.first.length +
        original.nested.second.length - cut.nested.second.length;
      assert.equal(cut.omitted_by_size ?? 0, lost);
    }),
    { numRuns: 300, seed: 3 },
  );
});
