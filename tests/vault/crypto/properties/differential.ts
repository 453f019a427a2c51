// Two implementations that share no code agree on whatever comes by chance.

import fc from "fast-check";
import { encryptBytes as encryptHybrid } from "@shieldfive/crypto/pq-hybrid-v1";
import { ChunkOpener, headerLengthOf } from "@shieldfive/crypto/extra/range.ts";
import { decryptV0ToBytes } from "@shieldfive/crypto/legacy-v0";
import {
  decryptStreamAesGcmV1,
  encryptStreamAesGcmV1,
} from "@shieldfive/crypto/streams/aes-gcm-v1";
import {
  decryptStreamPqHybridV1,
  encryptStreamPqHybridV1,
} from "@shieldfive/crypto/streams/pq-hybrid-v1";
import * as ours from "@shieldfive/crypto/vault";
import { decrypt, encrypt, encryptSigned, signedBy, takeApart } from "../second/container.ts";
import { decapsulate } from "../second/hybrid.ts";
import { ed25519, hex } from "../second/primitives.ts";
import * as second from "../second/vault.ts";
import { same } from "../vectors/checks/expect.ts";
import { collect, readersOf, type Suite, WITH_CONTENT_KEY } from "../vectors/checks/readers.ts";
import { bytes, inputOf, pieced, RECIPIENT, type Sample, sample } from "./files.ts";

/** What the second implementation writes opens here, by every published way. */
async function opensHere(suite: Suite, file: Sample): Promise<void> {
  const { input, keys } = inputOf(suite, file);
  const signer = file.signer && ed25519(file.signer).publicKey;
  const written = file.signer ? encryptSigned(input, file.signer) : encrypt(input);
  for (const { what, read } of readersOf(suite, [file.pieces[0] * 7, file.pieces[0]])) {
    const { plaintext, signature } = await read(written, keys, signer);
    same(plaintext, file.plaintext, what);
    same(signature?.verified, signer && true, `the signature, ${what}`);
  }
  const source = () => pieced(written, file.pieces);
  if (suite === 1) {
    const { plaintext } = decryptStreamAesGcmV1(source(), { contentKey: keys.key });
    same(await collect(plaintext), file.plaintext, "by the stream");
  } else if (suite === 3) {
    const { plaintext } = decryptStreamPqHybridV1(source(), { combinedKey: keys.key });
    same(await collect(plaintext), file.plaintext, "by the stream");
  }
}

/** Any part of the file opens from its own bytes. */
async function partsOpen(suite: Suite, file: Sample): Promise<void> {
  const { input, keys } = inputOf(suite, file);
  const written = encrypt(input);
  const options = { keys: { contentKey: keys.key }, allowedSuites: [suite] };
  const opener = new ChunkOpener(written.slice(0, headerLengthOf(written)), options);
  for (const piece of file.pieces) {
    const from = Math.min(piece * 5 % (file.plaintext.length + 1), file.plaintext.length);
    const to = Math.min(from + piece, file.plaintext.length);
    const range = opener.range(from, to);
    const source = pieced(written.slice(range.start, range.end), file.pieces);
    const part = await collect(opener.stream(source, range));
    same(part, file.plaintext.slice(from, to), `from ${from} to ${to}`);
  }
  opener.close();
}

/** What is written here with a content key is what the second implementation writes. */
async function sameFileWithContentKey(suite: 1 | 2 | 4, file: Sample): Promise<void> {
  const { input } = inputOf(suite, file);
  const options = { contentKey: file.key, fileId: file.fileId, chunkSize: file.chunkSize };
  const { blob } = await WITH_CONTENT_KEY[suite].encryptBytes(file.plaintext, options);
  same(new Uint8Array(await blob.arrayBuffer()), encrypt(input), "the whole file");
  if (suite !== 1) return;
  const { ciphertext } = encryptStreamAesGcmV1(pieced(file.plaintext, file.pieces), {
    ...options,
    plaintextSize: file.plaintext.length,
    ed25519SecretKey: file.signer,
  });
  const expected = file.signer ? encryptSigned(input, file.signer) : encrypt(input);
  same(await collect(ciphertext), expected, "the stream");
}

/** What is written here for a recipient opens there, where the runtime's own ML-KEM finds K. */
async function sameFileForRecipient(file: Sample): Promise<void> {
  const { fileId, chunkSize, plaintext, signer } = file;
  const { publicKey: recipientPublicKey, envelopeKey } = RECIPIENT;
  const options = { recipientPublicKey, envelopeKey, fileId, chunkSize };
  const whole = await encryptHybrid(plaintext, options);
  const streamed = await encryptStreamPqHybridV1(pieced(plaintext, file.pieces), {
    ...options,
    plaintextSize: plaintext.length,
    ed25519SecretKey: signer,
  });
  for (
    const [written, combinedKey] of [
      [new Uint8Array(await whole.blob.arrayBuffer()), whole.combinedKey],
      [await collect(streamed.ciphertext), streamed.combinedKey],
    ] as const
  ) {
    const { payload, rest } = takeApart(written);
    const key = await decapsulate({ payload, mlKemSeed: RECIPIENT.seed, envelopeKey, fileId });
    same(combinedKey, key, "K");
    const unsigned = written.slice(0, written.length - rest.length);
    same(decrypt(unsigned, key), plaintext, "the plaintext");
    same(encrypt({ suite: 3, key, fileId, chunkSize, plaintext, payload }), unsigned, "the file");
    if (rest.length > 0) same(signedBy(written, ed25519(signer!).publicKey), true, "signed");
  }
}

/** That a file of the suite is the same from both, and opens in both. */
export function filesAgree(suite: Suite): fc.IAsyncPropertyWithHooks<[Sample]> {
  return fc.asyncProperty(sample, async (file) => {
    await opensHere(suite, file);
    await partsOpen(suite, file);
    if (suite === 3) await sameFileForRecipient(file);
    else await sameFileWithContentKey(suite, file);
  });
}

/** That content without a header opens. */
export const legacyAgrees = fc.asyncProperty(sample, async (file) => {
  const noncePrefix = file.fileId.subarray(0, 4);
  const { key, chunkSize, plaintext } = file;
  const written = second.encryptV0(key, noncePrefix, chunkSize, plaintext);
  const blob = new Blob([written]);
  const opened = await decryptV0ToBytes({ blob, contentKey: key, noncePrefix, chunkSize });
  same(opened, plaintext, "the plaintext");
});

const uuid = fc.uuid();
const uuids = fc.array(uuid, { maxLength: 4 });
const kind = fc.constantFrom<ours.GrantKeyKind>("folder", "file", "file_pq", "name");

const scope = fc.record({
  grantId: uuid,
  scopeAll: fc.boolean(),
  includeMedia: fc.boolean(),
  rootIds: uuids,
  trashFolderId: fc.option(uuid),
  excludedIds: uuids,
  excludedKeyFingerprints: fc.array(bytes(32).map(hex), { maxLength: 3 }),
});

/** That keys wrapped by one are unwrapped by the other, in the chain and in grants. */
export const wrapsAgree = fc.asyncProperty(
  fc.record({ parent: bytes(32), key: bytes(32), iv: bytes(12), id: uuid, object: uuid, kind }),
  async ({ parent, key, iv, id, object, kind }) => {
    same(await ours.unwrapChainKey(parent, second.wrap(parent, iv, key)), key, "the chain");
    const wrapped = await ours.wrapChainKey(parent, key);
    same(second.unwrap(parent, wrapped).slice(), key, "our chain");

    const grantWrapKey = await ours.deriveGrantWrapKey(parent, id);
    same(grantWrapKey, second.grantWrapKey(parent, id), "the grant's key");
    const aad = second.grantAad(id, kind, object);
    const at = { grantWrapKey, grantId: id, kind, objectId: object };
    const theirs = second.wrap(grantWrapKey, iv, key, aad);
    same(await ours.unwrapKeyForGrant({ ...at, wrapped: theirs }), key, "the grant");
    const own = await ours.wrapKeyForGrant({ ...at, key });
    same(second.unwrap(grantWrapKey, own, aad), key, "our grant");
  },
);

/** That scopes have one text, and the owner's copies open. */
export const scopesAgree = fc.asyncProperty(
  fc.record({ scope, rootKey: bytes(32), secret: bytes(32), iv: bytes(12) }),
  async ({ scope, rootKey, secret, iv }) => {
    const text = second.scopeText(scope);
    same(ours.canonicalGrantScope(scope), text, "the text");
    const key = second.grantSecretKey(rootKey, scope.grantId);
    const wrapped = second.wrap(key, iv, secret, text);
    same(await ours.unwrapGrantSecret({ rootKey, scope, wrapped }), secret, "the copy");
    const own = await ours.wrapGrantSecret({ rootKey, scope, secret });
    same(second.unwrap(key, own, text), secret, "our copy");
  },
);

/** That credentials are written as one text. */
export const credentialsAgree = fc.property(
  fc.record({ grantId: uuid, token: bytes(32), secret: bytes(32), start: fc.nat(255) }),
  ({ grantId, token, secret, start }) => {
    const publicKey = Uint8Array.from({ length: 1568 }, (_, i) => i + start);
    const text = second.connectionString({ grantId, token, secret, publicKey });
    const parsed = ours.parseConnectionString(text);
    same(parsed.token, token, "the token");
    same(parsed.secret, secret, "the secret");
    same(ours.formatConnectionString(parsed), text, "the text");
    same(parsed.publicKeyFingerprint, ours.publicKeyFingerprint(publicKey), "the fingerprint");
  },
);

/** That a name sealed by one is opened by the other, whatever its characters. */
export const namesAgree = fc.asyncProperty(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 80, unit: "binary" }),
    nameKey: bytes(32),
    iv: bytes(12),
    salt: bytes(16),
    rowId: uuid,
    bound: fc.boolean(),
  }),
  async ({ name, nameKey, iv, salt, rowId, bound }) => {
    const envelope = second.sealName({
      key: nameKey,
      name: new TextEncoder().encode(name),
      iv,
      salt,
      ...(bound ? { rowId } : {}),
    });
    const parsed = ours.parseNameEnvelope(JSON.stringify(envelope));
    same(parsed, envelope, "the envelope");
    same(await ours.decryptNameWithKey({ envelope: parsed!, nameKey, rowId }), name, "the name");
    // Whoever derives gives a copy: it is wiped after use.
    const deriver = () => Promise.resolve(nameKey.slice());
    const sealed = await ours.encryptNameV6({ name, folderKey: nameKey, rowId }, deriver);
    same(second.openName(nameKey, sealed, rowId), name, "our name");
  },
);

/** That Argon2id is the same; each of these takes a fifth of a second. */
export const nameKeysAgree = fc.asyncProperty(bytes(32), bytes(16), async (parent, salt) => {
  const key = await ours.deriveNameKey(parent, salt, "interactive");
  same(key, second.nameKey(parent, salt, "interactive"), "the key");
});
