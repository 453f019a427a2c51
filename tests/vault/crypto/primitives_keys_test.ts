// The primitives with key pairs, ML-KEM-1024 and Ed25519, against other implementations of the same, and
// against keys and signatures that nobody made honestly.

import assert from "node:assert/strict";
import fc from "fast-check";
import { concatBytes, utf8 } from "../../../vault/crypto/bytes.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";
import {
  ed25519PublicKey,
  ed25519Sign,
  ed25519Verify,
} from "../../../vault/crypto/primitives/ed25519.ts";
import {
  mlKemDecapsulate,
  mlKemEncapsulate,
  mlKemKeygen,
} from "../../../vault/crypto/primitives/ml_kem.ts";
import { flipped, patterned } from "./patterned.ts";
import * as second from "./second/primitives.ts";

const exactly = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

/** The runtime's ML-KEM, which is another implementation than ours. */
const runtime = crypto.subtle as unknown as {
  importKey(...args: unknown[]): Promise<CryptoKey>;
  encapsulateBits(
    name: string,
    key: CryptoKey,
  ): Promise<{ ciphertext: ArrayBuffer; sharedKey: ArrayBuffer }>;
};

Deno.test("ML-KEM-1024 agrees with the runtime's in keys, secrets and implicit rejection", async () => {
  for (let seed = 0; seed < 4; seed++) {
    const theirs = await second.mlKemOf(patterned(64, seed));
    const { publicKey, secretKey } = mlKemKeygen(patterned(64, seed));
    assert.ok(second.sameBytes(publicKey, theirs.publicKey));
    const { ciphertext, sharedSecret } = mlKemEncapsulate(publicKey);
    assert.ok(second.sameBytes(await theirs.decapsulate(ciphertext), sharedSecret));
    assert.ok(second.sameBytes(mlKemDecapsulate(ciphertext, secretKey), sharedSecret));
    const shown = await runtime.importKey("raw-public", publicKey, "ML-KEM-1024", true, [
      "encapsulateBits",
    ]);
    const made = await runtime.encapsulateBits("ML-KEM-1024", shown);
    const found = mlKemDecapsulate(new Uint8Array(made.ciphertext), secretKey);
    assert.ok(second.sameBytes(found, new Uint8Array(made.sharedKey)));
    const tampered = flipped(ciphertext, 1000 * seed + 3);
    const rejected = mlKemDecapsulate(tampered, secretKey);
    assert.ok(second.sameBytes(rejected, await theirs.decapsulate(tampered)));
    assert.ok(!second.sameBytes(rejected, sharedSecret));
  }
  assert.notDeepEqual(mlKemKeygen().publicKey, mlKemKeygen().publicKey);
});

Deno.test("ML-KEM-1024 refuses keys, seeds and ciphertexts of another length, and impossible keys", () => {
  const { publicKey, secretKey } = mlKemKeygen();
  const { ciphertext } = mlKemEncapsulate(publicKey);
  const overflowing = new Uint8Array(publicKey);
  overflowing.set([0xff, 0xff, 0xff]);
  for (
    const bad of [
      () => mlKemKeygen(new Uint8Array(63)),
      () => mlKemEncapsulate(publicKey.subarray(1)),
      () => mlKemEncapsulate(overflowing),
      () => mlKemDecapsulate(ciphertext.subarray(1), secretKey),
      () => mlKemDecapsulate(ciphertext, secretKey.subarray(1)),
      () => mlKemDecapsulate(ciphertext, flipped(secretKey, 8 * 2000)),
    ]
  ) {
    assert.throws(bad, (error) => error instanceof CryptoError && error.code === "invalid_input");
  }
});

Deno.test("Ed25519 signs and verifies as another implementation does", () => {
  fc.assert(
    fc.property(exactly(32), fc.uint8Array({ maxLength: 300 }), fc.nat(), (secret, text, bit) => {
      const theirs = second.ed25519(secret);
      const publicKey = ed25519PublicKey(secret);
      assert.ok(second.sameBytes(publicKey, theirs.publicKey));
      const signature = ed25519Sign(text, secret);
      assert.ok(second.sameBytes(signature, theirs.sign(text)));
      assert.equal(ed25519Verify(signature, text, publicKey), true);
      assert.equal(ed25519Verify(flipped(signature, bit % 512), text, publicKey), false);
      assert.equal(ed25519Verify(signature, text, flipped(publicKey, bit % 256)), false);
      assert.equal(ed25519Verify(signature, concatBytes([text, utf8("x")]), publicKey), false);
    }),
    { seed: 11, numRuns: 10 },
  );
});

Deno.test("Ed25519 verifies no malformed signature, and none of a key of small order", () => {
  const secret = patterned(32);
  const [text, signature] = [utf8("text"), ed25519Sign(utf8("text"), secret)];
  const publicKey = ed25519PublicKey(secret);
  assert.equal(ed25519Verify(signature.subarray(1), text, publicKey), false);
  assert.equal(ed25519Verify(signature, text, publicKey.subarray(1)), false);
  assert.equal(ed25519Verify(new Uint8Array(64).fill(0xff), text, publicKey), false);
  assert.equal(ed25519Verify(signature, text, new Uint8Array(32).fill(0xff)), false);
  // The neutral element, whose signature R = neutral, S = 0 would fit every message.
  const neutral = new Uint8Array(32);
  neutral[0] = 1;
  assert.equal(ed25519Verify(concatBytes([neutral, new Uint8Array(32)]), text, neutral), false);
  // S + L is another spelling of S.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  let s = 0n;
  for (let i = 63; i >= 32; i--) s = s << 8n | BigInt(signature[i]);
  const respelled = new Uint8Array(signature);
  for (let i = 32, rest = s + order; i < 64; i++, rest >>= 8n) respelled[i] = Number(rest & 255n);
  assert.equal(ed25519Verify(respelled, text, publicKey), false);
});
