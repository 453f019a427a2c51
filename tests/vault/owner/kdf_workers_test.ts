// Keys derived in workers: the same as anywhere, several at a time, and no waiting for a worker that is
// gone.

import assert from "node:assert/strict";
import { argon2id, type Argon2Request } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { KdfWorkers } from "../../../vault/owner/mod.ts";
import { codeOf, contentOf } from "./support.ts";

const SCRIPT = new URL("../../../vault/owner/kdf_worker.ts", import.meta.url);
/** One that answers nothing, and dies when it is asked. */
const DYING = `data:text/javascript,${encodeURIComponent("onmessage = () => { throw 1 }")}`;

const request = (text: string): Argon2Request => ({
  password: contentOf(text),
  salt: new Uint8Array(16),
  passes: 1,
  memoryKiB: 8192,
});

/** Counts the workers that are started. */
function workers(script: string | URL = SCRIPT, concurrency = 2) {
  const started: Worker[] = [];
  const kdf = new KdfWorkers(() => {
    const worker = new Worker(script, { type: "module" });
    started.push(worker);
    return worker;
  }, concurrency);
  return { kdf, started };
}

Deno.test("workers derive what this thread would, and no more of them are started than allowed", async () => {
  const { kdf, started } = workers();
  try {
    const texts = ["a", "b", "c", "d", "e"];
    const keys = await Promise.all(texts.map((text) => kdf.derive(request(text))));
    for (const [i, text] of texts.entries()) {
      assert.deepEqual(keys[i], await argon2id(request(text)));
    }
    assert.equal(started.length, 2);
    await kdf.derive(request("f"));
    assert.equal(started.length, 2);
  } finally {
    kdf.close();
  }
});

Deno.test("the password is the caller's own until it is wiped", async () => {
  const { kdf } = workers();
  try {
    const mine = request("secret");
    const derived = kdf.derive(mine);
    mine.password.fill(0);
    assert.deepEqual(await derived, await argon2id(request("secret")));
  } finally {
    kdf.close();
  }
});

Deno.test("a derivation that cannot be is refused by its code, and the worker goes on", async () => {
  const { kdf, started } = workers(SCRIPT, 1);
  try {
    assert.equal(await codeOf(kdf.derive({ ...request("x"), memoryKiB: 1 })), "invalid_input");
    await kdf.derive(request("x"));
    assert.equal(started.length, 1);
  } finally {
    kdf.close();
  }
});

Deno.test("whoever waits for a worker that is lost hears of it, and the next gets another", async () => {
  const { kdf, started } = workers(DYING, 1);
  const two = [kdf.derive(request("a")), kdf.derive(request("b"))].map(codeOf);
  assert.deepEqual(await Promise.all(two), ["derivation_failed", "derivation_failed"]);
  assert.equal(await codeOf(kdf.derive(request("c"))), "derivation_failed");
  assert.equal(started.length, 2);
  kdf.close();
});

Deno.test("nobody waits for workers that were closed", async () => {
  const { kdf } = workers();
  const waiting = codeOf(kdf.derive(request("a")));
  kdf.close();
  assert.equal(await waiting, "derivation_failed");
});
