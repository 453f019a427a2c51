import assert from "node:assert/strict";
import fc from "fast-check";
import { count, formatAge, formatBytes, modifiedFields } from "../../tools/format.ts";

const SEED = { seed: 20_261_130, numRuns: 1000 };

Deno.test("sizes are written in decimal units, the unit chosen after rounding", () => {
  const table: [number, string][] = [
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 KB"],
    [1500, "1.5 KB"],
    [99_949, "99.9 KB"],
    [99_950, "100 KB"],
    [999_499, "999 KB"],
    [999_500, "1.0 MB"],
    [999_999, "1.0 MB"],
    [120_000_000, "120 MB"],
    [999_999_999, "1.0 GB"],
    [8_589_934_592, "8.6 GB"],
    [1e15, "1.0 PB"],
    [5e18, "5000 PB"],
    [-1, "unknown"],
    [NaN, "unknown"],
    [Infinity, "unknown"],
  ];
  for (const [bytes, text] of table) assert.equal(formatBytes(bytes), text, String(bytes));
});

Deno.test("a written size has one form and is within a twentieth of the number", () => {
  const units: Record<string, number> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
  const bytes = fc.oneof(
    fc.maxSafeNat(),
    fc.double({ min: 0, max: 1e7, noNaN: true }),
    fc.integer({ min: 0, max: 15 }).chain((power) =>
      fc.integer({ min: -60, max: 60 }).map((near) => Math.max(0, 10 ** power + near))
    ),
  );
  fc.assert(
    fc.property(bytes, (bytes) => {
      const text = formatBytes(bytes);
      const [, number, unit] = /^(\d{1,3}|\d{1,2}\.\d|\d{4} (?=PB)) ?([KMGTP]?B)$/.exec(text)!;
      assert.ok(unit === "B" ? !number.includes(".") : Number(number) >= 1, text);
      assert.equal(number.includes("."), unit !== "B" && Number(number) < 100, text);
      assert.ok(Math.abs(Number(number) * units[unit] - bytes) <= Math.max(0.5, bytes / 20), text);
    }),
    SEED,
  );
});

Deno.test("counts carry their noun", () => {
  assert.equal(count(1, "file"), "1 file");
  assert.equal(count(0, "file"), "0 files");
  assert.equal(count(12_345, "file"), "12,345 files");
  assert.equal(count(2, "copy", "copies"), "2 copies");
});

Deno.test("ages are told in words, rounded down", () => {
  const table: [number, string][] = [
    [-3, "in the future"],
    [0, "today"],
    [0.9, "today"],
    [1, "1 day"],
    [13, "13 days"],
    [14, "2 weeks"],
    [61, "2 months"],
    [365, "12 months"],
    [729, "23 months"],
    [730, "2 years"],
    [3653, "10 years"],
  ];
  for (const [days, text] of table) assert.equal(formatAge(days), text, String(days));
});

Deno.test("a time is written in UTC, and left out where no calendar can hold it", () => {
  assert.deepEqual(modifiedFields(0), {
    modified: "1970-01-01",
    modified_at: "1970-01-01T00:00:00.000Z",
  });
  assert.deepEqual(modifiedFields(-500), {
    modified: "1969-12-31",
    modified_at: "1969-12-31T23:59:59.500Z",
  });
  assert.equal(modifiedFields(15_032_385_535_000).modified, "2446-05-10");
  for (const bad of [NaN, 9e15, -9e15, 8.64e15, -1e14, Infinity]) {
    assert.deepEqual(modifiedFields(bad), {}, String(bad));
  }
});

Deno.test("every time gives a date that is the start of its full text, or nothing", () => {
  fc.assert(
    fc.property(fc.double({ min: -9e15, max: 9e15 }), (time) => {
      const { modified, modified_at } = modifiedFields(time);
      if (modified === undefined) return assert.equal(modified_at, undefined);
      assert.match(modified_at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(modified_at!.slice(0, 10), modified);
    }),
    SEED,
  );
});
