import assert from "node:assert/strict";
import fc from "fast-check";
import { byCodeUnit, cut, hasHidden, quote, spelledOut, visible } from "../../containment/text.ts";

const SEED = { seed: 20_261_130, numRuns: 500 };
/** Any text, lone surrogates and dangerous characters included. */
const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.array(
    fc.constantFrom("a", "\n", "\r", "\x1b", "\x9b", "\u202e", "\ud83d", "\udc00", "\\", '"'),
  )
    .map((parts) => parts.join("")),
);

/** Code points that draw nothing, move the cursor, end a line or turn the direction: a plain list. */
function isDangerous(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0xad || code === 0x61c ||
    (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) || code === 0xfeff || code === 0x3164 || code === 0xffa0 ||
    (code >= 0xd800 && code <= 0xdfff) || (code >= 0xfff9 && code <= 0xfffb) ||
    (code >= 0xfe00 && code <= 0xfe0e) || (code >= 0xe0000 && code <= 0xe0fff);
}

Deno.test("a name made visible is one line without anything hidden, and stays as it is", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const shown = visible(text);
      for (const character of shown) assert.ok(!isDangerous(character.codePointAt(0)!), shown);
      assert.equal(visible(shown), shown);
      assert.equal(hasHidden(text), shown !== text);
    }),
    SEED,
  );
});

Deno.test("ordinary names of any script are shown as they are", () => {
  for (
    const name of [
      "Übersicht (2).pdf",
      "e\u0301te\u0301.txt",
      "ファイル.txt",
      "ملف.pdf",
      "отчёт",
      "a\u00a0b",
      "😀.png",
      "❤\ufe0f.txt",
      "  two  spaces ",
      "C:\\Temp",
    ]
  ) {
    assert.equal(visible(name), name);
    assert.ok(!hasHidden(name));
  }
});

Deno.test("names that forge lines, drive the terminal or turn the direction are written out", () => {
  assert.equal(visible("a\nTrashed 0 files"), "a\\nTrashed 0 files");
  assert.equal(visible("b\x1b]0;x\x07"), "b\\e]0;x\\u{7}");
  assert.equal(visible("c\rOK   "), "c\\rOK   ");
  assert.equal(visible("d\u202Etxt.exe"), "d\\u{202e}txt.exe");
  assert.equal(visible("e\u2028f\u0085g"), "e\\u{2028}f\\u{85}g");
  assert.equal(visible("half\ud83d"), "half\\u{d83d}");
  assert.equal(visible("tag\u{e0041}\u{e0101}"), "tag\\u{e0041}\\u{e0101}");
  assert.equal(visible("a\ufe0f"), "a\\u{fe0f}");
});

Deno.test("look-alike spellings differ once they are spelled out", () => {
  assert.equal(spelledOut("4.42.48\u202fPM"), "4.42.48\\u{202f}PM");
  assert.equal(spelledOut("Müller"), "M\\u{fc}ller");
  assert.equal(spelledOut("Mu\u0308ller"), "Mu\\u{308}ller");
  assert.equal(spelledOut("plain ~name"), "plain ~name");
  assert.equal(spelledOut("😀"), "\\u{1f600}");
});

Deno.test("a quoted value is one bounded line that says how much was cut", () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 250 }), (text, max) => {
      const shown = quote(text, max);
      assert.equal(visible(shown), shown);
      const cutAway = shown.match(/"… \((\d+) characters\)$/);
      if (cutAway === null) assert.ok(shown.length <= max + 2);
      else {
        assert.equal(Number(cutAway[1]), text.length);
        assert.ok(shown.length - cutAway[0].length - 1 <= max);
      }
    }),
    SEED,
  );
});

Deno.test("a short plain value is quoted as JSON quotes it", () => {
  assert.equal(quote("/a b"), '"/a b"');
  assert.equal(quote('say "hi" \\'), JSON.stringify('say "hi" \\'));
  assert.equal(quote("a\nb"), '"a\\nb"');
  assert.equal(quote(12), '"12"');
  assert.equal(quote("x".repeat(20_000), 80), `"${"x".repeat(80)}"… (20000 characters)`);
});

Deno.test("cutting a text never leaves half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const short = cut(text, max);
      assert.ok(short.length <= max && text.startsWith(short) && short.isWellFormed());
      assert.ok(text.length <= max ? short === text : short.length >= max - 1);
    }),
    SEED,
  );
});

Deno.test("names are ordered by code unit, whatever the locale", () => {
  const names = ["b", "a", "B", "é", "e\u0301", "10", "9", "ä", "z", "\ue000", "😀"];
  const expected = ["10", "9", "B", "a", "b", "e\u0301", "z", "ä", "é", "😀", "\ue000"];
  assert.deepEqual(names.sort(byCodeUnit), expected);
});
