// Bytes and their texts: each value has one spelling, and every other one is refused without being shown.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import {
  base64ToBytes,
  base64urlToBytes,
  type Bytes,
  bytesToBase64,
  bytesToBase64url,
  bytesToHex,
  concatBytes,
  constantTimeEqual,
  getUint32,
  getUint64,
  hexToBytes,
  putUint32,
  putUint64,
  randomBytes,
  utf8,
  zeroize,
} from "../../../vault/crypto/bytes.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";

const RUNS = { seed: 5, numRuns: 300 };
const anyBytes = fc.uint8Array({ maxLength: 200 });

const ENCODINGS = {
  hex: { encode: bytesToHex, decode: hexToBytes, standard: "hex" },
  base64: { encode: bytesToBase64, decode: base64ToBytes, standard: "base64" },
  base64url: { encode: bytesToBase64url, decode: base64urlToBytes, standard: "base64url" },
} as const;

function assertRefused(decode: (text: string) => Bytes, text: string): void {
  assert.throws(() => decode(text), (error: unknown) => {
    assert.ok(error instanceof CryptoError && error.code === "invalid_encoding", String(error));
    if (text.length > 8) assert.ok(!error.message.includes(text), "the message shows the text");
    return true;
  }, `${JSON.stringify(text)} was taken`);
}

for (const [name, { encode, decode, standard }] of Object.entries(ENCODINGS)) {
  Deno.test(`${name} of any bytes is what the platform writes, and reads back`, () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const text = encode(bytes);
        assert.equal(text, Buffer.from(bytes).toString(standard));
        assert.deepEqual(decode(text), new Uint8Array(bytes));
      }),
      RUNS,
    );
  });

  Deno.test(`a text that was changed in one place is refused or is the ${name} of other bytes`, () => {
    const stray = fc.constantFrom(..."AZaz09+/-_= \n\t\0.", "\u00e9", "\u0141", "\u{1f512}", "");
    fc.assert(
      fc.property(anyBytes, fc.nat(), stray, fc.boolean(), (bytes, at, character, insert) => {
        const text = encode(bytes);
        const i = at % (text.length + 1);
        const changed = text.slice(0, i) + character + text.slice(insert ? i : i + 1);
        let decoded: Uint8Array;
        try {
          decoded = decode(changed);
        } catch (error) {
          assert.ok(error instanceof CryptoError && error.code === "invalid_encoding");
          return;
        }
        assert.equal(encode(decoded), name === "hex" ? changed.toLowerCase() : changed);
      }),
      RUNS,
    );
  });
}

Deno.test("hex takes either case and nothing else", () => {
  assert.deepEqual(hexToBytes("00fFAb"), new Uint8Array([0, 255, 0xab]));
  assert.deepEqual(hexToBytes(""), new Uint8Array());
  for (
    const text of ["0", "0x00", "0g", " 00", "00 ", "0\u0130", "\uff10\uff10", "0:", "0@", "0`"]
  ) {
    assertRefused(hexToBytes, text);
  }
});

Deno.test("base64 without its padding, with too much, or in the other alphabet is refused", () => {
  assert.deepEqual(base64ToBytes("+/8="), new Uint8Array([0xfb, 0xff]));
  assert.deepEqual(base64ToBytes(""), new Uint8Array());
  for (
    const text of ["-_8=", "+/8", "+/8==", "AA", "AA=", "A===", "====", "=", "AAA=AAA=", "AA==\n"]
  ) {
    assertRefused(base64ToBytes, text);
  }
});

Deno.test("base64url with padding, of an impossible length, or in the other alphabet is refused", () => {
  assert.deepEqual(base64urlToBytes("-_8"), new Uint8Array([0xfb, 0xff]));
  assert.deepEqual(base64urlToBytes(""), new Uint8Array());
  for (const text of ["+/8", "-_8=", "A", "AAAAA", "AA==", " AA", "AA "]) {
    assertRefused(base64urlToBytes, text);
  }
});

Deno.test("unused bits that are not zero are refused, whichever they are", () => {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const [value, digit] of [...digits].entries()) {
    const url = digit.replace("+", "-").replace("/", "_");
    if (value % 4 === 0) assert.equal(base64ToBytes(`AA${digit}=`)[1], (value >> 2) & 15);
    else {
      assertRefused(base64ToBytes, `AA${digit}=`);
      assertRefused(base64urlToBytes, `AA${url}`);
    }
    if (value % 16 === 0) assert.equal(base64urlToBytes(`A${url}`)[0], value >> 4);
    else {
      assertRefused(base64ToBytes, `A${digit}==`);
      assertRefused(base64urlToBytes, `A${url}`);
    }
  }
});

Deno.test("a refused secret does not come back in the error", () => {
  const secret = "c2VjcmV0LXZhbHVlLXRoYXQtbm9ib2R5LW1heS1zZWU";
  for (const decode of [base64ToBytes, base64urlToBytes, hexToBytes]) {
    assertRefused(decode, `${secret}!`);
  }
});

Deno.test("integers are big-endian, and outside their range are refused and not rounded", () => {
  const bytes = new Uint8Array(12);
  putUint32(bytes, 3, 0xfffefdfc);
  assert.equal(getUint32(bytes, 3), 0xfffefdfc);
  assert.equal(bytesToHex(bytes), "000000fffefdfc0000000000");
  for (const value of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    assert.throws(() => putUint64(bytes, 0, value), RangeError);
  }
  assert.throws(() => putUint32(bytes, 0, 2 ** 32), RangeError);
  assert.equal(bytesToHex(bytes), "000000fffefdfc0000000000", "a refused number writes nothing");
});

Deno.test("64-bit integers are exact up to 2^53-1 and refused above", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat({ max: 9 }), (value, offset) => {
      const bytes = new Uint8Array(20);
      putUint64(bytes.subarray(1), offset, value);
      assert.equal(new DataView(bytes.buffer).getBigUint64(offset + 1), BigInt(value));
      assert.equal(getUint64(bytes.subarray(1), offset), value);
    }),
    RUNS,
  );
  assert.equal(getUint64(hexToBytes("001fffffffffffff"), 0), Number.MAX_SAFE_INTEGER);
  for (const hex of ["0020000000000000", "0020000000000001", "8000000000000000"]) {
    assert.throws(() => getUint64(hexToBytes(hex), 0), RangeError);
  }
});

Deno.test("integers past the end of a view are refused, though its memory goes on", () => {
  const view = new Uint8Array(64).subarray(0, 8);
  assert.throws(() => getUint64(view, 1), RangeError);
  assert.throws(() => getUint32(view, 5), RangeError);
  assert.throws(() => putUint64(view, 1, 0), RangeError);
  assert.throws(() => getUint32(view, -1), RangeError);
  assert.throws(() => getUint32(view, 9), RangeError);
});

Deno.test("values are equal only with the same length and every byte the same", () => {
  const value = Uint8Array.from({ length: 32 }, (_, i) => i);
  assert.equal(constantTimeEqual(value, Uint8Array.from(value)), true);
  assert.equal(constantTimeEqual(new Uint8Array(), new Uint8Array()), true);
  assert.equal(constantTimeEqual(value, value.subarray(0, 31)), false);
  assert.equal(constantTimeEqual(value, concatBytes([value, new Uint8Array(1)])), false);
  for (let bit = 0; bit < 256; bit++) {
    const other = Uint8Array.from(value);
    other[bit >> 3] ^= 1 << (bit & 7);
    assert.equal(constantTimeEqual(value, other), false, `bit ${bit}`);
  }
});

Deno.test("joining makes one buffer of exactly the sum, and wiping leaves zeros", () => {
  const joined = concatBytes([utf8("a\u00e9"), new Uint8Array(), Buffer.from([1, 2]).subarray(1)]);
  assert.deepEqual(joined, new Uint8Array([0x61, 0xc3, 0xa9, 2]));
  assert.equal(joined.buffer.byteLength, 4);
  assert.deepEqual(concatBytes([]), new Uint8Array());
  zeroize(joined.subarray(1, 3));
  assert.deepEqual(joined, new Uint8Array([0x61, 0, 0, 2]));
});

Deno.test("random bytes fill any length, and do not repeat", () => {
  for (const length of [0, 1, 65_536, 65_537, 200_000]) {
    assert.equal(randomBytes(length).length, length);
  }
  const bytes = randomBytes(200_000);
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]++;
  // 781 of each are expected; a part that stayed empty would show as tens of thousands of zeros.
  assert.ok(Math.max(...counts) < 1000 && Math.min(...counts) > 560, counts.join());
  assert.notDeepEqual(randomBytes(32), randomBytes(32));
});
