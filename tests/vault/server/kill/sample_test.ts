import assert from "node:assert/strict";
import { seeded } from "../../../faults/seed.ts";
import { inTempDir } from "../../../support.ts";
import { added, createKilled, killAfter, lastLook, type Life, live } from "./trial.ts";

const SEED = 20261130;
const LIVES = 6;
/** Changes, at most, before a kill, and milliseconds after the last of them. */
const CHANGES = 70;
const MS = 25;

Deno.test({
  name: "killed while it works, the server keeps every file and every change wholly or not at all",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inTempDir(async (dir) => {
      const random = seeded(SEED);
      const killed = await createKilled(`${dir}/data`, random);
      const lives: Life["done"][] = [];
      for (let round = 0; round < LIVES; round++) {
        const life = await live(killed, killAfter(random.below(CHANGES), random.below(MS)));
        assert.deepEqual(life.problems, [], `life ${round}`);
        lives.push(life.done);
      }
      assert.deepEqual((await lastLook(killed)).problems, []);
      const done = lives.reduce(added);
      console.log(`kill sample: seed ${SEED}, ${LIVES} lives, answered: ${JSON.stringify(done)}`);
      for (const [kind, count] of Object.entries(done)) assert.ok(count > 0, `no ${kind} was made`);
    }),
});
