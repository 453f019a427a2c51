// Whole files of every suite: what they hold at every border, what refuses them, and what they may cost.

import assert from "node:assert/strict";
import {
  autoDecryptBlob,
  buildAuthenticatedHeader,
  concatBytes,
  parseHeader,
  SUITE,
  type SuiteId,
} from "@shieldfive/crypto";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import * as aesGcmV2 from "@shieldfive/crypto/aes-gcm-v2";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import * as xchachaV1 from "@shieldfive/crypto/xchacha-v1";
import { piecesOfBytes } from "../../../vault/crypto/pieces.ts";
import { ContainerReader } from "../../../vault/crypto/reader.ts";
import { ContainerWriter } from "../../../vault/crypto/writer.ts";
import { flipped, patterned } from "./patterned.ts";
import { refuses, testKey } from "./vault_support.ts";

const { publicKey, secretKey } = pqHybridV1.generateMlKemKeypair();
const envelopeKey = testKey(9);
const contentKey = testKey(3);

interface Suite {
  id: SuiteId;
  headerLength: number;
  encrypt: (
    bytes: Uint8Array,
    options: { chunkSize?: number; onProgress?: (done: number) => void },
  ) => Promise<{ blob: Blob; totalChunks: number; plaintextSize: number }>;
  decrypt: (
    file: Uint8Array | Blob,
    options?: { maxChunkBytes?: number; onProgress?: (done: number) => void },
  ) => Promise<Uint8Array>;
}

function blobOf(file: Uint8Array | Blob): Blob {
  return file instanceof Blob ? file : new Blob([file.slice()]);
}

function withContentKey(
  { encryptBytes, decryptToBytes }: Pick<typeof aesGcmV1, "encryptBytes" | "decryptToBytes">,
): Pick<Suite, "encrypt" | "decrypt"> {
  return {
    encrypt: (bytes, options) => encryptBytes(bytes, { ...options, contentKey }),
    decrypt: (file, options) => decryptToBytes({ ...options, contentKey, blob: blobOf(file) }),
  };
}

const SUITES: Suite[] = [
  { id: 1, headerLength: 149, ...withContentKey(aesGcmV1) },
  { id: 2, headerLength: 173, ...withContentKey(xchachaV1) },
  {
    id: 3,
    headerLength: 1741,
    encrypt: (bytes, options) =>
      pqHybridV1.encryptBytes(bytes, { ...options, recipientPublicKey: publicKey, envelopeKey }),
    decrypt: (file, options) =>
      pqHybridV1.decryptToBytes({
        ...options,
        blob: blobOf(file),
        recipientSecretKey: secretKey,
        envelopeKey,
      }),
  },
  { id: 4, headerLength: 149, ...withContentKey(aesGcmV2) },
];

async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.arrayBuffer());
}

Deno.test("sizes around the borders of chunks give the chunks and the length that were computed", async () => {
  for (const { id, headerLength, encrypt, decrypt } of SUITES) {
    for (
      const [size, chunks] of [[0, 0], [1, 1], [63, 1], [64, 1], [65, 2], [128, 2], [129, 3]]
    ) {
      const plaintext = patterned(size);
      const { blob, totalChunks, plaintextSize } = await encrypt(plaintext, { chunkSize: 64 });
      assert.deepEqual([totalChunks, plaintextSize], [chunks, size]);
      assert.equal(blob.size, headerLength + size + 20 * chunks);
      assert.equal(blob.size, ciphertextLength(size, 64, id));
      assert.deepEqual(await decrypt(blob), plaintext);
    }
  }
});

Deno.test("a file of several megabytes in chunks of the usual size comes back", async () => {
  const plaintext = patterned(9_000_001);
  for (const { id, encrypt, decrypt } of SUITES) {
    const { blob, totalChunks } = await encrypt(plaintext, {});
    assert.equal(totalChunks, 3);
    assert.equal(blob.size, ciphertextLength(plaintext.length, undefined, id));
    assert.ok(indexedEqual(await decrypt(blob), plaintext));
  }
});

/** `deepEqual` takes seconds for megabytes. */
function indexedEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

Deno.test("blobs go in and come out as bytes do", async () => {
  const plaintext = patterned(1000);
  const { blob, fileId } = await aesGcmV2.encryptBlob({
    blob: new Blob([plaintext]),
    contentKey,
    fileId: new Uint8Array(16).fill(5),
    chunkSize: 64,
  });
  assert.deepEqual(parseHeader(await bytesOf(blob)).fileId, fileId);
  const opened = await aesGcmV2.decryptBlob({ blob, contentKey });
  assert.deepEqual(await bytesOf(opened), plaintext);
  const { blob: again, combinedKey } = await pqHybridV1.encryptBlob({
    blob: new Blob([plaintext]),
    recipientPublicKey: publicKey,
    envelopeKey,
  });
  assert.equal(combinedKey.length, 32);
  const reopened = await pqHybridV1.decryptBlob({
    blob: again,
    recipientSecretKey: secretKey,
    envelopeKey,
  });
  assert.deepEqual(await bytesOf(reopened), plaintext);
});

Deno.test("progress grows and says 1 once, at the end, for empty files as well", async () => {
  for (const { encrypt, decrypt } of SUITES) {
    for (const size of [0, 1, 64, 1000]) {
      const told: number[][] = [[], []];
      const { blob } = await encrypt(patterned(size), {
        chunkSize: 64,
        onProgress: (done) => told[0].push(done),
      });
      await decrypt(blob, { onProgress: (done) => told[1].push(done) });
      for (const steps of told) {
        assert.deepEqual(steps, steps.toSorted((a, b) => a - b));
        assert.equal(steps.indexOf(1), steps.length - 1);
      }
      if (size === 1000) assert.equal(told[1].length, 16);
    }
  }
});

Deno.test("a file that was cut anywhere is refused", async () => {
  for (const { encrypt, decrypt, headerLength } of SUITES) {
    const file = await bytesOf((await encrypt(patterned(100), { chunkSize: 32 })).blob);
    // Within the long header of 0x03 every length is as good as another.
    const step = (at: number) => headerLength > 200 && at < headerLength - 40 ? 97 : 1;
    for (let length = 0; length < file.length; length += step(length)) {
      await assert.rejects(decrypt(file.subarray(0, length)), { code: /^(header|chunk)_/ });
    }
  }
});

Deno.test("a file with one bit turned over is refused, wherever it is", async () => {
  for (const { encrypt, decrypt, headerLength } of SUITES) {
    const file = await bytesOf((await encrypt(patterned(40), { chunkSize: 32 })).blob);
    const step = (bit: number) => headerLength > 200 && bit < 8 * 1700 ? 509 : 7;
    for (let bit = 0; bit < 8 * file.length; bit += step(bit)) {
      await assert.rejects(decrypt(flipped(file, bit)), { code: /./ }, `bit ${bit}`);
    }
  }
});

Deno.test("chunks out of place, repeated, or of another file with the same key are refused", async () => {
  for (const { encrypt, decrypt, headerLength } of SUITES) {
    const file = await bytesOf((await encrypt(patterned(96), { chunkSize: 32 })).blob);
    const other = await bytesOf((await encrypt(patterned(96, 2), { chunkSize: 32 })).blob);
    const chunk = (from: Uint8Array, index: number) =>
      from.subarray(headerLength + 52 * index, headerLength + 52 * (index + 1));
    const header = file.subarray(0, headerLength);
    const [a, b, c] = [0, 1, 2].map((index) => chunk(file, index));
    assert.deepEqual(await decrypt(concatBytes([header, a, b, c])), patterned(96));
    for (const chunks of [[b, a, c], [a, a, c], [a, c, b], [a, chunk(other, 1), c]]) {
      const forged = concatBytes([header, ...chunks]);
      await refuses("chunk_authentication_failed", () => decrypt(forged));
    }
    await refuses(
      "signature_block_block_truncated",
      () => decrypt(concatBytes([file, Uint8Array.of(1)])),
    );
  }
});

Deno.test("another key is found out before any chunk is looked at", async () => {
  for (const module of [aesGcmV1, xchachaV1, aesGcmV2]) {
    const { blob } = await module.encryptBytes(patterned(100), { contentKey, chunkSize: 32 });
    const header = parseHeader(await bytesOf(blob)).headerLength;
    const garbage = new Blob([blob.slice(0, header), new Uint8Array(500)]);
    const wrong = { blob: garbage, contentKey: testKey(4) };
    await refuses("header_mac_mismatch", () => module.decryptToBytes(wrong));
    await refuses(
      "chunk_length_out_of_range",
      () => module.decryptToBytes({ ...wrong, contentKey }),
    );
  }
});

Deno.test("suite 0x03: each half of the key is needed, and neither failure tells of the other's library", async () => {
  const { blob } = await SUITES[2].encrypt(patterned(10), {});
  const keys = { blob, recipientSecretKey: secretKey, envelopeKey };
  const stranger = pqHybridV1.generateMlKemKeypair().secretKey;
  await refuses(
    "header_mac_mismatch",
    () => pqHybridV1.decryptToBytes({ ...keys, recipientSecretKey: stranger }),
  );
  await refuses(
    "unwrap_failed",
    () => pqHybridV1.decryptToBytes({ ...keys, envelopeKey: testKey(1) }),
  );
});

Deno.test("a payload of another length is refused though its MAC is right, and a full one accepted", async () => {
  const cases: [SuiteId, number][] = [[1, 71], [1, 73], [2, 72], [4, 96], [3, 1663]];
  for (const [suite, length] of cases) {
    const fields = { suite, fileId: new Uint8Array(16), chunkSize: 32 };
    const empty = { totalChunks: 0, plaintextSize: 0, suitePayload: new Uint8Array(length) };
    const file = await buildAuthenticatedHeader({ ...fields, ...empty }, contentKey);
    const reader = new ContainerReader({ keys: { contentKey }, allowedSuites: [suite] });
    await refuses("suite_payload_wrong_length", () => reader.read(piecesOfBytes(file)).next());
  }
  for (const [module, length] of [[aesGcmV1, 72], [xchachaV1, 96], [aesGcmV2, 72]] as const) {
    const suitePayloadOverride = new Uint8Array(length).fill(1);
    const { blob } = await module.encryptBytes(patterned(5), { contentKey, suitePayloadOverride });
    assert.deepEqual(parseHeader(await bytesOf(blob)).suitePayload, suitePayloadOverride);
    assert.deepEqual(await module.decryptToBytes({ blob, contentKey }), patterned(5));
    await refuses("suite_payload_wrong_length", () =>
      module.encryptBytes(patterned(5), {
        contentKey,
        suitePayloadOverride: new Uint8Array(length - 1),
      }));
  }
});

Deno.test("a suite that was not asked for is refused, and taken when it was", async () => {
  const { blob } = await aesGcmV2.encryptBytes(patterned(5), { contentKey });
  await refuses("suite_not_allowed", () => aesGcmV1.decryptToBytes({ blob, contentKey }));
  const allowedSuites = [SUITE.AES_256_GCM_V1, SUITE.AES_256_GCM_V2];
  const opened = await aesGcmV1.decryptToBytes({ blob, contentKey, allowedSuites });
  assert.deepEqual(opened, patterned(5));
  const { blob: other } = await xchachaV1.encryptBytes(patterned(5), { contentKey });
  const keys = { recipientSecretKey: secretKey, envelopeKey };
  await refuses("suite_not_allowed", () => pqHybridV1.decryptToBytes({ blob: other, ...keys }));
});

Deno.test("a chunk larger than the cap is refused before it is held, whatever says so", async () => {
  const plaintext = patterned(1000);
  const { blob } = await xchachaV1.encryptBytes(plaintext, { contentKey, chunkSize: 500 });
  const open = (maxChunkBytes: number) =>
    xchachaV1.decryptToBytes({ blob, contentKey, maxChunkBytes });
  await refuses("chunk_too_large", () => open(499));
  assert.deepEqual(await open(500), plaintext);

  // A key holder's header: two chunks of almost 4 GiB.
  const chunkSize = 0xffff_ffff;
  const huge = { suite: 2 as const, fileId: new Uint8Array(16), suitePayload: new Uint8Array(96) };
  const numbers = { chunkSize, totalChunks: 2, plaintextSize: chunkSize + 1 };
  const header = await buildAuthenticatedHeader({ ...huge, ...numbers }, contentKey);
  await refuses(
    "chunk_too_large",
    () => xchachaV1.decryptToBytes({ blob: new Blob([header]), contentKey }),
  );
  // The size is small, and the last chunk claims more than the header does.
  const small = { ...numbers, totalChunks: 1, plaintextSize: 10 };
  const lying = await buildAuthenticatedHeader({ ...huge, ...small }, contentKey);
  await refuses("chunk_too_large", () =>
    xchachaV1.decryptToBytes({
      blob: new Blob([lying, Uint8Array.of(0x7f, 0, 0, 0)]),
      contentKey,
    }));
  const plan = { ...huge, chunkSize, plaintextSize: 2 ** 40, key: contentKey };
  assert.throws(() => new ContainerWriter(plan), { code: "chunk_too_large" });
});

Deno.test("a small file in chunks of an enormous size is no trouble", async () => {
  const options = { contentKey, chunkSize: 0xffff_ffff };
  const { blob } = await aesGcmV2.encryptBytes(patterned(10), options);
  assert.deepEqual(await aesGcmV2.decryptToBytes({ blob, contentKey }), patterned(10));
});

Deno.test("the suite of a file is found from its header, and its keys are asked for", async () => {
  const keys = { contentKey, recipientSecretKey: secretKey, envelopeKey };
  for (const { id, encrypt } of SUITES) {
    const { blob } = await encrypt(patterned(50), { chunkSize: 32 });
    assert.deepEqual(await bytesOf(await autoDecryptBlob({ blob, ...keys })), patterned(50));
    const missing = id === 3
      ? { contentKey, recipientSecretKey: secretKey }
      : { ...keys, contentKey: undefined };
    await refuses("invalid_input", () => autoDecryptBlob({ blob, ...missing }));
  }
  await refuses("bad_magic", () => autoDecryptBlob({ blob: new Blob(["x".repeat(99)]), ...keys }));
});

Deno.test("a content key and a file id are made for those who bring none, new ones each time", async () => {
  const first = await aesGcmV2.encryptBytes(patterned(5));
  const second = await aesGcmV2.encryptBytes(patterned(5));
  assert.notDeepEqual(first.contentKey, second.contentKey);
  assert.notDeepEqual(first.fileId, second.fileId);
  assert.deepEqual(await aesGcmV2.decryptToBytes(first), patterned(5));
  await refuses(
    "invalid_input",
    () => aesGcmV2.encryptBytes(patterned(5), { contentKey: testKey(1).slice(1) }),
  );
});
