// The whole fault campaign: every change, killed before each of its system calls and with each of them
// failing, two runs at a time. Prints what was tried and what was lost; any loss fails.

import { callsIn, killsAfter, lastingFaults, singleFaults } from "./calls.ts";
import { type Operation, operations } from "./operations.ts";
import { programFaults } from "./program.ts";
import { seeded } from "./seed.ts";
import { sideBySide } from "./side_by_side.ts";
import { unable } from "./strace.ts";
import { attempt, oneVolume, type Trial, wholeProgram } from "./trial.ts";

/** Kills in the middle of recovering from an error, for each change. */
const SECOND_KILLS = 25;
const SEED = 20260101;

/** All trials of one change. */
async function campaign(operation: Operation, report: (trial: Trial) => void): Promise<Trial[]> {
  const plain = await attempt(operation);
  report(plain);
  const calls = callsIn(plain.run.log);
  const faults = [...singleFaults(calls), ...lastingFaults(calls)];
  const trials = await sideBySide(faults, (fault) => attempt(operation, fault), report);
  const seconds = trials.flatMap(({ fault, run }) =>
    fault?.family === "error" && run.outcome !== undefined && "error" in run.outcome
      ? killsAfter(fault, run.log)
      : []
  );
  const chosen = seeded(SEED).pick(seconds, SECOND_KILLS);
  return [...trials, ...await sideBySide(chosen, (fault) => attempt(operation, fault), report)];
}

/** The same change through the whole program: fewer faults, since its start takes longer. */
async function throughProgram(
  operation: Operation,
  report: (trial: Trial) => void,
): Promise<Trial[]> {
  const plain = await attempt(operation, undefined, wholeProgram);
  report(plain);
  const faults = programFaults(plain.run.log);
  return await sideBySide(faults, (fault) => attempt(operation, fault, wholeProgram), report);
}

/** Counts of the points that came up. */
function points(trials: readonly Trial[]): string {
  const fired = trials.filter((trial) => trial.fired);
  const kills = fired.filter(({ fault }) => fault!.family.startsWith("kill")).length;
  return `${kills} kill points, ${fired.length - kills} error points`;
}

function printTable(title: string, trials: readonly Trial[]): void {
  console.log(`\n${title}: ${points(trials)}`);
  const kinds = [...new Set(trials.map(({ fault }) => fault!.injections[0].kind))];
  const single = trials.filter(({ fault, fired }) =>
    fired && (fault!.family === "kill" || fault!.family === "error")
  );
  for (const kind of kinds) {
    const of = single.filter(({ fault }) => fault!.injections[0].kind === kind);
    const kills = of.filter(({ fault }) => fault!.family === "kill").length;
    if (of.length > 0) {
      console.log(`  ${kind.padEnd(12)} ${kills} killed, ${of.length - kills} failed`);
    }
  }
  for (const family of ["read-only", "full", "gone", "kill after error"] as const) {
    const of = trials.filter(({ fault, fired }) => fired && fault!.family === family);
    if (of.length > 0) console.log(`  ${family.padEnd(16)} ${of.length}`);
  }
  const missed = trials.filter(({ fired }) => !fired).length;
  if (missed > 0) console.log(`  not reached      ${missed}`);
}

function printProblems({ operation, fault, problems }: Trial): void {
  if (problems.length === 0) return;
  const rules = fault?.injections.length === 1
    ? fault.injections.map(({ kind, when, what }) => `${kind} ${when} ${what}`).join()
    : "";
  console.log(`FAILED ${operation.name}: ${fault?.family ?? "no fault"} ${rules} at ${fault?.at}`);
  for (const problem of problems) console.log(`    ${problem}`);
}

async function main(): Promise<number> {
  const reason = await unable() ?? oneVolume();
  if (reason !== undefined) {
    console.error(`the fault campaign cannot run: ${reason}`);
    return 1;
  }
  const wanted = Deno.args[0];
  const all: Trial[] = [];
  const report = (trial: Trial) => {
    all.push(trial);
    printProblems(trial);
  };
  for (const operation of operations) {
    if (wanted !== undefined && !operation.name.includes(wanted)) continue;
    printTable(operation.name, await campaign(operation, report));
    if (operation.betweenVolumes) continue;
    printTable(`the program: ${operation.name}`, await throughProgram(operation, report));
  }
  const failed = all.filter(({ problems }) => problems.length > 0).length;
  const losses =
    all.filter(({ problems }) => problems.some((each) => /\bLOST\b/.test(each))).length;
  console.log(
    `\n${points(all)}, ${losses} losses` +
      (failed > 0 ? `, ${failed} runs with something wrong` : ""),
  );
  return failed > 0 || !all.some(({ fired }) => fired) ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main());
