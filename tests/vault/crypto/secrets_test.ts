// No error of the file formats holds a key, a plaintext or a passphrase. Every place where one is made is
// driven here, with secrets in all that is passed in, and a place that nothing here reaches fails the
// last test. The vault's formats have the same in `vault_secrets_test.ts`.

import assert from "node:assert/strict";
import * as crypto_ from "@shieldfive/crypto";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { openFileStream } from "@shieldfive/crypto/extra/file_stream.ts";
import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { decryptStreamV0 } from "@shieldfive/crypto/extra/legacy_v0.ts";
import { ChunkOpener } from "@shieldfive/crypto/extra/range.ts";
import * as identity from "@shieldfive/crypto/identity";
import * as kdf from "@shieldfive/crypto/kdf/argon2id";
import * as legacyV0 from "@shieldfive/crypto/legacy-v0";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import {
  decryptStreamAesGcmV1,
  encryptStreamAesGcmV1,
} from "@shieldfive/crypto/streams/aes-gcm-v1";
import { getUint64, putUint32 } from "../../../vault/crypto/bytes.ts";
import { V0Reader } from "../../../vault/crypto/legacy_v0_reader.ts";
import { ContainerReader } from "../../../vault/crypto/reader.ts";
import { ContainerWriter } from "../../../vault/crypto/writer.ts";
import { parseTrailingSignatureBlock } from "../../../vault/crypto/signature.ts";
import { sources } from "../../sources.ts";
import {
  chunkCipher,
  encrypt,
  fileParts,
  frame,
  header,
  signatureBlock,
} from "./second/container.ts";
import { join } from "./second/primitives.ts";
import { encryptV0 } from "./second/vault.ts";
import { PIECE, secretBytes, secretText, SecretWatch, shownOf, spellings } from "./secrets.ts";
import { collect, streamOf } from "./vectors/checks/readers.ts";

const KEY = secretBytes(32);
const OTHER_KEY = secretBytes(32);
const SHORT_KEY = secretBytes(31);
const PLAINTEXT = secretBytes(100);
const PASSPHRASE = secretText(24);
const MASTER = secretBytes(32);
const RECIPIENT = await pqHybridV1.deriveMlKemKeypair(MASTER);

const watch = new SecretWatch(
  [KEY, OTHER_KEY, SHORT_KEY, PLAINTEXT, PASSPHRASE, MASTER, RECIPIENT.secretKey],
);
const fails = (call: () => unknown) => watch.fails(call);
const failsUntyped = (call: () => unknown) => watch.fails(call, { typed: false });

Deno.test("a secret in an error would be found, whole or in part, however it is written", () => {
  for (const text of [...spellings(KEY), PASSPHRASE.slice(3, 3 + PIECE)]) {
    for (const error of [new Error(text), new Error("", { cause: new Error(`key ${text}`) })]) {
      assert.ok(watch.isIn(shownOf(error)));
    }
    assert.ok(watch.isIn(shownOf(Object.assign(new Error(), { detail: { text } }))));
  }
  assert.ok(!watch.isIn(shownOf(new Error("an error that holds no secret"))));
});

Deno.test("texts that do not decode are not told", async () => {
  await fails(() => crypto_.hexToBytes(KEY.toHex() + "0"));
  await fails(() => crypto_.hexToBytes(KEY.toHex() + "0x"));
  await fails(() => crypto_.base64ToBytes(KEY.toBase64() + "=="));
  await fails(() => crypto_.base64ToBytes("!" + KEY.toBase64().slice(1)));
  await failsUntyped(() => putUint32(KEY.slice(), 0, -1));
  await failsUntyped(() => getUint64(KEY, 0));
});

const FILE_ID = new Uint8Array(16).fill(1);
const INPUT = { suite: 1, key: KEY, fileId: FILE_ID, chunkSize: 32, plaintext: PLAINTEXT } as const;
const PARTS = fileParts(INPUT);
const FILE = encrypt(INPUT);
const HEAD = FILE.slice(0, 149);
const CHUNKS = chunkCipher(1, KEY, FILE_ID);

function open(file: Uint8Array, change: object = {}) {
  const blob = new Blob([file.slice()]);
  return aesGcmV1.decryptToBytes({ blob, contentKey: KEY, ...change });
}

/** The file with other bytes at a place of its header, and a MAC that fits. */
function withHeader(change: object, key = KEY): Uint8Array {
  const fields = { suite: 1, fileId: FILE_ID, chunkSize: 32, totalChunks: 4, plaintextSize: 100 };
  return header({ ...fields, payload: join(KEY, new Uint8Array(40)), ...change }, key);
}

Deno.test("refused headers tell neither key nor payload", async () => {
  const refused = [
    KEY,
    join(KEY, PLAINTEXT),
    withHeader({ suite: 9 }),
    withHeader({ flags: 1 }),
    withHeader({ chunkSize: 0 }),
    withHeader({ totalChunks: 2e9 }),
    withHeader({ totalChunks: 0 }),
    withHeader({ plaintextSize: 1 }),
    withHeader({ plaintextSize: 2n ** 60n }),
    withHeader({ payload: join(KEY, KEY, KEY) }),
    HEAD.slice(0, -1),
  ];
  for (const bytes of refused) await fails(() => open(bytes));
  await fails(() => open(FILE, { contentKey: OTHER_KEY }));
  await fails(() => open(FILE, { contentKey: SHORT_KEY }));
  await fails(() => open(FILE, { allowedSuites: [4] }));
  const build = (change: object) =>
    crypto_.buildAuthenticatedHeader({
      ...crypto_.parseHeader(HEAD),
      suitePayload: KEY,
      ...change,
    }, KEY);
  await fails(() => build({ fileId: SHORT_KEY }));
  await fails(() => build({ plaintextSize: 2 ** 60 }));
  await fails(() => build({ suitePayload: new Uint8Array(70_000).fill(KEY[0]) }));
});

Deno.test("refused chunks tell neither key nor plaintext", async () => {
  const { chunks } = PARTS;
  const made = (...frames: Uint8Array[]) => join(HEAD, ...frames);
  const seal = (index: number, plaintext: Uint8Array) => frame(CHUNKS.seal(index, 4, plaintext));
  const [first, second, third] = chunks.map(frame);
  const refused = [
    made(),
    made(first.slice(0, 20)),
    made(seal(0, PLAINTEXT.slice(0, 33))),
    made(seal(0, PLAINTEXT.slice(0, 31))),
    made(second),
    made(first, second, third, seal(3, PLAINTEXT.slice(0, 3))),
    join(FILE, KEY),
  ];
  for (const bytes of refused) {
    await fails(() => open(bytes));
    const opened = decryptStreamAesGcmV1(streamOf(bytes, 50), { contentKey: KEY });
    await fails(() => collect(opened.plaintext));
    await fails(() => opened.metadata);
  }
  const large = withHeader({ chunkSize: 2 ** 30, totalChunks: 1, plaintextSize: 2 ** 30 });
  await fails(() => open(large));
});

Deno.test("streams that fail tell neither key nor plaintext", async () => {
  const { plaintext } = openFileStream(streamOf(FILE, 50), {
    keys: { contentKey: KEY },
    allowedSuites: [1],
    fileId: KEY.slice(0, 16),
  });
  await fails(() => collect(plaintext));
  for (const plaintextSize of [99, 101]) {
    const options = { contentKey: KEY, plaintextSize };
    await fails(() => collect(encryptStreamAesGcmV1(streamOf(PLAINTEXT, 9), options).ciphertext));
  }
  const cancelled = decryptStreamAesGcmV1(streamOf(FILE, 50), { contentKey: KEY });
  await cancelled.plaintext.cancel();
  await fails(() => cancelled.metadata);
  const texts = ReadableStream.from([PASSPHRASE]) as unknown as ReadableStream<Uint8Array>;
  const options = { contentKey: KEY, plaintextSize: 24 };
  await fails(() => collect(encryptStreamAesGcmV1(texts, options).ciphertext));
});

Deno.test("engines that were closed tell no key, and neither does a look at them", async () => {
  const keys = { contentKey: KEY };
  const reader = new ContainerReader({ keys, allowedSuites: [1] });
  const plan = { suite: 1, plaintextSize: 1, suitePayload: new Uint8Array(72) } as const;
  const writer = new ContainerWriter({ ...plan, key: KEY, fileId: FILE_ID, chunkSize: 32 });
  const opener = new ChunkOpener(HEAD, { keys, allowedSuites: [1] });
  const legacy = new V0Reader({ contentKey: KEY, noncePrefix: KEY.slice(28), chunkSize: 64 });
  for (const engine of [reader, writer, opener, legacy]) {
    assert.ok(!watch.isIn(shownOf(engine)));
    engine.close();
  }
  const whole = () => Promise.resolve(FILE);
  await fails(() => reader.read(whole).next());
  await fails(() => legacy.read(whole).next());
  const written = writer.write(whole);
  await written.next();
  await fails(() => written.next());
  await fails(() => opener.open(0, frame(PARTS.chunks[0])));
});

Deno.test("refused ranges tell neither key nor plaintext", async () => {
  const opener = new ChunkOpener(HEAD, { keys: { contentKey: KEY }, allowedSuites: [1] });
  const [first, , , last] = PARTS.chunks.map(frame);
  await fails(() => opener.range(5, 2));
  await fails(() => opener.range(5, 200));
  await fails(() => opener.open(9, first));
  await fails(() => opener.open(0, first.slice(0, 3)));
  await fails(() => opener.open(0, first.slice(0, 30)));
  await fails(() => opener.open(0, join(first, KEY)));
  await fails(() => opener.open(3, frame(CHUNKS.seal(3, 4, PLAINTEXT.slice(0, 3)))));
  const range = opener.range(96, 100);
  await fails(() => collect(opener.stream(streamOf(join(last, KEY), 99), range)));
  await fails(() => ciphertextLength(-1));
  await fails(() => ciphertextLength(1, 0));
});

Deno.test("whole files that cannot be written tell nothing of what they were given", async () => {
  const text = PASSPHRASE as unknown as Uint8Array;
  await fails(() => aesGcmV1.encryptBytes(text));
  await fails(() => aesGcmV1.encryptBlob({ blob: text as unknown as Blob }));
  await fails(() => aesGcmV1.encryptBytes(PLAINTEXT, { suitePayloadOverride: KEY }));
  await fails(() => aesGcmV1.encryptBytes(PLAINTEXT, { contentKey: SHORT_KEY }));
  await fails(() => crypto_.autoDecryptBlob({ blob: new Blob([FILE]) }));
});

Deno.test("files of suite 0x03 that do not open tell none of their keys", async () => {
  const { publicKey, secretKey } = RECIPIENT;
  const options = { recipientPublicKey: publicKey, envelopeKey: KEY, fileId: FILE_ID };
  const { blob, combinedKey } = await pqHybridV1.encryptBytes(PLAINTEXT, options);
  const opened = new SecretWatch([combinedKey, KEY, OTHER_KEY, PLAINTEXT, secretKey]);
  const keys = { recipientSecretKey: secretKey, envelopeKey: KEY };
  const attempt = (change: object) => pqHybridV1.decryptToBytes({ blob, ...keys, ...change });
  const file = new Uint8Array(await blob.arrayBuffer());
  const changed = (at: number) => {
    const copy = file.slice();
    copy[at] ^= 1;
    return new Blob([copy]);
  };
  const other = pqHybridV1.generateMlKemKeypair().secretKey;
  for (
    const change of [
      { envelopeKey: OTHER_KEY },
      { envelopeKey: SHORT_KEY },
      { recipientSecretKey: other },
      { recipientSecretKey: secretKey.slice(1) },
      { recipientSecretKey: secretKey.toReversed() },
      { blob: changed(45 + 1620) },
      { blob: changed(45) },
    ]
  ) {
    await fails(() => attempt(change));
    await opened.fails(() => attempt(change));
  }
  const sealed = { ...options, recipientPublicKey: publicKey.slice().fill(0xff) };
  await fails(() => pqHybridV1.encryptBytes(PLAINTEXT, sealed));
  await fails(() => pqHybridV1.deriveMlKemKeypair(SHORT_KEY));
});

Deno.test("shares and identities that are refused tell no key", async () => {
  const { publicKey, secretKey } = RECIPIENT;
  const { shareBundle } = await identity.buildShareForRecipient({
    combinedKey: KEY,
    fileId: FILE_ID,
    recipient: { mlKemPublicKey: publicKey },
    recipientEnvelopeKey: OTHER_KEY,
  });
  const attempt = (bundle: Uint8Array, fileId = FILE_ID) =>
    identity.openShareAsRecipient({
      shareBundle: bundle,
      fileId,
      recipientSecretKey: secretKey,
      recipientEnvelopeKey: OTHER_KEY,
    });
  await fails(() => attempt(KEY));
  await fails(() => attempt(shareBundle.slice(1)));
  await fails(() => attempt(join(shareBundle, KEY)));
  await fails(() => attempt(shareBundle, KEY.slice(16)));
  const parts = { userId: "u", issuedAt: 1, mlKemPublicKey: publicKey, metadata: KEY };
  const encode = (change: object) => identity.encodeIdentityBundle({ ...parts, ...change });
  await fails(() => encode({ userId: PASSPHRASE.repeat(20) }));
  await fails(() => encode({ issuedAt: -1 }));
  await fails(() => encode({ mlKemPublicKey: secretKey }));
  await fails(() => encode({ metadata: new Uint8Array(5000).fill(KEY[0]) }));
  await fails(() => identity.decodeIdentityBundle(KEY));
  await fails(() => identity.decodeIdentityBundle(encode({}).slice(0, -1)));
});

Deno.test("signatures that are refused tell no secret key", async () => {
  const transcript = () => new identity.SenderSigTranscript();
  await failsUntyped(() => transcript().digest());
  await failsUntyped(() => transcript().absorbChunk(0, KEY));
  await failsUntyped(() => {
    const twice = transcript();
    twice.absorbHeader(KEY, 1);
    twice.absorbHeader(KEY, 1);
  });
  await fails(() => identity.deriveEd25519PublicKey(SHORT_KEY));
  const block = { algorithm: 1, publicKey: KEY, signature: join(KEY, OTHER_KEY) };
  const build = (change: object) => identity.buildSignatureBlock({ ...block, ...change });
  await fails(() => build({ algorithm: 0 }));
  await fails(() => build({ algorithm: 256 }));
  await fails(() => build({ algorithm: 7, publicKey: new Uint8Array(70_000).fill(KEY[0]) }));
  await fails(() => build({ publicKey: SHORT_KEY }));
  await fails(() => build({ signature: KEY }));
  await fails(() => identity.parseSignatureBlock(signatureBlock(1, KEY, KEY).slice(0, 30)));
  await fails(() => parseTrailingSignatureBlock(join(build({}) as Uint8Array, KEY)));
});

Deno.test("content without a header that does not open tells nothing of itself", async () => {
  const noncePrefix = KEY.slice(0, 4);
  const file = encryptV0(KEY, noncePrefix, 64, PLAINTEXT);
  const options = { contentKey: KEY, noncePrefix, chunkSize: 64 };
  const attempt = (change: object) =>
    legacyV0.decryptV0ToBytes({ blob: new Blob([file]), ...options, ...change });
  await fails(() => attempt({ contentKey: OTHER_KEY }));
  await fails(() => attempt({ contentKey: SHORT_KEY }));
  await fails(() => attempt({ chunkSize: 0 }));
  await fails(() => attempt({ chunkSize: 2 ** 31 }));
  await fails(() => attempt({ blob: new Blob([file.slice(0, 90)]) }));
  const recorded = { ...options, ciphertextSize: 1 };
  await fails(() => collect(decryptStreamV0(streamOf(file, 40), recorded)));
});

Deno.test("passphrases that are refused are not told", async () => {
  const stored = { passphrase: PASSPHRASE, salt: KEY, preset: "moderate" } as const;
  const attempt = (change: object) => kdf.reDeriveMasterSecret({ ...stored, ...change });
  await fails(() => attempt({ passphrase: "" }));
  await fails(() => attempt({ passphrase: PASSPHRASE + "\ud800" }));
  await fails(() => attempt({ preset: PASSPHRASE }));
  await fails(() => attempt({ salt: KEY.slice(17) }));
  const backend = { concurrency: 1, derive: () => Promise.resolve(OTHER_KEY.slice()) };
  const pool = new KeyDerivationPool({ backend, memoryLimit: 2 ** 27 });
  const request = { password: KEY, salt: KEY.slice(16), level: "interactive" } as const;
  await pool.derive(request);
  assert.ok(!watch.isIn(shownOf(pool)));
  const ask = (change: object) => pool.derive({ ...request, ...change });
  await fails(() => ask({ level: PASSPHRASE }));
  await fails(() => ask({ level: "moderate" }));
  await fails(() => ask({ salt: KEY.slice(30) }));
  await fails(() => ask({ password: new Uint8Array() }));
  pool.remember(PASSPHRASE);
  await fails(() => ask({ purpose: PASSPHRASE }));
  pool.close();
  await fails(() => ask({}));
});

/** What these tests cannot make fail: an addon that does not load, and memory that there is not. */
const BEYOND = ["vault/crypto/kdf/wasm.ts", "vault/crypto/kdf/native.ts"];
/** What `vault_secrets_test.ts` drives. */
const ELSEWHERE = ["grant_keys", "key_chain", "legacy_scope", "pooled_names", "pooled_name_keys"]
  .concat("owner_keys", "owner_record", "recovery_key", "row_binding", "shapes")
  .concat("upload_proof", "uuid7")
  .map((name) => `vault/crypto/extra/${name}.ts`);

Deno.test("every place where an error is made was driven by the tests above", () => {
  const files = sources("vault/crypto").filter((path) =>
    !path.startsWith("vault/crypto/vault/") && !BEYOND.includes(path) && !ELSEWHERE.includes(path)
  );
  assert.deepEqual(watch.missed(files, /\bnew \w*Error\(/), []);
});
