import assert from "node:assert/strict";
import {
  decryptName,
  keyFingerprint,
  type NameEnvelope,
  unwrapChainKey,
  wrapChainKey,
  type WrappedKey,
} from "@shieldfive/crypto/vault";
import { createChildKey, resealName, rewrapChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import { isRowBoundName, isWrappedKey } from "@shieldfive/crypto/extra/shapes.ts";
import * as second from "./second/vault.ts";
import { BOUND_ROW, OLD_ROW, refuses, testKey } from "./vault_support.ts";

const PARENT = testKey(1);
const KEY = testKey(2);

// Made once with another implementation.
const WRAP: WrappedKey = {
  wrapped: "vNS9ZLd9+N1o1NBOeAnWmJjgqOEuXP6wDIm8IwoQrOmRLLIEEph3Kc313clNQJJA",
  iv: "AAECAwQFBgcICQoL",
};

Deno.test("a wrapped key that another implementation made opens", async () => {
  assert.deepEqual(await unwrapChainKey(PARENT, WRAP), KEY);
});

Deno.test("another implementation opens the wrapped key that is made here", async () => {
  assert.deepEqual(second.unwrap(PARENT, await wrapChainKey(PARENT, KEY)), KEY);
});

Deno.test("a key is wrapped with another IV each time", async () => {
  const [one, two] = [await wrapChainKey(PARENT, KEY), await wrapChainKey(PARENT, KEY)];
  assert.notEqual(one.iv, two.iv);
  assert.notEqual(one.wrapped, two.wrapped);
});

Deno.test("a wrap that is not exactly one does not open", async () => {
  const { wrapped, iv } = WRAP;
  const without = (text: string) => Uint8Array.fromBase64(text).slice(1).toBase64();
  for (
    const wrap of [
      { wrapped: without(wrapped), iv },
      { wrapped: wrapped + "AAAA", iv },
      { wrapped, iv: without(iv) },
      { wrapped, iv: iv + "AAAA" },
      { wrapped: wrapped.replace(/.$/, "-"), iv },
      { wrapped: ` ${wrapped.slice(1)}`, iv },
      { wrapped: "", iv: "" },
      { wrapped: null, iv },
      { iv },
      null,
      undefined,
      "text",
    ]
  ) await refuses("unwrap_failed", () => unwrapChainKey(PARENT, wrap as WrappedKey));
  await refuses("unwrap_failed", () => unwrapChainKey(KEY, WRAP));
});

Deno.test("only keys of 32 bytes are wrapped and wrapped under", async () => {
  for (const length of [0, 16, 31, 33, 64]) {
    await refuses("invalid_input", () => wrapChainKey(PARENT, new Uint8Array(length)));
    await refuses("invalid_input", () => wrapChainKey(new Uint8Array(length), KEY));
    await refuses("invalid_input", () => unwrapChainKey(new Uint8Array(length), WRAP));
  }
});

Deno.test("the key that comes out of a wrap is a plain array of its own", async () => {
  const key = await unwrapChainKey(PARENT, WRAP);
  assert.equal(key.constructor, Uint8Array);
  assert.equal(key.buffer.byteLength, 32);
});

Deno.test("a key's fingerprint is the SHA-256 of its bytes", () => {
  assert.equal(
    keyFingerprint(testKey(0)),
    "2dfd602a7a260b7a12905fd2ebd4b9acf49eed561758b9cb89cbccee389ae02d",
  );
  assert.throws(() => keyFingerprint(new Uint8Array(31)), { code: "invalid_input" });
});

Deno.test("a child gets a key of its own, sealed under its parent", async () => {
  const one = await createChildKey(PARENT);
  const two = await createChildKey(PARENT);
  assert.notDeepEqual(one.key, two.key);
  assert.deepEqual(await unwrapChainKey(PARENT, one.wrapped), one.key);
});

Deno.test("an item that moves keeps its key under the new parent", async () => {
  const to = testKey(3);
  const moved = await rewrapChildKey({ wrapped: WRAP, from: PARENT, to });
  assert.deepEqual(await unwrapChainKey(to, moved), KEY);
  await refuses("unwrap_failed", () => unwrapChainKey(PARENT, moved));
  await refuses("unwrap_failed", () => rewrapChildKey({ wrapped: WRAP, from: to, to: PARENT }));
});

/** A name sealed by another implementation under a key that is not derived. */
function sealed(name: string, rowId: string | undefined): NameEnvelope {
  return second.sealName({
    key: testKey(9),
    name: new TextEncoder().encode(name),
    iv: testKey(4).slice(0, 12),
    salt: testKey(5).slice(0, 16),
    rowId,
  });
}
const underived = (key: Uint8Array) => () => Promise.resolve(key.slice());

Deno.test("a name that moves keeps every byte", async () => {
  for (
    const name of ["a\u0000\u0001\u001b[2J\r\n", "\ufeffmark", "\u202etxt.exe", "e\u0301 é 👩‍👧"]
  ) {
    const envelope = sealed(name, BOUND_ROW);
    const options = { envelope, rowId: BOUND_ROW, from: PARENT, to: KEY };
    const moved = await resealName(options, underived(testKey(9)));
    assert.equal(moved.v, 6);
    assert.notEqual(moved.salt, envelope.salt);
    assert.equal(second.openName(testKey(9), moved, BOUND_ROW), name);
  }
});

Deno.test("a moved name opens under its new parent alone", async () => {
  const envelope = sealed("report.txt", BOUND_ROW);
  const first = underived(testKey(9));
  const derive = async (parent: Uint8Array) =>
    parent.every((byte, i) => byte === PARENT[i]) ? await first() : parent.slice();
  const moved = await resealName({ envelope, rowId: BOUND_ROW, from: PARENT, to: KEY }, derive);
  const open = (folderKey: Uint8Array) =>
    decryptName({ envelope: moved, folderKey, rowId: BOUND_ROW }, derive);
  assert.equal(await open(KEY), "report.txt");
  await refuses("name_decrypt_failed", () => open(PARENT));
});

Deno.test("moving binds an unbound name to an old row and never to a row-bound one", async () => {
  const envelope = sealed("planted.txt", undefined);
  const move = (rowId: string) =>
    resealName({ envelope, rowId, from: PARENT, to: KEY }, underived(testKey(9)));
  assert.equal((await move(OLD_ROW)).v, 6);
  await refuses("unsupported_envelope", () => move(BOUND_ROW));
});

Deno.test("a server without keys tells a row-bound name and a wrap from other values", () => {
  const bound = sealed("a", BOUND_ROW);
  const takes = (value: object) => isRowBoundName(JSON.stringify(value), BOUND_ROW);
  assert.ok(takes(bound));
  assert.ok(!takes(sealed("a", undefined)));
  assert.ok(!takes({ ...bound, ct: "" }));
  assert.ok(!takes({ ...bound, iv: bound.salt }));
  assert.ok(!isRowBoundName("v2|server|keyed", BOUND_ROW));
  assert.ok(isWrappedKey(WRAP));
  assert.ok(!isWrappedKey({ ...WRAP, iv: WRAP.iv.slice(4) }));
  assert.ok(!isWrappedKey(null as unknown as WrappedKey));
});
