// The flag that every thread sees: looked at in loops, and waited for.

import assert from "node:assert/strict";
import { CancelFlag, SharedFlag } from "../../containment/mod.ts";

/** Whether the promise settles within some milliseconds. */
async function settles(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

Deno.test("a flag that is waited for tells when it is raised, by whichever holder of its memory", async () => {
  const flag = new SharedFlag();
  const waiting = flag.whenRaised();
  assert.equal(await settles(waiting, 30), false);
  new SharedFlag(flag.buffer).raise();
  assert.ok(await settles(waiting, 5000));
  assert.equal(await waiting, true);
  assert.equal(await flag.whenRaised(), true, "one that is raised need not be waited for");
});

Deno.test("waiting for a flag that will not be raised any more can be ended", async () => {
  const flag = new SharedFlag();
  const [first, second] = [flag.whenRaised(), flag.whenRaised()];
  flag.release();
  const both = Promise.all([first, second]);
  assert.ok(await settles(both, 5000));
  assert.deepEqual(await both, [false, false]);
  assert.equal(flag.raised, false);
});

Deno.test("a call's signal is aborted with the call, also when that was cancelled before", async () => {
  const flag = new CancelFlag();
  const { signal } = flag;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  assert.equal(signal.aborted, false);
  flag.cancel();
  assert.equal(await settles(aborted, 5000), true);
  const { signal: late } = flag;
  await flag.whenRaised();
  assert.equal(late.aborted, true);
});

Deno.test("a call that ends without being cancelled leaves its signal alone", async () => {
  const flag = new CancelFlag();
  const { signal } = flag;
  const waiting = flag.whenRaised();
  flag.release();
  assert.ok(await settles(waiting, 5000));
  assert.equal(signal.aborted, false);
});
