// Files of version 0: what opens, what a cut looks like with and without recorded sizes, and that no
// container passes for one.

import assert from "node:assert/strict";
import { encryptBytes } from "@shieldfive/crypto/aes-gcm-v2";
import { decryptStreamV0 } from "@shieldfive/crypto/extra/legacy_v0.ts";
import { decryptV0, decryptV0ToBytes, looksLikeV0 } from "@shieldfive/crypto/legacy-v0";
import { patterned } from "./patterned.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";
import { refuses, testKey } from "./vault_support.ts";

const contentKey = testKey(3);
const noncePrefix = Uint8Array.of(1, 2, 3, 4);
const keys = { contentKey, noncePrefix, chunkSize: 64 };

/** Writes version 0 as its old clients did; one tag for an empty file is what some of them did. */
async function written(
  plaintext: Uint8Array,
  emptyAsTag = false,
): Promise<Uint8Array<ArrayBuffer>> {
  const usages: KeyUsage[] = ["encrypt"];
  const key = await crypto.subtle.importKey("raw", contentKey, "AES-GCM", false, usages);
  const parts: ArrayBuffer[] = [];
  for (let at = 0; at < plaintext.length || (emptyAsTag && at === 0); at += 64) {
    const iv = new Uint8Array(12);
    iv.set(noncePrefix);
    new DataView(iv.buffer).setUint32(8, at / 64);
    const part = plaintext.slice(at, at + 64);
    parts.push(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, part));
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function streamed(
  file: Uint8Array,
  recorded: { ciphertextSize?: number; plaintextSize?: number } = {},
  piece = 13,
): Promise<Uint8Array> {
  return collect(decryptStreamV0(streamOf(file, piece), { ...keys, ...recorded }));
}

Deno.test("version 0 opens in all sizes around its chunks, whole and in pieces", async () => {
  for (const size of [0, 1, 63, 64, 65, 128, 129, 1000]) {
    const plaintext = patterned(size);
    const file = await written(plaintext);
    const told: number[] = [];
    const onProgress = (done: number) => told.push(done);
    const blob = new Blob([file]);
    assert.deepEqual(await decryptV0ToBytes({ blob, ...keys, onProgress }), plaintext);
    assert.equal(told.indexOf(1), told.length - 1);
    assert.deepEqual(told, told.toSorted((a, b) => a - b));
    const opened = await decryptV0({ blob, ...keys });
    assert.deepEqual(new Uint8Array(await opened.arrayBuffer()), plaintext);
    for (const piece of [1, 80, 5000]) {
      const recorded = { ciphertextSize: file.length, plaintextSize: size };
      assert.deepEqual(await streamed(file, recorded, piece), plaintext);
    }
  }
});

Deno.test("a cut between two chunks opens unless the size was recorded", async () => {
  const file = await written(patterned(200));
  const cut = file.slice(0, 160);
  assert.deepEqual(await decryptV0ToBytes({ blob: new Blob([cut]), ...keys }), patterned(128));
  assert.deepEqual(await streamed(cut), patterned(128));
  const { length: ciphertextSize } = file;
  await refuses("ciphertext_size_mismatch", () => streamed(cut, { ciphertextSize }));
  await refuses("plaintext_size_mismatch", () => streamed(cut, { plaintextSize: 200 }));
  const nothing = new Uint8Array(0);
  await refuses("ciphertext_size_mismatch", () => streamed(nothing, { ciphertextSize }));
});

Deno.test("the last chunk comes only after the sizes were compared", async () => {
  const cut = (await written(patterned(200))).slice(0, 160);
  const reader = decryptStreamV0(streamOf(cut, 1000), { ...keys, ciphertextSize: 258 }).getReader();
  assert.deepEqual((await reader.read()).value, patterned(128).slice(0, 64));
  await refuses("ciphertext_size_mismatch", () => reader.read());
});

Deno.test("one to sixteen bytes behind the chunks are a cut, and more are another chunk's", async () => {
  const file = await written(patterned(128));
  for (let rest = 1; rest <= 20; rest++) {
    const longer = new Uint8Array([...file, ...patterned(rest)]);
    const code = rest <= 16 ? "chunk_truncated" : "chunk_authentication_failed";
    await refuses(code, () => decryptV0ToBytes({ blob: new Blob([longer]), ...keys }));
    await refuses(code, () => streamed(longer));
  }
});

Deno.test("a tag alone is an empty file only where an empty file was recorded", async () => {
  const tag = await written(new Uint8Array(0), true);
  assert.equal(tag.length, 16);
  assert.equal((await streamed(tag, { plaintextSize: 0 })).length, 0);
  assert.equal((await streamed(tag, { plaintextSize: 0, ciphertextSize: 16 })).length, 0);
  await refuses("chunk_truncated", () => streamed(tag));
  await refuses("chunk_truncated", () => streamed(tag, { ciphertextSize: 16 }));
  await refuses("chunk_truncated", () => decryptV0({ blob: new Blob([tag]), ...keys }));
  const forged = tag.slice();
  forged[0] ^= 1;
  await refuses("chunk_authentication_failed", () => streamed(forged, { plaintextSize: 0 }));
});

Deno.test("another key, prefix or chunk size is an authentication failure that names its chunk", async () => {
  const blob = new Blob([await written(patterned(200))]);
  const others = [
    { contentKey: testKey(4) },
    { noncePrefix: new Uint8Array(4) },
    { chunkSize: 63 },
    { chunkSize: 65 },
  ];
  for (const other of others) {
    const failure = { code: "chunk_authentication_failed", message: /chunk 0/ };
    await assert.rejects(decryptV0({ blob, ...keys, ...other }), failure);
  }
  const damaged = new Uint8Array(await blob.arrayBuffer());
  damaged[100] ^= 1;
  await assert.rejects(streamed(damaged), { message: /chunk 1/ });
});

Deno.test("options that no file can have are refused", async () => {
  const blob = new Blob([]);
  const refused = [
    { contentKey: new Uint8Array(31) },
    { noncePrefix: new Uint8Array(5) },
    { chunkSize: 0 },
    { chunkSize: 1.5 },
  ];
  for (const options of refused) {
    await refuses("invalid_input", () => decryptV0({ blob, ...keys, ...options }));
  }
  await refuses("chunk_too_large", () => decryptV0({ blob, ...keys, chunkSize: 2 ** 32 }));
});

Deno.test("cancelling a stream of version 0 stops its source", async () => {
  let reason: unknown;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel(why) {
      reason = why;
    },
  });
  await decryptStreamV0(source, keys).cancel("enough");
  assert.equal(reason, "enough");
});

Deno.test("what is a container of any version does not look like version 0", async () => {
  const { blob } = await encryptBytes(patterned(100));
  assert.equal(await looksLikeV0(blob), false);
  const newer = Uint8Array.of(0x53, 0x46, 0x35, 2, 0, 9);
  assert.equal(await looksLikeV0(new Blob([newer])), false);
  assert.equal(await looksLikeV0(new Blob([await written(patterned(100))])), true);
  for (const start of [[], [0x53], [0x53, 0x46]]) {
    assert.equal(await looksLikeV0(new Blob([Uint8Array.from(start)])), true);
  }
});
