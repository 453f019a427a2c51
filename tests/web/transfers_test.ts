// The queue of uploads and downloads: a few at a time, and through a lock that nobody asked for.

import assert from "node:assert/strict";
import { OwnerError } from "../../vault/owner/error.ts";
import type { VaultClient } from "../../web/vault/client.ts";
import type { CallOptions } from "../../web/vault/client.ts";
import { canRetry, type Job, type Outcome, TransferQueue } from "../../web/transfers/queue.ts";

const CLIENT = {} as VaultClient;

/** A job that is in the test's hands. */
function held(name: string) {
  const runs: { resolve(): void; reject(error: unknown): void; options: CallOptions }[] = [];
  const job: Job = {
    kind: "upload",
    name,
    size: 1,
    run(_client, options) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      options.signal?.addEventListener("abort", () => reject(options.signal!.reason));
      runs.push({ resolve, reject, options });
      return promise;
    },
  };
  return { job, runs };
}

/** Lets promises settle. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

function states(queue: TransferQueue): string[] {
  return queue.transfers.map(({ job, state }) => `${job.name} ${state}`);
}

Deno.test("three run at a time, and the next begins when one is done", async () => {
  const queue = new TransferQueue();
  queue.attach(CLIENT);
  const jobs = ["a", "b", "c", "d"].map(held);
  queue.add(jobs.map(({ job }) => job));
  assert.deepEqual(states(queue), ["a running", "b running", "c running", "d waiting"]);
  jobs[1].runs[0].resolve();
  await settle();
  assert.deepEqual(states(queue), ["a running", "b done", "c running", "d running"]);
});

Deno.test("what a run came to is said once, when nothing is left to do", async () => {
  const queue = new TransferQueue();
  const outcomes: Outcome[] = [];
  queue.onDrained = (outcome) => outcomes.push(outcome);
  queue.attach(CLIENT);
  const [a, b, c] = ["a", "b", "c"].map(held);
  queue.add([a.job, b.job, c.job]);
  a.runs[0].resolve();
  b.runs[0].reject(new OwnerError("empty_file", "An empty file."));
  await settle();
  assert.deepEqual(outcomes, []);
  queue.stop(queue.transfers[2].id);
  await settle();
  assert.deepEqual(outcomes, [{ uploaded: 1, downloaded: 0, failed: 1 }]);
  assert.deepEqual(states(queue), ["a done", "b failed", "c stopped"]);
  assert.deepEqual(queue.transfers.map(canRetry), [false, false, true]);
  queue.clear();
  assert.deepEqual(states(queue), []);
});

Deno.test("what a lock broke off begins again in the vault that is opened next", async () => {
  const queue = new TransferQueue();
  queue.attach(CLIENT);
  const { job, runs } = held("a");
  queue.add([job]);
  runs[0].reject(new OwnerError("session_ended", "The session ended."));
  await settle();
  assert.deepEqual(states(queue), ["a waiting"]);
  assert.equal(runs.length, 1, "it is not tried with the client that answers nothing any more");
  queue.detach();
  queue.attach(CLIENT);
  assert.deepEqual(states(queue), ["a running"]);
  runs[1].resolve();
  await settle();
  assert.deepEqual(states(queue), ["a done"]);
});

Deno.test("what is forgotten is stopped and shown no more", async () => {
  const queue = new TransferQueue();
  queue.attach(CLIENT);
  const { job, runs } = held("a");
  queue.add([job]);
  queue.forget();
  await settle();
  assert.equal(runs[0].options.signal?.aborted, true);
  assert.deepEqual(states(queue), []);
});

Deno.test("a failure can be tried again", async () => {
  const queue = new TransferQueue();
  queue.attach(CLIENT);
  const { job, runs } = held("a");
  queue.add([job]);
  runs[0].reject(new OwnerError("network_error", "The server did not answer."));
  await settle();
  assert.deepEqual(queue.transfers.map(canRetry), [true]);
  queue.retry(queue.transfers[0].id);
  runs[1].resolve();
  await settle();
  assert.deepEqual(states(queue), ["a done"]);
});
