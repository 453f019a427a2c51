// A sample of the fault campaign of move-in: every eleventh step, in every way in which it can fail.
// `deno run -A tests/tools/vault/move_in_faults.ts` goes through all of them.

import assert from "node:assert/strict";
import { allFaults, outcomeWith } from "./move_in_faults.ts";

const EVERY = 11;

Deno.test("whichever step of a move-in fails, no byte is lost, what is told is so, and it can be tried again", async () => {
  const faults = await allFaults();
  assert.ok(faults.length > 400, `${faults.length} faults`);
  const sample = faults.filter((_, i) => i % EVERY === 0);
  const kinds = new Set(sample.map(({ where }) => where));
  assert.deepEqual([...kinds].sort(), ["disk", "request", "storage"]);
  const outcomes = new Set<string>();
  for (const fault of sample) outcomes.add(await outcomeWith(fault));
  assert.ok(outcomes.size > 5, `only ${[...outcomes]}`);
});
