import assert from "node:assert/strict";
import {
  decryptName,
  decryptNameWithKey,
  deriveNameKey,
  deriveNameKeyForEnvelope,
  encryptNameV6,
  type NameEnvelope,
  type NameKdfLevel,
  parseNameEnvelope,
} from "@shieldfive/crypto/vault";
import { decryptPooledName } from "@shieldfive/crypto/extra/pooled_names.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import type { NameKeyDeriver } from "../../../vault/crypto/vault/name_key.ts";
import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import * as second from "./second/vault.ts";
import { unhex } from "./second/primitives.ts";
import { BOUND_ROW, instantly, OLD_ROW, refuses, testKey } from "./vault_support.ts";

const FOLDER_KEY = testKey(1);
const SALT = testKey(5).slice(0, 16);
const IV = testKey(6).slice(0, 12);
// Derived once from the two above with another implementation.
const KEYS: Record<NameKdfLevel, Uint8Array> = {
  interactive: unhex("71aa8b3fd1ac72d20371dcb028c0d84e59b8bde89e7a862fffa855416a8ce234"),
  moderate: unhex("bfa76312caf79b838b6b8e17c09e46ba1797024a4580ad58f6ae7e999e65ef57"),
};
const NAME = "résumé 2026.txt";

/** A name sealed by another implementation at a level, under a label that may say otherwise. */
function sealed(
  { name = NAME, at = "interactive", kdf, rowId = BOUND_ROW }: {
    name?: string | Uint8Array;
    at?: NameKdfLevel;
    kdf?: NameKdfLevel;
    rowId?: string | null;
  } = {},
): NameEnvelope {
  return second.sealName({
    key: KEYS[at],
    name: typeof name === "string" ? new TextEncoder().encode(name) : name,
    iv: IV,
    salt: SALT,
    rowId: rowId ?? undefined,
    kdf,
  });
}

/** A deriver that knows the keys above, and what it was asked for. */
function knowing(): { derive: NameKeyDeriver; asked: NameKdfLevel[] } {
  const asked: NameKdfLevel[] = [];
  return {
    asked,
    derive(_folderKey, _salt, level) {
      asked.push(level);
      return Promise.resolve(new Uint8Array(KEYS[level]));
    },
  };
}

const open = (envelope: NameEnvelope, rowId: string | undefined, deriver = knowing().derive) =>
  decryptName({ envelope, folderKey: FOLDER_KEY, rowId }, deriver);

Deno.test("a name key is what another implementation derives, at both levels", async () => {
  for (const level of ["interactive", "moderate"] as const) {
    assert.deepEqual(await deriveNameKey(FOLDER_KEY, SALT, level), KEYS[level]);
  }
});

Deno.test("a name key takes a whole key, a whole salt and a level that exists", async () => {
  await refuses("invalid_input", () => deriveNameKey(new Uint8Array(31), SALT, "interactive"));
  await refuses("invalid_input", () => deriveNameKey(FOLDER_KEY, SALT.slice(1), "interactive"));
  for (const level of ["sensitive", "toString", ""]) {
    await refuses("invalid_input", () => deriveNameKey(FOLDER_KEY, SALT, level as NameKdfLevel));
  }
});

Deno.test("names sealed elsewhere open: bound and unbound, with and without a label", async () => {
  for (const rowId of [BOUND_ROW, null]) {
    for (const kdf of [undefined, "interactive"] as const) {
      assert.equal(await open(sealed({ rowId, kdf }), BOUND_ROW), NAME);
    }
    for (const kdf of [undefined, "moderate"] as const) {
      assert.equal(await open(sealed({ rowId, kdf, at: "moderate" }), BOUND_ROW), NAME);
    }
  }
  assert.equal(await open(sealed({ rowId: null }), undefined), NAME);
});

Deno.test("without a deriver a name is opened with its own derivation", async () => {
  const options = { envelope: sealed(), folderKey: FOLDER_KEY, rowId: BOUND_ROW };
  assert.equal(await decryptName(options), NAME);
});

Deno.test("a label never makes opening dearer than two levels, the cheap one first", async () => {
  const cost = async (envelope: NameEnvelope) => {
    const { derive, asked } = knowing();
    const name = await open(envelope, BOUND_ROW, derive).catch((error) => error.code);
    return { name, asked };
  };
  const both = ["interactive", "moderate"];
  const label = (kdf: string) => ({ ...sealed({ at: "moderate" }), kdf: kdf as NameKdfLevel });

  assert.deepEqual(await cost(sealed({ kdf: "moderate" })), { name: NAME, asked: ["interactive"] });
  assert.deepEqual(await cost(sealed({ at: "moderate" })), { name: NAME, asked: both });
  assert.deepEqual(await cost(label("moderate")), { name: NAME, asked: both });
  assert.deepEqual(await cost(label("sensitive")), { name: NAME, asked: both });
  assert.deepEqual(await cost(label("interactive")), {
    name: "name_decrypt_failed",
    asked: ["interactive"],
  });
});

Deno.test("a bound name opens in its row alone, and its id has one spelling", async () => {
  const other = BOUND_ROW.replace(/.$/, "c");
  for (const rowId of [other, BOUND_ROW.toUpperCase(), OLD_ROW]) {
    await refuses("name_decrypt_failed", () => open(sealed({ kdf: "interactive" }), rowId));
  }
  for (const rowId of [undefined, ""]) {
    await refuses("invalid_input", () => open(sealed(), rowId));
  }
});

Deno.test("nothing is derived for an envelope that cannot open", async () => {
  const { derive, asked } = knowing();
  const whole = sealed();
  for (
    const change of [
      { iv: whole.salt },
      { salt: whole.iv },
      { tag: whole.iv },
      { tag: "" },
      { ct: "A" },
      { ct: "A".repeat(8196) },
      { ct: whole.ct.replace(/^./, "-") },
      { tag: whole.tag.replace(/.==$/, "B==") }, // unused bits that are not zero
      { v: 5 },
      { v: "6" },
      { ct: null },
    ]
  ) {
    const envelope = { ...whole, ...change } as NameEnvelope;
    await refuses("unsupported_envelope", () => open(envelope, BOUND_ROW, derive));
  }
  await refuses("invalid_input", () => open(whole, undefined, derive));
  await refuses(
    "invalid_input",
    () => decryptName({ envelope: whole, folderKey: SALT, rowId: BOUND_ROW }, derive),
  );
  assert.deepEqual(asked, []);
});

Deno.test("a name that is no UTF-8 does not come back as other text", async () => {
  for (const name of [[0xff], [0x61, 0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
    const envelope = sealed({ name: Uint8Array.from(name) });
    await refuses("name_decrypt_failed", () => open(envelope, BOUND_ROW));
    const options = { envelope, nameKey: KEYS.interactive, rowId: BOUND_ROW };
    await refuses("name_decrypt_failed", () => decryptNameWithKey(options));
  }
});

const NAMES = {
  emoji: "👩‍👩‍👧‍👦 holiday 🏝️.jpg",
  "combining marks": "e\u0301 Z\u0351\u036b\u0343",
  "255 bytes": "ж".repeat(127) + "x",
  "changed direction": "\u202egnp.exe\u202c",
  "byte order mark": "\ufeffnotes.txt",
  controls: "a\u0000b\u001b[31m\r\n\t",
  "one character": "x",
  "not in composed form": "\u212b\u1e9b\u0323",
};

Deno.test("names come back byte for byte, here and in another implementation", async () => {
  for (const [what, name] of Object.entries(NAMES)) {
    const envelope = await encryptNameV6(
      { name, folderKey: FOLDER_KEY, rowId: BOUND_ROW },
      instantly,
    );
    const stored = parseNameEnvelope(JSON.stringify(envelope));
    assert.deepEqual(stored, envelope, what);
    assert.equal(await open(envelope, BOUND_ROW, instantly), name, what);
    assert.equal(second.openName(FOLDER_KEY, envelope, BOUND_ROW), name, what);
  }
});

Deno.test("a name is sealed at the cheap level, for its row, differently each time", async () => {
  const seal = () => encryptNameV6({ name: NAME, folderKey: FOLDER_KEY, rowId: BOUND_ROW });
  const [one, two] = [await seal(), await seal()];
  assert.equal(one.v, 6);
  assert.equal(one.kdf, "interactive");
  for (const field of ["ct", "iv", "tag", "salt"] as const) assert.notEqual(one[field], two[field]);
  const options = { envelope: one, folderKey: FOLDER_KEY, rowId: BOUND_ROW };
  assert.equal(await decryptName(options), NAME);
});

Deno.test("what a reader would refuse is not sealed", async () => {
  const seal = (change: object) =>
    encryptNameV6({ name: NAME, folderKey: FOLDER_KEY, rowId: BOUND_ROW, ...change }, instantly);
  for (
    const change of [
      { name: "" },
      { name: "half \ud83d" },
      { name: undefined },
      { rowId: BOUND_ROW.toUpperCase() },
      { rowId: "" },
      { rowId: "row-1" },
      { folderKey: SALT },
    ]
  ) await refuses("invalid_input", () => seal(change));

  const longest = "x".repeat(6048);
  const envelope = await seal({ name: longest });
  assert.ok(JSON.stringify(envelope).length > 8192 - 4, "the limit is as high as it can be");
  assert.deepEqual(parseNameEnvelope(JSON.stringify(envelope)), envelope);
  await refuses("invalid_input", () => seal({ name: longest + "x" }));
  await refuses("invalid_input", () => seal({ name: "ж".repeat(3025) }));
  await refuses("invalid_input", () => seal({ name: "x".repeat(10_000_000) }));
});

Deno.test("texts that are no envelope are told from envelopes", () => {
  const envelope = sealed({ kdf: "interactive" });
  const { tag: _, ...tagless } = envelope;
  const padded = JSON.stringify(envelope).padEnd(8192);
  assert.deepEqual(parseNameEnvelope(padded), envelope);
  const dearer = sealed({ at: "moderate", kdf: "moderate" });
  assert.deepEqual(parseNameEnvelope(JSON.stringify(dearer)), dearer);
  for (
    const text of [
      "",
      padded + " ",
      "null",
      "6",
      '"6"',
      "[".repeat(8000),
      "v2|abc|def",
      JSON.stringify([envelope]),
      JSON.stringify(tagless),
      JSON.stringify({ ...envelope, kdf: "sensitive" }),
      JSON.stringify({ ...envelope, kdf: null }),
      JSON.stringify({ ...envelope, v: 5 }),
      JSON.stringify({ ...envelope, v: 3 }),
      JSON.stringify({ ...envelope, v: "6" }),
      JSON.stringify({ ...envelope, ct: 1 }),
      JSON.stringify({ ...envelope, salt: null }),
    ]
  ) assert.equal(parseNameEnvelope(text), null, text.slice(0, 80));
  assert.equal(parseNameEnvelope(envelope as unknown as string), null);
});

Deno.test("an envelope keeps its known fields alone", () => {
  const text = `{"__proto__":{"kdf":"moderate"},"extra":1,${JSON.stringify(sealed()).slice(1)}`;
  const envelope = parseNameEnvelope(text);
  assert.deepEqual(envelope, sealed());
  assert.equal(envelope?.kdf, undefined);
});

Deno.test("the key of an envelope is that of the level at which it was sealed", async () => {
  const derived = (envelope: NameEnvelope) =>
    deriveNameKeyForEnvelope(
      { envelope, parentKey: FOLDER_KEY, rowId: BOUND_ROW },
      knowing().derive,
    );
  assert.deepEqual(await derived(sealed({ kdf: "moderate" })), KEYS.interactive);
  assert.deepEqual(await derived(sealed({ at: "moderate" })), KEYS.moderate);
  await refuses("name_decrypt_failed", () => derived(sealed({ rowId: OLD_ROW })));
  const nameKey = await derived(sealed());
  const opened = await decryptNameWithKey({ envelope: sealed(), nameKey, rowId: BOUND_ROW });
  assert.equal(opened, NAME);
});

Deno.test("name keys are wiped after use", async () => {
  const given: Uint8Array[] = [];
  const watched: NameKeyDeriver = async (...request) => {
    const key = new Uint8Array(await knowing().derive(...request));
    given.push(key);
    return key;
  };
  await open(sealed({ at: "moderate" }), BOUND_ROW, watched);
  await refuses("name_decrypt_failed", () => open(sealed(), OLD_ROW, watched));
  await encryptNameV6({ name: NAME, folderKey: FOLDER_KEY, rowId: BOUND_ROW }, watched);
  assert.equal(given.length, 5);
  for (const key of given) assert.ok(key.every((byte) => byte === 0));
});

/** A pool whose derivations take no time, and how many it did. */
function countingPool(): { pool: KeyDerivationPool; done: () => number } {
  let count = 0;
  const pool = new KeyDerivationPool({
    keptResults: 1, // so that what is not derived again is not for having been kept
    backend: {
      concurrency: 2,
      derive({ memoryKiB }) {
        count++;
        const level = memoryKiB === 65_536 ? "interactive" : "moderate";
        return Promise.resolve(new Uint8Array(KEYS[level]));
      },
    },
  });
  return { pool, done: () => count };
}

Deno.test("a pool derives once for a thousand envelopes with one salt", async () => {
  const { pool, done } = countingPool();
  const names = Array.from({ length: 1000 }, (_, i) => `file ${i}`);
  const opened = await Promise.all(
    names.map((name) =>
      open(sealed({ name, kdf: "interactive" }), BOUND_ROW, pooledNameKeys(pool))
    ),
  );
  assert.deepEqual(opened, names);
  assert.equal(done(), 1);
});

Deno.test("a name that did not open is not derived for again, and another one is", async () => {
  const { pool, done } = countingPool();
  const damaged = { ...sealed(), tag: "AAAAAAAAAAAAAAAAAAAAAA==" };
  const options = { envelope: damaged, folderKey: FOLDER_KEY, rowId: BOUND_ROW };
  for (let i = 0; i < 3; i++) {
    await refuses("name_decrypt_failed", () => decryptPooledName(pool, options));
    assert.equal(done(), 2);
  }
  assert.equal(await decryptPooledName(pool, { ...options, envelope: sealed() }), NAME);
});

Deno.test("waiting for a pooled name can be given up, and is not remembered", async () => {
  const { pool } = countingPool();
  const options = { envelope: sealed(), folderKey: FOLDER_KEY, rowId: BOUND_ROW };
  const reason = new Error("enough");
  await assert.rejects(decryptPooledName(pool, options, AbortSignal.abort(reason)), reason);
  assert.equal(await decryptPooledName(pool, options), NAME);
});
