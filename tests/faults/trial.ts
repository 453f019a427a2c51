// One run: fresh files, one change, one fault, and everything that is wrong afterwards.

import type { Fault, Injection } from "./calls.ts";
import { leftBehind, metadataLost, untruths } from "./claims.ts";
import { violations } from "./invariant.ts";
import type { Operation, Places } from "./operations.ts";
import { runProgram } from "./program.ts";
import { recover } from "./recovery.ts";
import type { Call } from "./outcome.ts";
import { type Run, runTraced } from "./strace.ts";
import { treeOf } from "./tree.ts";

export interface Trial {
  operation: Operation;
  /** Absent for the run that shows which calls there are. */
  fault?: Fault;
  run: Run;
  /** False when the change took a way on which the fault did not come up. */
  fired: boolean;
  problems: string[];
}

/** Carries out one call under injections. */
export type Runner = (call: Call, injections: readonly Injection[]) => Promise<Run>;

/** The runtime ends the process, as a kill would, when a folder that was read cannot be closed. */
const RUNTIME_GIVES_UP = "unexpected error during closedir";
/** A folder of memory, which on Linux is a volume of its own. */
const MEMORY = "/dev/shm";

/** How a change is made: what runs it, and where its second folder may be. */
export interface Way {
  run: Runner;
  second: string;
}

/** The change alone, between two volumes. */
export const alone: Way = { run: runTraced, second: MEMORY };
/** The whole program, on one volume: the runtime lets no room look into what is below `/dev`. */
export const wholeProgram: Way = { run: runProgram, second: temporary() };

/** Why there are no two volumes here, or undefined when there are. */
export function oneVolume(): string | undefined {
  try {
    const apart = Deno.statSync(MEMORY).dev !== Deno.statSync(temporary()).dev;
    return apart ? undefined : `${MEMORY} and ${temporary()} are one volume`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return `there is no ${MEMORY} here`;
    throw error;
  }
}

function temporary(): string {
  return Deno.env.get("TMPDIR") ?? "/tmp";
}

/** Runs the operation under the fault, in folders that are gone afterwards. */
export async function attempt(
  operation: Operation,
  fault?: Fault,
  way: Way = alone,
): Promise<Trial> {
  const prefix = "shieldfive-fault-";
  const places: Places = {
    disk: Deno.realPathSync(Deno.makeTempDirSync({ prefix, dir: temporary() })),
    memory: Deno.realPathSync(Deno.makeTempDirSync({ prefix, dir: way.second })),
  };
  try {
    return await attemptIn(places, operation, fault, way.run);
  } finally {
    Deno.removeSync(places.disk, { recursive: true });
    Deno.removeSync(places.memory, { recursive: true });
  }
}

async function attemptIn(
  places: Places,
  operation: Operation,
  fault: Fault | undefined,
  perform: Runner,
): Promise<Trial> {
  const fixture = await operation.prepare(places);
  const before = treeOf(fixture.call.roots);
  const run = await perform(fixture.call, fault?.injections ?? []);
  const after = treeOf(fixture.call.roots);
  const { outcome } = run;
  const killed = outcome === undefined;
  const fired = /\(INJECTED\)|\+\+\+ killed by SIGKILL/.test(run.log);
  const meant = fired && !run.hung &&
    (fault!.family.startsWith("kill") || run.stderr.includes(RUNTIME_GIVES_UP));
  // After one failed call everything is cleaned up; where calls go on failing, it cannot be.
  const leftovers = killed || (fault !== undefined && fault.family !== "error");
  const problems = [
    ...(run.hung ? ["HUNG"] : []),
    ...(killed && !meant ? [`DIED ${run.stderr}`] : []),
    ...(fault === undefined && !(outcome && "output" in outcome)
      ? [`FAILED BY ITSELF ${JSON.stringify(outcome)}`]
      : []),
    ...violations(before, after, fixture, {
      leftovers,
      metadata: metadataLost(outcome),
      told: leftBehind(outcome),
    }),
    ...(killed ? [] : untruths(outcome, before, after, fixture, leftovers)),
    ...await recover(before, fixture),
  ];
  return { operation, fault, run, fired, problems };
}
