import assert from "node:assert/strict";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { uploadFault, UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import { patterned } from "./patterned.ts";
import { frame, header } from "./second/container.ts";
import { bigEndian, hex, join, unhex } from "./second/primitives.ts";
import { uploadProof } from "./second/vault.ts";
import { BOUND_ROW, OLD_ROW, refuses } from "./vault_support.ts";

const PROOF_KEY = "ab".repeat(16) + "CD".repeat(16);
const CHUNK_SIZE = 64;
const FILE_ID = unhex(BOUND_ROW.replaceAll("-", ""));

/** A file of two chunks as it lies in storage; nothing here looks into a chunk. */
function stored({ suite = 3, chunks = 2, chunkSize = CHUNK_SIZE, fileId = FILE_ID } = {}) {
  const sizes = Array.from({ length: chunks }, (_, i) => i + 1 < chunks ? chunkSize : 10);
  const head = header({
    suite,
    fileId,
    chunkSize,
    totalChunks: chunks,
    plaintextSize: sizes.reduce((sum, size) => sum + size, 0),
    payload: patterned(suite === 3 ? 1664 : 72),
  }, patterned(32));
  const frames = sizes.map((size, i) => frame(patterned(size + 16, i)));
  return { head, needed: head.length + (frames[0]?.length ?? 0), file: join(head, ...frames) };
}

const prove = (ciphertext: Uint8Array, proofKeyHex = PROOF_KEY) =>
  buildUploadProofV3({ proofKeyHex, ciphertext });

function absorbed(...pieces: Uint8Array[]): UploadProofV3 {
  const proof = new UploadProofV3(PROOF_KEY);
  for (const piece of pieces) proof.absorb(piece);
  return proof;
}

Deno.test("a proof is what another implementation makes over header and first chunk", async () => {
  for (const shape of [{}, { chunks: 1 }, { suite: 1 }, { chunkSize: 4096 }]) {
    const { file, needed } = stored(shape);
    const proof = await prove(file);
    assert.equal(proof, uploadProof(PROOF_KEY, file, needed));
    assert.equal(hex(Uint8Array.fromBase64(proof)).slice(0, 4), "0303");
    assert.equal(await prove(file.slice(0, needed)), proof);
  }
});

Deno.test("a proof covers the first chunk and no later one", async () => {
  const { file, head, needed } = stored();
  const changedAt = (at: number) => {
    const changed = file.slice();
    changed[at] ^= 1;
    return prove(changed);
  };
  const proof = await prove(file);
  for (const at of [head.length - 1, head.length + 4, needed - 1]) {
    assert.notEqual(await changedAt(at), proof);
  }
  for (const at of [needed, needed + 4, file.length - 1]) assert.equal(await changedAt(at), proof);
});

Deno.test("a proof needs every byte that it covers", async () => {
  const { file, needed } = stored();
  for (const length of [0, 1, 44, 45, 46, 76, 1740, 1741, 1744, 1745, needed - 1]) {
    await refuses("invalid_input", () => prove(file.slice(0, length)));
  }
});

Deno.test("an empty file has no proof", async () => {
  await refuses("invalid_input", () => prove(stored({ chunks: 0 }).file));
  await refuses(
    "invalid_input",
    () => prove(join(stored({ chunks: 0 }).file, frame(patterned(30)))),
  );
});

Deno.test("a first chunk of impossible length has no proof", async () => {
  const { file, head } = stored();
  for (const length of [0, 1, 16, CHUNK_SIZE + 17, 0x7fffffff, 0xffffffff]) {
    const changed = join(file.slice(0, head.length), bigEndian(length, 4), patterned(4096));
    await refuses("invalid_input", () => prove(changed));
  }
  for (const length of [17, CHUNK_SIZE + 16]) {
    await prove(join(head, frame(patterned(length))));
  }
});

Deno.test("a header that does not parse has no proof", async () => {
  const { file } = stored();
  // Magic, version, suite, flags, chunk size, a count above 2^53, a size that does not fit, a
  // payload length.
  for (
    const [at, value] of [[0, 0], [4, 1], [5, 9], [6, 1], [25, 9], [28, 0xff], [42, 0], [43, 0]]
  ) {
    const changed = file.slice();
    changed[at] = value;
    await refuses("invalid_input", () => prove(changed));
  }
});

Deno.test("a proof key is 64 hex digits", async () => {
  const { file } = stored();
  const keys = [
    "",
    PROOF_KEY.slice(1),
    PROOF_KEY + "0",
    PROOF_KEY.slice(1) + "g",
    `0x${PROOF_KEY}`,
  ];
  for (const key of [...keys, PROOF_KEY + "\n", null]) {
    await refuses("invalid_input", () => prove(file, key as string));
  }
  assert.equal(await prove(file, PROOF_KEY.toLowerCase()), await prove(file));
});

Deno.test("a proof is the same however the stream is cut", async () => {
  const { file } = stored();
  const expected = await prove(file);
  for (const step of [1, 7, 44, 45, 46, 1740, 1741, 1745, 1746, 1000]) {
    const pieces = [];
    for (let at = 0; at < file.length; at += step) pieces.push(file.subarray(at, at + step));
    assert.equal(absorbed(...pieces).digest(), expected, `${step}`);
  }
});

Deno.test("whoever feeds a proof may use the buffer again, and learns when it is enough", () => {
  const { file, needed, head } = stored();
  const proof = new UploadProofV3(PROOF_KEY);
  const buffer = new Uint8Array(100);
  for (let at = 0; at < needed; at += buffer.length) {
    const piece = buffer.subarray(0, Math.min(buffer.length, needed - at));
    piece.set(file.subarray(at, at + piece.length));
    assert.equal(proof.header !== undefined, at > head.length + 3);
    assert.equal(proof.absorb(piece), at + piece.length === needed);
    buffer.fill(0xee);
  }
  assert.equal(proof.header?.headerLength, head.length);
  assert.equal(proof.digest(), uploadProof(PROOF_KEY, file, needed));
  proof.absorb(patterned(50));
  assert.equal(proof.digest(), uploadProof(PROOF_KEY, file, needed));
});

Deno.test("a refused file stays refused, whatever follows", async () => {
  const { file } = stored();
  const proof = new UploadProofV3(PROOF_KEY);
  await refuses("invalid_input", () => proof.absorb(file.toReversed()));
  await refuses("invalid_input", () => proof.absorb(file));
  await refuses("invalid_input", () => proof.digest());
});

Deno.test("a chunk of gigabytes is taken in without being kept", () => {
  const head = header({
    suite: 3,
    fileId: FILE_ID,
    chunkSize: 0xffff_0000,
    totalChunks: 1,
    plaintextSize: 0xffff_0000,
    payload: patterned(1664),
  }, patterned(32));
  const proof = absorbed(join(head, bigEndian(0xffff_0010, 4)));
  const piece = new Uint8Array(1024 * 1024);
  const before = Deno.memoryUsage();
  for (let i = 0; i < 64; i++) assert.ok(!proof.absorb(piece));
  const after = Deno.memoryUsage();
  const grown = after.external - before.external + after.heapUsed - before.heapUsed;
  assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes more`);
});

Deno.test("a server compares the proof that was sent with its own", async () => {
  const { file } = stored();
  const sent = await prove(file);
  const proof = absorbed(file);
  assert.ok(proof.matches(sent));
  const bytes = Uint8Array.fromBase64(sent);
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice();
    changed[at] ^= 0x80;
    assert.ok(!proof.matches(changed.toBase64()));
  }
  for (const text of ["", sent.slice(0, -4), sent + "AAAA", undefined, null, 3]) {
    assert.ok(!proof.matches(text as string));
  }
  assert.ok(!absorbed(file).matches(await prove(file, "00".repeat(32))));
  await refuses("invalid_input", () => absorbed(file.slice(0, 100)).matches(sent));
});

Deno.test("a server refuses what is no file of suite 0x03 for the row and size at hand", () => {
  const fault = (shape: Parameters<typeof stored>[0], upload: object = {}) => {
    const { file } = stored(shape);
    const header = absorbed(file).header!;
    return uploadFault(header, { rowId: BOUND_ROW, ciphertextSize: file.length, ...upload });
  };
  const { length } = stored().file;
  assert.equal(fault({}), undefined);
  assert.equal(fault({}, { rowId: BOUND_ROW.toUpperCase() }), undefined);
  assert.equal(fault({}, { ciphertextSize: length + 101 }), undefined);
  for (const suite of [1, 4]) assert.equal(fault({ suite }), "wrong_suite");
  assert.equal(fault({}, { rowId: OLD_ROW }), "wrong_row");
  assert.equal(fault({}, { rowId: "not an id" }), "wrong_row");
  assert.equal(fault({ fileId: patterned(16) }), "wrong_row");
  for (const ciphertextSize of [0, length - 1, length + 1, length - 20, length + 100]) {
    assert.equal(fault({}, { ciphertextSize }), "wrong_size");
  }
});
