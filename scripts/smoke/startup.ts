// How the executable starts: also for somebody who never ran it, and how long it takes. The figures are
// printed for people to compare, and never judged: what is a good one depends on the machine and on what
// else it does.

import { type Area, expectEqual } from "./check.ts";
import type { Subject } from "./subject.ts";

const RUNS = 7;

export const startup: Area = {
  name: "startup",
  alone: true,
  checks: [
    { name: "the first runs of a new user, all at once, do not disturb each other", run: together },
    {
      name: "the first run of a new user",
      async run(subject) {
        return `${Math.round(await milliseconds(subject.forSomebodyNew(), ["--version"]))} ms`;
      },
    },
    { name: "--version", run: (subject) => several(subject, ["--version"]) },
    {
      name: "list of a folder with one file",
      run: (subject) => {
        const folder = subject.folder();
        Deno.writeTextFileSync(`${folder}/a.txt`, "a");
        return several(subject, ["list", folder]);
      },
    },
  ],
};

/** How many servers a host may start at once. */
const AT_ONCE = 4;

async function together(subject: Subject): Promise<void> {
  const wanted = await subject.run(["--version"]);
  const fresh = subject.forSomebodyNew();
  const runs = Array.from({ length: AT_ONCE }, () => fresh.run(["--version"]));
  expectEqual("runs", await Promise.all(runs), Array(AT_ONCE).fill(wanted));
}

/** The middle of several runs after one that is not counted. */
async function several(subject: Subject, args: string[]): Promise<string> {
  await milliseconds(subject, args);
  const took: number[] = [];
  for (let i = 0; i < RUNS; i++) took.push(await milliseconds(subject, args));
  took.sort((a, b) => a - b);
  const [least, middle, most] = [0, (RUNS - 1) / 2, RUNS - 1].map((i) => Math.round(took[i]));
  return `${middle} ms (median of ${RUNS} runs, ${least} to ${most})`;
}

async function milliseconds(subject: Subject, args: string[]): Promise<number> {
  const start = performance.now();
  const { code } = await subject.run(args);
  const took = performance.now() - start;
  expectEqual("exit code", code, 0);
  return took;
}
