import assert from "node:assert/strict";
import { callsIn, lastingFaults, singleFaults } from "./calls.ts";
import { operations } from "./operations.ts";
import { programFaults } from "./program.ts";
import { seeded } from "./seed.ts";
import { unable } from "./strace.ts";
import { attempt, oneVolume, type Trial, wholeProgram } from "./trial.ts";

const SEED = 20260101;
const POINTS = 40;
const PROGRAM_POINTS = 3;

const reason = await unable() ?? oneVolume();
if (reason !== undefined) console.log(`the fault sample is skipped: ${reason}`);

function requireClean({ operation, fault, problems }: Trial): void {
  const where = `${operation.name}, ${fault?.family ?? "no fault"} at ${fault?.at}`;
  assert.deepEqual(problems, [], where);
}

Deno.test({
  name: "no byte is lost when a change is killed, or a system call of it fails",
  ignore: reason !== undefined,
  async fn() {
    console.log(`fault sample: seed ${SEED}, ${POINTS} points`);
    const choice = seeded(SEED);
    const points = [];
    for (const operation of operations) {
      const plain = await attempt(operation);
      requireClean(plain);
      const calls = callsIn(plain.run.log);
      const faults = [...singleFaults(calls), ...lastingFaults(calls)];
      points.push(...faults.map((fault) => ({ operation, fault })));
    }
    for (const { operation, fault } of choice.pick(points, POINTS)) {
      const trial = await attempt(operation, fault);
      requireClean(trial);
      assert.ok(trial.fired, `${operation.name}: ${fault.at} was not reached`);
    }
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
    for (const fault of seeded(SEED).pick(kills, PROGRAM_POINTS)) {
      const trial = await attempt(trash, fault, wholeProgram);
      requireClean(trial);
      assert.ok(trial.fired, `${fault.at} was not reached`);
    }
  },
});
