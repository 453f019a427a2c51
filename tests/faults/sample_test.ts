import assert from "node:assert/strict";
import { callsIn, type Fault, lastingFaults, singleFaults } from "./calls.ts";
import { operations } from "./operations.ts";
import { programFaults } from "./program.ts";
import { seeded } from "./seed.ts";
import { sideBySide } from "./side_by_side.ts";
import { unable } from "./strace.ts";
import { attempt, oneVolume, type Trial, wholeProgram } from "./trial.ts";

const SEED = 20260101;
const POINTS = 40;
const PROGRAM_POINTS = 3;
/** Points at which something was once left behind or told wrongly. */
const ONCE_WRONG: { operation: RegExp; family: Fault["family"]; at: RegExp }[] = [
  { operation: /^rename of a file/, family: "read-only", at: /^unlink/ },
  { operation: /^trash of/, family: "error", at: /^statx.*items\/1\/one\.txt/ },
  { operation: /^restore of/, family: "gone", at: /^unlink.*one\.txt/ },
  {
    operation: /^move of a folder to another volume$/,
    family: "error",
    at: /^getdents64.*6 entries/,
  },
  { operation: /^move of a folder to another volume$/, family: "error", at: /^rmdir/ },
];

const reason = await unable() ?? oneVolume();
if (reason !== undefined) console.log(`the fault sample is skipped: ${reason}`);

function requireClean({ operation, fault, fired, problems }: Trial): void {
  const where = `${operation.name}, ${fault?.family ?? "no fault"} at ${fault?.at}`;
  assert.deepEqual(problems, [], where);
  assert.equal(fired, fault !== undefined, where);
}

Deno.test({
  name: "no byte is lost when a change is killed, or a system call of it fails",
  ignore: reason !== undefined,
  async fn() {
    console.log(`fault sample: seed ${SEED}, ${POINTS} points and those that were once wrong`);
    const choice = seeded(SEED);
    const plain = await sideBySide(operations, (operation) => attempt(operation), requireClean);
    const points = plain.flatMap(({ operation, run }) => {
      const calls = callsIn(run.log);
      const faults = [...singleFaults(calls), ...lastingFaults(calls)];
      return faults.map((fault) => ({ operation, fault }));
    });
    const again = points.filter(({ operation, fault }) =>
      ONCE_WRONG.some((wrong) =>
        wrong.operation.test(operation.name) && wrong.family === fault.family &&
        wrong.at.test(fault.at)
      )
    );
    await sideBySide(
      [...choice.pick(points, POINTS), ...again],
      ({ operation, fault }) => attempt(operation, fault),
      requireClean,
    );
  },
});

Deno.test({
  name: "no byte is lost when the program is killed while it moves to the trash",
  ignore: reason !== undefined,
  async fn() {
    const [trash] = operations;
    const plain = await attempt(trash, undefined, wholeProgram);
    requireClean(plain);
    const kills = programFaults(plain.run.log).filter(({ family }) => family === "kill");
    await sideBySide(
      seeded(SEED).pick(kills, PROGRAM_POINTS),
      (fault) => attempt(trash, fault, wholeProgram),
      requireClean,
    );
  },
});
