// The product's formats and a second implementation of them agree on what comes by chance. The long
// campaign (`deno task fuzz`) compares many more.

import fc from "fast-check";
import {
  credentialsAgree,
  filesAgree,
  legacyAgrees,
  nameKeysAgree,
  namesAgree,
  scopesAgree,
  wrapsAgree,
} from "./properties/differential.ts";
import { SUITES } from "./second/container.ts";

const SEED = 20260101;
const FILES = 50;

for (const suite of SUITES) {
  Deno.test(`${FILES} files of suite 0x0${suite} are the same from both`, async () => {
    await fc.assert(filesAgree(suite), { seed: SEED, numRuns: FILES });
  });
}

Deno.test("content without a header opens as it was written", async () => {
  await fc.assert(legacyAgrees, { seed: SEED, numRuns: FILES });
});

Deno.test("wrapped keys, scopes, credentials and names are the same from both", async () => {
  await fc.assert(wrapsAgree, { seed: SEED, numRuns: 100 });
  await fc.assert(scopesAgree, { seed: SEED, numRuns: 100 });
  fc.assert(credentialsAgree, { seed: SEED, numRuns: 100 });
  await fc.assert(namesAgree, { seed: SEED, numRuns: 100 });
});

Deno.test("name keys are the same from both", async () => {
  await fc.assert(nameKeysAgree, { seed: SEED, numRuns: 3 });
});
