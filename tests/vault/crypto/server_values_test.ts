// What the vault's server takes from the crypto: MACs of lists, hashes, random texts.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import {
  isKeyText,
  macOf,
  randomKeyHex,
  randomKeyText,
  sameText,
  sha256Hex,
} from "@shieldfive/crypto/extra/server_values.ts";

Deno.test("a list's MAC is the HMAC-SHA-256 of its JSON, and no two lists are one message", () => {
  const key = randomKeyText();
  const parts = ["PUT", 'a"b', 7, null];
  const expected = createHmac("sha256", Buffer.from(key, "base64url"))
    .update(JSON.stringify(parts)).digest("base64url");
  assert.equal(macOf(key, parts), expected);
  const lists = [["ab"], ["a", "b"], ["a,b"], ['a","b'], [7], ["7"], [null], ["null"], []];
  assert.equal(new Set(lists.map((list) => macOf(key, list))).size, lists.length);
  assert.notEqual(macOf(randomKeyText(), parts), expected);
});

Deno.test("random texts have their one shape and do not repeat", () => {
  const texts = Array.from({ length: 20 }, randomKeyText);
  assert.ok(texts.every(isKeyText));
  assert.equal(new Set(texts).size, 20);
  assert.match(randomKeyHex(), /^[0-9a-f]{64}$/);
});

Deno.test("texts are the same only when each character is", () => {
  assert.equal(sameText("abc", "abc"), true);
  for (const other of ["abd", "ab", "abcd", "", "ABC"]) assert.equal(sameText("abc", other), false);
  assert.equal(sha256Hex("ä"), createHash("sha256").update("ä").digest("hex"));
});
