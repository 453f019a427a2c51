import assert from "node:assert/strict";
import {
  createRootKey,
  hashOwnerProof,
  openRootKey,
  ownerProofMatches,
  passphraseLogin,
  protectWithPassphrase,
  protectWithRecoveryKey,
  recoveryLogin,
} from "@shieldfive/crypto/extra/owner_keys.ts";
import { formatOwnerRecord, parseOwnerRecord } from "@shieldfive/crypto/extra/owner_record.ts";
import { formatRecoveryKey, parseRecoveryKey } from "@shieldfive/crypto/extra/recovery_key.ts";
import { base64url, hex, hkdf, sha256, unbase64, unhex } from "./second/primitives.ts";
import { masterSecret, unwrap, wrap } from "./second/vault.ts";
import { BOUND_ROW, OLD_ROW, refuses, testKey } from "./vault_support.ts";

const OWNER = BOUND_ROW;
const ROOT_KEY = testKey(80);
const PASSPHRASE = "correct horse battery staple";
const SALT = testKey(81).slice(0, 16).toBase64();

/** What another implementation derives: the design, written down a second time. */
function derived(ikm: Uint8Array, prefix: string) {
  const of = (purpose: string) =>
    hkdf(ikm, new TextEncoder().encode(OWNER), `shieldfive-serve/1/${prefix}${purpose}`, 32);
  return { proof: of("login-proof"), wrapKey: of("root-key-wrap") };
}
const master = masterSecret(PASSPHRASE, unbase64(SALT), "moderate");
const BY_PASSPHRASE = derived(master, "");

const login = await passphraseLogin({ ownerId: OWNER, passphrase: PASSPHRASE, salt: SALT });
const protection = await protectWithPassphrase({
  ownerId: OWNER,
  rootKey: ROOT_KEY,
  passphrase: PASSPHRASE,
});
const recovery = await protectWithRecoveryKey({ ownerId: OWNER, rootKey: ROOT_KEY });
const loginAgain = await passphraseLogin({
  ownerId: OWNER,
  passphrase: PASSPHRASE,
  salt: protection.salt,
});
const recovered = await recoveryLogin({ ownerId: OWNER, recoveryKey: recovery.recoveryKey });

Deno.test("a passphrase gives proof and key as in another implementation", async () => {
  assert.equal(login.proof, base64url(BY_PASSPHRASE.proof));
  const bound = `shieldfive-serve|1|root-key|passphrase|${OWNER}`;
  const sealed = wrap(BY_PASSPHRASE.wrapKey, testKey(1).slice(0, 12), ROOT_KEY, bound);
  const record = formatOwnerRecord({ opens: "passphrase", owner: OWNER, salt: SALT, ...sealed });
  assert.deepEqual(await openRootKey({ login, record }), ROOT_KEY);
});

Deno.test("another implementation opens what was sealed under a recovery key", () => {
  const { proof, wrapKey } = derived(parseRecoveryKey(recovery.recoveryKey), "recovery-");
  assert.equal(recovery.proof, base64url(proof));
  const bound = `shieldfive-serve|1|root-key|recovery|${OWNER}`;
  assert.deepEqual(unwrap(wrapKey, parseOwnerRecord(recovery.record), bound), ROOT_KEY);
});

Deno.test("the passphrase and the recovery key open the same root key, and sign in", async () => {
  assert.deepEqual(await openRootKey({ login: loginAgain, record: protection.record }), ROOT_KEY);
  assert.deepEqual(await openRootKey({ login: recovered, record: recovery.record }), ROOT_KEY);
  assert.equal(loginAgain.proof, protection.proof);
  assert.equal(recovered.proof, recovery.proof);
  assert.notEqual(protection.proof, recovery.proof);
});

Deno.test("each secret opens its own record alone", async () => {
  const crossed = [
    { login: loginAgain, record: recovery.record },
    { login: recovered, record: protection.record },
    { login, record: protection.record }, // the same passphrase with another salt
    { login: { ...recovered, ownerId: OLD_ROW }, record: recovery.record },
    { login: { ...recovered, secret: "passphrase" as const }, record: recovery.record },
  ];
  for (const options of crossed) await refuses("unwrap_failed", () => openRootKey(options));
});

Deno.test("a record of another owner does not open with the same recovery key", async () => {
  const { recoveryKey, record } = recovery;
  const other = await recoveryLogin({ ownerId: OLD_ROW, recoveryKey });
  assert.notEqual(other.proof, recovered.proof);
  await refuses("unwrap_failed", () => openRootKey({ login: other, record }));
  const renamed = record.replace(OWNER, OLD_ROW);
  await refuses("unwrap_failed", () => openRootKey({ login: other, record: renamed }));
});

Deno.test("a wrong passphrase gives another proof and opens nothing", async () => {
  const { salt, record } = protection;
  const passphrase = PASSPHRASE + " ";
  const wrong = await passphraseLogin({ ownerId: OWNER, passphrase, salt });
  assert.notEqual(wrong.proof, protection.proof);
  await refuses("unwrap_failed", () => openRootKey({ login: wrong, record }));
});

Deno.test("a new passphrase opens the same root key, and the old one no more", async () => {
  const rootKey = await openRootKey({ login: recovered, record: recovery.record });
  const passphrase = "Größe: e\u0301le\u0300ve";
  const renewed = await protectWithPassphrase({ ownerId: OWNER, rootKey, passphrase });
  assert.notEqual(renewed.salt, protection.salt);
  assert.notEqual(renewed.proof, protection.proof);
  await refuses("unwrap_failed", () => openRootKey({ login: loginAgain, record: renewed.record }));
  // Typed on another keyboard, which composes its accents.
  const typed = { ownerId: OWNER, passphrase: passphrase.normalize("NFC"), salt: renewed.salt };
  assert.notEqual(typed.passphrase, passphrase);
  const again = await passphraseLogin(typed);
  assert.equal(again.proof, renewed.proof);
  assert.deepEqual(await openRootKey({ login: again, record: renewed.record }), ROOT_KEY);
});

Deno.test("a new recovery key replaces the one before", async () => {
  const renewed = await protectWithRecoveryKey({ ownerId: OWNER, rootKey: ROOT_KEY });
  assert.notEqual(renewed.recoveryKey, recovery.recoveryKey);
  await refuses("unwrap_failed", () => openRootKey({ login: recovered, record: renewed.record }));
});

Deno.test("malformed secrets, salts and ids give nothing", async () => {
  const attempt = (change: object) =>
    passphraseLogin({ ownerId: OWNER, passphrase: PASSPHRASE, salt: SALT, ...change });
  for (
    const change of [
      { passphrase: "" },
      { passphrase: "half \ud83d" },
      { salt: "" },
      { salt: testKey(1).slice(0, 15).toBase64() },
      { salt: testKey(1).slice(0, 24).toBase64() },
      { salt: SALT.replace(/.==$/, "/==") },
      { salt: undefined },
      { ownerId: OWNER.toUpperCase() },
      { ownerId: "" },
    ]
  ) await refuses("invalid_input", () => attempt(change));
  const { recoveryKey } = recovery;
  await refuses("invalid_input", () => recoveryLogin({ ownerId: "me", recoveryKey }));
  const rootKey = ROOT_KEY.slice(1);
  await refuses("invalid_input", () => protectWithRecoveryKey({ ownerId: OWNER, rootKey }));
  await refuses(
    "invalid_input",
    () => protectWithPassphrase({ ownerId: OWNER, rootKey, passphrase: PASSPHRASE }),
  );
});

Deno.test("the key that opens the root key cannot be read out of a login", async () => {
  assert.equal(login.wrapKey.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("raw", login.wrapKey));
  const text = JSON.stringify(login) + Deno.inspect(login, { depth: 9 });
  for (const shown of [hex(BY_PASSPHRASE.wrapKey), BY_PASSPHRASE.wrapKey.toBase64()]) {
    assert.ok(!text.includes(shown));
  }
});

Deno.test("a server knows a proof by a hash that signs nobody in", async () => {
  const hash = hashOwnerProof(login.proof);
  assert.equal(hash, hex(sha256(BY_PASSPHRASE.proof)));
  assert.ok(ownerProofMatches(login.proof, hash));
  const proofs = [hash, "", login.proof + "=", login.proof.slice(1), recovery.proof, null, 7];
  for (const proof of proofs) assert.ok(!ownerProofMatches(proof, hash));
  for (const stored of ["", hash.toUpperCase(), hash.slice(2)]) {
    assert.ok(!ownerProofMatches(login.proof, stored));
  }
  await refuses("invalid_input", () => hashOwnerProof(hash));
});

Deno.test("every root key is another", () => {
  assert.equal(createRootKey().length, 32);
  assert.notDeepEqual(createRootKey(), createRootKey());
});

Deno.test("a record is read as it is written, and in no other form", async () => {
  for (const text of [protection.record, recovery.record]) {
    assert.equal(formatOwnerRecord(parseOwnerRecord(text)), text);
  }
  const fields = JSON.parse(protection.record);
  const recoveryFields = JSON.parse(recovery.record);
  const { salt: _, ...saltless } = fields;
  for (
    const value of [
      null,
      [],
      [fields],
      {},
      saltless,
      { ...fields, v: 2 },
      { ...fields, v: "1" },
      { ...fields, extra: 1 },
      { ...fields, opens: "both" },
      { ...fields, opens: "recovery" },
      { ...fields, owner: OWNER.toUpperCase() },
      { ...fields, kdf: "argon2id-interactive" },
      { ...fields, kdf: "argon2id-sensitive" },
      { ...fields, salt: fields.salt.slice(4) },
      { ...fields, salt: fields.wrapped },
      { ...fields, salt: null },
      { ...fields, iv: fields.iv + "AAAA" },
      { ...fields, wrapped: fields.wrapped.slice(4) },
      { ...fields, wrapped: fields.wrapped.replace(/^./, "-") },
      { ...recoveryFields, opens: "passphrase" },
      { ...recoveryFields, salt: fields.salt },
      { ...recoveryFields, kdf: fields.kdf },
    ]
  ) await refuses("invalid_owner_record", () => parseOwnerRecord(JSON.stringify(value)));
  const { record } = protection;
  for (const text of ["", "{", record.slice(1), record + " ".repeat(1024), undefined, fields]) {
    await refuses("invalid_owner_record", () => parseOwnerRecord(text));
  }
});

Deno.test("a record with any bit changed does not open", async () => {
  for (const field of ["wrapped", "iv"] as const) {
    const fields = JSON.parse(recovery.record);
    const bytes = Uint8Array.fromBase64(fields[field]);
    for (let bit = 0; bit < bytes.length * 8; bit += 5) {
      const changed = bytes.slice();
      changed[bit >> 3] ^= 1 << (bit & 7);
      const record = JSON.stringify({ ...fields, [field]: changed.toBase64() });
      await refuses("unwrap_failed", () => openRootKey({ login: recovered, record }));
    }
  }
});

// 35 bytes of key and checksum, written down by another program.
const WRITTEN = {
  key: testKey(2),
  text: "SFR1-084H-05RY-4MP3-6EJ1-917N-CQB4-DDS7-K047-HTAS-S8XA-P6WB-ZHPD-TKDK-SVF7",
};

Deno.test("a recovery key is written in groups that another program can make", () => {
  assert.equal(formatRecoveryKey(WRITTEN.key), WRITTEN.text);
  assert.deepEqual(parseRecoveryKey(WRITTEN.text), WRITTEN.key);
  assert.match(recovery.recoveryKey, /^SFR1(-[0-9A-HJKMNP-TV-Z]{4}){14}$/);
  for (const key of [new Uint8Array(32), new Uint8Array(32).fill(0xff)]) {
    assert.deepEqual(parseRecoveryKey(formatRecoveryKey(key)), key);
  }
});

Deno.test("what people confuse when they type a recovery key is taken as meant", () => {
  const { key, text } = WRITTEN;
  const confused = text.replaceAll("0", "O").replaceAll("1", "l");
  for (
    const typed of [
      text.toLowerCase(),
      text.replaceAll("-", ""),
      text.replaceAll("-", " "),
      text.replaceAll("-", "\u2013"),
      text.replaceAll("-", "-\n  "),
      `\ufeff ${text}\u200b`,
      confused,
      confused.toLowerCase(),
      text.replaceAll("1", "I"),
      text.replaceAll("1", "i"),
    ]
  ) assert.deepEqual(parseRecoveryKey(typed), key);
  assert.ok(/0/.test(text) && /1/.test(text.slice(4)), "the example has what can be confused");
});

Deno.test("a mistyped recovery key is refused", async () => {
  const { text } = WRITTEN;
  const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const wrong = new Set<string>();
  for (let at = 5; at < text.length; at++) {
    if (text[at] === "-") continue;
    for (const digit of digits) wrong.add(text.slice(0, at) + digit + text.slice(at + 1));
    wrong.add(text.slice(0, at) + text.slice(at + 1));
    wrong.add(text.slice(0, at) + text[at] + text.slice(at));
    wrong.add(text.slice(0, at) + "U" + text.slice(at + 1));
    const next = text[at + 1] === "-" ? at + 2 : at + 1;
    if (next < text.length) {
      const swapped = [...text];
      [swapped[at], swapped[next]] = [swapped[next], swapped[at]];
      wrong.add(swapped.join(""));
    }
  }
  const groups = text.split("-");
  for (let i = 1; i < groups.length - 1; i++) {
    wrong.add(groups.with(i, groups[i + 1]).with(i + 1, groups[i]).join("-"));
  }
  wrong.delete(text);
  assert.ok(wrong.size > 1800);
  for (const typed of wrong) await refuses("invalid_recovery_key", () => parseRecoveryKey(typed));
});

Deno.test("what is no recovery key is refused", async () => {
  const { text } = WRITTEN;
  const connection = "sf-grant-v1:" + OLD_ROW;
  for (
    const typed of [
      "",
      "SFR1",
      text.slice(5),
      text.replace("SFR1", "SFR2"),
      text + "-0000",
      text.replace(/.$/, "ß"),
      text.replace("-", "_"),
      connection,
      PASSPHRASE,
      " ".repeat(2000) + text,
      undefined,
      null,
    ]
  ) await refuses("invalid_recovery_key", () => parseRecoveryKey(typed as string));
  await refuses("invalid_input", () => formatRecoveryKey(unhex("00")));
});
