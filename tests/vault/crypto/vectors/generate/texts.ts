// Headers, signature blocks, connection strings and envelopes by themselves, which a parser takes or
// refuses before any key is there.

import { headerUnderMac, signatureBlock } from "../../second/container.ts";
import { base64url, bigEndian, hex, join } from "../../second/primitives.ts";
import { connectionString, encryptV0, sealName } from "../../second/vault.ts";
import type { RefusalVectors, RefusedBytes, RefusedText } from "../format.ts";
import { draw, drawRowId } from "./draw.ts";

const FIELDS = {
  suite: 1,
  fileId: drawRowId("header"),
  chunkSize: 32,
  totalChunks: 4n,
  plaintextSize: 100n,
  payload: new Uint8Array(72),
};

/** A header whose MAC is zeros: for a parser alone. */
function header(change: Partial<typeof FIELDS> = {}): Uint8Array {
  return join(headerUnderMac({ ...FIELDS, ...change }), new Uint8Array(32));
}

export function headers(): Pick<RefusalVectors, "headers" | "acceptedHeaders"> {
  const declared = (length: number) =>
    join(header().subarray(0, 43), bigEndian(length, 2), header().subarray(45));
  const refused: [string, string, Uint8Array][] = [
    ["nothing", "header_too_short", new Uint8Array()],
    ["76 bytes", "header_too_short", header().slice(0, 76)],
    ["a missing byte", "header_truncated", header().slice(0, -1)],
    ["a payload longer than the file", "header_truncated", declared(0xffff)],
    ["bit 53 in the number of chunks", "range_error", header({ totalChunks: 2n ** 53n + 4n })],
    ["bit 63 in the size", "range_error", header({ plaintextSize: 2n ** 63n + 100n })],
    ["bytes in no chunk", "total_chunks_zero_with_plaintext", header({ totalChunks: 0n })],
    ["a chunk for no bytes", "plaintext_size_inconsistent", header({ plaintextSize: 0n })],
    [
      "a billion chunks and one",
      "total_chunks_out_of_range",
      header({ totalChunks: 10n ** 9n + 1n }),
    ],
  ];
  const largest = {
    chunkSize: 0xffff_ffff,
    totalChunks: 2n ** 21n,
    plaintextSize: 2n ** 53n - 2n ** 21n,
  };
  const accepted: [string, Uint8Array][] = [
    ["no bytes", header({ totalChunks: 0n, plaintextSize: 0n })],
    ["the smallest size", header({ plaintextSize: 97n })],
    ["the largest size", header({ plaintextSize: 128n })],
    ["a billion chunks", header({ totalChunks: 10n ** 9n, plaintextSize: 32n * 10n ** 9n })],
    ["the largest chunks", header(largest)],
    ["bytes behind it", join(header(), draw("behind", 5))],
  ];
  return {
    headers: refused.map(([name, code, bytes]) => ({ name, code, bytes: hex(bytes) })),
    acceptedHeaders: accepted.map(([name, bytes]) => ({ name, bytes: hex(bytes) })),
  };
}

export function signatureBlocks(): RefusedBytes[] {
  const key = draw("key", 32);
  const signature = draw("signature", 64);
  const good = signatureBlock(1, key, signature);
  const cases: [string, string, Uint8Array][] = [
    ["one byte", "signature_block_block_truncated", good.slice(0, 1)],
    ["half a key", "signature_block_block_truncated", good.slice(0, 20)],
    ["no signature", "signature_block_block_truncated", good.slice(0, 35)],
    ["all but a byte", "signature_block_block_truncated", good.slice(0, -1)],
    [
      "lengths beyond the end",
      "signature_block_block_truncated",
      join(Uint8Array.of(9, 255, 255), key),
    ],
    ["algorithm 0", "signature_block_algorithm_reserved", signatureBlock(0, key, signature)],
    [
      "a key of 31 bytes",
      "signature_block_ed25519_public_key_wrong_length",
      signatureBlock(1, key.slice(1), signature),
    ],
    [
      "a signature of 65 bytes",
      "signature_block_ed25519_signature_wrong_length",
      signatureBlock(1, key, join(signature, key.slice(31))),
    ],
    ["two blocks", "trailing_bytes_after_signature_block", join(good, good)],
    ["a byte more", "trailing_bytes_after_signature_block", join(good, Uint8Array.of(0))],
  ];
  return cases.map(([name, code, bytes]) => ({ name, code, bytes: hex(bytes) }));
}

/** Content without a header that is cut or read with the wrong parts. */
export function legacyRefusals(): RefusalVectors["legacy"] {
  const contentKey = draw("legacy key", 32);
  const noncePrefix = draw("legacy prefix", 4);
  const file = encryptV0(contentKey, noncePrefix, 64, draw("legacy 130", 130));
  const base = { contentKey: hex(contentKey), noncePrefix: hex(noncePrefix), chunkSize: 64 };
  const encoded = (bytes: Uint8Array) => bytes.toBase64();
  const swapped = join(file.subarray(80, 160), file.subarray(0, 80), file.subarray(160));
  return [
    { name: "16 bytes left over", ...base, file: encoded(file.slice(0, 176)) },
    { name: "one byte left over", ...base, file: encoded(file.slice(0, 161)) },
    { name: "a byte missing", ...base, file: encoded(file.slice(0, -1)) },
    { name: "two chunks changed about", ...base, file: encoded(swapped) },
    { name: "another size of chunk", ...base, chunkSize: 32, file: encoded(file) },
    { name: "another prefix", ...base, noncePrefix: "00000000", file: encoded(file) },
    { name: "another key", ...base, contentKey: hex(draw("other", 32)), file: encoded(file) },
  ];
}

export function connectionStrings(): RefusedText[] {
  const parts = {
    grantId: "0b7e9d2c-1a3f-4e5d-9c8b-7a6f5e4d3c2b",
    token: draw("refused token", 32),
    secret: draw("refused secret", 32),
    publicKey: draw("refused key", 1568),
  };
  const good = connectionString(parts);
  const [id, token, secret, fingerprint] = good.slice(12).split(".");
  const made = (...values: string[]) => "sf-grant-v1:" + values.join(".");
  const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const unused = token.slice(0, 42) + last[last.indexOf(token[42]) | 1];
  return Object.entries({
    "nothing": "",
    "the prefix alone": "sf-grant-v1:",
    "another version": good.replace("v1", "v2"),
    "a prefix in capitals": good.replace("sf-grant", "SF-GRANT"),
    "white space within": good.replace(":", ": "),
    "three parts": made(id, token, secret),
    "five parts": made(id, token, secret, fingerprint, "x"),
    "a grant id in capitals": made(id.toUpperCase(), token, secret, fingerprint),
    "a grant id without dashes": made(id.replaceAll("-", ""), token, secret, fingerprint),
    "bits that are not used": made(id, unused, secret, fingerprint),
    "padding": made(id, token + "=", secret, fingerprint),
    "a token of 31 bytes": made(id, base64url(parts.token.slice(1)), secret, fingerprint),
    "a secret of 33 bytes": made(
      id,
      token,
      base64url(join(parts.secret, parts.token.slice(31))),
      fingerprint,
    ),
    "the other alphabet": made(id, token, "+/" + secret.slice(2), fingerprint),
    "a fingerprint in capitals": made(id, token, secret, fingerprint.toUpperCase()),
    "a fingerprint of 63 digits": made(id, token, secret, fingerprint.slice(1)),
    "the fingerprint with another digit": made(id, token, secret, "g" + fingerprint.slice(1)),
  }).map(([name, value]) => ({ name, value }));
}

/** Texts that are no envelope. */
export function envelopes(): RefusedText[] {
  const good = sealName({
    key: draw("envelope", 32),
    name: draw("name", 9),
    iv: draw("iv", 12),
    salt: draw("salt", 16),
    rowId: "0199c0ff-ee00-7abc-8def-0123456789ab",
    kdf: "interactive",
  });
  const { tag: _tag, ...withoutTag } = good;
  const padded = (length: number) => {
    const text = JSON.stringify(good);
    return text.slice(0, -1) + " ".repeat(length - text.length) + "}";
  };
  return Object.entries({
    "nothing": "",
    "no JSON": "{",
    "null": "null",
    "an array": JSON.stringify([good]),
    "a text": JSON.stringify("envelope"),
    "version 5": JSON.stringify({ ...good, v: 5 }),
    "a version as text": JSON.stringify({ ...good, v: "6" }),
    "no tag": JSON.stringify(withoutTag),
    "a number for the ciphertext": JSON.stringify({ ...good, ct: 1 }),
    "a level that is not offered": JSON.stringify({ ...good, kdf: "sensitive" }),
    "a level that is null": JSON.stringify({ ...good, kdf: null }),
    "8193 characters": padded(8193),
    "the form of a link": "v2|" + good.ct,
  }).map(([name, value]) => ({ name, value }));
}
