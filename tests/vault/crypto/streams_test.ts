// Files from stream to stream: the same bytes however they arrive, nothing before it is asked for, and
// never a valid file or a whole plaintext out of a source that is not what it said.

import assert from "node:assert/strict";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import { deriveEd25519PublicKey } from "@shieldfive/crypto/identity";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import {
  createAesGcmV1DecryptStream,
  createAesGcmV1EncryptStream,
  decryptStreamAesGcmV1,
  encryptStreamAesGcmV1,
} from "@shieldfive/crypto/streams/aes-gcm-v1";
import {
  createPqHybridV1DecryptStream,
  createPqHybridV1EncryptStream,
  decryptStreamPqHybridV1,
  encryptStreamPqHybridV1,
} from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { ContainerWriter } from "../../../vault/crypto/writer.ts";
import { patterned } from "./patterned.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";
import { refuses, testKey } from "./vault_support.ts";

const contentKey = testKey(3);
const fileId = new Uint8Array(16).fill(5);
const { publicKey, secretKey } = pqHybridV1.generateMlKemKeypair();
const envelopeKey = testKey(9);

function encrypted(
  plaintext: Uint8Array,
  source: ReadableStream<Uint8Array>,
  options: { plaintextSize?: number; ed25519SecretKey?: Uint8Array } = {},
): ReadableStream<Uint8Array> {
  const fixed = { plaintextSize: plaintext.length, chunkSize: 32, contentKey, fileId };
  return encryptStreamAesGcmV1(source, { ...fixed, ...options }).ciphertext;
}

Deno.test("pieces of any size give the file that one piece gives, and the plaintext back", async () => {
  for (const size of [0, 1, 31, 32, 33, 64, 100]) {
    const plaintext = patterned(size);
    const { blob } = await aesGcmV1.encryptBytes(plaintext, { contentKey, fileId, chunkSize: 32 });
    const whole = new Uint8Array(await blob.arrayBuffer());
    for (const piece of [1, 3, 32, 33, 1000]) {
      const file = await collect(encrypted(plaintext, streamOf(plaintext, piece)));
      assert.deepEqual(file, whole);
      const opened = decryptStreamAesGcmV1(streamOf(file, piece), { contentKey });
      assert.deepEqual(await collect(opened.plaintext), plaintext);
      assert.deepEqual(await opened.metadata, { signature: null });
    }
  }
});

Deno.test("suite 0x03 streams open by K, by the recipient's keys, and as a whole file", async () => {
  const plaintext = patterned(1000);
  const { ciphertext, combinedKey, ...made } = await encryptStreamPqHybridV1(
    streamOf(plaintext, 7),
    { plaintextSize: 1000, chunkSize: 64, recipientPublicKey: publicKey, envelopeKey, fileId },
  );
  const file = (await collect(ciphertext)).slice();
  assert.deepEqual(made.fileId, fileId);
  assert.deepEqual(file.slice(45, 45 + 1664), made.suitePayload);
  const recipient = { recipientSecretKey: secretKey, envelopeKey };
  for (const keys of [{ combinedKey }, recipient]) {
    const opened = decryptStreamPqHybridV1(streamOf(file, 11), keys);
    assert.deepEqual(await collect(opened.plaintext), plaintext);
  }
  const blob = new Blob([file]);
  assert.deepEqual(await pqHybridV1.decryptToBytes({ blob, ...recipient }), plaintext);
});

Deno.test("K may be wiped as soon as the stream was made", async () => {
  const made = await encryptStreamPqHybridV1(streamOf(patterned(10), 10), {
    plaintextSize: 10,
    recipientPublicKey: publicKey,
    envelopeKey,
  });
  const combinedKey = made.combinedKey.slice();
  made.combinedKey.fill(0);
  const { plaintext } = decryptStreamPqHybridV1(made.ciphertext, { combinedKey });
  combinedKey.fill(0);
  assert.deepEqual(await collect(plaintext), patterned(10));
});

Deno.test("pipes do what streams do", async () => {
  const plaintext = patterned(100);
  const aes = createAesGcmV1EncryptStream({ plaintextSize: 100, chunkSize: 32 });
  const opened = createAesGcmV1DecryptStream({ contentKey: aes.contentKey });
  const through = streamOf(plaintext, 9).pipeThrough(aes.stream).pipeThrough(opened.stream);
  assert.deepEqual(await collect(through), plaintext);
  assert.deepEqual(await opened.metadata, { signature: null });

  const options = { recipientPublicKey: publicKey, envelopeKey, fileId };
  const key = await pqHybridV1.encapsulateForRecipient(options);
  const pq = createPqHybridV1EncryptStream({ plaintextSize: 100, fileId, ...key });
  const pqOpened = createPqHybridV1DecryptStream({ recipientSecretKey: secretKey, envelopeKey });
  const pqThrough = streamOf(plaintext, 9).pipeThrough(pq.stream).pipeThrough(pqOpened.stream);
  assert.deepEqual(await collect(pqThrough), plaintext);
});

/** What comes out of a stream before it fails, and how it fails. */
async function untilFailure(stream: ReadableStream<Uint8Array>) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  try {
    for await (const part of stream) parts.push(part.slice());
  } catch (error) {
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return { bytes, code: (error as { code?: string }).code, error };
  }
  throw new Error("the stream did not fail");
}

Deno.test("a source with more or fewer bytes than announced never makes a valid file", async () => {
  const signer = testKey(7);
  for (const ed25519SecretKey of [undefined, signer]) {
    for (const [announced, given] of [[0, 1], [31, 32], [32, 33], [64, 65], [33, 32], [1, 0]]) {
      for (const piece of [1, 1000]) {
        const plaintext = patterned(given);
        const options = { plaintextSize: announced, ed25519SecretKey };
        const stream = encrypted(plaintext, streamOf(plaintext, piece), options);
        const { bytes, code } = await untilFailure(stream);
        assert.equal(code, "plaintext_size_mismatch");
        const blob = new Blob([bytes]);
        await assert.rejects(aesGcmV1.decryptToBytes({ blob, contentKey }), { name: /Error/ });
      }
    }
  }
});

Deno.test("a source that fails at its very end never makes a valid file", async () => {
  const failing = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(patterned(64));
      controller.error(new Error("the disk went away"));
    },
  });
  const { bytes, error } = await untilFailure(encrypted(patterned(64), failing));
  assert.equal((error as Error).message, "the disk went away");
  const blob = new Blob([bytes]);
  await assert.rejects(aesGcmV1.decryptToBytes({ blob, contentKey }), { name: /Error/ });
});

Deno.test("a source that gives something other than bytes is refused, and empty pieces are nothing", async () => {
  const texts = ReadableStream.from(["text"]) as unknown as ReadableStream<Uint8Array>;
  assert.equal((await untilFailure(encrypted(patterned(4), texts))).code, "invalid_input");
  const none = new Uint8Array(0);
  const pieces = ReadableStream.from([none, patterned(40), none, none]);
  const file = await collect(encrypted(patterned(40), pieces));
  const opened = decryptStreamAesGcmV1(
    ReadableStream.from([none, file.slice(0, 3), none, file.slice(3), none]),
    { contentKey },
  );
  assert.deepEqual(await collect(opened.plaintext), patterned(40));
});

Deno.test("a source may use its buffer again for every piece", async () => {
  const plaintext = patterned(100);
  const buffer = new Uint8Array(10);
  async function* reusing(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const part = bytes.subarray(at, at + buffer.length);
      buffer.set(part);
      yield buffer.subarray(0, part.length);
      await Promise.resolve();
      buffer.fill(0xff);
    }
  }
  const file = await collect(encrypted(plaintext, ReadableStream.from(reusing(plaintext))));
  const opened = decryptStreamAesGcmV1(ReadableStream.from(reusing(file)), { contentKey });
  assert.deepEqual(await collect(opened.plaintext), plaintext);
});

Deno.test("what options are wrong is said at once", () => {
  const source = () => streamOf(patterned(1), 1);
  const refused: [string, object][] = [
    ["plaintext_size_out_of_range", { plaintextSize: undefined }],
    ["plaintext_size_out_of_range", { plaintextSize: -1 }],
    ["chunk_size_out_of_range", { plaintextSize: 1, chunkSize: 0 }],
    ["file_id_wrong_length", { plaintextSize: 1, fileId: new Uint8Array(15) }],
    ["invalid_input", { plaintextSize: 1, contentKey: new Uint8Array(31) }],
    ["invalid_input", { plaintextSize: 1, ed25519SecretKey: new Uint8Array(64) }],
    ["suite_payload_wrong_length", { plaintextSize: 1, suitePayloadOverride: new Uint8Array(71) }],
  ];
  for (const [code, options] of refused) {
    const encrypt = () => encryptStreamAesGcmV1(source(), options as { plaintextSize: number });
    assert.throws(encrypt, { code });
  }
});

Deno.test("the header is known before anything is read, and the end is not awaited for a chunk", async () => {
  const writer = new ContainerWriter({
    suite: 1,
    key: contentKey,
    fileId,
    suitePayload: new Uint8Array(72),
    chunkSize: 32,
    plaintextSize: 100,
  });
  const header = writer.header.slice();
  let given = 0;
  const never = new Promise<undefined>(() => {});
  const pieces = writer.write(() => given++ < 2 ? Promise.resolve(patterned(20)) : never);
  assert.deepEqual((await pieces.next()).value, header);
  assert.equal(given, 0);
  const file = await collect(encrypted(patterned(20), streamOf(patterned(20), 20), {}));
  assert.equal((await pieces.next()).value?.length, 4);
  assert.equal((await pieces.next()).value?.length, 48);
  assert.equal(given, 2);
  assert.equal(file.length, 149 + 40);
});

Deno.test("a signature is verified for the expected signer, surfaced without one, and null when stripped", async () => {
  const signer = testKey(7);
  const plaintext = patterned(100);
  const source = () => streamOf(plaintext, 10);
  const file = await collect(encrypted(plaintext, source(), { ed25519SecretKey: signer }));
  const unsigned = await collect(encrypted(plaintext, source()));
  assert.deepEqual(file.slice(0, -101), unsigned);
  const expected = deriveEd25519PublicKey(signer);
  const verdict = async (bytes: Uint8Array, expectedSignerPublicKey?: Uint8Array) => {
    const options = { contentKey, expectedSignerPublicKey };
    const opened = decryptStreamAesGcmV1(streamOf(bytes, 13), options);
    assert.deepEqual(await collect(opened.plaintext), plaintext);
    const { signature } = await opened.metadata;
    if (signature !== null) assert.deepEqual(signature.publicKey, expected);
    return signature && signature.verified;
  };
  assert.equal(await verdict(file, expected), true);
  assert.equal(await verdict(file, deriveEd25519PublicKey(testKey(8))), false);
  assert.equal(await verdict(file), null);
  assert.equal(await verdict(unsigned, expected), null);
  const forged = file.slice();
  forged[file.length - 1] ^= 1;
  assert.equal(await verdict(forged, expected), false);
  // Another file's signature by the same signer.
  const other = await collect(
    encrypted(plaintext, streamOf(patterned(100, 2), 10), { ed25519SecretKey: signer }),
  );
  const swapped = new Uint8Array([...unsigned, ...other.slice(-101)]);
  assert.equal(await verdict(swapped, expected), false);
});

Deno.test("a policy that asks for a signature refuses the file before all of it is out", async () => {
  const plaintext = patterned(100);
  const file = await collect(encrypted(plaintext, streamOf(plaintext, 10)));
  const opened = decryptStreamAesGcmV1(streamOf(file, 10), {
    contentKey,
    onSignature(signature) {
      if (signature === null) throw new Error("this folder takes signed files");
    },
  });
  const { bytes, error } = await untilFailure(opened.plaintext);
  assert.equal((error as Error).message, "this folder takes signed files");
  assert.equal(bytes.length, 96);
  await assert.rejects(opened.metadata, /signed files/);
});

Deno.test("a file that fails at its end is never given out whole", async () => {
  const plaintext = patterned(96);
  const file = await collect(encrypted(plaintext, streamOf(plaintext, 10)));
  const ends: [string, Uint8Array][] = [
    ["signature_block_block_truncated", new Uint8Array([...file, 1])],
    ["chunk_truncated", file.slice(0, -1)],
    ["chunk_length_truncated", file.slice(0, -52)],
  ];
  for (const [code, bytes] of ends) {
    for (const piece of [1, 1000]) {
      const opened = decryptStreamAesGcmV1(streamOf(bytes, piece), { contentKey });
      const out = await untilFailure(opened.plaintext);
      assert.equal(out.code, code);
      assert.deepEqual(out.bytes, plaintext.slice(0, 64));
      await refuses(code, () => opened.metadata);
    }
  }
});
