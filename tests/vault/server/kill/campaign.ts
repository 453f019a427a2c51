// The long form of the kill test: hundreds of lives of one vault, ended at random moments and, where
// strace is there, in front of each kind of system call that makes something last. Prints what was tried
// and what was lost; any loss fails. `deno run -A tests/vault/server/kill/campaign.ts [LIVES] [SEED]`

import { seeded } from "../../../faults/seed.ts";
import { STRACE, unable } from "../../../faults/strace.ts";
import type { Serving } from "../serving.ts";
import { added, createKilled, type Ending, killAfter, lastLook, type Life, live } from "./trial.ts";

/** The calls in front of which it dies; only the room that keeps the data makes them. */
const KINDS = ["pwrite64", "fsync", "linkat", "unlink", "mkdir", "write"];
/** The calls of a kind among which one is chosen. */
const CALLS = 60;
/** Changes, at most, before a kill at a random moment, and milliseconds after the last of them. */
const CHANGES = 120;
const MS = 30;
/** Milliseconds after which a call that never came is given up. */
const PATIENCE = 8000;

/** Kills it in front of the nth call of a kind, counted from the begin of its work. */
function killBefore(kind: string, nth: number, missed: () => void): Ending {
  return async (serving: Serving, busy) => {
    const tracer = new Deno.Command(STRACE, {
      args: ["-f", "-qq", "-o", "/dev/null", "-p", String(serving.process.pid)]
        .concat("-e", `trace=${kind}`, "-e", `inject=${kind}:signal=KILL:when=${nth}`),
      stdout: "null",
      stderr: "null",
    }).spawn();
    const timer = setTimeout(() => {
      missed();
      serving.kill();
    }, PATIENCE);
    await busy;
    clearTimeout(timer);
    await tracer.status;
  };
}

async function main(): Promise<number> {
  const [rounds = 300, seed = 20261130] = Deno.args.map(Number);
  const random = seeded(seed);
  const traceable = await unable() === undefined;
  if (!traceable) console.log("no strace here: it is killed at random moments alone");
  const data = Deno.makeTempDirSync({ prefix: "shieldfive-kill-" });
  const killed = await createKilled(data, random);
  const lives: Life["done"][] = [];
  let [failed, timed] = [0, 0];
  const [hits, misses] = [new Map<string, number>(), new Map<string, number>()];
  const count = (map: Map<string, number>, kind: string) => map.set(kind, (map.get(kind) ?? 0) + 1);
  const report = (where: string, { problems, done: made }: Life) => {
    lives.push(made);
    if (problems.length === 0) return;
    failed++;
    console.log(`FAILED ${where}`);
    for (const problem of problems) console.log(`    ${problem}`);
  };
  for (let round = 0; round < rounds; round++) {
    if (!traceable || round % 2 === 0) {
      const [changes, ms] = [random.below(CHANGES), random.below(MS)];
      const where = `life ${round}, killed ${ms} ms after ${changes} changes`;
      report(where, await live(killed, killAfter(changes, ms)));
      timed++;
      continue;
    }
    const kind = KINDS[random.below(KINDS.length)];
    const nth = 1 + random.below(CALLS);
    let hit = true;
    const ending = killBefore(kind, nth, () => hit = false);
    report(`life ${round}, killed before ${kind} ${nth}`, await live(killed, ending));
    count(hit ? hits : misses, kind);
  }
  report("the last look", await lastLook(killed));
  console.log(`\n${rounds} lives, ${timed} killed at random moments; answered:`);
  for (const [kind, count] of Object.entries(lives.reduce(added))) {
    console.log(`  ${kind.padEnd(17)} ${count}`);
  }
  for (const kind of KINDS.filter((kind) => hits.has(kind) || misses.has(kind))) {
    console.log(
      `  before ${kind.padEnd(10)} ${hits.get(kind) ?? 0}, not reached ${misses.get(kind) ?? 0}`,
    );
  }
  console.log(`${failed} with something wrong`);
  if (failed === 0) Deno.removeSync(data, { recursive: true });
  else console.log(`the vault is kept in ${data}`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
