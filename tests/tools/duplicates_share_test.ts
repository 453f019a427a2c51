import { deepEqual, equal, notDeepEqual, throws } from "node:assert/strict";
import { CancelFlag, realDisk, SharedFlag } from "../../containment/mod.ts";
import { Findings } from "../../tools/local/duplicates/findings.ts";
import { Batches, type Job, servePeer, type Task } from "../../tools/local/duplicates/share.ts";
import { FileTable } from "../../tools/local/duplicates/table.ts";
import { Tally } from "../../tools/local/duplicates/tally.ts";
import { inTempDir, plant } from "../support.ts";
import { bytes } from "./finding.ts";

/** Runs the body with files in a folder, as a walk that took place when they were made has seen them. */
function withWalked(
  files: Record<string, string | Uint8Array>,
  body: (files: FileTable, dir: string) => Promise<void>,
): Promise<void> {
  return inTempDir(async (dir) => {
    plant(dir, files);
    const table = new FileTable();
    for (const name of Object.keys(files)) {
      table.add(`${dir}/${name}`, Deno.lstatSync(`${dir}/${name}`));
    }
    await body(table, dir);
  });
}

interface Sent {
  batches: Batches;
  findings: Findings;
  tally: Tally;
}

/** Hands files over to a second room and gives its answer, once it has dealt with the job. */
async function served(
  task: Task,
  table: FileTable,
  ends: number[],
  meanwhile: (job: Sent) => void = () => {},
  signal = new CancelFlag(),
): Promise<Sent> {
  const { port1, port2 } = new MessageChannel();
  servePeer(port2, realDisk);
  const sent = {
    batches: new Batches(ends),
    findings: new Findings(table.length),
    tally: new Tally(),
  };
  const job: Job = {
    task,
    ...table.pack(table.paths.map((_, i) => i)),
    ends,
    claims: sent.batches.buffer,
    findings: sent.findings.buffer,
    tally: sent.tally.buffer,
    cancel: signal.buffer,
  };
  port1.postMessage(job);
  meanwhile(sent);
  // Jobs are served in the order in which they come: once an empty one is through, so is the first.
  const last = new Batches([0]);
  const cancel = new CancelFlag().buffer;
  port1.postMessage({ ...job, task: "look", ends: [0], claims: last.buffer, cancel });
  const done = new Int32Array(last.buffer);
  while (Atomics.load(done, 0) < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  port1.close();
  port2.close();
  return sent;
}

Deno.test("the second room says of each file what it looks like or why it cannot be looked at", () =>
  withWalked({
    a: "one",
    b: "two",
    "c\nd": "one",
    gone: "one",
    grown: "one",
    "ü": bytes(20_000),
  }, async (files, dir) => {
    Deno.removeSync(`${dir}/gone`);
    Deno.writeTextFileSync(`${dir}/grown`, "more", { append: true });
    const { findings, tally } = await served("look", files, [2, 6]);
    const all = files.paths.map((_, row) => findings.get(row));
    deepEqual(all.map((finding) => finding.kind), [
      "looked",
      "looked",
      "looked",
      "unreadable",
      "changed",
      "looked",
    ]);
    const mixes = new Int32Array(6);
    const has = [0, 1, 2, 3].map((row) => findings.copyMix(row, mixes, 2 * (row % 3)));
    deepEqual(has, [true, true, true, false]);
    deepEqual(mixes.slice(0, 2), mixes.slice(4, 6));
    notDeepEqual(mixes.slice(0, 2), mixes.slice(2, 4));
    deepEqual(all[3], { kind: "unreadable", code: "ENOENT" });
    equal(tally.looks, 6);
    equal(tally.bytes, 3 * 3 + 8192);
  }));

const FOUR_ALIKE = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, bytes(20_000)]));

Deno.test("the second room compares the groups that nobody else has taken, and only those", () =>
  withWalked(FOUR_ALIKE, async (files) => {
    const taken: number[][] = [];
    const { findings, batches } = await served("compare", files, [2, 4], (job) => {
      job.batches.take(0, (from, to) => taken.push([from, to]));
    });
    deepEqual(taken, [[0, 2]]);
    deepEqual(findings.get(2), { kind: "equal", leader: 2 });
    deepEqual(findings.get(3), { kind: "equal", leader: 2 });
    let again = 0;
    batches.take(1, () => again++);
    equal(again, 0, "a batch is taken once");
    deepEqual(batches.wait(new CancelFlag(), new SharedFlag()), []);
  }));

Deno.test("the second room begins nothing for a call that was cancelled", () =>
  withWalked({ a: "one", b: "one" }, async (files) => {
    const signal = new CancelFlag();
    signal.cancel();
    const { batches, tally } = await served("look", files, [2], undefined, signal);
    equal(tally.looks, 0);
    let own = 0;
    batches.take(0, () => own++);
    equal(own, 1);
  }));

/** Three batches, of which a second room has done the first and begun the second. */
function begun(): Batches {
  const batches = new Batches([2, 4, 6]);
  batches.take(0, () => {});
  Atomics.store(new Int32Array(batches.buffer), 1, 1);
  return batches;
}

Deno.test("what a second room had begun when it was lost can be taken once more, and only that", () => {
  const batches = begun();
  const gone = new SharedFlag();
  gone.raise();
  batches.take(2, () => {});
  deepEqual(batches.wait(new CancelFlag(), gone), [1]);
  const taken: number[][] = [];
  for (const batch of [0, 1, 2, 1]) batches.take(batch, (from, to) => taken.push([from, to]));
  deepEqual(taken, [[2, 4]]);
  deepEqual(batches.wait(new CancelFlag(), gone), []);
});

Deno.test("a second room that is only slow is waited for until the call is cancelled", () => {
  const batches = begun();
  const signal = new CancelFlag();
  const asked = performance.now();
  const gone = Object.defineProperty(new SharedFlag(), "raised", {
    get: () => {
      if (performance.now() - asked > 100) signal.cancel();
      return false;
    },
  });
  throws(() => batches.wait(signal, gone), { code: "cancelled" });
});

Deno.test("a row that a lost room had filled in is examined as if it never was", () => {
  const findings = new Findings(3);
  for (const row of [0, 1, 2]) findings.setAlone(row);
  findings.clear(1, 2);
  throws(() => findings.setAlone(0), /twice/);
  findings.setUntouched(1);
  deepEqual([0, 1, 2].map((row) => findings.get(row).kind), ["alone", "untouched", "alone"]);
});
