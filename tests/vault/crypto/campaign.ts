// The long campaign over the formats: `deno task fuzz [SEED] [SHARE]`. Every bit and every cut of small files,
// a thousand files of each suite compared with the second implementation, a hundred thousand malformed
// inputs for each parser. Prints its seed; a share below 1 does as much less of what goes by chance.

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
import { holds, TARGETS } from "./properties/fuzz.ts";
import { LARGE_MEBIBYTES, LARGE_SHA256 } from "./properties/large_file.ts";
import { ciphertextSha256 } from "./properties/large_file_again.ts";
import {
  cutEverywhere,
  flipBits,
  flipBitsOfTheSignature,
  targetOf,
} from "./properties/tampering.ts";
import { SUITES } from "./second/container.ts";
import { LARGE_CHECKS } from "./vectors/checks/mod.ts";

interface Step {
  name: string;
  /** How many of them, for what goes by chance. */
  runs?: number;
  run(seed: number, runs: number): unknown;
}

function byChance(
  name: string,
  runs: number,
  property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>,
): Step {
  const run = (seed: number, numRuns: number) =>
    fc.assert(property as fc.IAsyncProperty<unknown>, { seed, numRuns });
  return { name, runs, run };
}

const FILES = 1000;
const INPUTS = 100_000;

const STEPS: Step[] = [
  ...SUITES.map((suite) => byChance(`files of suite 0x0${suite}`, FILES, filesAgree(suite))),
  byChance("files without a header", FILES, legacyAgrees),
  byChance("wrapped keys", FILES, wrapsAgree),
  byChance("scopes", FILES, scopesAgree),
  byChance("credentials", FILES, credentialsAgree),
  byChance("names", FILES, namesAgree),
  byChance("name keys", 100, nameKeysAgree),
  ...TARGETS.map((target) => byChance(`malformed ${target.name}`, INPUTS, holds(target))),
  ...SUITES.map((suite) => ({
    name: `every bit and every cut of a file of suite 0x0${suite}`,
    async run() {
      const target = targetOf(suite);
      await flipBits(target);
      await flipBitsOfTheSignature(target);
      await cutEverywhere(target);
    },
  })),
  {
    name: "every bit and every cut of a file of suite 0x03, by ML-KEM",
    async run() {
      const target = targetOf(3, { byKem: true });
      await flipBits(target);
      await cutEverywhere(target);
    },
  },
  ...LARGE_CHECKS,
  {
    name: "the large file's digest",
    run() {
      if (ciphertextSha256(LARGE_MEBIBYTES) !== LARGE_SHA256) throw new Error("it is another");
    },
  },
];

async function main([seedText, shareText]: string[]): Promise<number> {
  const seed = seedText ? Number(seedText) : crypto.getRandomValues(new Int32Array(1))[0];
  const share = shareText ? Number(shareText) : 1;
  if (!Number.isInteger(seed) || !(share > 0)) {
    console.error("usage: deno task fuzz [SEED] [SHARE]");
    return 2;
  }
  console.log(`seed ${seed}, share ${share}`);
  let failures = 0;
  for (const { name, runs = 0, run } of STEPS) {
    const start = performance.now();
    const count = Math.ceil(runs * share);
    try {
      await run(seed, count);
      console.log(
        `ok      ${count > 0 ? `${count} ` : ""}${name} (${
          ((performance.now() - start) / 1000).toFixed(1)
        } s)`,
      );
    } catch (error) {
      failures++;
      console.log(`FAILED  ${name}`, error);
    }
  }
  console.log(failures === 0 ? "nothing was found" : `${failures} steps found something`);
  return failures === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
