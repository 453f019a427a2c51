// The pool of key derivations: what it never exceeds, what it never does twice, and that nothing stalls it.

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Argon2Request,
  type DerivationBackend,
  KeyDerivationPool,
  type KeyRequest,
  type PoolOptions,
} from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { chooseArgon2 } from "../../../vault/crypto/kdf/argon2.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";
import { LastUsed } from "../../../vault/crypto/kdf/last_used.ts";

const MIB = 1024 * 1024;

/** A derivation that somebody else decides the end of. */
interface Started {
  request: Argon2Request;
  finish(): void;
  fail(error: Error): void;
}

/** Carries nothing out, and counts. */
class CountingBackend implements DerivationBackend {
  readonly started: Started[] = [];
  running = 0;
  mostRunning = 0;
  memory = 0;
  mostMemory = 0;

  constructor(readonly concurrency: number, readonly automatic = false) {}

  async derive(request: Argon2Request): Promise<Uint8Array> {
    const bytes = request.memoryKiB * 1024;
    const password = request.password.slice();
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    this.mostMemory = Math.max(this.mostMemory, this.memory += bytes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.started.push({
      request: { ...request, password, salt: request.salt.slice() },
      finish: resolve,
      fail: reject,
    });
    if (this.automatic) setTimeout(resolve);
    try {
      await promise;
      return new Uint8Array(32).fill(request.salt[0]);
    } finally {
      this.running--;
      this.memory -= bytes;
    }
  }
}

function poolOver(backend: DerivationBackend, over: Partial<PoolOptions> = {}): KeyDerivationPool {
  return new KeyDerivationPool({ backend, ...over });
}

function request(salt: number, over: Partial<KeyRequest> = {}): KeyRequest {
  const password = new Uint8Array(44).fill(1);
  return { password, salt: new Uint8Array(16).fill(salt), level: "interactive", ...over };
}

/** Lets everything run that can. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(() => undefined, (error) => error);
  assert.ok(error instanceof CryptoError, `not refused: ${error}`);
  return error.code;
}

function saltsOf(backend: CountingBackend): number[] {
  return backend.started.map(({ request }) => request.salt[0]);
}

Deno.test("as many at a time as there are cores for, in the order of asking", async () => {
  const backend = new CountingBackend(3);
  const pool = poolOver(backend);
  const keys = Array.from({ length: 7 }, (_, i) => pool.derive(request(i)));
  await settle();
  assert.deepEqual(saltsOf(backend), [0, 1, 2]);
  backend.started[1].finish();
  await settle();
  assert.deepEqual(saltsOf(backend), [0, 1, 2, 3]);
  for (let i = 0; i < 7; i++) {
    await settle();
    backend.started[i].finish();
  }
  assert.deepEqual((await Promise.all(keys)).map(([first]) => first), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(saltsOf(backend), [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(backend.mostRunning, 3);
  assert.ok(pool.idle);
});

Deno.test("never more memory than the limit, whatever is asked for at once", async () => {
  for (const [limit, most] of [[64, 64], [127, 64], [128, 128], [256, 256], [1000, 512]]) {
    const backend = new CountingBackend(8, true);
    const pool = poolOver(backend, { memoryLimit: limit * MIB });
    await Promise.all(Array.from({ length: 200 }, (_, i) => pool.derive(request(i))));
    assert.equal(backend.started.length, 200);
    assert.equal(backend.mostMemory, most * MIB);
  }
});

Deno.test("a large derivation waits for its memory and is not overtaken", async () => {
  const backend = new CountingBackend(8);
  const pool = poolOver(backend);
  const keys = [request(0), request(1), request(2, { level: "moderate" }), request(3)]
    .map((each) => pool.derive(each));
  await settle();
  assert.deepEqual(saltsOf(backend), [0, 1]);
  backend.started[0].finish();
  await settle();
  assert.deepEqual(saltsOf(backend), [0, 1]);
  backend.started[1].finish();
  await settle();
  assert.deepEqual(saltsOf(backend), [0, 1, 2]);
  backend.started[2].finish();
  await settle();
  backend.started[3].finish();
  await Promise.all(keys);
  assert.equal(backend.mostMemory, 256 * MIB);
});

Deno.test("a level that does not fit in the limit is refused and holds nobody up", async () => {
  const backend = new CountingBackend(2, true);
  const pool = poolOver(backend);
  const level = "sensitive";
  assert.equal(await codeOf(pool.derive(request(1, { level }))), "memory_limit_exceeded");
  assert.equal((await pool.derive(request(2)))[0], 2);
});

Deno.test("the levels cost what the formats say", async () => {
  const backend = new CountingBackend(1, true);
  const pool = poolOver(backend, { memoryLimit: 2 ** 30 });
  for (const level of ["interactive", "moderate", "sensitive"] as const) {
    await pool.derive(request(1, { level }));
  }
  assert.deepEqual(
    backend.started.map(({ request }) => [request.passes, request.memoryKiB / 1024]),
    [[2, 64], [3, 256], [4, 1024]],
  );
});

Deno.test("equal requests are one derivation, while it waits, while it runs and afterwards", async () => {
  const backend = new CountingBackend(1);
  const pool = poolOver(backend);
  const keys = [1, 2, 1, 2, 2].map((salt) => pool.derive(request(salt)));
  await settle();
  keys.push(pool.derive(request(1)));
  backend.started[0].finish();
  await settle();
  backend.started[1].finish();
  keys.push(pool.derive(request(2)));
  assert.deepEqual((await Promise.all(keys)).map(([first]) => first), [1, 2, 1, 2, 2, 1, 2]);
  assert.equal((await pool.derive(request(1)))[0], 1);
  assert.deepEqual(saltsOf(backend), [1, 2]);
});

Deno.test("requests that differ in anything are not taken for equal", async () => {
  const backend = new CountingBackend(4, true);
  const pool = poolOver(backend);
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const salt = new Uint8Array(16).fill(1);
  const requests: KeyRequest[] = [
    { password: bytes(1), salt, level: "interactive" },
    { password: bytes(2), salt, level: "interactive" },
    { password: bytes(1, 1), salt, level: "interactive" },
    { password: bytes(1), salt: new Uint8Array(16), level: "interactive" },
    { password: bytes(1), salt, level: "moderate" },
  ];
  await Promise.all(requests.map((each) => pool.derive(each)));
  assert.equal(backend.started.length, requests.length);
});

Deno.test("a result is the asker's own: wiping it wipes nobody else's", async () => {
  const backend = new CountingBackend(1, true);
  const pool = poolOver(backend);
  const [first, second] = await Promise.all([pool.derive(request(5)), pool.derive(request(5))]);
  first.fill(0);
  assert.equal(second[0], 5);
  second.fill(0);
  assert.equal((await pool.derive(request(5)))[0], 5);
  assert.equal(backend.started.length, 1);
});

Deno.test("the bytes of a request may be wiped as soon as it was made", async () => {
  const backend = new CountingBackend(1);
  const pool = poolOver(backend);
  const asked = [request(1), request(2)];
  const keys = asked.map((each) => pool.derive(each));
  for (const { password, salt } of asked) {
    password.fill(0);
    salt.fill(0);
  }
  await settle();
  backend.started[0].finish();
  await settle();
  backend.started[1].finish();
  await Promise.all(keys);
  assert.deepEqual(
    backend.started.map(({ request }) => [request.password[0], request.salt[0]]),
    [[1, 1], [1, 2]],
  );
});

Deno.test("a derivation that fails fails for all who asked, and the next ones go on", async () => {
  const backend = new CountingBackend(1);
  const pool = poolOver(backend);
  const failing = [pool.derive(request(1)), pool.derive(request(1))];
  const next = pool.derive(request(2));
  await settle();
  backend.started[0].fail(new Error("the room was lost"));
  for (const each of failing) await assert.rejects(each, /the room was lost/);
  await settle();
  backend.started[1].finish();
  assert.equal((await next)[0], 2);
  const again = pool.derive(request(1)); // a failure of the backend is no property of the request
  await settle();
  backend.started[2].finish();
  assert.equal((await again)[0], 1);
});

Deno.test("a backend that throws instead of failing stalls nothing", async () => {
  let calls = 0;
  const pool = poolOver({
    concurrency: 1,
    derive() {
      if (++calls === 1) throw new Error("thrown");
      return Promise.resolve(new Uint8Array(32));
    },
  });
  const [first, second] = [pool.derive(request(1)), pool.derive(request(2))];
  await assert.rejects(first, /thrown/);
  assert.equal((await second).length, 32);
});

Deno.test("a backend whose workers are all gone is still asked, so that it can say so", async () => {
  const pool = poolOver({
    concurrency: 0,
    derive: () => Promise.reject(new Error("the kdf room stopped")),
  });
  await assert.rejects(pool.derive(request(1)), /the kdf room stopped/);
});

Deno.test("who gives up is released at once, and what nobody waits for does not begin", async () => {
  const backend = new CountingBackend(1);
  const pool = poolOver(backend);
  const [running, waiting, shared] = [1, 2, 3].map(() => new AbortController());
  const keys = [
    pool.derive(request(1), running.signal),
    pool.derive(request(2), waiting.signal),
    pool.derive(request(3), shared.signal),
    pool.derive(request(3)),
  ];
  await settle();
  for (const controller of [running, waiting, shared]) controller.abort(new Error("given up"));
  for (const key of keys.slice(0, 3)) await assert.rejects(key, /given up/);
  assert.deepEqual(saltsOf(backend), [1]);
  backend.started[0].finish();
  await settle();
  assert.deepEqual(saltsOf(backend), [1, 3]);
  backend.started[1].finish();
  assert.equal((await keys[3])[0], 3);
  assert.equal((await pool.derive(request(1)))[0], 1); // it was finished, and kept
  assert.equal(backend.started.length, 2);
  assert.ok(pool.idle);
});

Deno.test("a signal that was raised before is heeded, and one that is raised too late does nothing", async () => {
  const backend = new CountingBackend(1, true);
  const pool = poolOver(backend);
  await assert.rejects(pool.derive(request(1), AbortSignal.abort(new Error("before"))), /before/);
  assert.equal(backend.started.length, 0);
  const controller = new AbortController();
  assert.equal((await pool.derive(request(1), controller.signal))[0], 1);
  controller.abort();
  await settle();
  assert.equal((await pool.derive(request(1)))[0], 1);
});

Deno.test("giving up on what holds the others up lets them begin", async () => {
  const backend = new CountingBackend(8);
  const pool = poolOver(backend);
  const controller = new AbortController();
  const first = pool.derive(request(1));
  const large = pool.derive(request(2, { level: "moderate" }), controller.signal);
  const small = pool.derive(request(3));
  await settle();
  assert.deepEqual(saltsOf(backend), [1]);
  controller.abort();
  await assert.rejects(large);
  assert.deepEqual(saltsOf(backend), [1, 3]);
  for (const { finish } of backend.started) finish();
  await Promise.all([first, small]);
});

Deno.test("what was found futile is not derived again", async () => {
  const backend = new CountingBackend(1, true);
  const pool = poolOver(backend, { keptFailures: 2 });
  const purpose = "row 1, envelope X";
  await pool.derive(request(1, { purpose }));
  assert.equal(pool.knows(purpose), false);
  pool.remember(purpose);
  assert.equal(pool.knows(purpose), true);
  assert.equal(await codeOf(pool.derive(request(2, { purpose }))), "known_failure");
  assert.equal(await codeOf(pool.derive(request(1, { purpose }))), "known_failure");
  await pool.derive(request(2, { purpose: "row 1, envelope Y" }));
  assert.deepEqual(saltsOf(backend), [1, 2]);
  for (const other of ["a", "b"]) pool.remember(other);
  assert.equal(pool.knows(purpose), false); // it keeps two
});

Deno.test("results are kept up to a number, and the ones asked for last stay", async () => {
  const backend = new CountingBackend(1, true);
  const pool = poolOver(backend, { keptResults: 2 });
  for (const salt of [1, 2, 1, 3, 1, 2]) await pool.derive(request(salt));
  assert.deepEqual(saltsOf(backend), [1, 2, 3, 2]);
});

Deno.test("closing releases everybody, wipes the results, and is final", async () => {
  const made: Uint8Array[] = [];
  const inner = new CountingBackend(1);
  const pool = poolOver({
    concurrency: 1,
    async derive(request) {
      const key = await inner.derive(request);
      made.push(key);
      return key;
    },
  });
  const kept = pool.derive(request(1));
  await settle();
  inner.started[0].finish();
  const copy = await kept;
  const running = pool.derive(request(2));
  const waiting = pool.derive(request(3));
  await settle();
  pool.close();
  assert.equal(await codeOf(running), "pool_closed");
  assert.equal(await codeOf(waiting), "pool_closed");
  assert.equal(await codeOf(pool.derive(request(1))), "pool_closed");
  inner.started[1].finish();
  await settle();
  assert.deepEqual(made.map((key) => key.every((byte) => byte === 0)), [true, true]);
  assert.equal(copy[0], 1);
  assert.deepEqual(saltsOf(inner), [1, 2]);
});

Deno.test("a request that no backend could do is refused before it waits", async () => {
  const backend = new CountingBackend(1);
  const pool = poolOver(backend);
  const wrong = [
    { password: new Uint8Array() },
    { salt: new Uint8Array(15) },
    { level: "toString" as "interactive" },
  ];
  for (const over of wrong) {
    assert.equal(await codeOf(pool.derive(request(1, over))), "invalid_input");
  }
  assert.ok(pool.idle);
});

Deno.test("whatever is asked, given up and failed, the limits hold and everybody is answered", async () => {
  const step = fc.record({
    salt: fc.integer({ min: 0, max: 15 }),
    level: fc.constantFrom("interactive", "interactive", "moderate"),
    abort: fc.boolean(),
    then: fc.constantFrom("finish", "finish", "fail", "nothing"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, concurrency) => {
        const backend = new CountingBackend(concurrency);
        const pool = poolOver(backend);
        const answers: Promise<unknown>[] = [];
        let ended = 0;
        const endNext = (how: "finish" | "fail") => {
          const next = backend.started[ended];
          if (next === undefined) return;
          ended++;
          if (how === "finish") next.finish();
          else next.fail(new Error("failed"));
        };
        for (const { salt, level, abort, then } of steps) {
          const controller = new AbortController();
          const asked = pool.derive(
            request(salt, { level: level as KeyRequest["level"] }),
            controller.signal,
          );
          answers.push(asked.then(([first]) => assert.equal(first, salt), (error) => {
            assert.match(String(error), /failed|abort/i);
          }));
          if (abort) controller.abort();
          if (then !== "nothing") endNext(then);
          await null;
        }
        while (!pool.idle) {
          endNext("finish");
          await settle();
        }
        await Promise.all(answers);
        assert.ok(backend.mostRunning <= concurrency);
        assert.ok(backend.mostMemory <= 256 * MIB);
        assert.equal(backend.running, 0);
      },
    ),
    { seed: 7, numRuns: 40 },
  );
});

Deno.test("the keys of names come out of the pool as without it", async () => {
  const { argon2 } = await chooseArgon2();
  const pool = poolOver({ concurrency: 2, derive: (request) => argon2.derive(request) });
  const derive = pooledNameKeys(pool);
  const folderKey = Uint8Array.from({ length: 32 }, (_, i) => 0x40 + i);
  const salt = Uint8Array.from({ length: 16 }, (_, i) => 0xc0 + i);
  const keys = await Promise.all([
    derive(folderKey, salt, "interactive"),
    derive(folderKey, salt, "interactive"),
  ]);
  for (const key of keys) {
    assert.equal(key.toHex(), "ff343a2de5537b49602da27aff97102e6146d2e42bad52683ce03c398b44a1d6");
    key.fill(0);
  }
  assert.equal((await derive(folderKey, salt, "interactive"))[0], 0xff);
  const gone = pooledNameKeys(pool, AbortSignal.abort(new Error("gone")));
  await assert.rejects(gone(folderKey, salt, "interactive"), /gone/);
  pool.close();
});

Deno.test("a memory of limited size forgets what was not asked for longest, and tells of it", () => {
  const forgotten: string[] = [];
  const memory = new LastUsed<string>(2, (value) => forgotten.push(value));
  memory.set("a", "A");
  memory.set("b", "B");
  assert.equal(memory.get("a"), "A");
  memory.set("c", "C");
  assert.deepEqual(forgotten, ["B"]);
  assert.equal(memory.get("b"), undefined);
  memory.set("c", "C2");
  assert.deepEqual(forgotten, ["B", "C"]);
  memory.clear();
  assert.deepEqual(forgotten.sort(), ["A", "B", "C", "C2"]);
  assert.equal(memory.get("a"), undefined);
});
