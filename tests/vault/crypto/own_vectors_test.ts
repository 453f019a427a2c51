// The project's own vectors, which a second implementation made: that they are reproduced, and that they
// are what it makes.

import assert from "node:assert/strict";
import { CHECKS } from "./vectors/checks/mod.ts";
import { makeVectors } from "./vectors/generate.ts";

/** The checks by what they have in common, which stands before the colon of their names. */
const groups = Map.groupBy(CHECKS, ({ name }) => name.split(":")[0]);

for (const [what, checks] of groups) {
  Deno.test(`${what}: ${checks.length} vectors`, async () => {
    for (const { name, run } of checks) {
      try {
        await run();
      } catch (error) {
        throw new Error(name, { cause: error });
      }
    }
  });
}

Deno.test("the committed vectors are those that the second implementation makes", async () => {
  for (const [name, vectors] of Object.entries(await makeVectors())) {
    const path = new URL(`./vectors/${name}.json`, import.meta.url);
    assert.deepEqual(JSON.parse(Deno.readTextFileSync(path)), vectors, name);
  }
});
