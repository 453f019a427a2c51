// The keys of an unlocked vault: which are believed, and that none of them stays.

import assert from "node:assert/strict";
import { randomBytes } from "@shieldfive/crypto";
import { Keyring } from "../../../vault/owner/keyring.ts";
import { QUICK_KDF } from "./support.ts";

const isZero = (key: Uint8Array) => key.every((byte) => byte === 0);

Deno.test("a folder that is still there keeps the very same key, and spare copies are wiped", async () => {
  const keyring = await Keyring.of(randomBytes(32), QUICK_KDF);
  const [key, copy] = [randomBytes(32), new Uint8Array(32)];
  copy.set(key);
  keyring.replace(new Map([["a", key]]));
  keyring.replace(new Map([["a", copy]]));
  // A change that is under way holds it.
  assert.equal(keyring.keyOf("a"), key);
  assert.ok(!isZero(key) && isZero(copy));
});

Deno.test("a key that is another than before, or that two folders would have, is not taken", async () => {
  const keyring = await Keyring.of(randomBytes(32), QUICK_KDF);
  const [first, other, shared] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  keyring.replace(new Map([["a", first]]));
  keyring.replace(new Map([["a", other], ["b", shared], ["c", shared.slice()]]));
  for (const id of ["a", "b", "c"]) {
    assert.equal(keyring.holds(id), false);
    assert.throws(() => keyring.keyOf(id), { code: "key_unavailable" });
  }
  keyring.replace(new Map([["a", first.slice()], ["b", shared.slice()]]));
  assert.deepEqual([keyring.holds("a"), keyring.holds("b")], [true, true]);
});

Deno.test("all keys are wiped, also those of folders that are gone", async () => {
  const rootKey = randomBytes(32);
  const keyring = await Keyring.of(rootKey, QUICK_KDF);
  const [gone, made] = [randomBytes(32), randomBytes(32)];
  keyring.replace(new Map([["gone", gone]]));
  keyring.replace(new Map());
  keyring.add("made", made);
  assert.ok(!isZero(gone), "whoever still seals with it does not seal with nothing");
  const { secretKey } = keyring.pair;
  keyring.wipe();
  for (const key of [rootKey, gone, made, secretKey]) assert.ok(isZero(key));
});
