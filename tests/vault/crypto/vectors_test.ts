// Every group of the published vectors out of its inputs, by the published names.

import assert from "node:assert/strict";
import {
  buildAuthenticatedHeader,
  buildChunkAad,
  buildHeaderUnauthenticated,
  concatBytes,
  deriveHeaderMacKey,
  HKDF_INFO,
  parseHeader,
  verifyHeaderMac,
} from "@shieldfive/crypto";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import { deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import * as xchachaV1 from "@shieldfive/crypto/xchacha-v1";
import { getUint32, getUint64, putUint32, putUint64 } from "../../../vault/crypto/bytes.ts";
import { hkdf } from "../../../vault/crypto/primitives/hkdf.ts";
import { hmacSha256 } from "../../../vault/crypto/primitives/hmac.ts";
import { deriveChunkKey, deriveNoncePrefix } from "../../../vault/crypto/suites.ts";
import { bytesOf, type Hex, published } from "./published.ts";
import { same } from "./vectors/checks/expect.ts";

interface FileGroup {
  inputs: { content_key: Hex; file_id: Hex; chunk_size: number; plaintext: Hex };
  output: { total_chunks: number; plaintext_size: number; encrypted_blob: Hex };
}

interface BindingCase {
  plaintext: Hex;
  total_chunks: number;
  plaintext_size: number;
  encrypted_blob: Hex;
}

interface Vectors {
  "01_encoding": Record<"uint16BE" | "uint32BE" | "uint64BE", { value: number; hex: string }[]>;
  "02_hkdf": { inputs: { content_key: Hex; file_id: Hex }; derived: Record<string, Hex> };
  "03_chunk_aad": {
    cases: { chunk_index: number; total_chunks: number; is_final: boolean; aad: Hex }[];
  };
  "04_header": {
    inputs: {
      content_key: Hex;
      file_id: Hex;
      chunk_size: number;
      total_chunks: number;
      plaintext_size: number;
      suite_payload: Hex;
    };
    output: { header: Hex; header_total_bytes: number };
  };
  "05_aes_gcm_v1_file": FileGroup;
  "06_xchacha_v1_file": FileGroup;
  "07_hmac_sha256_rfc4231": {
    rfc_4231_case_1: { key: Hex; data_utf8: string; expected_hex: string };
  };
  "08_aad_binding": {
    inputs: { content_key: Hex; file_id: Hex; chunk_size: number };
    one_chunk: BindingCase;
    two_chunk: BindingCase;
  };
  "09_nonce_prefix_absent_salt": { inputs: { file_id: Hex }; derived: Record<string, Hex> };
  "10_ml_kem_keypair_derivation": {
    inputs: { master_secret: Hex; hkdf_info: string; seed_length: number };
    derived: Record<string, Hex>;
  };
}

/** The bytes of a header's 16-bit field, the length of its payload. */
function uint16(value: number): Uint8Array {
  return buildHeaderUnauthenticated({
    suite: 1,
    fileId: new Uint8Array(16),
    chunkSize: 1,
    totalChunks: 0,
    plaintextSize: 0,
    suitePayload: new Uint8Array(value),
  }).slice(43, 45);
}

function checkIntegers(group: Vectors["01_encoding"]): void {
  for (const { value, hex } of group.uint16BE) same(uint16(value), bytesOf(hex), `${value}`);
  for (
    const [put, get, length, cases] of [
      [putUint32, getUint32, 4, group.uint32BE],
      [putUint64, getUint64, 8, group.uint64BE],
    ] as const
  ) {
    for (const { value, hex } of cases) {
      const bytes = new Uint8Array(length);
      put(bytes, 0, value);
      same(bytes, bytesOf(hex), `${value}`);
      same(get(bytes, 0), value, hex);
    }
  }
}

async function checkFile(
  { encryptBytes, decryptToBytes }: Pick<typeof aesGcmV1, "encryptBytes" | "decryptToBytes">,
  inputs: { content_key: Hex; file_id: Hex; chunk_size: number },
  expected: BindingCase,
): Promise<void> {
  const contentKey = bytesOf(inputs.content_key);
  const encrypted = await encryptBytes(bytesOf(expected.plaintext), {
    contentKey,
    fileId: bytesOf(inputs.file_id),
    chunkSize: inputs.chunk_size,
  });
  same(encrypted.totalChunks, expected.total_chunks, "the number of chunks");
  same(encrypted.plaintextSize, expected.plaintext_size, "the size");
  const file = new Uint8Array(await encrypted.blob.arrayBuffer());
  same(file, bytesOf(expected.encrypted_blob), "the file");
  const plaintext = await decryptToBytes({ blob: encrypted.blob, contentKey });
  same(plaintext, bytesOf(expected.plaintext), "the plaintext");
}

/** How each group is checked. */
const CHECKS: { [Name in keyof Vectors]: (group: Vectors[Name]) => void | Promise<void> } = {
  "01_encoding": checkIntegers,
  async "02_hkdf"({ inputs, derived }) {
    const [key, fileId] = [bytesOf(inputs.content_key), bytesOf(inputs.file_id)];
    const made = {
      "header_mac_key": await deriveHeaderMacKey(key, fileId),
      "aes-256-gcm-v1.chunk_key": deriveChunkKey(1, key, fileId),
      "aes-256-gcm-v1.nonce_prefix": deriveNoncePrefix(1, fileId),
      "xchacha20-poly1305-v1.chunk_key": deriveChunkKey(2, key, fileId),
      "xchacha20-poly1305-v1.nonce_prefix": deriveNoncePrefix(2, fileId),
    };
    assert.deepEqual(Object.keys(derived).sort(), Object.keys(made).sort());
    for (const [name, bytes] of Object.entries(made)) same(bytes, bytesOf(derived[name]), name);
    // Suite 0x03 has no labels of its own; 0x04 has its own for the nonces alone.
    same(deriveChunkKey(3, key, fileId), made["xchacha20-poly1305-v1.chunk_key"], "0x03");
    same(deriveNoncePrefix(3, fileId), made["xchacha20-poly1305-v1.nonce_prefix"], "0x03");
    same(deriveChunkKey(4, key, fileId), made["aes-256-gcm-v1.chunk_key"], "0x04");
  },
  "03_chunk_aad"({ cases }) {
    for (const { chunk_index, total_chunks, is_final, aad } of cases) {
      same(buildChunkAad(chunk_index, total_chunks, is_final), bytesOf(aad), `${chunk_index}`);
    }
  },
  async "04_header"({ inputs, output }) {
    const fields = {
      suite: 1 as const,
      fileId: bytesOf(inputs.file_id),
      chunkSize: inputs.chunk_size,
      totalChunks: inputs.total_chunks,
      plaintextSize: inputs.plaintext_size,
      suitePayload: bytesOf(inputs.suite_payload),
    };
    const key = bytesOf(inputs.content_key);
    const header = await buildAuthenticatedHeader(fields, key);
    same(header, bytesOf(output.header), "the header");
    const parsed = parseHeader(header);
    await verifyHeaderMac(parsed, key);
    const { unauthenticatedBytes, mac, ...rest } = parsed;
    same(concatBytes([unauthenticatedBytes, mac]), header, "its parts");
    assert.deepEqual(rest, { ...fields, flags: 0, headerLength: output.header_total_bytes });
  },
  "05_aes_gcm_v1_file": ({ inputs, output }) =>
    checkFile(aesGcmV1, inputs, { ...output, plaintext: inputs.plaintext }),
  "06_xchacha_v1_file": ({ inputs, output }) =>
    checkFile(xchachaV1, inputs, { ...output, plaintext: inputs.plaintext }),
  "07_hmac_sha256_rfc4231"({ rfc_4231_case_1: { key, data_utf8, expected_hex } }) {
    const message = new TextEncoder().encode(data_utf8);
    same(hmacSha256(bytesOf(key), message), bytesOf(expected_hex), "the MAC");
  },
  async "08_aad_binding"({ inputs, one_chunk, two_chunk }) {
    await checkFile(aesGcmV1, inputs, one_chunk);
    await checkFile(aesGcmV1, inputs, two_chunk);
  },
  "09_nonce_prefix_absent_salt"({ inputs, derived }) {
    const fileId = bytesOf(inputs.file_id);
    same(deriveNoncePrefix(1, fileId), bytesOf(derived["aes-256-gcm-v1.nonce_prefix"]), "0x01");
    const xchacha = bytesOf(derived["xchacha20-poly1305-v1.nonce_prefix"]);
    same(deriveNoncePrefix(2, fileId), xchacha, "0x02");
  },
  async "10_ml_kem_keypair_derivation"({ inputs, derived }) {
    const master = bytesOf(inputs.master_secret);
    assert.equal(HKDF_INFO.ML_KEM_1024_SEED, inputs.hkdf_info);
    const seed = hkdf(master, null, inputs.hkdf_info, inputs.seed_length);
    same(seed, bytesOf(derived["ml_kem_seed"]), "the seed");
    const { publicKey, secretKey } = await deriveMlKemKeypair(master);
    same(publicKey, bytesOf(derived["ml_kem_public_key"]), "the public key");
    same(secretKey, bytesOf(derived["ml_kem_secret_key"]), "the secret key");
    // z stands at the end of the secret key: the halves of the seed were not changed about.
    same(secretKey.slice(-32), bytesOf(derived["ml_kem_seed.z_last_32"]), "z");
  },
};

const file = published<{ vectors: Vectors }>("vectors.json");

if (file !== undefined) {
  Deno.test("every group of the published vectors is checked", () => {
    assert.deepEqual(Object.keys(file.vectors).sort(), Object.keys(CHECKS).sort());
  });

  for (const name of Object.keys(CHECKS) as (keyof Vectors)[]) {
    const check = CHECKS[name] as (group: Vectors[typeof name]) => void | Promise<void>;
    Deno.test(`published vectors ${name}`, async () => await check(file.vectors[name]));
  }
}
