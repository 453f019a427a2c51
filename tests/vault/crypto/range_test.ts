// Parts of a file from the bytes of those parts alone.

import assert from "node:assert/strict";
import { buildAuthenticatedHeader, concatBytes, type SuiteId } from "@shieldfive/crypto";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import * as aesGcmV2 from "@shieldfive/crypto/aes-gcm-v2";
import { ChunkOpener, headerLengthOf, type RangeOptions } from "@shieldfive/crypto/extra/range.ts";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import * as xchachaV1 from "@shieldfive/crypto/xchacha-v1";
import { lengthPrefix } from "../../../vault/crypto/chunk.ts";
import { ChunkCipher } from "../../../vault/crypto/chunk_cipher.ts";
import { patterned } from "./patterned.ts";
import { refuses, testKey } from "./vault_support.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";

const contentKey = testKey(3);
const SIZE = 300;
const PLAINTEXT = patterned(SIZE);

async function fileOf(suite: SuiteId): Promise<{ file: Uint8Array; options: RangeOptions }> {
  const options = { keys: { contentKey }, allowedSuites: [suite] };
  if (suite !== 3) {
    const module = { 1: aesGcmV1, 2: xchachaV1, 4: aesGcmV2 }[suite];
    const { blob } = await module.encryptBytes(PLAINTEXT, { contentKey, chunkSize: 32 });
    return { file: new Uint8Array(await blob.arrayBuffer()), options };
  }
  const { publicKey: recipientPublicKey, secretKey } = pqHybridV1.generateMlKemKeypair();
  const keys = { recipientPublicKey, envelopeKey: testKey(9), chunkSize: 32 };
  const { blob, combinedKey } = await pqHybridV1.encryptBytes(PLAINTEXT, keys);
  const file = new Uint8Array(await blob.arrayBuffer());
  const byKem = { recipientSecretKey: secretKey, envelopeKey: testKey(9) };
  new ChunkOpener(file, { keys: byKem, allowedSuites: [suite] }).close();
  return { file, options: { ...options, keys: { contentKey: combinedKey } } };
}

Deno.test("each chunk opens alone from its computed place, in every suite", async () => {
  for (const suite of [1, 2, 3, 4] as const) {
    const { file, options } = await fileOf(suite);
    const opener = new ChunkOpener(file.slice(0, headerLengthOf(file.slice(0, 45))), options);
    for (let index = 9; index >= 0; index--) {
      const { start, end, firstChunk, endChunk, skip } = opener.range(
        index * 32,
        Math.min(SIZE, index * 32 + 32),
      );
      assert.deepEqual([firstChunk, endChunk, skip], [index, index + 1, 0]);
      const plaintext = await opener.open(index, file.slice(start, end));
      assert.deepEqual(plaintext, PLAINTEXT.slice(index * 32, index * 32 + 32));
    }
  }
});

Deno.test("every range gives exactly its plaintext out of exactly its bytes", async () => {
  const { file, options } = await fileOf(2);
  const opener = new ChunkOpener(file, options);
  for (let from = 0; from <= SIZE; from += 7) {
    for (const to of [from, from + 1, from + 25, from + 33, from + 100, SIZE]) {
      if (to < from || to > SIZE) continue;
      const range = opener.range(from, to);
      const part = file.slice(range.start, range.end);
      const plaintext = await collect(opener.stream(streamOf(part, 21), range));
      assert.deepEqual(plaintext, PLAINTEXT.slice(from, to), `${from} to ${to}`);
      assert.equal(range.length, to - from);
      if (from === to) assert.equal(part.length, 0);
    }
  }
  const whole = opener.range(0, SIZE);
  assert.deepEqual([whole.start, whole.end], [opener.header.headerLength, file.length]);
});

Deno.test("ranges that the file does not have are refused", async () => {
  const { file, options } = await fileOf(1);
  const opener = new ChunkOpener(file, options);
  for (const [from, to] of [[-1, 5], [5, 4], [0, SIZE + 1], [0.5, 2], [NaN, 2], [0, Infinity]]) {
    assert.throws(() => opener.range(from, to), { code: "range_out_of_bounds" });
  }
  const frame = file.slice(149, 149 + 52);
  for (const index of [-1, 10, 0.5]) {
    await refuses("range_out_of_bounds", () => opener.open(index, frame));
  }
});

Deno.test("a chunk at another place, or not exactly one chunk, is refused", async () => {
  const { file, options } = await fileOf(4);
  const opener = new ChunkOpener(file, options);
  const frame = (index: number) => file.slice(149 + 52 * index, 149 + 52 * (index + 1));
  await refuses("chunk_authentication_failed", () => opener.open(1, frame(2)));
  await refuses("chunk_length_truncated", () => opener.open(1, frame(1).slice(0, 3)));
  await refuses("chunk_truncated", () => opener.open(1, frame(1).slice(0, 51)));
  await refuses("invalid_input", () => opener.open(1, new Uint8Array([...frame(1), 0])));
  await refuses("non_final_chunk_wrong_size", () => opener.open(1, frame(9)));
  const { start, end, ...range } = opener.range(10, 90);
  const read = (part: Uint8Array) =>
    collect(opener.stream(streamOf(part, 1000), { start, end, ...range }));
  await refuses("trailing_bytes", () => read(file.slice(start, end + 1)));
  await refuses("chunk_truncated", () => read(file.slice(start, end - 1)));
});

Deno.test("a header is proven before any range is told, and its chunks are capped", async () => {
  const { file, options } = await fileOf(2);
  const forged = file.slice();
  forged[10] ^= 1;
  const open = (bytes: Uint8Array, more: Partial<RangeOptions> = {}) => () =>
    new ChunkOpener(bytes, { ...options, ...more });
  await refuses("header_mac_mismatch", open(forged));
  await refuses("header_mac_mismatch", open(file, { keys: { contentKey: testKey(1) } }));
  await refuses("suite_not_allowed", open(file, { allowedSuites: [1, 3, 4] }));
  await refuses("header_truncated", open(file.slice(0, 172)));
  await refuses("chunk_too_large", open(file, { maxChunkBytes: 31 }));
  const opener = open(file)();
  opener.close();
  await refuses("closed", () => opener.open(0, file.slice(173, 173 + 52)));
});

Deno.test("a last chunk of another size than the header says is refused, though it is authentic", async () => {
  const suite = 2 as const;
  const fields = { suite, fileId: new Uint8Array(16), suitePayload: new Uint8Array(96) };
  const layout = { ...fields, chunkSize: 32, totalChunks: 1, plaintextSize: 10 };
  const header = await buildAuthenticatedHeader(layout, contentKey);
  const opener = new ChunkOpener(header, { keys: { contentKey }, allowedSuites: [suite] });
  const chunk = async (size: number) => {
    const sealed = await new ChunkCipher(layout, contentKey).seal(0, patterned(size));
    return concatBytes([lengthPrefix(size + 16), ...sealed]);
  };
  assert.deepEqual(await opener.open(0, await chunk(10)), patterned(10));
  for (const size of [9, 11]) {
    const frame = await chunk(size);
    await refuses("plaintext_size_mismatch", () => opener.open(0, frame));
  }
});
