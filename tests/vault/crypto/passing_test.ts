// What our own streams add: looking at bytes as they pass, and binding a file to its row.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { concatBytes } from "@shieldfive/crypto";
import { encryptBytes } from "@shieldfive/crypto/aes-gcm-v2";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { openFileStream } from "@shieldfive/crypto/extra/file_stream.ts";
import { passingHash, tap } from "@shieldfive/crypto/extra/tap.ts";
import { UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import { generateMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { encryptStreamAesGcmV1 } from "@shieldfive/crypto/streams/aes-gcm-v1";
import { encryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { patterned } from "./patterned.ts";
import { refuses, testKey } from "./vault_support.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";

const contentKey = testKey(3);
const fileId = new Uint8Array(16).fill(5);

function digest(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

Deno.test("hashes on both sides of a cipher see what passes, and change nothing", async () => {
  const plaintext = patterned(1000);
  const [before, sha1, sha256] = [
    passingHash("sha256"),
    passingHash("sha1"),
    passingHash("sha256"),
  ];
  const source = tap(streamOf(plaintext, 17), before);
  const options = { plaintextSize: 1000, chunkSize: 64, contentKey, ed25519SecretKey: testKey(7) };
  const { ciphertext } = encryptStreamAesGcmV1(source, options);
  const file = await collect(tap(ciphertext, sha1, sha256));
  assert.equal(before.digest().toHex(), digest("sha256", plaintext));
  assert.equal(sha1.digest().toHex(), digest("sha1", file));
  assert.equal(sha256.digest().toHex(), digest("sha256", file));
  assert.deepEqual([before.size, sha1.size], [1000, file.length]);
  assert.equal(file.length, ciphertextLength(1000, 64, 1, true));
});

Deno.test("an upload's proof is made as the file passes", async () => {
  const proofKeyHex = "ab".repeat(32);
  const proof = new UploadProofV3(proofKeyHex);
  const { ciphertext } = await encryptStreamPqHybridV1(streamOf(patterned(1000), 17), {
    plaintextSize: 1000,
    chunkSize: 64,
    recipientPublicKey: generateMlKemKeypair().publicKey,
    envelopeKey: testKey(9),
  });
  const passed = tap(ciphertext, proof).getReader();
  const head = [];
  while (!proof.complete) head.push((await passed.read()).value!);
  const bytes = concatBytes(head);
  assert.equal(bytes.length, 1741 + 84, "the header and the first chunk, and nothing behind them");
  assert.equal(proof.digest(), await buildUploadProofV3({ proofKeyHex, ciphertext: bytes }));
  await passed.cancel();
});

Deno.test("what an observer refuses fails the stream and stops its source", async () => {
  let reason: unknown;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(patterned(10)),
    cancel(why) {
      reason = why;
    },
  });
  const failure = new Error("too much");
  const limit = {
    left: 35,
    absorb(bytes: Uint8Array) {
      this.left -= bytes.length;
      if (this.left < 0) throw failure;
    },
  };
  await assert.rejects(collect(tap(source, limit)), failure);
  assert.equal(reason, failure);
});

Deno.test("lengths that no file can have are not computed", () => {
  for (const size of [-1, 0.5, NaN, 2 ** 53]) {
    assert.throws(() => ciphertextLength(size), { code: "invalid_input" });
  }
  for (const chunkSize of [0, -1, 1.5, 2 ** 32]) {
    assert.throws(() => ciphertextLength(1, chunkSize), { code: "invalid_input" });
  }
  assert.equal(ciphertextLength(0), 1741);
  assert.equal(ciphertextLength(4 * 1024 * 1024 + 1), 1741 + 4 * 1024 * 1024 + 1 + 40);
});

Deno.test("a file of another row is refused before any plaintext, whatever its keys", async () => {
  const { blob } = await encryptBytes(patterned(100), { contentKey, fileId, chunkSize: 32 });
  const options = { keys: { contentKey }, allowedSuites: [4] as const };
  const opened = openFileStream(blob.stream(), { ...options, fileId });
  assert.deepEqual(await collect(opened.plaintext), patterned(100));
  assert.equal((await opened.header).plaintextSize, 100);
  assert.deepEqual(await opened.metadata, { signature: null });

  const other = openFileStream(blob.stream(), { ...options, fileId: new Uint8Array(16) });
  await refuses("file_id_mismatch", () => other.plaintext.getReader().read());
  await refuses("file_id_mismatch", () => other.header);
  await refuses("file_id_mismatch", () => other.metadata);
});

Deno.test("the header of a file is known before its end", async () => {
  const { blob } = await encryptBytes(patterned(100), { contentKey, fileId, chunkSize: 32 });
  const cut = new Uint8Array(await blob.slice(0, 149 + 52).arrayBuffer());
  const source = ReadableStream.from([cut]);
  const opened = openFileStream(source, { keys: { contentKey }, allowedSuites: [4], fileId });
  const reader = opened.plaintext.getReader();
  assert.deepEqual((await reader.read()).value, patterned(100).slice(0, 32));
  assert.equal((await opened.header).totalChunks, 4);
  await refuses("chunk_length_truncated", () => reader.read());
  await refuses("chunk_length_truncated", () => opened.metadata);
});
