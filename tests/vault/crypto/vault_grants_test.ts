import assert from "node:assert/strict";
import {
  createGrantCredential,
  decryptNameWithKey,
  deriveGrantWrapKey,
  formatConnectionString,
  GRANT_CONNECTION_PREFIX,
  grantBearerToken,
  type GrantCredential,
  type GrantKeyKind,
  hashGrantToken,
  keyFingerprint,
  type NameEnvelope,
  parseConnectionString,
  publicKeyFingerprint,
  unwrapKeyForGrant,
  wrapKeyForGrant,
} from "@shieldfive/crypto/vault";
import {
  requireNotExcluded,
  sealKeyForGrant,
  sealNameForGrant,
} from "@shieldfive/crypto/extra/grant_keys.ts";
import * as second from "./second/vault.ts";
import { base64url, hex, sha256 } from "./second/primitives.ts";
import { BOUND_ROW, GRANT, instantly, OLD_ROW, refuses, testKey } from "./vault_support.ts";

const PUBLIC_KEY = Uint8Array.from({ length: 1568 }, (_, i) => (11 + i) & 0xff);
const CREDENTIAL: GrantCredential = {
  grantId: GRANT,
  token: testKey(20),
  secret: testKey(30),
  publicKeyFingerprint: hex(sha256(PUBLIC_KEY)),
};
const CONNECTION = second.connectionString({ ...CREDENTIAL, publicKey: PUBLIC_KEY });

Deno.test("a connection string that another implementation made is read and written", () => {
  assert.deepEqual(parseConnectionString(CONNECTION), CREDENTIAL);
  assert.equal(formatConnectionString(CREDENTIAL), CONNECTION);
  assert.equal(CONNECTION.length, 201);
});

Deno.test("white space around a connection string is ignored, and none inside", async () => {
  assert.deepEqual(parseConnectionString(`\r\n\t ${CONNECTION}\u00a0\n`), CREDENTIAL);
  for (const at of [5, 12, 30, 49, 60, 100, 150]) {
    const text = CONNECTION.slice(0, at) + " " + CONNECTION.slice(at);
    await refuses("invalid_connection_string", () => parseConnectionString(text));
  }
});

Deno.test("a connection string has one spelling", async () => {
  const [id, token, secret, print] = CONNECTION.slice(GRANT_CONNECTION_PREFIX.length).split(".");
  const of = (...parts: string[]) => GRANT_CONNECTION_PREFIX + parts.join(".");
  assert.equal(of(id, token, secret, print), CONNECTION);
  /** The other 3 texts that a careless decoder takes for the same bytes. */
  const loose = (text: string) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = digits.indexOf(text.at(-1)!);
    return [1, 2, 3].map((unused) => text.slice(0, -1) + digits[last | unused]);
  };
  const spellings = [
    "",
    CONNECTION.slice(GRANT_CONNECTION_PREFIX.length),
    CONNECTION.toUpperCase(),
    CONNECTION.replace("v1", "v2"),
    "x" + CONNECTION,
    of(id, token, secret),
    of(id, token, secret, print, ""),
    of(id, token, secret, print, "a", "b"),
    of(id.toUpperCase(), token, secret, print),
    of(`{${id}}`, token, secret, print),
    of(id.replaceAll("-", ""), token, secret, print),
    of(id, token, secret, print.toUpperCase()),
    of(id, token, secret, print.slice(2)),
    of(id, token, secret, print + "00"),
    of(id, token + "=", secret, print),
    of(id, token, secret + "=", print),
    of(id, token.slice(0, -1), secret, print),
    of(id, token + "A", secret, print),
    of(id, "", secret, print),
    of(id, "+" + token.slice(1), secret, print),
    of(id, token, secret.slice(0, -1) + "/", print),
    ...loose(token).map((text) => of(id, text, secret, print)),
    ...loose(secret).map((text) => of(id, token, text, print)),
  ];
  for (const text of spellings) {
    await refuses("invalid_connection_string", () => parseConnectionString(text));
  }
  for (const value of [undefined, null, 7, CREDENTIAL] as unknown[]) {
    await refuses("invalid_connection_string", () => parseConnectionString(value as string));
  }
});

Deno.test("a credential with a malformed part has no connection string", async () => {
  for (
    const change of [
      { grantId: GRANT.toUpperCase() },
      { token: testKey(1).slice(1) },
      { secret: new Uint8Array(33) },
      { publicKeyFingerprint: CREDENTIAL.publicKeyFingerprint.toUpperCase() },
      { publicKeyFingerprint: "" },
    ]
  ) await refuses("invalid_input", () => formatConnectionString({ ...CREDENTIAL, ...change }));
});

Deno.test("a new credential has a fresh token and secret and pins the public key", async () => {
  const make = () => createGrantCredential({ grantId: GRANT, mlKemPublicKey: PUBLIC_KEY });
  const [one, two] = [make(), make()];
  assert.equal(one.grantId, GRANT);
  assert.equal(one.publicKeyFingerprint, CREDENTIAL.publicKeyFingerprint);
  assert.deepEqual(parseConnectionString(formatConnectionString(one)), one);
  const drawn = [one.token, one.secret, two.token, two.secret].map(hex);
  assert.equal(new Set(drawn).size, 4);
  const of = (grantId: string, mlKemPublicKey: Uint8Array) => () =>
    createGrantCredential({ grantId, mlKemPublicKey });
  await refuses("invalid_input", of(GRANT.toUpperCase(), PUBLIC_KEY));
  await refuses("invalid_input", of(GRANT, PUBLIC_KEY.slice(1)));
  await refuses("invalid_input", () => publicKeyFingerprint(new Uint8Array(3168)));
});

Deno.test("a server knows a token by the hash of its bytes", async () => {
  const bearer = grantBearerToken(CREDENTIAL);
  assert.equal(bearer, base64url(CREDENTIAL.token));
  assert.equal(hashGrantToken(bearer), hex(sha256(CREDENTIAL.token)));
  for (const text of ["", bearer + "=", bearer.slice(1), ` ${bearer}`, "!".repeat(43), undefined]) {
    await refuses("invalid_input", () => hashGrantToken(text as string));
  }
  await refuses("invalid_input", () => grantBearerToken({ token: new Uint8Array(31) }));
});

const PLACE = {
  grantWrapKey: second.grantWrapKey(CREDENTIAL.secret, GRANT),
  grantId: GRANT,
  kind: "folder",
  objectId: OLD_ROW,
} as const;
const KEY = testKey(40);
const KINDS: GrantKeyKind[] = ["folder", "file", "file_pq", "name"];

Deno.test("the wrap key is what another implementation derives from the secret", async () => {
  assert.deepEqual(await deriveGrantWrapKey(CREDENTIAL.secret, GRANT), PLACE.grantWrapKey);
  await refuses("invalid_input", () => deriveGrantWrapKey(new Uint8Array(31), GRANT));
  await refuses("invalid_input", () => deriveGrantWrapKey(CREDENTIAL.secret, "grant"));
});

Deno.test("wraps of every kind pass between this and another implementation", async () => {
  for (const kind of KINDS) {
    const aad = second.grantAad(GRANT, kind, OLD_ROW);
    const wrapped = await wrapKeyForGrant({ ...PLACE, kind, key: KEY });
    assert.deepEqual(second.unwrap(PLACE.grantWrapKey, wrapped, aad), KEY);
    const theirs = second.wrap(PLACE.grantWrapKey, testKey(8).slice(0, 12), KEY, aad);
    assert.deepEqual(await unwrapKeyForGrant({ ...PLACE, kind, wrapped: theirs }), KEY);
  }
});

Deno.test("a wrap opens for its own grant, kind, object and secret alone", async () => {
  const wrapped = await wrapKeyForGrant({ ...PLACE, key: KEY });
  for (
    const change of [
      ...KINDS.filter((kind) => kind !== "folder").map((kind) => ({ kind })),
      { objectId: BOUND_ROW },
      { grantId: BOUND_ROW },
      { grantWrapKey: KEY },
      { wrapped: { wrapped: wrapped.wrapped, iv: wrapped.iv.slice(4) } },
    ]
  ) await refuses("unwrap_failed", () => unwrapKeyForGrant({ ...PLACE, wrapped, ...change }));
});

Deno.test("a kind that is none, and an id in capitals, are refused before any cipher", async () => {
  // A wrap that would fail as such shows which check came first.
  const wrapped = { wrapped: "", iv: "" };
  for (
    const change of [
      { kind: "root" },
      { kind: "Folder" },
      { kind: "toString" },
      { kind: undefined },
      { objectId: OLD_ROW.toUpperCase() },
      { objectId: `${OLD_ROW}|x` },
      { grantId: GRANT.toUpperCase() },
      { grantWrapKey: new Uint8Array(16) },
    ]
  ) {
    const place = { ...PLACE, ...change } as typeof PLACE;
    await refuses("invalid_input", () => unwrapKeyForGrant({ ...place, wrapped }));
    await refuses("invalid_input", () => wrapKeyForGrant({ ...place, key: KEY }));
  }
  await refuses("invalid_input", () => wrapKeyForGrant({ ...PLACE, key: new Uint8Array(31) }));
});

const SEALING = {
  grantWrapKey: PLACE.grantWrapKey,
  grantId: GRANT,
  excludedKeyFingerprints: [keyFingerprint(testKey(50)), keyFingerprint(testKey(51))],
};

Deno.test("an owner seals keys for a grant as the grant's holder opens them", async () => {
  for (const kind of ["folder", "file", "file_pq"] as const) {
    const entry = await sealKeyForGrant(SEALING, { kind, objectId: OLD_ROW, key: KEY });
    assert.deepEqual(Object.keys(entry).sort(), ["iv", "kind", "objectId", "wrapped"]);
    assert.deepEqual(await unwrapKeyForGrant({ ...PLACE, ...entry, wrapped: entry }), KEY);
  }
});

Deno.test("an excluded folder's key is sealed for no grant, under whatever row", async () => {
  for (const objectId of [OLD_ROW, BOUND_ROW, GRANT]) {
    for (const kind of ["folder", "file", "file_pq"] as const) {
      const object = { kind, objectId, key: testKey(51) };
      await refuses("key_excluded", () => sealKeyForGrant(SEALING, object));
    }
  }
  requireNotExcluded(testKey(52), SEALING.excludedKeyFingerprints);
  requireNotExcluded(testKey(50), []);
});

Deno.test("a list of exclusions that could never match is refused, not passed over", async () => {
  const [one] = SEALING.excludedKeyFingerprints;
  for (const list of [[one.toUpperCase()], [one, ""], [one.slice(1)], undefined, one]) {
    await refuses("invalid_input", () => requireNotExcluded(KEY, list as string[]));
  }
  await refuses("invalid_input", () => requireNotExcluded(new Uint8Array(31), [one]));
});

function sealedName(rowId: string | undefined, parentKey: Uint8Array): NameEnvelope {
  return second.sealName({
    key: parentKey,
    name: new TextEncoder().encode("Tax 2025"),
    iv: testKey(8).slice(0, 12),
    salt: testKey(9).slice(0, 16),
    rowId,
    kdf: "interactive",
  });
}

Deno.test("an owner seals the key of one name, which opens that envelope alone", async () => {
  const parentKey = testKey(60);
  const envelope = sealedName(BOUND_ROW, parentKey);
  const entry = await sealNameForGrant(
    SEALING,
    { envelope, parentKey, rowId: BOUND_ROW },
    instantly,
  );
  assert.equal(entry.kind, "name");
  assert.equal(entry.objectId, BOUND_ROW);
  const nameKey = await unwrapKeyForGrant({ ...PLACE, ...entry, wrapped: entry });
  assert.equal(await decryptNameWithKey({ envelope, nameKey, rowId: BOUND_ROW }), "Tax 2025");
  const renamed = sealedName(BOUND_ROW, testKey(61));
  await refuses(
    "name_decrypt_failed",
    () => decryptNameWithKey({ envelope: renamed, nameKey, rowId: BOUND_ROW }),
  );
});

Deno.test("no name that is closed, unbound or excluded is sealed for a grant", async () => {
  const seal = (envelope: NameEnvelope, parentKey: Uint8Array, rowId: string) => () =>
    sealNameForGrant(SEALING, { envelope, parentKey, rowId }, instantly);
  const bound = sealedName(BOUND_ROW, testKey(60));
  await refuses("name_decrypt_failed", seal(bound, testKey(61), BOUND_ROW));
  await refuses("name_decrypt_failed", seal(bound, testKey(60), OLD_ROW));
  const unbound = sealedName(undefined, testKey(60));
  await refuses("unsupported_envelope", seal(unbound, testKey(60), BOUND_ROW));
  await refuses("key_excluded", seal(sealedName(BOUND_ROW, testKey(50)), testKey(50), BOUND_ROW));
});
