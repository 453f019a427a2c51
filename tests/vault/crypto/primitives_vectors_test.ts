// The primitives against published test vectors. What a large message would be given to is tried with
// the small published ones too, so that each implementation behind a name meets them.

import assert from "node:assert/strict";
import * as node from "node:crypto";
import { ml_kem1024 } from "@noble/post-quantum/ml-kem.js";
import { bytesToHex, concatBytes, hexToBytes, utf8 } from "../../../vault/crypto/bytes.ts";
import { aesGcmOpen, aesGcmSeal, importAesKey } from "../../../vault/crypto/primitives/aes_gcm.ts";
import {
  ed25519PublicKey,
  ed25519Sign,
  ed25519Verify,
} from "../../../vault/crypto/primitives/ed25519.ts";
import { createSha1, createSha256, sha256 } from "../../../vault/crypto/primitives/hash.ts";
import { hkdf } from "../../../vault/crypto/primitives/hkdf.ts";
import { hmacSha256 } from "../../../vault/crypto/primitives/hmac.ts";
import { mlKemDecapsulate, mlKemKeygen } from "../../../vault/crypto/primitives/ml_kem.ts";
import { secretboxOpen, secretboxSeal } from "../../../vault/crypto/primitives/secretbox.ts";
import { xchachaOpen, xchachaSeal } from "../../../vault/crypto/primitives/xchacha.ts";
import {
  hchacha20,
  openChaCha20Poly1305,
  openWithNode,
  sealChaCha20Poly1305,
  sealWithNode,
} from "../../../vault/crypto/primitives/xchacha_node.ts";

/** Hexadecimal over several lines. */
function hex(text: string): Uint8Array<ArrayBuffer> {
  return hexToBytes(text.replace(/\s/g, ""));
}

const SUNSCREEN = utf8(
  "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, " +
    "sunscreen would be it.",
);
const SUNSCREEN_KEY = hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
const SUNSCREEN_AAD = hex("50515253c0c1c2c3c4c5c6c7");

Deno.test("HChaCha20: draft-irtf-cfrg-xchacha-03, 2.2.1", () => {
  const key = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  const subkey = hchacha20(key, hex("000000090000004a0000000031415927"));
  assert.equal(
    bytesToHex(subkey),
    "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc",
  );
});

Deno.test("XChaCha20-Poly1305: draft-irtf-cfrg-xchacha-03, A.3.1", () => {
  const nonce = hex("404142434445464748494a4b4c4d4e4f5051525354555657");
  const sealed = hex(`
    bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb
    731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452
    2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
    21f9664c97637da9768812f615c68b13b52e
    c0875924c1c7987947deafd8780acf49`);
  const [key, aad] = [SUNSCREEN_KEY, SUNSCREEN_AAD];
  assert.deepEqual(xchachaSeal(key, nonce, SUNSCREEN, aad), sealed);
  assert.deepEqual(xchachaOpen(key, nonce, sealed, aad), SUNSCREEN);
  assert.deepEqual(concatBytes(sealWithNode(node, key, nonce, SUNSCREEN, aad)), sealed);
  assert.deepEqual(openWithNode(node, key, nonce, sealed, aad), [SUNSCREEN]);
});

Deno.test("ChaCha20-Poly1305, which carries the extended cipher: RFC 8439, 2.8.2", () => {
  const nonce = hex("070000004041424344454647");
  const sealed = hex(`
    d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
    3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
    92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
    3ff4def08e4b7a9de576d26586cec64b6116
    1ae10b594f09e26a7e902ecbd0600691`);
  const [key, aad] = [SUNSCREEN_KEY, SUNSCREEN_AAD];
  const made = sealChaCha20Poly1305(node, key, nonce, SUNSCREEN, aad);
  assert.deepEqual(concatBytes(made), sealed);
  assert.deepEqual(openChaCha20Poly1305(node, key, nonce, sealed, aad), [SUNSCREEN]);
});

Deno.test("secretbox: the vector of NaCl's own tests", () => {
  const key = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
  const nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
  const message = hex(`
    be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
    e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
    0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
    048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864
    5e0705`);
  const box = hex(`
    f3ffc7703f9400e52a7dfb4b3d3305d9
    8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
    c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738
    b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da
    99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
    e355a5`);
  assert.deepEqual(secretboxSeal(key, nonce, message), box);
  assert.deepEqual(secretboxOpen(key, nonce, box), message);
});

Deno.test("AES-256-GCM: cases 14 and 16 of its submission", async () => {
  const zeros = await importAesKey(new Uint8Array(32));
  const short = hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
  assert.deepEqual(await aesGcmSeal(zeros, new Uint8Array(12), new Uint8Array(16)), short);
  const key = await importAesKey(
    hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
  );
  const iv = hex("cafebabefacedbaddecaf888");
  const aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const message = hex(`
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39`);
  const sealed = hex(`
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
    8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
    76fc6ece0f4e1768cddf8853bb2d551b`);
  assert.deepEqual(await aesGcmSeal(key, iv, message, aad), sealed);
  assert.deepEqual(await aesGcmOpen(key, iv, sealed, aad), message);
});

Deno.test("HKDF-SHA-256: RFC 5869, A.3, and the formats' own labels", () => {
  const okm =
    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8";
  // No salt is 32 zero bytes, and so is an empty one.
  for (const salt of [null, new Uint8Array(32), new Uint8Array()]) {
    assert.equal(bytesToHex(hkdf(new Uint8Array(22).fill(0x0b), salt, "", 42)), okm);
  }
  const [key, fileId] = [new Uint8Array(32).fill(0xa5), new Uint8Array(16).fill(0x5a)];
  assert.equal(
    bytesToHex(hkdf(key, fileId, "shieldfive/v1/header-mac", 32)),
    "486956bcdb53ed5c4ed66d2bf2e18b0b74169ee83fab99a5afa0957f1a957ac8",
  );
  assert.equal(
    bytesToHex(hkdf(fileId, null, "shieldfive/v1/xchacha/nonce-prefix", 16)),
    "c968000ca1b6e06c89cfc177e09f29ea",
  );
});

Deno.test("HMAC-SHA-256: RFC 4231, cases 1, 2 and 6", () => {
  const cases = [
    [
      new Uint8Array(20).fill(0x0b),
      "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      utf8("Jefe"),
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      new Uint8Array(131).fill(0xaa),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
  ] as const;
  for (const [key, message, mac] of cases) {
    assert.equal(bytesToHex(hmacSha256(key, utf8(message))), mac);
    const parts = [...utf8(message)].map((byte) => new Uint8Array([byte]));
    assert.equal(bytesToHex(hmacSha256(key, ...parts)), mac, "in parts");
  }
});

Deno.test("SHA-256 and SHA-1: FIPS 180, the short message and the million letters", () => {
  const short = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(bytesToHex(sha256(utf8("abc"))), short);
  const million = new Uint8Array(1_000_000).fill(0x61);
  const long = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  assert.equal(bytesToHex(sha256(million)), long);
  const [pieces256, pieces1] = [createSha256(), createSha1()];
  for (let offset = 0; offset < million.length; offset += 777) {
    pieces256.update(million.subarray(offset, offset + 777));
    pieces1.update(million.subarray(offset, offset + 777));
  }
  assert.equal(bytesToHex(pieces256.digest()), long);
  assert.equal(bytesToHex(pieces1.digest()), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  const sha1 = createSha1();
  sha1.update(utf8("abc"));
  assert.equal(bytesToHex(sha1.digest()), "a9993e364706816aba3e25717850c26c9cd0d89d");
});

Deno.test("Ed25519: RFC 8032, 7.1, tests 1 to 3", () => {
  const cases = [
    [
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      `e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
       5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b`,
    ],
    [
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      `92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
       085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00`,
    ],
    [
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      `6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
       18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a`,
    ],
  ];
  for (const [secretKey, publicKey, message, signature] of cases) {
    assert.deepEqual(ed25519PublicKey(hex(secretKey)), hex(publicKey));
    assert.deepEqual(ed25519Sign(hex(message), hex(secretKey)), hex(signature));
    assert.equal(ed25519Verify(hex(signature), hex(message), hex(publicKey)), true);
    assert.equal(ed25519Verify(hex(signature), hex(message + "00"), hex(publicKey)), false);
  }
});

Deno.test("ML-KEM-1024: a key pair, a ciphertext and its secret from given randomness", () => {
  const seed = hex(`
    f1b597e74e539f23ac622172f15e75c3d844160477ae3aec018e3740adce8ab1
    79a7198ef2f5985f8e64bf63399dcbf6b3d87fe5dfee349cbf23f7bd851cb3eb`);
  const { publicKey, secretKey } = mlKemKeygen(seed);
  assert.deepEqual([publicKey.length, secretKey.length], [1568, 3168]);
  assert.equal(
    bytesToHex(sha256(publicKey)),
    "7161da4281da09aafaeb58378d4f9cfbdea589c0f29ef0e7c7a2f3c48d962aed",
  );
  assert.equal(bytesToHex(secretKey.subarray(0, 8)), "14320a335657cbb6");
  assert.deepEqual(secretKey.subarray(1536, 3104), publicKey);
  assert.deepEqual(secretKey.subarray(3136), seed.subarray(32), "z ends the secret key");
  const { cipherText } = ml_kem1024.encapsulate(publicKey, new Uint8Array(32).fill(0x77));
  assert.equal(
    bytesToHex(sha256(cipherText)),
    "7bfea6f7ea02425d04c9214192bcb44d96ed5f5fa8a714add47f5e9aaab4c171",
  );
  assert.equal(
    bytesToHex(mlKemDecapsulate(cipherText, secretKey)),
    "ad996bf32f5dd04d4ea88b3979be49132f9de558192d828f1653bcf87aed9d6a",
  );
});
