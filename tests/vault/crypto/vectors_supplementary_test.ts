// The vectors that were computed beside the published ones for what these leave open: a file of suite 0x03
// whose parts are all known, nonces, content without a header, shares, signatures and headers.

import assert from "node:assert/strict";
import { parseHeader } from "@shieldfive/crypto";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import * as aesGcmV2 from "@shieldfive/crypto/aes-gcm-v2";
import {
  buildSignatureBlock,
  deriveEd25519PublicKey,
  encodeIdentityBundle,
  openShareAsRecipient,
  parseSignatureBlock,
  SenderSigTranscript,
  signSenderTranscript,
  verifySenderTranscript,
} from "@shieldfive/crypto/identity";
import { decryptV0ToBytes } from "@shieldfive/crypto/legacy-v0";
import { decapsulateFromHeader, deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { createSha1, sha256 } from "../../../vault/crypto/primitives/hash.ts";
import { chunkNonce, deriveChunkKey, deriveNoncePrefix } from "../../../vault/crypto/suites.ts";
import { published } from "./published.ts";
import { takeApart } from "./second/container.ts";
import { hex } from "./second/primitives.ts";
import { refused, same, unhex } from "./vectors/checks/expect.ts";
import { type Keys, readersOf } from "./vectors/checks/readers.ts";

type Texts<Names extends string> = Record<Names, string>;

interface Supplementary {
  pq_hybrid_file: {
    inputs:
      & Texts<"master_secret_hex" | "envelope_key_hex" | "file_id_hex" | "plaintext_hex">
      & { chunk_size: number };
    derived: Texts<
      | "mlkem_public_key_sha256"
      | "combined_key_hex"
      | "chunk_key_hex"
      | "nonce_prefix_hex"
      | "header_mac_hex"
    >;
    output: { file_length: number; file_sha256: string; file_hex: string };
  };
  upload_proof_v3:
    & Texts<"proof_key_hex" | "proof_base64" | "ciphertext_sha1_hex">
    & { header_length: number; chunk0_frame_length: number };
  aes_gcm_v2_nonce: Texts<
    "file_id_hex" | "nonce_prefix_hex" | "iv_chunk_0_hex" | "iv_chunk_258_hex"
  >;
  aes_gcm_v1_nonce: Texts<"file_id_hex" | "nonce_prefix_hex" | "iv_chunk_258_hex">;
  v0_file:
    & Texts<
      | "content_key_hex"
      | "nonce_prefix_hex"
      | "plaintext_hex"
      | "ciphertext_hex"
      | "empty_plaintext_as_written_by_old_clients_hex"
    >
    & { chunk_size: number; ciphertext_size: number; truncated_on_boundary_length: number };
  share_bundle:
    & Texts<
      | "file_id_hex"
      | "file_combined_key_hex"
      | "wrap_nonce_hex"
      | "wrapped_key_hex"
      | "bundle_sha256"
    >
    & { bundle_length: number };
  signature_block: Texts<
    | "ed25519_seed_hex"
    | "public_key_hex"
    | "unsigned_file_hex"
    | "transcript_digest_hex"
    | "signature_hex"
    | "block_hex"
  >;
  header_rejects: { code: string; hex: string; why?: string }[];
  header_accepts: { why: string; hex: string }[];
  empty_file_0x04: Texts<"content_key_hex" | "file_id_hex" | "file_hex"> & { chunk_size: number };
  identity_bundle: {
    user_id: string;
    issued_at: number;
    metadata_utf8: string;
    length: number;
    sha256: string;
  };
}

/** The groups that are checked here; `vectors_vault_test.ts` has the others. */
const HERE: (keyof Supplementary)[] = [
  "pq_hybrid_file",
  "upload_proof_v3",
  "aes_gcm_v2_nonce",
  "aes_gcm_v1_nonce",
  "v0_file",
  "share_bundle",
  "signature_block",
  "header_rejects",
  "header_accepts",
  "empty_file_0x04",
  "identity_bundle",
];
const THERE = [
  "grant_scope_current",
  "key_fingerprint",
  "grant_wraps",
  "names",
  "passphrase_kdf",
  "row_binding",
  "connection_strings",
];

const vectors = published<Supplementary>("supplementary-vectors.json");
if (vectors !== undefined) register(vectors);

/** What opens the file of suite 0x03. */
async function keysOf({ pq_hybrid_file: { inputs, derived } }: Supplementary): Promise<Keys> {
  const { secretKey } = await deriveMlKemKeypair(unhex(inputs.master_secret_hex));
  const recipient = { recipientSecretKey: secretKey, envelopeKey: unhex(inputs.envelope_key_hex) };
  return { key: unhex(derived.combined_key_hex), fileId: unhex(inputs.file_id_hex), recipient };
}

function register(all: Supplementary): void {
  Deno.test("supplementary: every group is checked", () => {
    assert.deepEqual(Object.keys(all).sort(), ["note", ...HERE, ...THERE].sort());
  });
  Deno.test("supplementary: the file of suite 0x03", () => checkHybrid(all));
  Deno.test("supplementary: the upload proof", () => checkProof(all));
  Deno.test("supplementary: nonces of the two AES suites", () => checkNonces(all));
  Deno.test("supplementary: content without a header", () => checkLegacy(all));
  Deno.test("supplementary: the share", () => checkShare(all));
  Deno.test("supplementary: the signature", () => checkSignature(all));
  Deno.test("supplementary: headers, taken and refused", () => checkHeaders(all));
  Deno.test("supplementary: the empty file of suite 0x04", () => checkEmpty(all));
  Deno.test("supplementary: the identity", () => checkIdentity(all));
}

async function checkHybrid(all: Supplementary): Promise<void> {
  const { inputs, derived, output } = all.pq_hybrid_file;
  const file = unhex(output.file_hex);
  const fileId = unhex(inputs.file_id_hex);
  const keys = await keysOf(all);
  const { publicKey } = await deriveMlKemKeypair(unhex(inputs.master_secret_hex));
  assert.equal(hex(sha256(publicKey)), derived.mlkem_public_key_sha256);
  assert.equal(file.length, output.file_length);
  assert.equal(hex(sha256(file)), output.file_sha256);
  const { suitePayload, mac } = parseHeader(file);
  const found = await decapsulateFromHeader({ suitePayload, fileId, ...keys.recipient! });
  same(found.combinedKey, keys.key, "K");
  same(mac, unhex(derived.header_mac_hex), "the MAC");
  same(deriveChunkKey(3, keys.key, fileId), unhex(derived.chunk_key_hex), "the chunk key");
  same(deriveNoncePrefix(3, fileId), unhex(derived.nonce_prefix_hex), "the nonce prefix");
  for (const { what, read } of readersOf(3)) {
    const { plaintext } = await read(file, keys);
    same(plaintext, unhex(inputs.plaintext_hex), what);
  }
}

async function checkProof({ upload_proof_v3: proof, pq_hybrid_file }: Supplementary) {
  const file = unhex(pq_hybrid_file.output.file_hex);
  const needed = proof.header_length + proof.chunk0_frame_length;
  for (const ciphertext of [file, file.slice(0, needed)]) {
    const made = await buildUploadProofV3({ proofKeyHex: proof.proof_key_hex, ciphertext });
    assert.equal(made, proof.proof_base64);
  }
  const digest = createSha1();
  digest.update(file);
  assert.equal(hex(digest.digest()), proof.ciphertext_sha1_hex);
}

function checkNonces({ aes_gcm_v1_nonce: v1, aes_gcm_v2_nonce: v2 }: Supplementary): void {
  const first = deriveNoncePrefix(1, unhex(v1.file_id_hex));
  same(first, unhex(v1.nonce_prefix_hex), "0x01");
  same(chunkNonce(1, first, 258), unhex(v1.iv_chunk_258_hex), "0x01, chunk 258");
  const second = deriveNoncePrefix(4, unhex(v2.file_id_hex));
  same(second, unhex(v2.nonce_prefix_hex), "0x04");
  same(chunkNonce(4, second, 0), unhex(v2.iv_chunk_0_hex), "0x04, chunk 0");
  same(chunkNonce(4, second, 258), unhex(v2.iv_chunk_258_hex), "0x04, chunk 258");
}

async function checkLegacy({ v0_file: v0 }: Supplementary): Promise<void> {
  const file = unhex(v0.ciphertext_hex);
  const plaintext = unhex(v0.plaintext_hex);
  assert.equal(file.length, v0.ciphertext_size);
  const open = (bytes: Uint8Array<ArrayBuffer>) =>
    decryptV0ToBytes({
      blob: new Blob([bytes]),
      contentKey: unhex(v0.content_key_hex),
      noncePrefix: unhex(v0.nonce_prefix_hex),
      chunkSize: v0.chunk_size,
    });
  same(await open(file), plaintext, "the plaintext");
  // The format's weakness: whoever has the recorded size must compare it.
  const whole = v0.truncated_on_boundary_length;
  same(await open(file.slice(0, whole)), plaintext.slice(0, 128), "the file cut on a border");
  const tagOnly = unhex(v0.empty_plaintext_as_written_by_old_clients_hex);
  await refused(() => open(tagOnly), undefined, "a tag alone, without a recorded size");
}

async function checkShare(all: Supplementary): Promise<void> {
  const share = all.share_bundle;
  const { recipient } = await keysOf(all);
  const { payload } = takeApart(unhex(all.pq_hybrid_file.output.file_hex));
  const bundle = unhex(
    hex(new TextEncoder().encode("SF5S")) + "02" + "00000680" + hex(payload) +
      share.wrap_nonce_hex + share.wrapped_key_hex,
  );
  assert.equal(bundle.length, share.bundle_length);
  assert.equal(hex(sha256(bundle)), share.bundle_sha256);
  const key = await openShareAsRecipient({
    shareBundle: bundle,
    fileId: unhex(share.file_id_hex),
    recipientSecretKey: recipient!.recipientSecretKey,
    recipientEnvelopeKey: recipient!.envelopeKey,
  });
  same(key, unhex(share.file_combined_key_hex), "the shared key");
}

async function checkSignature({ signature_block: block }: Supplementary): Promise<void> {
  const { underMac, chunks } = takeApart(unhex(block.unsigned_file_hex));
  const transcript = new SenderSigTranscript();
  transcript.absorbHeader(underMac, chunks.length);
  chunks.forEach((chunk, index) => transcript.absorbChunk(index, chunk));
  const digest = transcript.digest();
  same(digest, unhex(block.transcript_digest_hex), "the digest");
  const secretKey = unhex(block.ed25519_seed_hex);
  const publicKey = unhex(block.public_key_hex);
  same(deriveEd25519PublicKey(secretKey), publicKey, "the public key");
  const signature = await signSenderTranscript({ digest, secretKey });
  same(signature.signature, unhex(block.signature_hex), "the signature");
  const built = buildSignatureBlock(signature);
  same(built, unhex(block.block_hex), "the block");
  same(parseSignatureBlock(built).publicKey, publicKey, "the key in the block");
  const expected = { digest, signature, expectedSignerPublicKey: publicKey };
  assert.equal(await verifySenderTranscript(expected), true);
  const file = unhex(block.unsigned_file_hex + block.block_hex);
  const keys = { key: new Uint8Array(32).fill(0x11), fileId: new Uint8Array(16).fill(0x22) };
  for (const { what, read } of readersOf(1)) {
    assert.equal((await read(file, keys, publicKey)).signature?.verified, true, what);
  }
}

async function checkHeaders({ header_rejects, header_accepts }: Supplementary): Promise<void> {
  for (const { code, hex, why } of header_rejects) {
    const expected = code === "uint64_above_2^53-1" ? "range_error" : code;
    await refused(() => parseHeader(unhex(hex)), expected, why ?? code);
  }
  for (const { why, hex } of header_accepts) assert.equal(parseHeader(unhex(hex)).suite, 1, why);
}

async function checkEmpty({ empty_file_0x04: empty }: Supplementary): Promise<void> {
  const contentKey = unhex(empty.content_key_hex);
  const fileId = unhex(empty.file_id_hex);
  const { blob } = await aesGcmV2.encryptBytes(new Uint8Array(), { contentKey, fileId });
  same(new Uint8Array(await blob.arrayBuffer()), unhex(empty.file_hex), "the file");
  same(await aesGcmV2.decryptToBytes({ blob, contentKey }), new Uint8Array(), "the plaintext");
  await refused(
    () => aesGcmV1.decryptToBytes({ blob, contentKey }),
    "suite_not_allowed",
    "as 0x01",
  );
}

async function checkIdentity({ identity_bundle: identity }: Supplementary): Promise<void> {
  const { publicKey } = await deriveMlKemKeypair(new Uint8Array(32));
  const bundle = encodeIdentityBundle({
    userId: identity.user_id,
    issuedAt: identity.issued_at,
    mlKemPublicKey: publicKey,
    metadata: new TextEncoder().encode(identity.metadata_utf8),
  });
  assert.equal(bundle.length, identity.length);
  assert.equal(hex(sha256(bundle)), identity.sha256);
}
