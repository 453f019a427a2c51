import assert from "node:assert/strict";
import fc from "fast-check";
import { pad, shortenEnd, shortenMiddle, widthOf } from "../../cli/terminal/width.ts";
import { wrap } from "../../cli/terminal/wrap.ts";

Deno.test("text is as wide as a terminal shows it", () => {
  const widths: [string, number][] = [
    ["", 0],
    ["plain.txt", 9],
    ["naïve", 5],
    ["nai\u0308ve", 5], // the accent as a character of its own
    ["文件.txt", 8],
    ["ｆｕｌｌ", 8],
    ["한글", 4],
    ["\u1112\u1161\u11ab", 2], // a syllable in its parts
    ["😀", 2],
    ["🇩🇪", 2],
    ["❤\ufe0f", 2],
    ["…", 1],
    ["Ωмега", 5],
  ];
  for (const [text, width] of widths) assert.equal(widthOf(text), width, JSON.stringify(text));
});

Deno.test("text is padded to a width on either side", () => {
  assert.equal(pad("文", 4), "文  ");
  assert.equal(pad("12", 4, "left"), "  12");
  assert.equal(pad("too long", 3), "too long");
});

Deno.test("a path is shortened in the middle and keeps its name", () => {
  assert.equal(
    shortenMiddle("/home/me/a/very/long/way/to/report.pdf", 24),
    "/home/m…ay/to/report.pdf",
  );
  assert.equal(shortenMiddle("/short", 24), "/short");
});

Deno.test("a wide character is never cut in half", () => {
  assert.equal(shortenEnd("文件文件", 4), "文…");
  assert.equal(shortenMiddle("文件文件文件", 5), "文…件");
});

Deno.test("shortened text never takes more columns than there are", () => {
  const character = fc.constantFrom("a", "/", "文", "😀", "e\u0301", "한", "🇩🇪", ".");
  const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      for (const shorten of [shortenEnd, shortenMiddle]) {
        const short = shorten(text, columns);
        assert.ok(widthOf(short) <= columns, `${short} in ${columns}`);
        if (widthOf(text) <= columns) assert.equal(short, text);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

Deno.test("wrapped text keeps every word and fits where its words do", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 9, max: 40 }), (words, columns) => {
      const lines = wrap(words.join(" "), columns);
      assert.deepEqual(lines.join(" ").split(" "), words);
      assert.ok(lines.every((line) => line.length <= columns));
    }),
    { seed: 1, numRuns: 200 },
  );
});
