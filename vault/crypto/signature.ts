// Who sent a file: the signature that may follow its last chunk (crypto spec, 8). What is signed is a digest of
// the header and of every chunk with its place and its whole ciphertext, made as they pass, in the memory
// of one hash. Tags alone would not do: whoever has the key can change a plaintext and keep its tag.
//
// A signature names a sender and protects nothing: it can be taken off without a trace. Where it matters
// somebody has to demand one.

import { concatBytes, constantTimeEqual, putUint64, utf8 } from "./bytes.ts";
import { SignatureError } from "./errors.ts";
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from "./primitives/ed25519.ts";
import { createSha256 } from "./primitives/hash.ts";

/** The algorithms that have a number. ML-DSA-65 is reserved: such blocks parse and cannot be verified. */
export const SIGNATURE_ALGORITHM = { ED25519: 0x01, ML_DSA_65: 0x02 } as const;

export const ED25519_PUBLIC_KEY_LENGTH = 32;
export const ED25519_SIGNATURE_LENGTH = 64;

/** Bytes of the longest block that its two length fields can describe; a reader need not hold more. */
export const MAX_SIGNATURE_BLOCK_LENGTH = 1 + 2 + 0xffff + 2 + 0xffff;

/** What the first bytes of every signed message are, so that no other signature can pass for one. */
const DOMAIN = "shieldfive/crypto/v1/sender-sig";

/** What a block says, whether or not it is true. */
export interface SenderSignature {
  algorithm: number;
  publicKey: Uint8Array;
  signature: Uint8Array;
}

/** What a reader found behind the last chunk. */
export interface VerifiedSignature extends SenderSignature {
  /**
   * Whether the expected sender signed this file; null when nobody said whom to expect. An algorithm that
   * is not known here never verifies.
   */
  verified: boolean | null;
}

/** The digest that is signed. The header comes first and once, then each chunk in its turn. */
export class SenderSigTranscript {
  readonly #hash = createSha256();
  #next?: number;
  #digest?: Uint8Array;

  /** @param headerBytesUnderMac the header up to its MAC, without the MAC. */
  absorbHeader(headerBytesUnderMac: Uint8Array, totalChunks: number): void {
    if (this.#next !== undefined) throw new Error("the header was absorbed already");
    this.#next = 0;
    this.#hash.update(utf8(DOMAIN));
    this.#hash.update(uint64s(headerBytesUnderMac.length));
    this.#hash.update(headerBytesUnderMac);
    this.#hash.update(uint64s(totalChunks));
  }

  /** @param ciphertextWithTag the chunk without its length prefix. */
  absorbChunk(index: number, ciphertextWithTag: Uint8Array): void {
    if (index !== this.#next || this.#digest !== undefined) {
      throw new Error(`chunk ${index} was absorbed out of its turn`);
    }
    this.#next++;
    this.#hash.update(uint64s(index, ciphertextWithTag.length));
    this.#hash.update(ciphertextWithTag);
  }

  /** The 32 bytes to sign; nothing can be absorbed any more. */
  digest(): Uint8Array {
    if (this.#next === undefined) throw new Error("no header was absorbed");
    this.#digest ??= this.#hash.digest();
    return this.#digest.slice();
  }
}

function uint64s(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  values.forEach((value, i) => putUint64(bytes, 8 * i, value));
  return bytes;
}

/** The public key that belongs to a secret one (its 32-byte seed). */
export function deriveEd25519PublicKey(secretKey: Uint8Array): Uint8Array {
  return ed25519PublicKey(secretKey);
}

/** Signs what a transcript came to. */
export function signSenderTranscript(
  { digest, secretKey }: { digest: Uint8Array; secretKey: Uint8Array },
): SenderSignature {
  return {
    algorithm: SIGNATURE_ALGORITHM.ED25519,
    publicKey: ed25519PublicKey(secretKey),
    signature: ed25519Sign(digest, secretKey),
  };
}

/** Whether the expected sender signed what the transcript came to; null when no sender is expected. */
export function verifySenderTranscript(
  { digest, signature, expectedSignerPublicKey }: {
    digest: Uint8Array;
    signature: SenderSignature;
    expectedSignerPublicKey?: Uint8Array;
  },
): boolean | null {
  if (expectedSignerPublicKey === undefined) return null;
  if (signature.algorithm !== SIGNATURE_ALGORITHM.ED25519) return false;
  if (!constantTimeEqual(signature.publicKey, expectedSignerPublicKey)) return false;
  return ed25519Verify(signature.signature, digest, signature.publicKey);
}

/**
 * The block to put behind the last chunk.
 *
 * @throws SignatureError for what could not be read back.
 */
export function buildSignatureBlock(
  { algorithm, publicKey, signature }: SenderSignature,
): Uint8Array {
  if (!Number.isInteger(algorithm) || algorithm < 0 || algorithm > 0xff) {
    throw new SignatureError(
      "signature_block_algorithm_out_of_range",
      "the number of a signature algorithm must fit in one byte",
    );
  }
  checkShape(algorithm, publicKey, signature);
  return concatBytes([
    Uint8Array.of(algorithm),
    uint16(publicKey.length),
    publicKey,
    uint16(signature.length),
    signature,
  ]);
}

function uint16(value: number): Uint8Array {
  if (value > 0xffff) {
    throw new SignatureError(
      "signature_block_field_too_long",
      "a key or signature of 64 KiB or more does not fit in a signature block",
    );
  }
  return Uint8Array.of(value >> 8, value & 0xff);
}

/**
 * The block that begins at an offset, and where it ends. Algorithms that are not known here parse: their
 * fields have no length to be checked.
 *
 * @throws SignatureError with the code that says what is wrong (crypto spec, 8).
 */
export function parseSignatureBlock(
  bytes: Uint8Array,
  offset = 0,
): SenderSignature & { endOffset: number } {
  let at = offset;
  const take = (length: number) => {
    if (length > bytes.length - at) {
      throw new SignatureError(
        "signature_block_block_truncated",
        "the signature block ends before its fields do",
      );
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  const takeField = () => {
    const [high, low] = take(2);
    return take(high << 8 | low).slice();
  };
  const [algorithm] = take(1);
  if (algorithm === 0) throw reservedAlgorithm();
  const publicKey = takeField();
  const signature = takeField();
  checkShape(algorithm, publicKey, signature);
  return { algorithm, publicKey, signature, endOffset: at };
}

/**
 * The block that all of the bytes are, or null when there are none. For what follows the last chunk.
 *
 * @throws SignatureError as `parseSignatureBlock`; `trailing_bytes_after_signature_block`.
 */
export function parseTrailingSignatureBlock(bytes: Uint8Array): SenderSignature | null {
  if (bytes.length === 0) return null;
  const { endOffset, ...block } = parseSignatureBlock(bytes);
  if (endOffset !== bytes.length) {
    throw new SignatureError(
      "trailing_bytes_after_signature_block",
      "there are bytes behind the signature block",
    );
  }
  return block;
}

function checkShape(algorithm: number, publicKey: Uint8Array, signature: Uint8Array): void {
  if (algorithm === 0) throw reservedAlgorithm();
  if (algorithm !== SIGNATURE_ALGORITHM.ED25519) return;
  if (publicKey.length !== ED25519_PUBLIC_KEY_LENGTH) {
    throw new SignatureError(
      "signature_block_ed25519_public_key_wrong_length",
      `an Ed25519 public key has 32 bytes, not ${publicKey.length}`,
    );
  }
  if (signature.length !== ED25519_SIGNATURE_LENGTH) {
    throw new SignatureError(
      "signature_block_ed25519_signature_wrong_length",
      `an Ed25519 signature has 64 bytes, not ${signature.length}`,
    );
  }
}

function reservedAlgorithm(): SignatureError {
  return new SignatureError(
    "signature_block_algorithm_reserved",
    "signature algorithm 0 is reserved",
  );
}
