// `deno task bench [NAME…]`: the program beside its peers and beside our targets, and a few small
// measurements of its parts. Names: micro, dupes, walk, mcp, startup, memory, crypto; none means all. What
// a measurement needs and does not find is said and skipped. The trees are kept in a folder named
// by SHIELDFIVE_BENCH_DIR, else in the temporary folder; N is the number of rounds (5).

import { comparisons, type Figure } from "./bench/compare.ts";
import { micro } from "./bench/micro.ts";
import { Skipped } from "./bench/scripts.ts";

/** A figure as a line of the closing table. */
export function line({ what, against, measured, target, unit }: Figure): string {
  const shown = unit === "MiB" ? `${measured.toFixed(0)} MiB` : measured.toFixed(2);
  const wanted = unit === "MiB" ? `${target} MiB` : target.toFixed(2);
  const met = unit === "times as fast" ? measured >= target : measured <= target;
  const verdict = met ? "met" : "MISSED";
  return `| ${what} | ${against} | ${shown} | ${wanted} | ${verdict} |`;
}

async function main(names: string[]): Promise<number> {
  const known = ["micro", ...Object.keys(comparisons)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`bench: ${unknown} is no measurement; there are ${known.join(", ")}`);
    return 2;
  }
  const wanted = names.length === 0 ? known : names;
  const figures: Figure[] = [];
  let broken = 0;
  for (const name of wanted) {
    console.log(`## ${name}\n`);
    try {
      if (name === "micro") await micro();
      else await comparisons[name]((figure) => figures.push(figure));
    } catch (error) {
      if (error instanceof Skipped) {
        console.log(`skipped: ${error.message}`);
      } else {
        console.error(error);
        broken++;
      }
    }
    console.log();
  }
  if (figures.length > 0) {
    console.log("| measured | against | figure | target | |\n| --- | --- | --- | --- | --- |");
    for (const figure of figures) console.log(line(figure));
  }
  return broken === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
