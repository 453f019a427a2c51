// Senders and recipients: the signature behind a file, the share of a file's key, the public identity.

import assert from "node:assert/strict";
import {
  buildShareForRecipient,
  buildSignatureBlock,
  createIdentity,
  decodeIdentityBundle,
  deriveEd25519PublicKey,
  encodeIdentityBundle,
  openShareAsRecipient,
  parseSignatureBlock,
  SenderSigTranscript,
  SignatureError,
  signSenderTranscript,
  verifySenderTranscript,
} from "@shieldfive/crypto/identity";
import { bytesToHex, concatBytes, hexToBytes, utf8 } from "../../../vault/crypto/bytes.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";
import { sha256 } from "../../../vault/crypto/primitives/hash.ts";
import { parseTrailingSignatureBlock } from "../../../vault/crypto/signature.ts";
import { bytesOf, type Hex, published } from "./published.ts";

const SEED = new Uint8Array(32).fill(0x42);
/** Of the seed above, and of another. */
const PUBLIC_KEY = "2152f8d19b791d24453242e15f2eab6cb7cffa7b6a5ed30097960e069881db12";
const OTHER_KEY = deriveEd25519PublicKey(new Uint8Array(32).fill(0x43));

/** The code that the call is refused with. */
function code(call: () => unknown, kind = CryptoError): string {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof kind, String(error));
    return error.code;
  }
  return "none";
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(() => undefined, (error) => error);
  assert.ok(error instanceof CryptoError, `it was not refused: ${error}`);
  return error.code;
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] ^= 1;
  return copy;
}

function transcriptOf(header: Uint8Array, chunks: Uint8Array[]): Uint8Array {
  const transcript = new SenderSigTranscript();
  transcript.absorbHeader(header, chunks.length);
  chunks.forEach((chunk, i) => transcript.absorbChunk(i, chunk));
  return transcript.digest();
}

Deno.test("the transcript is the framed header and chunks under its domain", () => {
  const header = Uint8Array.of(1, 2, 3);
  const chunks = [new Uint8Array(17).fill(9), new Uint8Array(20).fill(8)];
  const word = (n: number) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, n);
  const message = concatBytes([
    utf8("shieldfive/crypto/v1/sender-sig"),
    word(3),
    header,
    word(2),
    ...[word(0), word(17), chunks[0]],
    ...[word(1), word(20), chunks[1]],
  ]);
  assert.equal(bytesToHex(transcriptOf(header, chunks)), bytesToHex(sha256(message)));
});

Deno.test("what moves between header and chunks, or changes its place, changes the transcript", () => {
  const [a, b, c] = [1, 2, 3].map((n) => new Uint8Array(20).fill(n));
  const digests = [
    transcriptOf(a, [b, c]),
    transcriptOf(a, [c, b]),
    transcriptOf(a, [b]),
    transcriptOf(a, [concatBytes([b, c])]),
    transcriptOf(concatBytes([a, b]), [c]),
    transcriptOf(a, [flipped(b, 0), c]), // the tag at its end is the same
    transcriptOf(a, []),
  ].map(bytesToHex);
  assert.equal(new Set(digests).size, digests.length);
});

Deno.test("a transcript takes its header once and its chunks in their turn", () => {
  const chunk = new Uint8Array(20);
  const transcript = new SenderSigTranscript();
  assert.throws(() => transcript.digest());
  assert.throws(() => transcript.absorbChunk(0, chunk));
  transcript.absorbHeader(chunk, 2);
  assert.throws(() => transcript.absorbHeader(chunk, 2));
  assert.throws(() => transcript.absorbChunk(1, chunk));
  transcript.absorbChunk(0, chunk);
  assert.throws(() => transcript.absorbChunk(0, chunk));
  const digest = transcript.digest();
  assert.deepEqual(transcript.digest(), digest);
  assert.throws(() => transcript.absorbChunk(1, chunk));
});

Deno.test("a signature verifies for its key and digest, and for nobody when nobody is expected", () => {
  const digest = sha256(utf8("a file"));
  const signature = signSenderTranscript({ digest, secretKey: SEED });
  assert.equal(bytesToHex(signature.publicKey), PUBLIC_KEY);
  const expectedSignerPublicKey = hexToBytes(PUBLIC_KEY);
  const verify = (over: Partial<Parameters<typeof verifySenderTranscript>[0]>) =>
    verifySenderTranscript({ digest, signature, expectedSignerPublicKey, ...over });
  assert.equal(verify({}), true);
  assert.equal(verify({ expectedSignerPublicKey: undefined }), null);
  assert.equal(verify({ expectedSignerPublicKey: OTHER_KEY }), false);
  assert.equal(verify({ digest: flipped(digest, 0) }), false);
  for (const at of [0, 31, 32, 63]) {
    const broken = { ...signature, signature: flipped(signature.signature, at) };
    assert.equal(verify({ signature: broken }), false);
  }
});

Deno.test("another's signature under the expected key is none", () => {
  const digest = sha256(utf8("a file"));
  const signature = signSenderTranscript({ digest, secretKey: new Uint8Array(32).fill(0x43) });
  const publicKey = hexToBytes(PUBLIC_KEY);
  const posing = { ...signature, publicKey };
  assert.equal(
    verifySenderTranscript({ digest, signature: posing, expectedSignerPublicKey: publicKey }),
    false,
  );
});

Deno.test("a block is read as it was built, wherever it begins, and copied", () => {
  const digest = sha256(utf8("a file"));
  const signature = signSenderTranscript({ digest, secretKey: SEED });
  const block = buildSignatureBlock(signature);
  assert.equal(block.length, 101);
  assert.equal(bytesToHex(block.subarray(0, 3)), "010020");
  const file = concatBytes([new Uint8Array(7), block, new Uint8Array(3)]);
  const { endOffset, ...parsed } = parseSignatureBlock(file, 7);
  assert.equal(endOffset, 108);
  assert.deepEqual({ ...parsed }, { ...signature });
  file.fill(0);
  assert.deepEqual({ ...parsed }, { ...signature });
  assert.deepEqual({ ...parseTrailingSignatureBlock(block)! }, { ...signature });
  assert.equal(parseTrailingSignatureBlock(new Uint8Array()), null);
});

Deno.test("every malformed block has its code", () => {
  const block = buildSignatureBlock(
    signSenderTranscript({ digest: new Uint8Array(32), secretKey: SEED }),
  );
  for (let length = 1; length < block.length; length++) {
    const cut = block.subarray(0, length);
    assert.equal(code(() => parseSignatureBlock(cut)), "signature_block_block_truncated");
  }
  assert.equal(code(() => parseSignatureBlock(block, 101)), "signature_block_block_truncated");
  const parse = (hex: string) => code(() => parseSignatureBlock(hexToBytes(hex)), SignatureError);
  assert.equal(parse("0000000000"), "signature_block_algorithm_reserved");
  assert.equal(parse("01ffff"), "signature_block_block_truncated");
  assert.equal(
    parse("01001f" + "aa".repeat(31) + "0040" + "bb".repeat(64)),
    "signature_block_ed25519_public_key_wrong_length",
  );
  assert.equal(
    parse("010020" + "aa".repeat(32) + "0041" + "bb".repeat(65)),
    "signature_block_ed25519_signature_wrong_length",
  );
  for (const tail of [Uint8Array.of(0), block]) {
    const bytes = concatBytes([block, tail]);
    const refused = code(() => parseTrailingSignatureBlock(bytes));
    assert.equal(refused, "trailing_bytes_after_signature_block");
  }
});

Deno.test("an algorithm that is not known is surfaced and never verifies", () => {
  for (const algorithm of [0x02, 0x05, 0xff]) {
    for (const [publicKey, signature] of [["", ""], ["aa", "bbbb"], ["aa".repeat(1952), "bb"]]) {
      const block = {
        algorithm,
        publicKey: hexToBytes(publicKey),
        signature: hexToBytes(signature),
      };
      const parsed = parseTrailingSignatureBlock(buildSignatureBlock(block))!;
      assert.deepEqual({ ...parsed }, block);
      const digest = new Uint8Array(32);
      const verify = (expectedSignerPublicKey?: Uint8Array) =>
        verifySenderTranscript({ digest, signature: parsed, expectedSignerPublicKey });
      assert.equal(verify(), null);
      assert.equal(verify(parsed.publicKey), false);
    }
  }
});

Deno.test("a block that could not be read back is not built", () => {
  const publicKey = new Uint8Array(32);
  const signature = new Uint8Array(64);
  const build = (over: object) =>
    code(() => buildSignatureBlock({ algorithm: 1, publicKey, signature, ...over }));
  assert.equal(build({ algorithm: 0 }), "signature_block_algorithm_reserved");
  assert.equal(build({ algorithm: 256 }), "signature_block_algorithm_out_of_range");
  assert.equal(
    build({ publicKey: new Uint8Array(33) }),
    "signature_block_ed25519_public_key_wrong_length",
  );
  assert.equal(
    build({ signature: new Uint8Array(63) }),
    "signature_block_ed25519_signature_wrong_length",
  );
  const large = new Uint8Array(0x1_0000);
  assert.equal(build({ algorithm: 2, publicKey: large }), "signature_block_field_too_long");
  assert.equal(
    buildSignatureBlock({ algorithm: 2, publicKey: large.subarray(1), signature }).length,
    1 + 2 + 0xffff + 2 + 64,
  );
});

const FILE_ID = new Uint8Array(16).fill(7);
const FILE_KEY = new Uint8Array(32).fill(0x91);
const ENVELOPE_KEY = new Uint8Array(32).fill(0x25);

async function sharing() {
  const { identity, mlKemSecretKey } = await createIdentity({
    userId: "bob",
    masterSecret: new Uint8Array(32).fill(5),
  });
  const { shareBundle } = await buildShareForRecipient({
    combinedKey: FILE_KEY,
    fileId: FILE_ID,
    recipient: identity,
    recipientEnvelopeKey: ENVELOPE_KEY,
  });
  const open = (over: object = {}) =>
    openShareAsRecipient({
      shareBundle,
      fileId: FILE_ID,
      recipientSecretKey: mlKemSecretKey,
      recipientEnvelopeKey: ENVELOPE_KEY,
      ...over,
    });
  return { shareBundle, open };
}

Deno.test("a share gives its recipient the file's key", async () => {
  const { shareBundle, open } = await sharing();
  assert.equal(shareBundle.length, 1745);
  assert.equal(bytesToHex(shareBundle.subarray(0, 9)), "534635530200000680");
  assert.deepEqual({ ...await open() }, { ...FILE_KEY });
  const again = await sharing();
  assert.notDeepEqual({ ...again.shareBundle }, { ...shareBundle });
});

Deno.test("a share opens for nobody else and for no other file", async () => {
  const { open } = await sharing();
  const { mlKemSecretKey } = await createIdentity({ userId: "eve" });
  const other = new Uint8Array(32);
  assert.equal(await codeOf(open({ recipientSecretKey: mlKemSecretKey })), "share_open_failed");
  assert.equal(await codeOf(open({ fileId: new Uint8Array(16) })), "share_open_failed");
  assert.equal(await codeOf(open({ recipientEnvelopeKey: other })), "unwrap_failed");
});

Deno.test("a share that was changed anywhere is refused", async () => {
  const { shareBundle, open } = await sharing();
  const changed = (at: number) => codeOf(open({ shareBundle: flipped(shareBundle, at) }));
  for (const at of [0, 3, 4]) assert.equal(await changed(at), "bad_magic");
  for (const at of [5, 8]) assert.equal(await changed(at), "share_bundle_wrong_length");
  const [kem, box, pad, boxNonce] = [9, 9 + 1568, 9 + 1616, 9 + 1640];
  assert.equal(await changed(kem), "share_open_failed");
  for (const at of [box, box + 47, boxNonce, boxNonce + 23]) {
    assert.equal(await changed(at), "unwrap_failed");
  }
  for (const at of [pad, pad + 23]) {
    assert.equal(await changed(at), "suite_payload_padding_not_zero");
  }
  for (const at of [1673, 1696, 1697, 1744]) assert.equal(await changed(at), "share_open_failed");
  for (const length of [0, 5, 9, 1744]) {
    await assert.rejects(open({ shareBundle: shareBundle.subarray(0, length) }));
  }
  const longer = concatBytes([shareBundle, new Uint8Array(1)]);
  assert.equal(await codeOf(open({ shareBundle: longer })), "share_bundle_wrong_length");
});

Deno.test("what is shared is a file's key and nothing of another length", async () => {
  const { identity } = await createIdentity({ userId: "bob" });
  const share = (over: object) =>
    codeOf(buildShareForRecipient({
      combinedKey: FILE_KEY,
      fileId: FILE_ID,
      recipient: identity,
      recipientEnvelopeKey: ENVELOPE_KEY,
      ...over,
    }));
  assert.equal(await share({ combinedKey: new Uint8Array(31) }), "invalid_input");
  assert.equal(await share({ fileId: new Uint8Array(15) }), "invalid_input");
  assert.equal(await share({ recipientEnvelopeKey: new Uint8Array(33) }), "invalid_input");
  const recipient = { mlKemPublicKey: new Uint8Array(1567) };
  assert.equal(await share({ recipient }), "invalid_input");
});

type Vectors = Record<string, Record<string, Hex>>;

/** The published vectors of these formats, and a person whose keys they use; undefined without them. */
async function publishedVectors() {
  const vectors = published<Vectors>("supplementary-vectors.json");
  if (vectors === undefined) return undefined;
  const { inputs, output } = vectors.pq_hybrid_file as unknown as Record<
    "inputs" | "output",
    Record<string, string>
  >;
  const alice = await createIdentity({
    userId: "alice",
    issuedAt: 1_700_000_000,
    metadata: utf8("{}"),
    masterSecret: hexToBytes(inputs.master_secret_hex),
  });
  return { vectors, inputs, file: hexToBytes(output.file_hex), ...alice };
}

Deno.test("the published signature is reproduced from its file", async () => {
  const vectors = (await publishedVectors())?.vectors;
  if (vectors === undefined) return;
  const of = (name: string) => bytesOf(vectors.signature_block[name]);
  const digest = of("transcript_digest_hex");
  const unsigned = of("unsigned_file_hex");
  const chunks = [32, 32, 32, 4].map((size, i) => {
    const from = 149 + 52 * i + 4;
    return unsigned.subarray(from, from + size + 16);
  });
  assert.deepEqual(transcriptOf(unsigned.subarray(0, 117), chunks), digest);
  const signature = signSenderTranscript({ digest, secretKey: of("ed25519_seed_hex") });
  assert.equal(bytesToHex(buildSignatureBlock(signature)), vectors.signature_block.block_hex);
});

Deno.test("the published share opens", async () => {
  const known = await publishedVectors();
  if (known === undefined) return;
  const { vectors: { share_bundle: share }, inputs, file, mlKemSecretKey } = known;
  const of = (name: string) => bytesOf(share[name]);
  const shareBundle = concatBytes([
    hexToBytes("534635530200000680"),
    file.subarray(45, 45 + 1664),
    of("wrap_nonce_hex"),
    of("wrapped_key_hex"),
  ]);
  assert.equal(bytesToHex(sha256(shareBundle)), share.bundle_sha256);
  const opened = await openShareAsRecipient({
    shareBundle,
    fileId: of("file_id_hex"),
    recipientSecretKey: mlKemSecretKey,
    recipientEnvelopeKey: hexToBytes(inputs.envelope_key_hex),
  });
  assert.equal(bytesToHex(opened), share.file_combined_key_hex);
});

Deno.test("the published identity is reproduced", async () => {
  const known = await publishedVectors();
  if (known === undefined) return;
  const digest = sha256(encodeIdentityBundle(known.identity));
  assert.equal(bytesToHex(digest), known.vectors.identity_bundle.sha256);
});

Deno.test("an identity is read as it was written", async () => {
  const { identity, mlKemSecretKey } = await createIdentity({
    userId: "\ufeffzoë",
    metadata: new Uint8Array(4096).fill(3),
  });
  assert.equal(mlKemSecretKey.length, 3168);
  assert.ok(Math.abs(identity.issuedAt - Date.now() / 1000) < 60);
  const read = decodeIdentityBundle(encodeIdentityBundle(identity));
  assert.equal(read.userId, identity.userId);
  assert.equal(read.issuedAt, identity.issuedAt);
  assert.deepEqual({ ...read.mlKemPublicKey }, { ...identity.mlKemPublicKey });
  assert.deepEqual({ ...read.metadata }, { ...identity.metadata });
});

Deno.test("one master secret is one pair of keys, and without one each pair is new", async () => {
  const masterSecret = new Uint8Array(32).fill(1);
  const made = await Promise.all(
    [masterSecret, masterSecret, undefined, undefined].map((masterSecret) =>
      createIdentity({ userId: "a", masterSecret })
    ),
  );
  const keys = made.map(({ identity }) => bytesToHex(identity.mlKemPublicKey));
  assert.equal(keys[0], keys[1]);
  assert.equal(new Set(keys).size, 3);
});

Deno.test("an identity that the format has no room for is refused when it is made", async () => {
  const make = (over: object) => codeOf(createIdentity({ userId: "a", ...over }));
  for (
    const over of [
      { userId: "" },
      { userId: "é".repeat(128) },
      { userId: "\ud800" },
      { issuedAt: -1 },
      { issuedAt: 1.5 },
      { issuedAt: 2 ** 32 },
      { metadata: new Uint8Array(4097) },
      { masterSecret: new Uint8Array(31) },
    ]
  ) {
    assert.equal(await make(over), "invalid_input", JSON.stringify(Object.keys(over)));
  }
});

Deno.test("a malformed identity is refused wherever it is cut or changed", async () => {
  const { identity } = await createIdentity({ userId: "ab", metadata: Uint8Array.of(1, 2) });
  const bundle = encodeIdentityBundle(identity);
  const refused = (bytes: Uint8Array) => code(() => decodeIdentityBundle(bytes));
  for (const at of [0, 3, 4]) assert.equal(refused(flipped(bundle, at)), "bad_magic");
  for (let length = 5; length < bundle.length; length += length > 20 ? 97 : 1) {
    assert.equal(refused(bundle.subarray(0, length)), "identity_bundle_malformed");
  }
  const longer = concatBytes([bundle, new Uint8Array(1)]);
  assert.equal(refused(longer), "identity_bundle_malformed");
  const unnamed = bundle.slice();
  unnamed[9] = 0;
  assert.equal(refused(unnamed), "identity_bundle_malformed");
  const text = bundle.slice();
  text[10] = 0xff;
  assert.equal(refused(text), "identity_bundle_malformed");
  const wordy = concatBytes([bundle.subarray(0, 12 + 1568), Uint8Array.of(0x10, 0x01)]);
  assert.equal(
    refused(concatBytes([wordy, new Uint8Array(4097)])),
    "identity_bundle_malformed",
  );
});
