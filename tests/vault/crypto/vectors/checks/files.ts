// Whole files: those that open, those that do not, and that ours come out the same.

import { parseHeader } from "@shieldfive/crypto";
import { decryptV0ToBytes } from "@shieldfive/crypto/legacy-v0";
import { decapsulateFromHeader, deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { encryptStreamAesGcmV1 } from "@shieldfive/crypto/streams/aes-gcm-v1";
import {
  type FileVector,
  type FileVectors,
  type LongFileVector,
  pattern,
  type RefusalVectors,
  type RefusedFile,
} from "../format.ts";
import { type Check, refused, same, unbase64, unhex } from "./expect.ts";
import { collect, type Keys, readersOf, streamOf, WITH_CONTENT_KEY } from "./readers.ts";

/** What opens a vector; the recipient is the same for all of suite 0x03. */
async function keysOf(vector: FileVector, { hybrid }: FileVectors): Promise<Keys> {
  const keys = { key: unhex(vector.key), fileId: unhex(vector.fileId) };
  if (vector.suite !== 3) return keys;
  const { secretKey } = await deriveMlKemKeypair(unhex(hybrid.masterSecret));
  const recipient = { recipientSecretKey: secretKey, envelopeKey: unhex(hybrid.envelopeKey) };
  return { ...keys, recipient };
}

async function checkOpens(vector: FileVector, all: FileVectors): Promise<void> {
  const file = unbase64(vector.file);
  const keys = await keysOf(vector, all);
  for (const { what, read } of readersOf(vector.suite)) {
    const opened = await read(file, keys);
    same(opened.plaintext, unhex(vector.plaintext), what);
    if (vector.signature === undefined) same(opened.signature, null, `the signature, ${what}`);
    for (const { expected, result } of vector.signature?.verified ?? []) {
      const key = expected === null ? undefined : unhex(expected);
      const { signature } = await read(file, keys, key);
      same(signature?.algorithm, vector.signature?.algorithm, `the algorithm, ${what}`);
      same(signature?.verified, result, `whether it is verified, ${what}, expecting ${expected}`);
    }
  }
}

/** The module of one suite opens files of another only when it is told to. */
async function checkAllowedSuites({ suite, file, key, plaintext }: FileVector): Promise<void> {
  const blob = new Blob([unbase64(file)]);
  const contentKey = unhex(key);
  for (const module of [1, 2, 4] as const) {
    if (module === suite) continue;
    const { decryptToBytes } = WITH_CONTENT_KEY[module];
    const call = () => decryptToBytes({ blob, contentKey });
    await refused(call, "suite_not_allowed", `by the module of 0x0${module}`);
    const told = await decryptToBytes({ blob, contentKey, allowedSuites: [suite] });
    same(told, unhex(plaintext), `by the module of 0x0${module}, told so`);
  }
}

/** Writes the file again where nothing in it is drawn at random. */
async function checkWritten(vector: FileVector): Promise<void> {
  const { suite, chunkSize, payload, signer, signature } = vector;
  if (suite === 3) return;
  const options = {
    contentKey: unhex(vector.key),
    fileId: unhex(vector.fileId),
    chunkSize,
    ...(payload ? { suitePayloadOverride: unhex(payload) } : {}),
  };
  const plaintext = unhex(vector.plaintext);
  if (signature === undefined) {
    const { blob } = await WITH_CONTENT_KEY[suite].encryptBytes(plaintext, options);
    same(new Uint8Array(await blob.arrayBuffer()), unbase64(vector.file), "what we write");
  }
  if (suite !== 1 || (signature !== undefined && signer === undefined)) return;
  for (const pieceSize of [1_000_000, 1, 5, 32, 33]) {
    const { ciphertext } = encryptStreamAesGcmV1(streamOf(plaintext, pieceSize), {
      ...options,
      plaintextSize: plaintext.length,
      ...(signer ? { ed25519SecretKey: unhex(signer) } : {}),
    });
    same(await collect(ciphertext), unbase64(vector.file), `what we write by ${pieceSize}`);
  }
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice())).toHex();
}

async function checkLongFile(vector: LongFileVector): Promise<void> {
  const { encryptBytes, decryptToBytes } = WITH_CONTENT_KEY[vector.suite];
  const plaintext = pattern(vector.size);
  const contentKey = unhex(vector.key);
  const { blob } = await encryptBytes(plaintext, {
    contentKey,
    fileId: unhex(vector.fileId),
    chunkSize: vector.chunkSize,
  });
  const file = new Uint8Array(await blob.arrayBuffer());
  same(await sha256(file), vector.fileSha256, "the file");
  same(await sha256(await decryptToBytes({ blob, contentKey })), await sha256(plaintext), "ours");
}

function checkHeader({ suite, fileId, chunkSize, plaintext, file }: FileVector): void {
  const parsed = parseHeader(unbase64(file));
  const size = plaintext.length / 2;
  same(parsed.suite, suite, "the suite");
  same(parsed.fileId, unhex(fileId), "the file id");
  same(parsed.chunkSize, chunkSize, "the chunk size");
  same(parsed.totalChunks, Math.ceil(size / chunkSize), "the number of chunks");
  same(parsed.plaintextSize, size, "the size");
  same(parsed.headerLength, [149, 173, 1741, 149][suite - 1], "the header's length");
}

async function checkEncapsulation({ hybrid }: FileVectors): Promise<void> {
  const { publicKey, secretKey } = await deriveMlKemKeypair(unhex(hybrid.masterSecret));
  same(await sha256(publicKey), hybrid.publicKeySha256, "the public key");
  same(await sha256(secretKey), hybrid.secretKeySha256, "the secret key");
  const { combinedKey } = await decapsulateFromHeader({
    suitePayload: unbase64(hybrid.payload),
    recipientSecretKey: secretKey,
    envelopeKey: unhex(hybrid.envelopeKey),
    fileId: unhex(hybrid.fileId),
  });
  same(combinedKey, unhex(hybrid.key), "K");
}

/** The file with its changes made, the last first so that the places hold. */
export function changed(file: Uint8Array, { changes }: RefusedFile): Uint8Array {
  return changes.toReversed().reduce((bytes, { at, remove, insert }) => {
    const inserted = unhex(insert);
    const result = new Uint8Array(bytes.length - remove + inserted.length);
    result.set(bytes.subarray(0, at));
    result.set(inserted, at);
    result.set(bytes.subarray(at + remove), at + inserted.length);
    return result;
  }, file);
}

async function checkRefused(vector: RefusedFile, all: FileVectors): Promise<void> {
  const base = all.files.find(({ name }) => name === vector.of)!;
  const file = changed(unbase64(base.file), vector);
  const keys = await keysOf(base, all);
  for (const { what, streamed, byKem, read } of readersOf(base.suite)) {
    // The recipient's keys are right all the same.
    if (vector.key !== undefined && byKem) continue;
    const given = vector.key === undefined ? keys : { ...keys, key: unhex(vector.key) };
    const code = streamed ? vector.streamCode ?? vector.code : vector.code;
    await refused(() => read(file, given), code, what);
  }
}

function legacyChecks({ legacy }: FileVectors, refusals: RefusalVectors): Check[] {
  const open = ({ file, contentKey, noncePrefix, chunkSize }: RefusalVectors["legacy"][number]) =>
    decryptV0ToBytes({
      blob: new Blob([unbase64(file)]),
      contentKey: unhex(contentKey),
      noncePrefix: unhex(noncePrefix),
      chunkSize,
    });
  return [
    ...legacy.map((vector) => ({
      name: `opens: ${vector.name}`,
      run: async () => same(await open(vector), unhex(vector.plaintext), "the plaintext"),
    })),
    ...refusals.legacy.map((vector) => ({
      name: `content without a header is refused: ${vector.name}`,
      run: () => refused(() => open(vector), undefined, vector.name),
    })),
  ];
}

export function fileChecks(all: FileVectors, refusals: RefusalVectors): Check[] {
  return [
    { name: "an encapsulation gives its key", run: () => checkEncapsulation(all) },
    ...all.files.map((vector) => ({
      name: `opens: ${vector.name}`,
      async run() {
        checkHeader(vector);
        await checkOpens(vector, all);
        await checkAllowedSuites(vector);
        await checkWritten(vector);
      },
    })),
    ...all.longFiles.map((vector) => ({
      name: `is written and opens: ${vector.name}`,
      run: () => checkLongFile(vector),
    })),
    ...legacyChecks(all, refusals),
    ...refusals.files.map((vector) => ({
      name: `refused: ${vector.name}`,
      run: () => checkRefused(vector, all),
    })),
  ];
}
