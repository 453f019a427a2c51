import assert from "node:assert/strict";
import { parseDays, parseSize } from "../../cli/quantity.ts";
import { UsageError } from "../../cli/usage.ts";

Deno.test("sizes are read in decimal and binary units, whatever the case", () => {
  const sizes: [string, number][] = [
    ["0", 0],
    ["999", 999],
    ["10B", 10],
    ["1k", 1000],
    ["1KB", 1000],
    ["1KiB", 1024],
    ["100MB", 100_000_000],
    ["1.5GiB", 1_610_612_736],
    ["2 tb", 2_000_000_000_000],
    ["0.5b", 0],
  ];
  for (const [text, bytes] of sizes) assert.equal(parseSize(text, "--x"), bytes, text);
});

Deno.test("ages are read in days, weeks, months of 30 days and years of 365", () => {
  const ages: [string, number][] = [["30", 30], ["30d", 30], ["6w", 42], ["3mo", 90], ["2y", 730], [
    "1.5y",
    547,
  ]];
  for (const [text, days] of ages) assert.equal(parseDays(text, "--x"), days, text);
});

Deno.test("what is no quantity is refused with what one looks like", () => {
  for (const text of ["", "-5", "5XB", "1,5GB", "MB", "1e9", "9999999PB", "0x10", "5 5"]) {
    assert.throws(() => parseSize(text, "--min-bytes"), (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /--min-bytes takes a size such as 500KB/);
      return true;
    });
  }
  assert.throws(() => parseDays("5m", "--older-than-days"), /takes an age such as 30d/);
});
