// No error of the vault's formats holds a secret. Every place where one is made is driven here,
// with secrets in all that is passed in, and a place that nothing here reaches fails the last test.

import assert from "node:assert/strict";
import * as grantKeys from "@shieldfive/crypto/extra/grant_keys.ts";
import * as keyChain from "@shieldfive/crypto/extra/key_chain.ts";
import * as legacyScope from "@shieldfive/crypto/extra/legacy_scope.ts";
import { decryptPooledName } from "@shieldfive/crypto/extra/pooled_names.ts";
import * as ownerKeys from "@shieldfive/crypto/extra/owner_keys.ts";
import * as ownerRecord from "@shieldfive/crypto/extra/owner_record.ts";
import * as recoveryKeys from "@shieldfive/crypto/extra/recovery_key.ts";
import * as rowBinding from "@shieldfive/crypto/extra/row_binding.ts";
import { UploadProofV3 } from "@shieldfive/crypto/extra/upload_proof.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import * as vault from "@shieldfive/crypto/vault";
import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { sources } from "../../sources.ts";
import { frame, header } from "./second/container.ts";
import { bigEndian, join } from "./second/primitives.ts";
import { sealName } from "./second/vault.ts";
import { PIECE, secretBytes, secretText, SecretWatch, shownOf, spellings } from "./secrets.ts";
import { BOUND_ROW, GRANT, instantly, OLD_ROW } from "./vault_support.ts";

const KEY = secretBytes(32);
const OTHER_KEY = secretBytes(32);
const SHORT_KEY = secretBytes(31);
const NAME = secretText(40);
const PASSPHRASE = secretText(24);
const PROOF_KEY = secretBytes(32).toHex();
const CREDENTIAL = {
  ...vault.createGrantCredential({ grantId: GRANT, mlKemPublicKey: new Uint8Array(1568) }),
  token: secretBytes(32),
  secret: secretBytes(32),
};
const CONNECTION = vault.formatConnectionString(CREDENTIAL);
const RECOVERY = recoveryKeys.formatRecoveryKey(KEY);

const watch = new SecretWatch(
  [KEY, OTHER_KEY, SHORT_KEY, NAME, PASSPHRASE, PROOF_KEY, CREDENTIAL.token, CREDENTIAL.secret]
    .concat(RECOVERY.replaceAll("-", ""), RECOVERY),
);
const fails = (call: () => unknown) => watch.fails(call);

Deno.test("a secret in an error would be found, whole or in part, however it is written", () => {
  for (const text of [...spellings(KEY), RECOVERY, PASSPHRASE.slice(3, 3 + PIECE)]) {
    for (const error of [new Error(text), new Error("", { cause: new Error(`key ${text}`) })]) {
      assert.ok(watch.isIn(shownOf(error)));
    }
    assert.ok(watch.isIn(shownOf(Object.assign(new Error(), { detail: { text } }))));
  }
  assert.ok(!watch.isIn(shownOf(new Error("an error that holds no secret"))));
});

const envelope = await vault.encryptNameV6(
  { name: NAME, folderKey: KEY, rowId: BOUND_ROW },
  instantly,
);
const wrapped = await vault.wrapChainKey(KEY, OTHER_KEY);

Deno.test("failing key wraps tell no key", async () => {
  await fails(() => vault.wrapChainKey(SHORT_KEY, KEY));
  await fails(() => vault.wrapChainKey(KEY, SHORT_KEY));
  await fails(() => vault.unwrapChainKey(OTHER_KEY, wrapped));
  await fails(() => vault.unwrapChainKey(KEY, { wrapped: KEY.toBase64(), iv: NAME }));
  await fails(() => vault.keyFingerprint(SHORT_KEY));
  await fails(() => keyChain.rewrapChildKey({ wrapped, from: OTHER_KEY, to: KEY }));
  const place = { grantWrapKey: KEY, grantId: GRANT, kind: "folder", objectId: OLD_ROW } as const;
  await fails(() => vault.unwrapKeyForGrant({ ...place, wrapped }));
  const kind = NAME as vault.GrantKeyKind;
  await fails(() => vault.wrapKeyForGrant({ ...place, kind, key: OTHER_KEY }));
  await fails(() => vault.wrapKeyForGrant({ ...place, objectId: NAME, key: OTHER_KEY }));
  await fails(() => vault.deriveGrantWrapKey(SHORT_KEY, GRANT));
});

Deno.test("failing names tell neither name nor key", async () => {
  const rowId = BOUND_ROW;
  const open = (change: object, folderKey = OTHER_KEY) =>
    vault.decryptName({ envelope: { ...envelope, ...change }, folderKey, rowId }, instantly);
  await fails(() => open({}));
  await fails(() => open({ ct: `?${NAME}` }));
  await fails(() => vault.decryptName({ envelope, folderKey: KEY }));
  await fails(() => vault.decryptNameWithKey({ envelope, nameKey: OTHER_KEY, rowId }));
  await fails(() => vault.deriveNameKey(KEY, SHORT_KEY, "moderate"));
  await fails(() => vault.deriveNameKey(KEY, KEY.slice(16), NAME as vault.NameKdfLevel));
  const seal = (name: string) => vault.encryptNameV6({ name, folderKey: KEY, rowId }, instantly);
  await fails(() => seal(NAME + "\ud800"));
  await fails(() => seal(NAME.repeat(1000)));
  await fails(() => seal("é".repeat(6000) + NAME));
  const unbound = { ...envelope, v: 4 } as const;
  const move = { rowId, from: KEY, to: OTHER_KEY };
  await fails(() => keyChain.resealName({ ...move, envelope: unbound }, instantly));
});

Deno.test("a name that is no text is not told", async () => {
  const bytes = join(new TextEncoder().encode(NAME), Uint8Array.of(0xff));
  const parts = { iv: new Uint8Array(12), salt: new Uint8Array(16), rowId: BOUND_ROW };
  const sealed = sealName({ key: KEY, name: bytes, ...parts, kdf: "interactive" });
  const options = { envelope: sealed, nameKey: KEY, rowId: BOUND_ROW };
  await fails(() => vault.decryptNameWithKey(options));
});

Deno.test("a pool's failures tell no key", async () => {
  const backend = { concurrency: 1, derive: () => Promise.resolve(OTHER_KEY.slice()) };
  const pool = new KeyDerivationPool({ backend });
  const options = { envelope, folderKey: KEY, rowId: BOUND_ROW };
  await fails(() => decryptPooledName(pool, options));
  await fails(() => decryptPooledName(pool, options));
});

Deno.test("refused connection strings and tokens are not told", async () => {
  const bad = [
    NAME,
    CONNECTION.replace("v1:", "v1:" + NAME),
    CONNECTION + "." + NAME,
    CONNECTION.slice(0, -1) + "X",
    CONNECTION.replace(vault.grantBearerToken(CREDENTIAL), "!" + CREDENTIAL.token.toBase64()),
    CONNECTION.replace(/\.[^.]*\.([^.]*)$/, `.${CREDENTIAL.secret.toHex()}.$1`),
  ];
  for (const text of bad) await fails(() => vault.parseConnectionString(text));
  const format = (change: object) => vault.formatConnectionString({ ...CREDENTIAL, ...change });
  await fails(() => format({ grantId: CREDENTIAL.token.toHex() }));
  await fails(() => format({ token: SHORT_KEY }));
  await fails(() => format({ secret: SHORT_KEY }));
  await fails(() => format({ publicKeyFingerprint: NAME }));
  await fails(() => vault.publicKeyFingerprint(KEY));
  await fails(() => vault.hashGrantToken(CONNECTION));
});

Deno.test("failing owner's copies and grants tell neither root key nor secret", async () => {
  const scope = {
    grantId: GRANT,
    scopeAll: true,
    includeMedia: false,
    rootIds: [],
    trashFolderId: null,
    excludedIds: [],
    excludedKeyFingerprints: [],
  };
  const open = (change: object, rootKey = KEY) =>
    vault.unwrapGrantSecret({ rootKey, scope: { ...scope, ...change }, wrapped });
  await fails(() => open({}));
  await fails(() => open({}, SHORT_KEY));
  await fails(() => open({ scopeAll: NAME }));
  await fails(() => open({ rootIds: NAME }));
  await fails(() => open({ rootIds: [NAME] }));
  await fails(() => open({ excludedKeyFingerprints: [NAME] }));
  await fails(() => vault.wrapGrantSecret({ rootKey: KEY, scope, secret: SHORT_KEY }));
  const legacy = scope as unknown as legacyScope.LegacyGrantScope;
  await fails(() => legacyScope.canonicalLegacyGrantScope(legacy));
  const print = vault.keyFingerprint(KEY);
  await fails(() => grantKeys.requireNotExcluded(KEY, [print]));
  await fails(() => grantKeys.requireNotExcluded(KEY, [NAME]));
  const grant = { grantWrapKey: KEY, grantId: GRANT, excludedKeyFingerprints: [] };
  const object = { envelope: { ...envelope, v: 4 } as const, parentKey: KEY, rowId: BOUND_ROW };
  await fails(() => grantKeys.sealNameForGrant(grant, object));
});

Deno.test("failing uploads tell neither proof key nor content", async () => {
  const prove = (bytes: Uint8Array, proofKeyHex = PROOF_KEY) => {
    const proof = new UploadProofV3(proofKeyHex);
    proof.absorb(bytes);
    return proof.digest();
  };
  const head = (totalChunks: number) =>
    header({
      suite: 3,
      fileId: new Uint8Array(16),
      chunkSize: 64,
      totalChunks,
      plaintextSize: totalChunks,
      payload: join(KEY, new Uint8Array(1632)),
    }, KEY);
  await fails(() => prove(KEY, PROOF_KEY + NAME));
  await fails(() => prove(join(KEY, OTHER_KEY)));
  await fails(() => prove(head(1)));
  await fails(() => prove(join(head(0), frame(KEY))));
  await fails(() => prove(join(head(1), bigEndian(1000, 4), KEY)));
});

Deno.test("failing logins tell neither passphrase nor recovery key", async () => {
  const ownerId = OLD_ROW;
  const salt = KEY.slice(16).toBase64();
  const attempt = (change: object) =>
    ownerKeys.passphraseLogin({ ownerId, passphrase: PASSPHRASE, salt, ...change });
  await fails(() => attempt({ passphrase: PASSPHRASE + "\ud800" }));
  await fails(() => attempt({ salt: KEY.toBase64() }));
  await fails(() => attempt({ ownerId: PASSPHRASE }));
  await fails(() => ownerKeys.hashOwnerProof(KEY.toHex()));
  const typed = [
    PASSPHRASE,
    RECOVERY.slice(0, -1),
    RECOVERY.replace(/.$/, "U"),
    RECOVERY.replace(/.$/, (digit) => digit === "0" ? "2" : "0"),
    RECOVERY + "ß",
    RECOVERY.slice(5),
  ];
  for (const recoveryKey of typed) {
    await fails(() => ownerKeys.recoveryLogin({ ownerId, recoveryKey }));
  }
  await fails(() => recoveryKeys.formatRecoveryKey(SHORT_KEY));
  const login = await ownerKeys.recoveryLogin({ ownerId, recoveryKey: RECOVERY });
  const { record } = await ownerKeys.protectWithRecoveryKey({ ownerId, rootKey: KEY });
  await fails(() => ownerKeys.openRootKey({ login, record }));
});

Deno.test("refused records of a root key are not told", async () => {
  const whole = {
    v: 1,
    opens: "passphrase",
    owner: OLD_ROW,
    kdf: "argon2id-moderate",
    salt: KEY.slice(16).toBase64(),
    ...wrapped,
  };
  ownerRecord.parseOwnerRecord(JSON.stringify(whole));
  const changes = [
    { v: KEY.toHex() },
    { opens: PASSPHRASE },
    { [PASSPHRASE]: PASSPHRASE },
    { owner: PASSPHRASE },
    { wrapped: KEY.toBase64() },
    { kdf: PASSPHRASE },
    { salt: KEY.toBase64() },
  ];
  for (const change of changes) {
    await fails(() => ownerRecord.parseOwnerRecord(JSON.stringify({ ...whole, ...change })));
  }
  for (const text of [`{"${PASSPHRASE}`, JSON.stringify(PASSPHRASE), NAME.repeat(99)]) {
    await fails(() => ownerRecord.parseOwnerRecord(text));
  }
});

Deno.test("refused ids and times are not told", async () => {
  await fails(() => rowBinding.fileIdOfRow(NAME));
  await fails(() => uuidV7(NaN));
});

/** Where an error is made, or what makes one is called. */
const MADE = /(?<!function )\b(refuse|new (Vault)?CryptoError)\(/;

/** Of the formats of the vault; other parts of the folder have tests of their own. */
const FILES = [
  ...sources("vault/crypto/vault"),
  ...["grant_keys", "key_chain", "legacy_scope", "pooled_names", "owner_keys", "owner_record"]
    .concat("recovery_key", "row_binding", "shapes", "upload_proof", "uuid7")
    .map((name) => `vault/crypto/extra/${name}.ts`),
];

Deno.test("every place where an error is made was driven by the tests above", () => {
  assert.deepEqual(watch.missed(FILES, MADE), []);
});
