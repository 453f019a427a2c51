// A short run of what `deno task fuzz` does for long.

import assert from "node:assert/strict";
import fc from "fast-check";
import { holds, TARGETS } from "./properties/fuzz.ts";
import { largestAllocation } from "./properties/allocations.ts";
import { header } from "./second/container.ts";
import { bigEndian, join } from "./second/primitives.ts";
import { refused } from "./vectors/checks/expect.ts";
import { readersOf } from "./vectors/checks/readers.ts";

const SEED = 20260101;
const RUNS = 2000;

for (const target of TARGETS) {
  Deno.test(`${RUNS} malformed ${target.name} are refused, soon and in little memory`, async () => {
    await fc.assert(holds(target), { seed: SEED, numRuns: RUNS });
  });
}

Deno.test("a request for a large array is noticed", async () => {
  assert.equal(await largestAllocation(() => void new Uint8Array(12_345)), 12_345);
});

/** Headers that are authentic, and lengths behind them that nobody should believe. */
const GREEDY = [
  { what: "chunks of 4 GiB", totalChunks: 2, plaintextSize: 0xffff_ffff + 1 },
  { what: "a last chunk that claims more than the header", totalChunks: 1, plaintextSize: 5 },
];

for (const { what, ...sizes } of GREEDY) {
  Deno.test(`${what}: refused before memory is asked for`, async () => {
    const key = new Uint8Array(32).fill(1);
    const fields = { ...sizes, fileId: new Uint8Array(16), chunkSize: 0xffff_ffff };
    for (const [suite, payload] of [[1, 72], [2, 96], [3, 1664], [4, 72]] as const) {
      const head = header({ ...fields, suite, payload: new Uint8Array(payload) }, key);
      const file = join(head, bigEndian(0xffff_ffff, 4), new Uint8Array(100));
      for (const { what, byKem, read } of readersOf(suite, [1_000_000, 9])) {
        if (byKem) continue;
        const largest = await largestAllocation(() =>
          refused(
            () => read(file, { key, fileId: fields.fileId }),
            "chunk_too_large",
            `0x0${suite}, ${what}`,
          )
        );
        assert.ok(largest < 2 ** 20, `0x0${suite}, ${what}: ${largest} bytes`);
      }
    }
  });
}
