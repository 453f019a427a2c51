// `@shieldfive/crypto/pq-hybrid-v1`: suite 0x03, XChaCha20-Poly1305 under a key that takes both
// ML-KEM-1024 and the envelope key to find (crypto spec, 6 and 10).

import { type Bytes, randomBytes, zeroize } from "./bytes.ts";
import { DEFAULT_CHUNK_SIZE } from "./header.ts";
import { HKDF_INFO } from "./labels.ts";
import { piecesOfBlob, piecesOfBytes, type ReadPiece } from "./pieces.ts";
import {
  decapsulate,
  type DecapsulateOptions,
  encapsulate,
  type EncapsulateOptions,
} from "./pq_key.ts";
import { hkdf } from "./primitives/hkdf.ts";
import { requireLength } from "./primitives/lengths.ts";
import { mlKemKeygen, type MlKemKeypair } from "./primitives/ml_kem.ts";
import type { OpenOptions } from "./reader.ts";
import { PQ_PAYLOAD, SUITE } from "./suites.ts";
import {
  type EncryptedFile,
  openToBlob,
  openToBytes,
  type ProgressCallback,
  requireBlob,
  requireBytes,
  writeToBlob,
} from "./whole_file.ts";

export type { DecapsulateOptions, EncapsulateOptions, EncryptedFile, MlKemKeypair };

/** Bytes of the suite payload of every file. */
export const PQ_HYBRID_V1_SUITE_PAYLOAD_LENGTH = PQ_PAYLOAD.LENGTH;

const PQ_SUITE = SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1;

/** A fresh pair: public key of 1568 bytes, secret key of 3168. */
export function generateMlKemKeypair(): MlKemKeypair {
  return mlKemKeygen();
}

/** The pair that belongs to a 32-byte master secret, always the same. */
// deno-lint-ignore require-await
export async function deriveMlKemKeypair(masterSecret: Uint8Array): Promise<MlKemKeypair> {
  requireLength(masterSecret, 32, "the master secret");
  const seed = hkdf(masterSecret, null, HKDF_INFO.ML_KEM_1024_SEED, 64);
  try {
    return mlKemKeygen(seed);
  } finally {
    zeroize(seed);
  }
}

/** A fresh K for a recipient, and the suite payload from which the recipient finds it. */
// deno-lint-ignore require-await
export async function encapsulateForRecipient(
  options: EncapsulateOptions,
): Promise<{ suitePayload: Bytes; combinedKey: Bytes }> {
  return encapsulate(options);
}

/**
 * The K of a file from its suite payload. With another ML-KEM key it gives another K: the header's
 * MAC tells.
 *
 * @throws HeaderError for a malformed payload; CryptoError `unwrap_failed` for another envelope
 * key.
 */
// deno-lint-ignore require-await
export async function decapsulateFromHeader(
  options: DecapsulateOptions,
): Promise<{ combinedKey: Bytes }> {
  return { combinedKey: decapsulate(options) };
}

export interface PqEncryptOptions {
  /** ML-KEM-1024 public key, 1568 bytes. */
  recipientPublicKey: Uint8Array;
  /** 32 random bytes, for this file alone. */
  envelopeKey: Uint8Array;
  /** 16 bytes: the file's row id; random when not given. */
  fileId?: Uint8Array;
  /** Plaintext bytes of a chunk, 4 MiB when not given. */
  chunkSize?: number;
  onProgress?: ProgressCallback;
}

async function encrypt(
  size: number,
  read: ReadPiece,
  options: PqEncryptOptions,
): Promise<EncryptedFile & { combinedKey: Uint8Array }> {
  const { fileId = randomBytes(16), chunkSize = DEFAULT_CHUNK_SIZE, onProgress } = options;
  const { suitePayload, combinedKey } = encapsulate({ ...options, fileId });
  const file = {
    suite: PQ_SUITE,
    plaintextSize: size,
    key: combinedKey,
    fileId,
    chunkSize,
    suitePayload,
  };
  return { ...await writeToBlob(file, read, onProgress), combinedKey };
}

/** Encrypts a blob; K opens the file for ever and is the caller's to wrap and wipe. */
export async function encryptBlob(
  { blob, ...options }: PqEncryptOptions & { blob: Blob },
): Promise<EncryptedFile & { combinedKey: Uint8Array }> {
  requireBlob(blob);
  return await encrypt(blob.size, piecesOfBlob(blob), options);
}

/** As `encryptBlob`, for bytes in memory. */
export async function encryptBytes(
  bytes: Uint8Array,
  options: PqEncryptOptions,
): Promise<EncryptedFile & { combinedKey: Uint8Array }> {
  requireBytes(bytes);
  return await encrypt(bytes.length, piecesOfBytes(bytes), options);
}

export interface PqDecryptOptions extends OpenOptions {
  blob: Blob;
  /** ML-KEM-1024 secret key, 3168 bytes. */
  recipientSecretKey: Uint8Array;
  envelopeKey: Uint8Array;
  onProgress?: ProgressCallback;
}

function readerOptions({ recipientSecretKey, envelopeKey, ...options }: PqDecryptOptions) {
  return { ...options, allowedSuites: [PQ_SUITE], keys: { recipientSecretKey, envelopeKey } };
}

/** Decrypts a blob, or fails: nothing comes back of a file that is damaged anywhere. */
export async function decryptBlob(options: PqDecryptOptions): Promise<Blob> {
  requireBlob(options.blob);
  return await openToBlob(options.blob, readerOptions(options), options.onProgress);
}

/** As `decryptBlob`, into memory. */
export async function decryptToBytes(options: PqDecryptOptions): Promise<Bytes> {
  requireBlob(options.blob);
  return await openToBytes(options.blob, readerOptions(options), options.onProgress);
}
