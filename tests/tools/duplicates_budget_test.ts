import { deepEqual, equal, match, ok } from "node:assert/strict";
import { inTempDir, plant } from "../support.ts";
import { bytes, find, flipped, pathsOf, type Result, summaryOf } from "./finding.ts";

/** So many equal files of a size, all named after it. */
function copies(dir: string, n: number, size: number, seed = 1): void {
  for (let i = 0; i < n; i++) plant(dir, { [`${size}-${i}`]: bytes(size, seed) });
}

function reads(result: Result): [number, number, number, number] {
  return [
    result.hash_reads,
    result.groups_skipped_for_budget,
    result.groups_partially_hashed,
    result.files_not_hashed,
  ];
}

for (
  const [n, size, cost] of [
    [4, 100_000, 8],
    [2, 1000, 2],
    [2, 65_536, 2],
    [2, 65_537, 4],
    [2, 16_385, 2],
    [3, 20_000_000, 6],
  ]
) {
  Deno.test(`${n} equal files of ${size} bytes cost ${cost} reads`, () =>
    inTempDir((dir) => {
      copies(dir, n, size);
      const result = find(dir);
      deepEqual(reads(result), [cost, 0, 0, 0]);
      equal(result.groups[0].copies, n);
    }));
}

Deno.test("large files that differ at the beginning cost one read each", () =>
  inTempDir((dir) => {
    const content = bytes(100_000);
    plant(dir, { a: content, b: flipped(content, 0), c: flipped(content, 1) });
    const result = find(dir);
    deepEqual([result.hash_reads, result.duplicate_groups], [3, 0]);
    ok(result.bytes_hashed < 30_000);
  }));

Deno.test("files of a size that no other has are not read", () =>
  inTempDir((dir) => {
    plant(dir, { a: "1", b: "22", c: "333" });
    const result = find(dir);
    deepEqual([result.hash_reads, result.bytes_hashed, result.files_considered], [0, 0, 3]);
  }));

Deno.test("a budget of one read hashes nothing, and what was left out is told in full", () =>
  inTempDir((dir) => {
    copies(dir, 3, 1000);
    copies(dir, 2, 500);
    const result = find(dir, { max_files_hashed: 1 });
    deepEqual(reads(result), [0, 2, 0, 5]);
    deepEqual([result.duplicate_groups, result.complete, result.hash_budget], [0, false, 1]);
    // 2 x 1000 and 1 x 500 bytes could be won at most.
    match(summaryOf(result), /5 files in 2 size groups .*up to 2\.5 KB to win.*lower bound/);
    match(summaryOf(result), /raise max_files_hashed/);
  }));

Deno.test("a tight budget goes to the most valuable size, and what is over to the next", () =>
  inTempDir((dir) => {
    copies(dir, 3, 1000); // 2000 to win
    copies(dir, 4, 900); // 2700 to win
    copies(dir, 2, 1500); // 1500 to win
    const six = find(dir, { max_files_hashed: 6 });
    // Four for the 900s, two of the three 1000s, none for the 1500s.
    deepEqual(reads(six), [6, 1, 1, 3]);
    deepEqual(six.groups.map((group) => [group.size, group.copies]), [[900, 4], [1000, 2]]);
    match(summaryOf(six), /lower bound/);
    const seven = find(dir, { max_files_hashed: 7 });
    deepEqual(reads(seven), [7, 1, 0, 2]);
  }));

Deno.test("reads that large files did not need are free for the sizes after them", () =>
  inTempDir((dir) => {
    const content = bytes(100_000);
    plant(dir, { a: content, b: flipped(content, 0) }); // two looks, no full reading
    copies(dir, 2, 1000);
    const result = find(dir, { max_files_hashed: 4 });
    deepEqual(reads(result), [4, 0, 0, 0]);
    equal(result.duplicate_groups, 1);
    // With three, the large ones might need four, so the cheaper ones have the budget.
    deepEqual(reads(find(dir, { max_files_hashed: 3 })), [2, 1, 0, 2]);
  }));

Deno.test("the first files by the keeper's order are the ones that a part budget reads", () =>
  inTempDir((dir) => {
    plant(dir, { young: "same", old: "same", oldest: "same" });
    for (const [name, year] of [["young", 2020], ["old", 2010], ["oldest", 2000]] as const) {
      const then = new Date(Date.UTC(year, 0));
      Deno.utimeSync(`${dir}/${name}`, then, then);
    }
    deepEqual(pathsOf(dir, find(dir, { max_files_hashed: 2 })), [["old", "oldest"]]);
    deepEqual(pathsOf(dir, find(dir, { max_files_hashed: 2, keep: "newest" })), [["old", "young"]]);
  }));

Deno.test("the budget is never exceeded, whatever it is", () =>
  inTempDir((dir) => {
    copies(dir, 3, 100_000);
    copies(dir, 3, 70_000);
    copies(dir, 5, 2000);
    const whole = find(dir).hash_reads;
    equal(whole, 6 + 6 + 5);
    for (let budget = 1; budget <= whole; budget++) {
      const result = find(dir, { max_files_hashed: budget });
      ok(result.hash_reads <= budget, `${result.hash_reads} reads of ${budget}`);
      equal(result.complete, budget === whole);
    }
  }));

Deno.test("a budget of bytes is kept and what it left out is told", () =>
  inTempDir((dir) => {
    copies(dir, 2, 100_000);
    copies(dir, 4, 10_000);
    const all = find(dir);
    equal(all.bytes_hashed, 2 * 100_000 + 2 * 8192 + 8 * 10_000);
    for (const budget of [1, 39_999, 40_000, 80_000, 216_383, 216_384, 296_384]) {
      const result = find(dir, { max_bytes_hashed: budget });
      ok(result.bytes_hashed <= budget, `${result.bytes_hashed} bytes of ${budget}`);
      equal(result.complete, budget === 296_384);
    }
    const some = find(dir, { max_bytes_hashed: 60_000 });
    deepEqual(some.groups.map((group) => [group.size, group.copies]), [[10_000, 3]]);
    match(summaryOf(some), /max_bytes_hashed 60000.*lower bound.*or max_bytes_hashed/);
  }));
