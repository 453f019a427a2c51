// From bytes to lines, however the bytes arrive.

import assert from "node:assert/strict";
import fc from "fast-check";
import { LineSplitter } from "../../cli/mcp/lines.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What comes out of the pieces: lines, and `undefined` for one that was too long. */
function split(pieces: Uint8Array[], limit?: number): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const splitter = new LineSplitter({
    line: (bytes) => found.push(decoder.decode(bytes)),
    tooLong: () => found.push(undefined),
  }, limit);
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return found;
}

/** Cuts bytes at the given places. */
function cutAt(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  cuts.sort((a, b) => a - b);
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
}

Deno.test("lines do not depend on how the bytes are cut into pieces", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) =>
    text.replace(/[\r\n]/g, "")
  );
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.nat()),
      fc.constantFrom("\n", "\r\n"),
      (lines, places, end) => {
        const bytes = encoder.encode(lines.map((text) => text + end).join(""));
        const expected = lines.filter((text) => text !== "");
        assert.deepEqual(split(cutAt(bytes, places)), expected);
      },
    ),
    { numRuns: 200, seed: 7 },
  );
});

Deno.test("the last line needs no end, and empty lines are nothing", () => {
  assert.deepEqual(split([encoder.encode("\n\r\na\n\nb")]), ["a", "b"]);
});

Deno.test("a line over the limit is told once and skipped up to its end", () => {
  const bytes = encoder.encode(`${"x".repeat(11)}\nok\n${"y".repeat(10)}\n${"z".repeat(50)}`);
  const expected = [undefined, "ok", "y".repeat(10), undefined];
  assert.deepEqual(split([bytes], 10), expected);
  assert.deepEqual(split(cutAt(bytes, [...bytes.keys()]), 10), expected);
});

Deno.test("a long line in tiny pieces takes time in proportion to its length", () => {
  const time = (size: number) => {
    const piece = new Uint8Array(7).fill(0x78);
    const start = performance.now();
    const [line] = split([...Array(Math.floor(size / 7)).fill(piece), encoder.encode("\n")]);
    assert.equal(line?.length, Math.floor(size / 7) * 7);
    return performance.now() - start;
  };
  time(1e6);
  const [small, large] = [time(2e6), time(16e6)];
  assert.ok(
    large < 40 * Math.max(small, 5),
    `${small} ms, then ${large} ms for eight times as much`,
  );
});
