// Streams that stop early: whoever stops, the other side learns of it, and no key stays behind.

import assert from "node:assert/strict";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import {
  createAesGcmV1EncryptStream,
  decryptStreamAesGcmV1,
  encryptStreamAesGcmV1,
} from "@shieldfive/crypto/streams/aes-gcm-v1";
import {
  decryptStreamPqHybridV1,
  encryptStreamPqHybridV1,
} from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { piecesOfBytes } from "../../../vault/crypto/pieces.ts";
import { ContainerReader } from "../../../vault/crypto/reader.ts";
import { deriveChunkKey } from "../../../vault/crypto/suites.ts";
import { ContainerWriter } from "../../../vault/crypto/writer.ts";
import { patterned } from "./patterned.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";
import { refuses, testKey } from "./vault_support.ts";

const contentKey = testKey(3);
const fileId = new Uint8Array(16).fill(5);

/** A source without an end that counts what was taken of it and notes how it was told to stop. */
function endless(bytes: Uint8Array = new Uint8Array(0)) {
  const seen: { pulls: number; reason?: unknown } = { pulls: 0 };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.pulls++;
      if (seen.pulls === 1 && bytes.length > 0) controller.enqueue(bytes);
      else controller.enqueue(patterned(10));
    },
    cancel(reason) {
      seen.reason = reason;
    },
  }, { highWaterMark: 0 });
  return { seen, stream };
}

function fileOf(size: number): Promise<Uint8Array> {
  const options = { plaintextSize: size, chunkSize: 32, contentKey, fileId };
  return collect(encryptStreamAesGcmV1(streamOf(patterned(size), 10), options).ciphertext);
}

Deno.test("nothing is read before it is asked for, and no more than is needed", async () => {
  const { seen, stream } = endless();
  const { ciphertext } = encryptStreamAesGcmV1(stream, { plaintextSize: 1000, chunkSize: 32 });
  const reader = ciphertext.getReader();
  const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
  await reader.read();
  await soon();
  assert.equal(seen.pulls, 0, "for the header");
  await reader.read();
  assert.equal(seen.pulls, 4, "for a chunk of 32 bytes out of pieces of 10");
  await soon();
  assert.equal(seen.pulls, 4, "while nobody asks");
});

Deno.test("who stops reading stops the source, with the reason", async () => {
  const reason = new Error("no longer wanted");
  const { seen, stream } = endless();
  const { ciphertext } = encryptStreamAesGcmV1(stream, { plaintextSize: 1000, chunkSize: 32 });
  const reader = ciphertext.getReader();
  await reader.read();
  await reader.cancel(reason);
  assert.equal(seen.reason, reason);

  const source = endless(await fileOf(1000));
  const { plaintext, metadata } = decryptStreamAesGcmV1(source.stream, { contentKey });
  await plaintext.cancel(reason);
  assert.equal(source.seen.reason, reason);
  await assert.rejects(metadata, reason);
});

Deno.test("who stops while the source is silent is not kept waiting", async () => {
  let told: unknown;
  const silent = new ReadableStream<Uint8Array>({
    pull: () => new Promise(() => {}),
    cancel(reason) {
      told = reason;
    },
  });
  const { plaintext, metadata } = decryptStreamAesGcmV1(silent, { contentKey });
  const reader = plaintext.getReader();
  const pending = reader.read();
  await reader.cancel();
  assert.deepEqual(await pending, { done: true, value: undefined });
  assert.equal((told as { code: string }).code, "closed");
  await refuses("closed", () => metadata);
});

Deno.test("a source that fails fails the stream with its own error", async () => {
  const failure = new Error("connection reset");
  const failing = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(failure);
    },
  });
  const { plaintext, metadata } = decryptStreamAesGcmV1(failing, { contentKey });
  await assert.rejects(collect(plaintext), failure);
  await assert.rejects(metadata, failure);
});

Deno.test("a damaged file stops its source", async () => {
  const file = await fileOf(1000);
  file[200] ^= 1;
  const { seen, stream } = endless(file);
  const { plaintext } = decryptStreamAesGcmV1(stream, { contentKey });
  await refuses("chunk_authentication_failed", () => collect(plaintext));
  assert.equal((seen.reason as { code: string }).code, "chunk_authentication_failed");
});

Deno.test("who gives up writing into a pipe fails its reader, and the other way round", async () => {
  const options = { plaintextSize: 1000, chunkSize: 32 };
  const written = createAesGcmV1EncryptStream(options).stream;
  const failure = new Error("gave up");
  const reading = collect(written.readable);
  await written.writable.abort(failure);
  await assert.rejects(reading, failure);

  const read = createAesGcmV1EncryptStream(options).stream;
  const writer = read.writable.getWriter();
  await read.readable.cancel(failure);
  await assert.rejects(writer.write(patterned(10)), failure);
});

/** Runs something, and gives back what every array held that was filled with zeros meanwhile. */
async function wipedDuring(run: () => Promise<unknown>): Promise<Set<string>> {
  const wiped = new Set<string>();
  const { fill } = Uint8Array.prototype;
  Uint8Array.prototype.fill = function (value, ...range) {
    if (value === 0) wiped.add(this.toHex());
    return fill.call(this, value, ...range) as typeof this;
  };
  try {
    await run();
  } finally {
    Uint8Array.prototype.fill = fill;
  }
  return wiped;
}

Deno.test("keys are wiped at the end, after a failure, and when nobody reads on", async () => {
  const { publicKey, secretKey } = pqHybridV1.generateMlKemKeypair();
  const envelopeKey = testKey(9);
  const encrypt = () =>
    encryptStreamPqHybridV1(streamOf(patterned(100), 100), {
      plaintextSize: 100,
      chunkSize: 32,
      recipientPublicKey: publicKey,
      envelopeKey,
      fileId,
    });
  const made = await encrypt();
  const chunkKey = deriveChunkKey(3, made.combinedKey, fileId).toHex();
  const file = await (async () => {
    let bytes = new Uint8Array();
    const wiped = await wipedDuring(async () => {
      bytes = (await collect(made.ciphertext)).slice();
    });
    assert.ok(wiped.has(chunkKey), "the chunk key, after writing");
    return bytes;
  })();
  assert.ok(made.combinedKey.some((byte) => byte !== 0), "K is the caller's");

  const damaged = file.slice();
  damaged[file.length - 1] ^= 1;
  const keys = { recipientSecretKey: secretKey, envelopeKey };
  const ways: [string, () => Promise<unknown>][] = [
    ["the end", () => collect(decryptStreamPqHybridV1(streamOf(file, 50), keys).plaintext)],
    ["a failure", () =>
      refuses(
        "chunk_authentication_failed",
        () => collect(decryptStreamPqHybridV1(streamOf(damaged, 50), keys).plaintext),
      )],
    ["a cancellation", async () => {
      const reader = decryptStreamPqHybridV1(streamOf(file, 50), keys).plaintext.getReader();
      await reader.read();
      await reader.cancel();
    }],
  ];
  for (const [when, run] of ways) {
    const wiped = await wipedDuring(run);
    for (const key of [secretKey, envelopeKey, made.combinedKey]) {
      assert.ok(wiped.has(key.toHex()), `a copy of each key, after ${when}`);
    }
    assert.ok(wiped.has(chunkKey), `the chunk key, after ${when}`);
  }
  assert.deepEqual(envelopeKey, testKey(9), "the caller's own keys stay");
  const stopped = await encrypt();
  const stoppedKey = deriveChunkKey(3, stopped.combinedKey, fileId).toHex();
  const wiped = await wipedDuring(() => stopped.ciphertext.cancel());
  assert.ok(wiped.has(stoppedKey), "the chunk key of a stream that nobody read");
});

Deno.test("keys are wiped as well when no header came, or not a right one", async () => {
  const ways = [
    () => decryptStreamAesGcmV1(streamOf(patterned(10), 10), { contentKey }).plaintext.cancel(),
    () =>
      refuses(
        "header_too_short",
        () => collect(decryptStreamAesGcmV1(streamOf(patterned(10), 10), { contentKey }).plaintext),
      ),
  ];
  for (const run of ways) {
    const wiped = await wipedDuring(run);
    assert.ok(wiped.has(contentKey.toHex()));
  }
});

Deno.test("what was closed cannot be used any more", async () => {
  const writer = new ContainerWriter({
    suite: 3,
    key: contentKey,
    fileId,
    suitePayload: new Uint8Array(1664),
    chunkSize: 32,
    plaintextSize: 100,
  });
  const pieces = writer.write(piecesOfBytes(patterned(100)));
  await pieces.next();
  writer.close();
  await refuses("closed", () => pieces.next());

  const reader = new ContainerReader({ keys: { contentKey }, allowedSuites: [1] });
  reader.close();
  const file = await fileOf(10);
  await refuses("closed", () => reader.read(piecesOfBytes(file)).next());
});

Deno.test("a long file lets timers and messages through", async () => {
  const size = 48 * 1024 * 1024;
  const piece = new Uint8Array(1024 * 1024);
  async function* pieces() {
    for (let given = 0; given < size; given += piece.length) yield piece;
  }
  const { ciphertext } = await encryptStreamPqHybridV1(ReadableStream.from(pieces()), {
    plaintextSize: size,
    recipientPublicKey: pqHybridV1.generateMlKemKeypair().publicKey,
    envelopeKey: testKey(9),
  });
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  try {
    for await (const _ of ciphertext);
  } finally {
    clearInterval(timer);
  }
  assert.ok(ticks >= 4, `${ticks} ticks of a timer in twelve chunks`);
});
