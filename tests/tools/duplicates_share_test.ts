import { deepEqual, equal, notDeepEqual } from "node:assert/strict";
import { CancelFlag, realDisk } from "../../containment/mod.ts";
import { Findings } from "../../tools/local/duplicates/findings.ts";
import { Batches, type Job, servePeer, type Task } from "../../tools/local/duplicates/share.ts";
import { FileTable } from "../../tools/local/duplicates/table.ts";
import { Tally } from "../../tools/local/duplicates/tally.ts";
import { inTempDir, plant } from "../support.ts";
import { bytes } from "./finding.ts";

/** The named files as a walk that takes place now sees them. */
function walked(dir: string, names: string[]): FileTable {
  const table = new FileTable();
  for (const name of names) table.add(`${dir}/${name}`, Deno.lstatSync(`${dir}/${name}`));
  return table;
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
  inTempDir(async (dir) => {
    plant(dir, {
      a: "one",
      b: "two",
      "c\nd": "one",
      gone: "one",
      grown: "one",
      "ü": bytes(20_000),
    });
    const files = walked(dir, ["a", "b", "c\nd", "gone", "grown", "ü"]);
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

Deno.test("the second room compares the groups that nobody else has taken, and only those", () =>
  inTempDir(async (dir) => {
    for (const name of ["a", "b", "c", "d"]) plant(dir, { [name]: bytes(20_000) });
    const files = walked(dir, ["a", "b", "c", "d"]);
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
    batches.wait(new CancelFlag());
  }));

Deno.test("the second room begins nothing for a call that was cancelled", () =>
  inTempDir(async (dir) => {
    plant(dir, { a: "one", b: "one" });
    const files = walked(dir, ["a", "b"]);
    const signal = new CancelFlag();
    signal.cancel();
    const { batches, tally } = await served("look", files, [2], undefined, signal);
    equal(tally.looks, 0);
    let own = 0;
    batches.take(0, () => own++);
    equal(own, 1);
  }));
