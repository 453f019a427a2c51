// Taking lengths out of pieces, and giving way to other work while doing it.

import assert from "node:assert/strict";
import { Pace } from "../../../vault/crypto/pace.ts";
import { Pieces, piecesOfBlob, piecesOfBytes } from "../../../vault/crypto/pieces.ts";
import { patterned } from "./patterned.ts";

function piecesOf(parts: Uint8Array[]): Pieces {
  const left = [...parts];
  return new Pieces(() => Promise.resolve(left.shift()));
}

Deno.test("what lies within one piece is not copied", async () => {
  const piece = patterned(100);
  const pieces = new Pieces(piecesOfBytes(piece));
  for (const [from, length] of [[0, 10], [10, 60], [70, 30]]) {
    const taken = await pieces.take(length);
    assert.equal(taken.buffer, piece.buffer);
    assert.deepEqual([taken.byteOffset, taken.length], [from, length]);
  }
  assert.equal(await pieces.atEnd(), true);
  assert.equal((await pieces.take(5)).length, 0);
});

Deno.test("what lies across pieces is put together in one buffer that serves again", async () => {
  const bytes = patterned(100);
  const pieces = piecesOf(Array.from({ length: 34 }, (_, i) => bytes.subarray(i * 3, i * 3 + 3)));
  const first = await pieces.take(40);
  assert.deepEqual(first, bytes.slice(0, 40));
  const second = await pieces.take(35);
  assert.deepEqual(second, bytes.slice(40, 75));
  assert.equal(second.buffer, first.buffer);
  assert.deepEqual(await pieces.take(1000), bytes.slice(75), "the end comes before");
  assert.equal(await pieces.atEnd(), true);
});

Deno.test("empty pieces are no end, and after the end nothing is asked for", async () => {
  const none = new Uint8Array(0);
  let asked = 0;
  const left: (Uint8Array | undefined)[] = [none, patterned(3), none, none, undefined];
  const pieces = new Pieces(() => {
    asked++;
    return Promise.resolve(left.shift());
  });
  assert.equal(await pieces.atEnd(), false);
  assert.deepEqual(await pieces.take(2), patterned(3).slice(0, 2));
  assert.deepEqual(await pieces.take(2), patterned(3).slice(2));
  for (let i = 0; i < 3; i++) assert.equal(await pieces.atEnd(), true);
  assert.equal(asked, 5);
});

Deno.test("a blob of more than one piece is read whole and in order", async () => {
  const bytes = patterned(9_000_000);
  const read = piecesOfBlob(new Blob([bytes]));
  let at = 0;
  for (let piece = await read(); piece !== undefined; piece = await read()) {
    assert.ok(piece.every((byte, i) => byte === bytes[at + i]));
    at += piece.length;
  }
  assert.equal(at, bytes.length);
});

/** Keeps the thread for longer than a pace allows. */
function dawdle(): void {
  const until = performance.now() + 10;
  while (performance.now() < until);
}

async function givesWay(): Promise<void> {
  const pace = new Pace();
  const { port1, port2 } = new MessageChannel();
  let arrived = false;
  port1.onmessage = () => arrived = true;
  port2.postMessage(null);
  await pace.breathe();
  assert.equal(arrived, false, "while there is time left");
  for (let i = 0; i < 20 && !arrived; i++) {
    dawdle();
    await pace.breathe();
  }
  port1.close();
  assert.equal(arrived, true);
}

Deno.test("a thread that was kept for long gives way to messages", givesWay);

Deno.test("so it does where there is no setImmediate", async () => {
  const runtime = globalThis as { setImmediate?: unknown };
  const { setImmediate } = runtime;
  delete runtime.setImmediate;
  try {
    await givesWay();
  } finally {
    runtime.setImmediate = setImmediate;
  }
});
