// XChaCha20-Poly1305 by the runtime's ChaCha20-Poly1305, under the key and the nonce that HChaCha20 makes
// of the long ones (draft-irtf-cfrg-xchacha-03, 2.3). node:crypto is handed in: nothing here loads it.

import { hchacha } from "@noble/ciphers/chacha.js";
import type * as NodeCrypto from "node:crypto";
import { type Bytes, zeroize } from "../bytes.ts";
import { TAG_LENGTH } from "./lengths.ts";

const CIPHER = "chacha20-poly1305";
const OPTIONS = { authTagLength: TAG_LENGTH };

/**
 * Bytes that go to the runtime's cipher at a time. It works in passes (copy, encrypt, authenticate), so
 * that pieces which stay in the processor's cache are faster than 4 MiB at once. A whole number of
 * blocks, since releases of Deno before this one padded every piece for the tag.
 */
const PIECE = 262_144;

/** Seals a message under a long nonce. The ciphertext and the tag come in pieces. */
export function sealWithNode(
  node: typeof NodeCrypto,
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array | undefined,
): Bytes[] {
  const subkey = hchacha20(key, nonce.subarray(0, 16));
  const sealed = sealChaCha20Poly1305(node, subkey, shortNonce(nonce), plaintext, aad);
  zeroize(subkey);
  return sealed;
}

/**
 * Opens a message of at least a tag under a long nonce. The plaintext comes in pieces; undefined when
 * the tag does not fit.
 */
export function openWithNode(
  node: typeof NodeCrypto,
  key: Uint8Array,
  nonce: Uint8Array,
  ciphertext: Uint8Array,
  aad: Uint8Array | undefined,
): Bytes[] | undefined {
  const subkey = hchacha20(key, nonce.subarray(0, 16));
  const opened = openChaCha20Poly1305(node, subkey, shortNonce(nonce), ciphertext, aad);
  zeroize(subkey);
  return opened;
}

/** {@link sealWithNode} with the plain cipher of RFC 8439: 12-byte nonce. */
export function sealChaCha20Poly1305(
  node: typeof NodeCrypto,
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array | undefined,
): Bytes[] {
  const cipher = node.createCipheriv(CIPHER, key, nonce, OPTIONS);
  if (aad !== undefined) cipher.setAAD(aad, { plaintextLength: plaintext.length });
  const sealed = piecesOf(plaintext).map((piece) => withoutBuffer(cipher.update(piece)));
  cipher.final();
  return [...sealed, withoutBuffer(cipher.getAuthTag())];
}

/** {@link openWithNode} with the plain cipher of RFC 8439: 12-byte nonce. */
export function openChaCha20Poly1305(
  node: typeof NodeCrypto,
  key: Uint8Array,
  nonce: Uint8Array,
  ciphertext: Uint8Array,
  aad: Uint8Array | undefined,
): Bytes[] | undefined {
  const length = ciphertext.length - TAG_LENGTH;
  const decipher = node.createDecipheriv(CIPHER, key, nonce, OPTIONS);
  decipher.setAuthTag(ciphertext.subarray(length));
  if (aad !== undefined) decipher.setAAD(aad, { plaintextLength: length });
  // Authenticating comes first here and is slow on memory that the processor has not seen: copying each
  // piece to where it stays near makes it 1.4 times as fast (encrypting begins with a copy anyway).
  const near = new Uint8Array(Math.min(PIECE, length));
  const opened = piecesOf(ciphertext.subarray(0, length)).map((piece) => {
    near.set(piece);
    return withoutBuffer(decipher.update(near.subarray(0, piece.length)));
  });
  try {
    decipher.final();
    return opened;
  } catch (error) {
    // How Deno and Node word it when a tag does not fit.
    const refused = error instanceof Error && error.message.includes("unable to authenticate data");
    if (!refused) throw error;
    // Nobody may come to see what was not authentic.
    opened.forEach(zeroize);
    return undefined;
  }
}

function piecesOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from(
    { length: Math.ceil(bytes.length / PIECE) },
    (_, i) => bytes.subarray(i * PIECE, (i + 1) * PIECE),
  );
}

/** A Buffer as plain bytes, copied only where it shares its memory with others, as Node's small ones do. */
function withoutBuffer(buffer: Uint8Array): Bytes {
  const memory = buffer.buffer;
  const alone = memory instanceof ArrayBuffer && memory.byteLength === buffer.length;
  return alone ? new Uint8Array(memory) : new Uint8Array(buffer);
}

/** "expand 32-byte k", the constant of ChaCha20. */
const SIGMA = wordsOf(new TextEncoder().encode("expand 32-byte k"));

/** The key that a key and the first 16 bytes of a long nonce make (draft-irtf-cfrg-xchacha-03, 2.2). */
export function hchacha20(key: Uint8Array, nonce: Uint8Array): Bytes {
  const subkey = new Uint32Array(8);
  const words = wordsOf(key);
  hchacha(SIGMA, words, wordsOf(nonce), subkey);
  words.fill(0);
  return new Uint8Array(subkey.buffer);
}

/** A copy of the bytes as words, since a view of words may not begin just anywhere. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

/** Four zero bytes and the last eight of the long nonce. */
function shortNonce(nonce: Uint8Array): Bytes {
  const short = new Uint8Array(12);
  short.set(nonce.subarray(16), 4);
  return short;
}
