// What the second implementation is worth: by itself, without the product, it gives the published values.

import assert from "node:assert/strict";
import { published } from "./published.ts";
import {
  decrypt,
  encrypt,
  header,
  signatureBlock,
  takeApart,
  transcript,
} from "./second/container.ts";
import { decapsulate, encapsulate, mlKemSeed } from "./second/hybrid.ts";
import { ed25519, hex, mlKemOf, mlKemSecretKey, unbase64, unhex } from "./second/primitives.ts";
import {
  connectionString,
  encryptV0,
  grantAad,
  grantSecretKey,
  grantWrapKey,
  masterSecret,
  nameKey,
  openName,
  scopeText,
  unwrap,
  uploadProof,
} from "./second/vault.ts";

// deno-lint-ignore no-explicit-any -- a test compares the fields that it names
type Vectors = any;

const vectors: Vectors = published<Vectors>("vectors.json")?.vectors;
const adversarial: Vectors = published("adversarial-vectors.json");
const vault: Vectors = published("vault-vectors.json");
const supplementary: Vectors = published("supplementary-vectors.json");

Deno.test({ name: "second: headers and files", ignore: !vectors, fn: checkFiles });
Deno.test({ name: "second: the controls open", ignore: !adversarial, fn: checkControls });
Deno.test({ name: "second: the file of suite 0x03", ignore: !supplementary, fn: checkHybrid });
Deno.test({ name: "second: ML-KEM keys", ignore: !vectors, fn: checkKeys });
Deno.test({ name: "second: signatures", ignore: !supplementary, fn: checkSignature });
Deno.test({ name: "second: the vault's rows", ignore: !vault, fn: checkVault });
Deno.test({ name: "second: what is beside", ignore: !supplementary, fn: checkSupplementary });

function checkFiles(): void {
  const { inputs, output } = vectors["04_header"];
  const fields = {
    suite: 1,
    fileId: unhex(inputs.file_id.hex),
    chunkSize: inputs.chunk_size,
    totalChunks: inputs.total_chunks,
    plaintextSize: inputs.plaintext_size,
    payload: unhex(inputs.suite_payload.hex),
  };
  assert.equal(hex(header(fields, unhex(inputs.content_key.hex))), output.header.hex);
  for (const [suite, group] of [[1, "05_aes_gcm_v1_file"], [2, "06_xchacha_v1_file"]] as const) {
    const { inputs, output } = vectors[group];
    const input = {
      suite,
      key: unhex(inputs.content_key.hex),
      fileId: unhex(inputs.file_id.hex),
      chunkSize: inputs.chunk_size,
      plaintext: unhex(inputs.plaintext.hex),
    };
    assert.equal(hex(encrypt(input)), output.encrypted_blob.hex);
  }
}

async function checkControls(): Promise<void> {
  for (const [group, files] of Object.entries<Vectors[]>(adversarial.groups)) {
    const file = unhex(files.find(({ result }) => result === "valid").file_hex);
    const { payload, fileId } = takeApart(file);
    const key = group !== "pq-hybrid-v1" ? new Uint8Array(32).fill(0x11) : await decapsulate({
      payload,
      mlKemSeed: mlKemSeed(new Uint8Array(32)),
      envelopeKey: new Uint8Array(32).fill(0x22),
      fileId,
    });
    assert.equal(hex(decrypt(file, key)), adversarial.plaintext_hex, group);
  }
}

async function checkHybrid(): Promise<void> {
  const { inputs, derived, output } = supplementary.pq_hybrid_file;
  const seed = mlKemSeed(unhex(inputs.master_secret_hex));
  const { publicKey } = await mlKemOf(seed);
  const made = encapsulate({
    publicKey,
    envelopeKey: unhex(inputs.envelope_key_hex),
    fileId: unhex(inputs.file_id_hex),
    coins: unhex(inputs.mlkem_encaps_coins_hex),
    classicalShare: unhex(inputs.classical_share_hex),
    nonce: unhex(inputs.classical_nonce_hex),
  });
  assert.equal(hex(made.key), derived.combined_key_hex);
  const file = encrypt({
    suite: 3,
    key: made.key,
    payload: made.payload,
    fileId: unhex(inputs.file_id_hex),
    chunkSize: inputs.chunk_size,
    plaintext: unhex(inputs.plaintext_hex),
  });
  assert.equal(hex(file), output.file_hex);
  const { proof_key_hex, header_length, chunk0_frame_length, proof_base64 } =
    supplementary.upload_proof_v3;
  const length = header_length + chunk0_frame_length;
  assert.equal(uploadProof(proof_key_hex, file, length), proof_base64);
}

async function checkKeys(): Promise<void> {
  const { derived } = vectors["10_ml_kem_keypair_derivation"];
  const seed = mlKemSeed(new Uint8Array(32));
  assert.equal(hex((await mlKemOf(seed)).publicKey), derived.ml_kem_public_key.hex);
  assert.equal(hex(mlKemSecretKey(seed)), derived.ml_kem_secret_key.hex);
}

function checkSignature(): void {
  const block = supplementary.signature_block;
  const digest = transcript(takeApart(unhex(block.unsigned_file_hex)));
  assert.equal(hex(digest), block.transcript_digest_hex);
  const { publicKey, sign } = ed25519(unhex(block.ed25519_seed_hex));
  assert.equal(hex(signatureBlock(1, publicKey, sign(digest))), block.block_hex);
}

function checkVault(): void {
  const { chain, names, grant } = vault;
  const wrapped = { wrapped: chain.fk_wrapped, iv: chain.fk_iv };
  assert.equal(hex(unwrap(unhex(chain.root_key_hex), wrapped)), chain.folder_key_hex);
  for (const envelope of [names.v6, names.v4_no_kdf]) {
    const key = nameKey(unhex(names.folder_key_hex), unbase64(envelope.salt), "interactive");
    assert.equal(openName(key, envelope, names.row_id), names.plaintext);
  }
  const key = grantWrapKey(unhex(grant.secret_hex), grant.grant_id);
  assert.equal(hex(key), grant.wrap_key_hex);
  const wrap = { wrapped: grant.folder_key_wrapped, iv: grant.folder_key_iv };
  const aad = grantAad(grant.grant_id, "folder", grant.folder_id);
  assert.equal(hex(unwrap(key, wrap, aad)), chain.folder_key_hex);
  const publicKey = Uint8Array.from({ length: 1568 }, (_, i) => i + grant.ml_kem_pk_fill_start);
  const [token, secret] = [unhex(grant.token_hex), unhex(grant.secret_hex)];
  const text = connectionString({ grantId: grant.grant_id, token, secret, publicKey });
  assert.equal(text, grant.connection_string);
}

function checkSupplementary(): void {
  const { grant_scope_current: scopes, v0_file: v0, passphrase_kdf: kdf } = supplementary;
  for (const { scope, canonical, wrapped_base64 } of scopes.cases) {
    const text = scopeText({ grantId: scopes.grant_id, ...scope });
    assert.equal(text, canonical);
    const key = grantSecretKey(unhex(scopes.root_key_hex), scopes.grant_id);
    const wrap = { wrapped: wrapped_base64, iv: scopes.iv_base64 };
    assert.equal(hex(unwrap(key, wrap, text)), scopes.secret_hex);
  }
  const [key, prefix] = [unhex(v0.content_key_hex), unhex(v0.nonce_prefix_hex)];
  const file = encryptV0(key, prefix, v0.chunk_size, unhex(v0.plaintext_hex));
  assert.equal(hex(file), v0.ciphertext_hex);
  const { salt_hex, master_secret_hex } = kdf.moderate_24_byte_salt;
  assert.equal(hex(masterSecret(kdf.passphrase, unhex(salt_hex), "moderate")), master_secret_hex);
}
