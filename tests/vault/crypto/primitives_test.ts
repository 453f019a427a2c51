// The primitives against other implementations of the same, over messages of every size: what one
// seals the other opens, what was tampered with opens nowhere, and nobody else's memory comes along.

import assert from "node:assert/strict";
import * as node from "node:crypto";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import fc from "fast-check";
import { concatBytes } from "../../../vault/crypto/bytes.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";
import { aesGcmOpen, aesGcmSeal, importAesKey } from "../../../vault/crypto/primitives/aes_gcm.ts";
import { ed25519PublicKey, ed25519Sign } from "../../../vault/crypto/primitives/ed25519.ts";
import { createSha1, createSha256, sha256 } from "../../../vault/crypto/primitives/hash.ts";
import { hkdf } from "../../../vault/crypto/primitives/hkdf.ts";
import { hmacSha256 } from "../../../vault/crypto/primitives/hmac.ts";
import {
  mlKemDecapsulate,
  mlKemEncapsulate,
  mlKemKeygen,
} from "../../../vault/crypto/primitives/ml_kem.ts";
import { NODE_FROM } from "../../../vault/crypto/primitives/platform.ts";
import { secretboxOpen, secretboxSeal } from "../../../vault/crypto/primitives/secretbox.ts";
import {
  xchachaOpen,
  xchachaOpenPieces,
  xchachaSeal,
  xchachaSealPieces,
} from "../../../vault/crypto/primitives/xchacha.ts";
import { flipped, patterned } from "./patterned.ts";
import * as second from "./second/primitives.ts";

const RUNS = { seed: 11, numRuns: 60 };

const around = (size: number) => [size - 17, size - 1, size, size + 1, size + 15];
const length = fc.oneof(
  fc.constantFrom(0, 1, 15, 16, 17, 63, 64, 65, ...around(NODE_FROM), ...around(65_536)),
  fc.nat({ max: 200_000 }),
);
const message = fc.tuple(length, fc.nat()).map(([size, seed]) => patterned(size, seed));
const aad = fc.option(fc.nat({ max: 300 }).map((size) => patterned(size, 7)), { nil: undefined });
const exactly = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

/** An authenticated cipher behind one face, ours or another's. */
interface Cipher {
  name: string;
  nonceLength: number;
  seal(k: Uint8Array, n: Uint8Array, m: Uint8Array, aad?: Uint8Array): Promise<Uint8Array>;
  open(
    k: Uint8Array,
    n: Uint8Array,
    c: Uint8Array,
    aad?: Uint8Array,
  ): Promise<Uint8Array | undefined>;
  /** What else seals the same; each must give the very same bytes. */
  others: ((k: Uint8Array, n: Uint8Array, m: Uint8Array, aad?: Uint8Array) => Uint8Array)[];
  /** Opens with another implementation; throws when the tag does not fit. */
  otherOpens(k: Uint8Array, n: Uint8Array, c: Uint8Array, aad?: Uint8Array): Uint8Array;
  takesAad: boolean;
}

const NONE = new Uint8Array();

function assertOwnMemory(bytes: Uint8Array, name: string): void {
  assert.equal(bytes.constructor, Uint8Array, name);
  assert.ok(bytes.buffer instanceof ArrayBuffer, name);
  assert.deepEqual([bytes.byteOffset, bytes.buffer.byteLength], [0, bytes.length], name);
}

const CIPHERS: Cipher[] = [
  {
    name: "XChaCha20-Poly1305",
    nonceLength: 24,
    seal: async (k, n, m, a) => await xchachaSeal(k, n, m, a),
    open: async (k, n, c, a) => await xchachaOpen(k, n, c, a),
    others: [
      (k, n, m, a) => second.xchachaSeal(k, n, m, a ?? NONE),
      (k, n, m, a) => xchacha20poly1305(k, n, a).encrypt(m),
    ],
    otherOpens: (k, n, c, a) => second.xchachaOpen(k, n, c, a ?? NONE),
    takesAad: true,
  },
  {
    name: "secretbox",
    nonceLength: 24,
    seal: async (k, n, m) => await secretboxSeal(k, n, m),
    open: async (k, n, c) => await secretboxOpen(k, n, c),
    others: [second.secretboxSeal],
    otherOpens: second.secretboxOpen,
    takesAad: false,
  },
  {
    name: "AES-256-GCM",
    nonceLength: 12,
    seal: async (k, n, m, a) => await aesGcmSeal(await importAesKey(k), n, m, a),
    open: async (k, n, c, a) => await aesGcmOpen(await importAesKey(k), n, c, a),
    others: [second.aesGcmSeal],
    otherOpens: second.aesGcmOpen,
    takesAad: true,
  },
];

for (const cipher of CIPHERS) {
  const { name, nonceLength, seal, open } = cipher;

  Deno.test(`${name} seals and opens as other implementations do`, async () => {
    await fc.assert(
      fc.asyncProperty(
        exactly(32),
        exactly(nonceLength),
        message,
        aad,
        async (key, nonce, text, extra) => {
          const sealed = await seal(key, nonce, text, extra);
          for (const other of cipher.others) {
            assert.ok(second.sameBytes(other(key, nonce, text, extra), sealed));
          }
          assert.ok(second.sameBytes(cipher.otherOpens(key, nonce, sealed, extra), text));
          const opened = await open(key, nonce, sealed, extra);
          assert.ok(opened !== undefined && second.sameBytes(opened, text));
        },
      ),
      RUNS,
    );
  });

  Deno.test(`${name} opens nothing in which one bit was changed`, async () => {
    const sizes = fc.constantFrom(0, 1, 100, NODE_FROM, 70_000);
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, place, bit) => {
        const parts = [
          patterned(32, 1),
          patterned(nonceLength, 2),
          await seal(patterned(32, 1), patterned(nonceLength, 2), patterned(size), patterned(36)),
          patterned(36),
        ];
        assert.ok(await open(parts[0], parts[1], parts[2], parts[3]) !== undefined);
        const at = place % (cipher.takesAad ? 4 : 3);
        parts[at] = flipped(parts[at], bit % (8 * parts[at].length));
        const [key, nonce, sealed, extra] = parts;
        assert.ok(await open(key, nonce, sealed, extra) === undefined, `part ${at}`);
      }),
      RUNS,
    );
  });

  Deno.test(`${name} opens nothing that was cut, lengthened or never had a tag`, async () => {
    const [key, nonce] = [patterned(32, 1), patterned(nonceLength, 2)];
    for (const size of [0, 5, NODE_FROM + 100]) {
      const sealed = await seal(key, nonce, patterned(size));
      const longer = concatBytes([sealed, new Uint8Array(1)]);
      assert.ok(await open(key, nonce, longer) === undefined);
      for (const end of [0, 1, 15, sealed.length - 1]) {
        assert.ok(await open(key, nonce, sealed.subarray(0, end)) === undefined, `${end} bytes`);
      }
      assert.ok(await open(key, nonce, sealed.subarray(1)) === undefined);
    }
  });

  Deno.test(`${name} refuses a key or nonce of another length`, async () => {
    const [key, nonce] = [patterned(32), patterned(nonceLength)];
    for (const use of [seal, open]) {
      for (const size of [100, NODE_FROM + 100]) {
        const text = patterned(size);
        for (
          const bad of [
            () => use(key.subarray(1), nonce, text),
            () => use(concatBytes([key, key]), nonce, text),
            () => use(key, nonce.subarray(1), text),
            () => use(key, concatBytes([nonce, nonce]), text),
          ]
        ) {
          await assert.rejects(
            bad,
            (error) => error instanceof CryptoError && error.code === "invalid_input",
          );
        }
      }
    }
  });

  Deno.test(`${name} reads its inputs wherever they lie in memory and leaves them as they are`, async () => {
    const memory = patterned(100_000);
    const before = new Uint8Array(memory);
    const [key, nonce] = [memory.subarray(1, 33), memory.subarray(35, 35 + nonceLength)];
    const [extra, text] = [memory.subarray(101, 140), memory.subarray(203, 80_000)];
    const sealed = await seal(key, nonce, text, extra);
    const away = [key, nonce, text, extra].map((part) => new Uint8Array(part));
    assert.ok(second.sameBytes(await seal(away[0], away[1], away[2], away[3]), sealed));
    const shifted = concatBytes([new Uint8Array(3), sealed]).subarray(3);
    assert.ok(second.sameBytes((await open(key, nonce, shifted, extra))!, text));
    assert.ok(second.sameBytes(memory, before));
  });
}

Deno.test("XChaCha20-Poly1305 in pieces is the same, and each piece has memory of its own", () => {
  const [key, nonce, extra] = [patterned(32), patterned(24), patterned(36)];
  for (const size of [0, 100, NODE_FROM, 300_000, 1_048_576, 1_048_579]) {
    const text = patterned(size);
    const sealed = xchachaSealPieces(key, nonce, text, extra);
    const whole = concatBytes(sealed);
    assert.ok(second.sameBytes(whole, second.xchachaSeal(key, nonce, text, extra)));
    const opened = xchachaOpenPieces(key, nonce, whole, extra);
    assert.ok(opened !== undefined && second.sameBytes(concatBytes(opened), text));
    for (const piece of [...sealed, ...opened]) assertOwnMemory(piece, `of ${size}`);
    for (const bit of [0, 8 * whole.length - 1]) {
      assert.ok(xchachaOpenPieces(key, nonce, flipped(whole, bit), extra) === undefined);
    }
  }
});

Deno.test("hashes, HMAC and HKDF are those of another implementation, whole and in pieces", () => {
  fc.assert(
    fc.property(message, exactly(32), fc.nat(), fc.nat({ max: 200 }), (text, key, cut, size) => {
      const at = cut % (text.length + 1);
      const [head, tail] = [text.subarray(0, at), text.subarray(at)];
      const digest = second.sha256(text);
      assert.ok(second.sameBytes(sha256(text), digest));
      const [pieces256, pieces1] = [createSha256(), createSha1()];
      for (const piece of [head, tail]) {
        pieces256.update(piece);
        pieces1.update(piece);
      }
      assert.ok(second.sameBytes(pieces256.digest(), digest));
      const sha1 = node.createHash("sha1").update(text).digest();
      assert.ok(second.sameBytes(pieces1.digest(), sha1));
      assert.ok(second.sameBytes(hmacSha256(key, head, tail), second.hmac(key, text)));
      assert.ok(
        second.sameBytes(hkdf(key, head, "a label", size), second.hkdf(key, head, "a label", size)),
      );
    }),
    RUNS,
  );
});

Deno.test("every result is a Uint8Array with memory of its own and of its size", async () => {
  const [key, nonce] = [patterned(32), patterned(24)];
  const kem = mlKemKeygen();
  const { ciphertext, sharedSecret } = mlKemEncapsulate(kem.publicKey);
  const aes = await importAesKey(key);
  const iv = nonce.subarray(0, 12);
  const results: Record<string, Uint8Array | undefined> = {
    ...kem,
    ciphertext,
    sharedSecret,
    "found secret": mlKemDecapsulate(ciphertext, kem.secretKey),
    hkdf: hkdf(key, null, "label", 20),
    "ed25519 public key": ed25519PublicKey(key),
    signature: ed25519Sign(nonce, key),
  };
  for (const size of [0, 1, 31, 100, NODE_FROM, 200_001]) {
    const text = patterned(size);
    const sealed = xchachaSeal(key, nonce, text);
    const box = secretboxSeal(key, nonce, text);
    const gcm = await aesGcmSeal(aes, iv, text);
    const [hash, sha1] = [createSha256(), createSha1()];
    hash.update(text);
    sha1.update(text);
    Object.assign(results, {
      [`sealed ${size}`]: sealed,
      [`opened ${size}`]: xchachaOpen(key, nonce, sealed),
      [`box ${size}`]: box,
      [`unboxed ${size}`]: secretboxOpen(key, nonce, box),
      [`gcm ${size}`]: gcm,
      [`gcm opened ${size}`]: await aesGcmOpen(aes, iv, gcm),
      [`sha256 ${size}`]: sha256(text),
      [`sha256 in pieces ${size}`]: hash.digest(),
      [`sha1 in pieces ${size}`]: sha1.digest(),
      [`hmac ${size}`]: hmacSha256(key, text),
    });
  }
  for (const [name, bytes] of Object.entries(results)) {
    assert.ok(bytes !== undefined, name);
    assertOwnMemory(bytes, name);
  }
});
