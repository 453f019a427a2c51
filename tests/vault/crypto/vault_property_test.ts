import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decryptName,
  encryptNameV6,
  formatConnectionString,
  parseConnectionString,
  parseNameEnvelope,
  unwrapChainKey,
  unwrapGrantSecret,
  unwrapKeyForGrant,
  wrapChainKey,
  wrapGrantSecret,
  wrapKeyForGrant,
} from "@shieldfive/crypto/vault";
import { formatOwnerRecord, parseOwnerRecord } from "@shieldfive/crypto/extra/owner_record.ts";
import { formatRecoveryKey, parseRecoveryKey } from "@shieldfive/crypto/extra/recovery_key.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { flipped } from "./patterned.ts";
import { instantly, refuses } from "./vault_support.ts";

const SETTINGS = { seed: 20_261_130, numRuns: 150 };

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((key) => new Uint8Array(key));
const ids = fc.uuid();
const names = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
const fingerprints = keys.map((key) => key.toHex());
const kinds = fc.constantFrom("folder", "file", "file_pq", "name");

function property<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof Values]: fc.Arbitrary<Values[K]> },
  check: (...values: Values) => Promise<void> | void,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(...arbitraries, async (...values: Values) => await check(...values)),
    SETTINGS,
  );
}

/** The base64 text with one of its bits turned over. */
function turned(text: string, bit: number): string {
  const bytes = Uint8Array.fromBase64(text);
  return flipped(bytes, bit % (bytes.length * 8)).toBase64();
}

Deno.test("any name comes back from its envelope, through its text", async () => {
  await property([names, keys, ids], async (name, folderKey, rowId) => {
    const sealed = await encryptNameV6({ name, folderKey, rowId }, instantly);
    const envelope = parseNameEnvelope(JSON.stringify(sealed));
    assert.ok(envelope);
    assert.equal(await decryptName({ envelope, folderKey, rowId }, instantly), name);
  });
});

Deno.test("an envelope with any bit turned over does not open", async () => {
  const fields = fc.constantFrom("ct", "iv", "tag");
  await property(
    [names, keys, ids, fields, fc.nat(100_000)],
    async (name, folderKey, rowId, field, bit) => {
      const sealed = await encryptNameV6({ name, folderKey, rowId }, instantly);
      const envelope = { ...sealed, [field]: turned(sealed[field], bit) };
      await refuses(
        "name_decrypt_failed",
        () => decryptName({ envelope, folderKey, rowId }, instantly),
      );
    },
  );
});

Deno.test("any text is an envelope that is written back the same, or none", async () => {
  const texts = fc.oneof(fc.json(), fc.string({ maxLength: 500 }));
  const shaped = fc.record({
    v: fc.constantFrom(4, 6, 5, "6", null),
    ct: fc.oneof(fc.base64String(), fc.string(), fc.integer()),
    iv: fc.base64String(),
    tag: fc.base64String(),
    salt: fc.base64String(),
    kdf: fc.constantFrom("interactive", "moderate", "sensitive"),
  }, { requiredKeys: [] }).map((value) => JSON.stringify(value));
  await property([fc.oneof(texts, shaped), keys, ids], async (text, folderKey, rowId) => {
    const envelope = parseNameEnvelope(text);
    if (envelope === null) return;
    assert.deepEqual(parseNameEnvelope(JSON.stringify(envelope)), envelope);
    await assert.rejects(
      decryptName({ envelope, folderKey, rowId }, instantly),
      (error) =>
        error instanceof CryptoError &&
        ["unsupported_envelope", "name_decrypt_failed"].includes(error.code),
    );
  });
});

Deno.test("any wrap opens where it was made, and with any bit turned over nowhere", async () => {
  await property(
    [keys, keys, ids, ids, kinds, fc.nat(383), fc.nat(95)],
    async (parent, key, grantId, objectId, kind, bit, ivBit) => {
      const wrapped = await wrapChainKey(parent, key);
      assert.deepEqual(await unwrapChainKey(parent, wrapped), key);
      const place = { grantWrapKey: parent, grantId, kind, objectId } as const;
      const granted = await wrapKeyForGrant({ ...place, key });
      assert.deepEqual(await unwrapKeyForGrant({ ...place, wrapped: granted }), key);

      const spoiled = ({ wrapped, iv }: typeof granted) => [
        { wrapped: turned(wrapped, bit), iv },
        { wrapped, iv: turned(iv, ivBit) },
      ];
      for (const bad of spoiled(wrapped)) {
        await refuses("unwrap_failed", () => unwrapChainKey(parent, bad));
      }
      for (const bad of [...spoiled(granted), wrapped]) {
        await refuses("unwrap_failed", () => unwrapKeyForGrant({ ...place, wrapped: bad }));
      }
      await refuses("unwrap_failed", () => unwrapChainKey(parent, granted));
    },
  );
});

Deno.test("any owner's copy opens for its scope in any order, and for no other", async () => {
  const scopes = fc.record({
    grantId: ids,
    scopeAll: fc.boolean(),
    includeMedia: fc.boolean(),
    rootIds: fc.array(ids, { maxLength: 4 }),
    trashFolderId: fc.option(ids, { nil: null }),
    excludedIds: fc.array(ids, { maxLength: 4 }),
    excludedKeyFingerprints: fc.array(fingerprints, { maxLength: 4 }),
  });
  await property([keys, keys, scopes, scopes], async (rootKey, secret, scope, other) => {
    const wrapped = await wrapGrantSecret({ rootKey, scope, secret });
    const shuffled = {
      ...scope,
      rootIds: [...scope.rootIds, ...scope.rootIds.toReversed()],
      excludedKeyFingerprints: scope.excludedKeyFingerprints.toReversed(),
    };
    assert.deepEqual(await unwrapGrantSecret({ rootKey, scope: shuffled, wrapped }), secret);
    // One field of another scope, with the grant kept the same.
    for (const field of Object.keys(scope) as (keyof typeof scope)[]) {
      if (JSON.stringify(scope[field]) === JSON.stringify(other[field])) continue;
      const changed = { ...scope, [field]: other[field] };
      await refuses("unwrap_failed", () => unwrapGrantSecret({ rootKey, scope: changed, wrapped }));
    }
  });
});

const credentials = fc.record({
  grantId: ids,
  token: keys,
  secret: keys,
  publicKeyFingerprint: fingerprints,
}, { noNullPrototype: true });

Deno.test("any connection string has one reading, and any other text another", async () => {
  const change = fc.tuple(fc.nat(200), fc.string({ unit: "binary-ascii", maxLength: 2 }));
  await property([credentials, change], (credential, [at, piece]) => {
    const text = formatConnectionString(credential);
    assert.deepEqual(parseConnectionString(text), credential);
    const changed = (text.slice(0, at) + piece + text.slice(at + 1)).trim();
    let read;
    try {
      read = parseConnectionString(changed);
    } catch (error) {
      assert.equal((error as CryptoError).code, "invalid_connection_string");
      return;
    }
    // What is read is exactly what was written: a changed text is another credential.
    assert.equal(formatConnectionString(read), changed);
  });
});

Deno.test("any recovery key is read as typed, and with any bit turned over refused", async () => {
  const separators = fc.constantFrom("-", "", " ", "\n");
  await property([keys, separators, fc.nat(279)], async (key, separator, bit) => {
    const text = formatRecoveryKey(key);
    const typed = text.toLowerCase().replaceAll("-", separator);
    assert.deepEqual(parseRecoveryKey(typed), key);
    const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const at = 5 + Math.floor(bit / 5) + Math.floor(bit / 20);
    const wrong = digits[digits.indexOf(text[at]) ^ 1 << bit % 5];
    const mistyped = text.slice(0, at) + wrong + text.slice(at + 1);
    await refuses("invalid_recovery_key", () => parseRecoveryKey(mistyped));
  });
});

Deno.test("no text makes a parser of secrets fail in another way than it says", async () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.json(),
    fc.string({ maxLength: 80 }).map((text) => `SFR1-${text}`),
    fc.string({ maxLength: 200 }).map((text) => `sf-grant-v1:${text}`),
  );
  await property([texts], async (text) => {
    await refuses("invalid_recovery_key", () => parseRecoveryKey(text));
    await refuses("invalid_connection_string", () => parseConnectionString(text));
    await refuses("invalid_owner_record", () => parseOwnerRecord(text));
  });
});

Deno.test("any record of a root key is read as it is written", async () => {
  await property([ids, keys, keys, fc.boolean()], async (owner, parent, key, recovery) => {
    const wrapped = await wrapChainKey(parent, key);
    const salt = key.slice(16).toBase64();
    const text = formatOwnerRecord(
      recovery
        ? { opens: "recovery", owner, ...wrapped }
        : { opens: "passphrase", owner, salt, ...wrapped },
    );
    assert.equal(formatOwnerRecord(parseOwnerRecord(text)), text);
  });
});

Deno.test("ids sort as their times do", async () => {
  const times = fc.nat(2 ** 31 - 1).map((seconds) => seconds * 1000);
  await property([times, times], (one, two) => {
    if (one !== two) assert.equal(uuidV7(one) < uuidV7(two), one < two);
  });
});
