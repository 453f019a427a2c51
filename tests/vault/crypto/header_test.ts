// The container's header: what is refused, with which code and in which order, and what its MAC proves.

import assert from "node:assert/strict";
import {
  buildAuthenticatedHeader,
  buildHeaderUnauthenticated,
  FORMAT_MAGIC,
  HEADER_FIXED_PREFIX_LENGTH,
  HEADER_SIZES,
  HeaderError,
  MAX_CHUNK_SIZE,
  MAX_TOTAL_CHUNKS,
  parseHeader,
  SUITE,
  verifyHeaderMac,
} from "@shieldfive/crypto";
import { decryptBlob } from "@shieldfive/crypto/aes-gcm-v1";
import { headerLengthOf } from "../../../vault/crypto/header.ts";
import { refuses, testKey } from "./vault_support.ts";

const FIELDS = {
  suite: SUITE.AES_256_GCM_V1,
  fileId: Uint8Array.from({ length: 16 }, (_, i) => i),
  chunkSize: 32,
  totalChunks: 4,
  plaintextSize: 100,
  suitePayload: new Uint8Array(72),
};

/** A header with some bytes changed; its MAC is zero. */
function changed(patch: (view: DataView) => void = () => {}): Uint8Array {
  const bytes = new Uint8Array(149);
  bytes.set(buildHeaderUnauthenticated(FIELDS));
  patch(new DataView(bytes.buffer));
  return bytes;
}

const REFUSED: [code: string, bytes: Uint8Array][] = [
  ["header_too_short", new Uint8Array(0)],
  ["header_too_short", changed().subarray(0, 76)],
  ["bad_magic", changed((view) => view.setUint8(0, 0x73))],
  ["bad_magic", changed((view) => view.setUint8(3, 2))],
  ["bad_magic", changed((view) => view.setUint8(4, 1))],
  ["unknown_suite", changed((view) => view.setUint8(5, 0))],
  ["unknown_suite", changed((view) => view.setUint8(5, 5))],
  ["unknown_suite", changed((view) => view.setUint8(5, 0x7f))],
  ["unknown_suite", changed((view) => view.setUint8(5, 0x81))],
  ["reserved_flags_set", changed((view) => view.setUint8(6, 0x80))],
  ["chunk_size_out_of_range", changed((view) => view.setUint32(23, 0))],
  ["total_chunks_out_of_range", changed((view) => view.setBigUint64(27, 1_000_000_001n))],
  ["total_chunks_zero_with_plaintext", changed((view) => view.setBigUint64(27, 0n))],
  ["plaintext_size_inconsistent", changed((view) => view.setBigUint64(35, 96n))],
  ["plaintext_size_inconsistent", changed((view) => view.setBigUint64(35, 129n))],
  ["plaintext_size_inconsistent", changed((view) => view.setBigUint64(35, 0n))],
  ["header_truncated", changed((view) => view.setUint16(43, 73))],
  ["header_truncated", changed((view) => view.setUint16(43, 0xffff))],
  ["header_truncated", changed().subarray(0, 148)],
];

Deno.test("each malformed header is refused with its code", () => {
  for (const [code, bytes] of REFUSED) {
    assert.throws(() => parseHeader(bytes), { name: "HeaderError", code });
  }
});

Deno.test("of two faults the one that is read first is named", () => {
  const faults: [string, (view: DataView) => void][] = [
    ["bad_magic", (view) => view.setUint8(0, 0)],
    ["unknown_suite", (view) => view.setUint8(5, 0)],
    ["reserved_flags_set", (view) => view.setUint8(6, 1)],
    ["chunk_size_out_of_range", (view) => view.setUint32(23, 0)],
    ["total_chunks_out_of_range", (view) => view.setBigUint64(27, 1n << 50n)],
  ];
  for (let first = 0; first < faults.length; first++) {
    const bytes = changed((view) => faults.slice(first).forEach(([, patch]) => patch(view)));
    assert.throws(() => parseHeader(bytes), { code: faults[first][0] });
  }
});

Deno.test("a 64-bit number that would be rounded is a range error, and for a reader of files a refusal", async () => {
  for (const offset of [27, 35]) {
    const bytes = changed((view) => view.setBigUint64(offset, 1n << 53n));
    assert.throws(() => parseHeader(bytes), RangeError);
    assert.throws(() => headerLengthOf(bytes.subarray(0, 45)), { code: "integer_out_of_range" });
    const blob = new Blob([bytes.slice()]);
    await refuses("integer_out_of_range", () => decryptBlob({ blob, contentKey: testKey(1) }));
  }
});

Deno.test("a header is refused after 45 bytes if these say enough", () => {
  const bytes = changed((view) => view.setUint8(6, 1)).subarray(0, HEADER_FIXED_PREFIX_LENGTH);
  assert.throws(() => headerLengthOf(bytes), { code: "reserved_flags_set" });
  assert.equal(headerLengthOf(changed().subarray(0, 45)), 149);
  assert.throws(() => headerLengthOf(changed().subarray(0, 44)), { code: "header_too_short" });
});

Deno.test("the writer refuses what the reader would", () => {
  const refused: [code: string, fields: object][] = [
    ["unknown_suite", { suite: 5 }],
    ["file_id_wrong_length", { fileId: new Uint8Array(15) }],
    ["plaintext_size_out_of_range", { plaintextSize: 2 ** 53 }],
    ["plaintext_size_out_of_range", { plaintextSize: -1 }],
    ["plaintext_size_out_of_range", { plaintextSize: 1.5 }],
    ["plaintext_size_out_of_range", { plaintextSize: NaN }],
    ["chunk_size_out_of_range", { chunkSize: 0 }],
    ["chunk_size_out_of_range", { chunkSize: 2 ** 32 }],
    ["chunk_size_out_of_range", { chunkSize: 0.5 }],
    ["total_chunks_out_of_range", { totalChunks: 1_000_000_001 }],
    ["total_chunks_zero_with_plaintext", { totalChunks: 0 }],
    ["plaintext_size_inconsistent", { plaintextSize: 96 }],
    ["plaintext_size_inconsistent", { plaintextSize: 129 }],
    ["suite_payload_too_large", { suitePayload: new Uint8Array(65_536) }],
  ];
  for (const [code, fields] of refused) {
    const build = () => buildHeaderUnauthenticated({ ...FIELDS, ...fields } as typeof FIELDS);
    assert.throws(build, (error) => error instanceof HeaderError && error.code === code, code);
  }
});

Deno.test("both ends of the sizes that fit are accepted", () => {
  for (const plaintextSize of [97, 128]) {
    const bytes = changed((view) => view.setBigUint64(35, BigInt(plaintextSize)));
    assert.equal(parseHeader(bytes).plaintextSize, plaintextSize);
  }
  const most = { chunkSize: 1, totalChunks: MAX_TOTAL_CHUNKS, plaintextSize: MAX_TOTAL_CHUNKS };
  assert.equal(buildHeaderUnauthenticated({ ...FIELDS, ...most }).length, 117);
});

Deno.test("sizes are compared exactly where their product is above 2^53", () => {
  // 2^21 + 1 chunks of 2^32 - 1 bytes: an odd product, which no number between holds.
  const layout = { chunkSize: MAX_CHUNK_SIZE, totalChunks: 2 ** 21 + 1 };
  const least = 2 ** 21 * MAX_CHUNK_SIZE + 1;
  const build = (plaintextSize: number) =>
    buildHeaderUnauthenticated({ ...FIELDS, ...layout, plaintextSize });
  for (const size of [least, least + 1, Number.MAX_SAFE_INTEGER]) {
    const bytes = new Uint8Array([...build(size), ...new Uint8Array(32)]);
    assert.equal(parseHeader(bytes).plaintextSize, size);
  }
  assert.throws(() => build(least - 1), { code: "plaintext_size_inconsistent" });
  const largest = { chunkSize: MAX_CHUNK_SIZE, totalChunks: MAX_TOTAL_CHUNKS };
  assert.throws(
    () => buildHeaderUnauthenticated({ ...FIELDS, ...largest, plaintextSize: 2 ** 53 - 1 }),
    { code: "plaintext_size_inconsistent" },
  );
});

Deno.test("a header is read as it was written, and not by reference", async () => {
  const key = testKey(1);
  for (const payloadLength of [0, 72, 1664, 65_535]) {
    const fields = { ...FIELDS, suitePayload: new Uint8Array(payloadLength).fill(7) };
    const bytes = await buildAuthenticatedHeader(fields, key);
    const behind = new Uint8Array([...bytes, 1, 2, 3]);
    const { unauthenticatedBytes, mac, ...parsed } = parseHeader(behind);
    behind.fill(0);
    const headerLength = 45 + payloadLength + 32;
    assert.deepEqual(parsed, { ...fields, flags: 0, headerLength });
    assert.deepEqual(new Uint8Array([...unauthenticatedBytes, ...mac]), bytes);
  }
});

Deno.test("the MAC proves the key and every byte of the header", async () => {
  const bytes = await buildAuthenticatedHeader(FIELDS, testKey(1));
  await verifyHeaderMac(parseHeader(bytes), testKey(1));
  await refuses("header_mac_mismatch", () => verifyHeaderMac(parseHeader(bytes), testKey(2)));
  // The file's id, the payload and the MAC; other bytes are refused before.
  for (const at of [7, 22, 45, 116, 117, 148]) {
    const forged = bytes.slice();
    forged[at] ^= 1;
    await refuses("header_mac_mismatch", () => verifyHeaderMac(parseHeader(forged), testKey(1)));
  }
  await refuses("invalid_input", () => verifyHeaderMac(parseHeader(bytes), new Uint8Array(31)));
});

Deno.test("the published sizes add up", () => {
  const { HEADER_MAC, ...fields } = HEADER_SIZES;
  const sum = Object.values(fields).reduce((a, b) => a + b, 0);
  assert.equal(sum, HEADER_FIXED_PREFIX_LENGTH);
  assert.equal(HEADER_MAC, 32);
  assert.deepEqual([...FORMAT_MAGIC], [0x53, 0x46, 0x35, 1, 0]);
});
