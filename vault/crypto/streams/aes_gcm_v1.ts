// `@shieldfive/crypto/streams/aes-gcm-v1`: suite 0x01 from stream to stream, in the memory of one
// chunk. Early plaintext is out before the end of the file was seen: whoever stores it uses a
// temporary name until the stream has ended.

import type { OpenOptions } from "../reader.ts";
import { SUITE, type SuiteId } from "../suites.ts";
import { type EncryptOptions, planWithContentKey } from "../whole_file.ts";
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

export interface AesGcmV1EncryptStreamOptions extends Omit<EncryptOptions, "onProgress"> {
  /** Bytes that the source will give, exactly; any other number fails the stream. */
  plaintextSize: number;
  /** Ed25519 secret key, 32 bytes, of whoever signs the file. */
  ed25519SecretKey?: Uint8Array;
}

export interface AesGcmV1DecryptStreamOptions extends OpenOptions {
  contentKey: Uint8Array;
  /** The suites that are accepted; 0x01 alone when not given. */
  allowedSuites?: readonly SuiteId[];
}

function writerFor({ ed25519SecretKey, ...options }: AesGcmV1EncryptStreamOptions) {
  const plan = planWithContentKey(SUITE.AES_256_GCM_V1, options.plaintextSize, options);
  const writer = new ContainerWriter({ ...plan, signingKey: ed25519SecretKey });
  return { writer, contentKey: plan.key, fileId: plan.fileId };
}

function readerOptions(
  { contentKey, allowedSuites = [SUITE.AES_256_GCM_V1], ...options }: AesGcmV1DecryptStreamOptions,
) {
  return { ...options, allowedSuites, keys: { contentKey } };
}

/** The ciphertext of a stream; the keys are known at once. */
export function encryptStreamAesGcmV1(
  source: ReadableStream<Uint8Array>,
  options: AesGcmV1EncryptStreamOptions,
): { ciphertext: ReadableStream<Uint8Array>; contentKey: Uint8Array; fileId: Uint8Array } {
  const { writer, ...keys } = writerFor(options);
  return { ciphertext: encryptStream(source, writer), ...keys };
}

/** The plaintext of a stream. It fails where the file is damaged, and never ends in silence. */
export function decryptStreamAesGcmV1(
  source: ReadableStream<Uint8Array>,
  options: AesGcmV1DecryptStreamOptions,
): { plaintext: ReadableStream<Uint8Array>; metadata: Promise<StreamMetadata> } {
  return decryptStream(source, readerOptions(options));
}

/** As `encryptStreamAesGcmV1`, for `pipeThrough`. */
export function createAesGcmV1EncryptStream(
  options: AesGcmV1EncryptStreamOptions,
): { stream: StreamPair; contentKey: Uint8Array; fileId: Uint8Array } {
  const { writer, ...keys } = writerFor(options);
  return { stream: encryptPair(writer), ...keys };
}

/** As `decryptStreamAesGcmV1`, for `pipeThrough`. */
export function createAesGcmV1DecryptStream(
  options: AesGcmV1DecryptStreamOptions,
): { stream: StreamPair; metadata: Promise<StreamMetadata> } {
  return decryptPair(readerOptions(options));
}
