// `@shieldfive/crypto/streams/pq-hybrid-v1`: suite 0x03 from stream to stream, in the memory of one
// chunk. Early plaintext is out before the end of the file was seen: whoever stores it uses a
// temporary name until the stream has ended.

import { randomBytes } from "../bytes.ts";
import { DEFAULT_CHUNK_SIZE } from "../header.ts";
import { encapsulate } from "../pq_key.ts";
import type { OpenOptions, ReaderOptions } from "../reader.ts";
import { SUITE } from "../suites.ts";
import type { FileKeys } from "../unlock.ts";
import { ContainerWriter } from "../writer.ts";
import {
  decryptPair,
  decryptStream,
  encryptPair,
  encryptStream,
  type StreamMetadata,
  type StreamPair,
} from "./shell.ts";

export type { StreamMetadata, StreamPair };

interface SizeAndSigner {
  /** Bytes that the source will give, exactly; any other number fails the stream. */
  plaintextSize: number;
  /** Plaintext bytes of a chunk, 4 MiB when not given. */
  chunkSize?: number;
  /** Ed25519 secret key, 32 bytes, of whoever signs the file. */
  ed25519SecretKey?: Uint8Array;
}

export interface PqHybridV1EncryptOptions extends SizeAndSigner {
  /** ML-KEM-1024 public key, 1568 bytes. */
  recipientPublicKey: Uint8Array;
  /** 32 random bytes, for this file alone. */
  envelopeKey: Uint8Array;
  /** 16 bytes: the file's row id; random when not given. */
  fileId?: Uint8Array;
}

/** For a K that exists already, from `encapsulateForRecipient`. */
export interface PqHybridV1EncryptStreamOptions extends SizeAndSigner {
  combinedKey: Uint8Array;
  fileId: Uint8Array;
  suitePayload: Uint8Array;
}

/** Opens with K, or with what K is found with. */
export type PqHybridV1DecryptStreamOptions =
  & OpenOptions
  & ({ combinedKey: Uint8Array } | { recipientSecretKey: Uint8Array; envelopeKey: Uint8Array });

function writerFor(options: PqHybridV1EncryptStreamOptions): ContainerWriter {
  const { combinedKey, ed25519SecretKey, chunkSize = DEFAULT_CHUNK_SIZE, ...file } = options;
  return new ContainerWriter({
    suite: SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1,
    key: combinedKey,
    signingKey: ed25519SecretKey,
    chunkSize,
    plaintextSize: file.plaintextSize,
    fileId: file.fileId,
    suitePayload: file.suitePayload,
  });
}

function readerOptions(options: PqHybridV1DecryptStreamOptions): ReaderOptions {
  return {
    ...options,
    keys: keysOf(options),
    allowedSuites: [SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1],
  };
}

function keysOf(options: PqHybridV1DecryptStreamOptions): FileKeys {
  if ("combinedKey" in options) return { contentKey: options.combinedKey };
  const { recipientSecretKey, envelopeKey } = options;
  return { recipientSecretKey, envelopeKey };
}

/**
 * The ciphertext of a stream. K, the file's id and its payload are known at once; K opens the file
 * for ever and is the caller's to wrap and wipe, which may be done before the stream is read.
 */
// deno-lint-ignore require-await
export async function encryptStreamPqHybridV1(
  source: ReadableStream<Uint8Array>,
  options: PqHybridV1EncryptOptions,
): Promise<
  {
    ciphertext: ReadableStream<Uint8Array>;
    combinedKey: Uint8Array;
    fileId: Uint8Array;
    suitePayload: Uint8Array;
  }
> {
  const { recipientPublicKey, envelopeKey, fileId = randomBytes(16), ...rest } = options;
  const key = encapsulate({ recipientPublicKey, envelopeKey, fileId });
  const writer = writerFor({ ...rest, fileId, ...key });
  return { ciphertext: encryptStream(source, writer), fileId, ...key };
}

/** The plaintext of a stream. It fails where the file is damaged, and never ends in silence. */
export function decryptStreamPqHybridV1(
  source: ReadableStream<Uint8Array>,
  options: PqHybridV1DecryptStreamOptions,
): { plaintext: ReadableStream<Uint8Array>; metadata: Promise<StreamMetadata> } {
  return decryptStream(source, readerOptions(options));
}

/** As `encryptStreamPqHybridV1` for a K that exists already, for `pipeThrough`. */
export function createPqHybridV1EncryptStream(
  options: PqHybridV1EncryptStreamOptions,
): { stream: StreamPair } {
  return { stream: encryptPair(writerFor(options)) };
}

/** As `decryptStreamPqHybridV1`, for `pipeThrough`. */
export function createPqHybridV1DecryptStream(
  options: PqHybridV1DecryptStreamOptions,
): { stream: StreamPair; metadata: Promise<StreamMetadata> } {
  return decryptPair(readerOptions(options));
}
