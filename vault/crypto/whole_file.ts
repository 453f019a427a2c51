// The engine for files that are in memory or in a blob: the whole result at once. The functions of
// the suites' modules are made here, so that all of them promise the same.

import { type Bytes, randomBytes } from "./bytes.ts";
import { CHUNK_OVERHEAD } from "./chunk.ts";
import { CryptoError } from "./errors.ts";
import {
  DEFAULT_CHUNK_SIZE,
  HEADER_FIXED_PREFIX_LENGTH,
  HEADER_SIZES,
  type HeaderWithMac,
  parseHeader,
  refusingRangeErrors,
} from "./header.ts";
import { piecesOfBlob, piecesOfBytes, type ReadPiece } from "./pieces.ts";
import { ContainerReader, type OpenOptions, type ReaderOptions } from "./reader.ts";
import { type SuiteId, suiteRules } from "./suites.ts";
import { ContainerWriter, type FileToWrite } from "./writer.ts";

/** Told as a file grows how much is done, between 0 and 1; the last call says 1. */
export type ProgressCallback = (progress: number) => void;

/** A file as it is stored, and what its header says. */
export interface EncryptedFile {
  blob: Blob;
  suite: SuiteId;
  fileId: Uint8Array;
  chunkSize: number;
  totalChunks: number;
  plaintextSize: number;
}

/** Tells how many of so many bytes are done; an empty file has reached its end as well. */
export function progressOf(size: number, onProgress: ProgressCallback | undefined) {
  let done = 0;
  return {
    add(bytes: number): void {
      done += bytes;
      if (done < size) onProgress?.(done / size);
    },
    end(): void {
      onProgress?.(1);
    },
  };
}

export function requireBlob(value: unknown): asserts value is Blob {
  if (!(value instanceof Blob)) throw new CryptoError("invalid_input", "blob must be a Blob");
}

export function requireBytes(value: unknown): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) {
    throw new CryptoError("invalid_input", "the plaintext must be a Uint8Array");
  }
}

/** Writes a file into a blob. */
export async function writeToBlob(
  file: FileToWrite,
  read: ReadPiece,
  onProgress?: ProgressCallback,
): Promise<EncryptedFile> {
  const writer = new ContainerWriter(file);
  const { totalChunks } = writer;
  const length = writer.header.length + file.plaintextSize + totalChunks * CHUNK_OVERHEAD;
  const progress = progressOf(length, onProgress);
  const parts: Blob[] = [];
  for await (const piece of writer.write(read)) {
    // As a blob at once: it is out of the script's memory, and a browser may keep it on disk.
    parts.push(new Blob([piece]));
    progress.add(piece.length);
  }
  progress.end();
  const { suite, fileId, chunkSize, plaintextSize } = file;
  return { blob: new Blob(parts), suite, fileId, chunkSize, totalChunks, plaintextSize };
}

/** The header of a file in a blob, not verified. @throws HeaderError as `parseHeader`. */
export async function headerOfBlob(blob: Blob): Promise<HeaderWithMac> {
  const longest = HEADER_FIXED_PREFIX_LENGTH + 0xffff + HEADER_SIZES.HEADER_MAC;
  const bytes = new Uint8Array(await blob.slice(0, longest).arrayBuffer());
  return refusingRangeErrors(() => parseHeader(bytes));
}

/** Opens the file in a blob into another blob. */
export async function openToBlob(
  blob: Blob,
  options: ReaderOptions,
  onProgress?: ProgressCallback,
): Promise<Blob> {
  const parts: Blob[] = [];
  await openEach(blob, options, onProgress, (plaintext) => parts.push(new Blob([plaintext])));
  return new Blob(parts);
}

/** Opens the file in a blob into memory. */
export async function openToBytes(
  blob: Blob,
  options: ReaderOptions,
  onProgress?: ProgressCallback,
): Promise<Bytes> {
  let bytes = new Uint8Array(0);
  let size = 0;
  await openEach(blob, options, onProgress, (plaintext, plaintextSize) => {
    // A header may claim any size; what is allocated for it is what the caller holds already.
    if (size === 0) bytes = new Uint8Array(Math.min(plaintextSize, blob.size));
    bytes.set(plaintext, size);
    size += plaintext.length;
  });
  return bytes;
}

async function openEach(
  blob: Blob,
  options: ReaderOptions,
  onProgress: ProgressCallback | undefined,
  take: (plaintext: Bytes, plaintextSize: number) => void,
): Promise<void> {
  // Parsed before it is streamed, since a file that is all there is refused in more words.
  const { plaintextSize } = await headerOfBlob(blob);
  const progress = progressOf(plaintextSize, onProgress);
  for await (const plaintext of new ContainerReader(options).read(piecesOfBlob(blob))) {
    take(plaintext, plaintextSize);
    progress.add(plaintext.length);
  }
  progress.end();
}

export interface EncryptOptions {
  /** 32 random bytes, for this file alone; made when not given. */
  contentKey?: Uint8Array;
  /** 16 bytes: the file's row id; random when not given. */
  fileId?: Uint8Array;
  /** Zeros when not given: then the content key is kept elsewhere. */
  suitePayloadOverride?: Uint8Array;
  /** Plaintext bytes of a chunk, 4 MiB when not given. */
  chunkSize?: number;
  onProgress?: ProgressCallback;
}

export interface DecryptOptions extends OpenOptions {
  blob: Blob;
  contentKey: Uint8Array;
  /** The suites that are accepted, that of the module when not given. */
  allowedSuites?: readonly SuiteId[];
  onProgress?: ProgressCallback;
}

/** A file's plan from the options that the suites with a content key share. */
export function planWithContentKey(
  suite: SuiteId,
  plaintextSize: number,
  options: Omit<EncryptOptions, "onProgress">,
): FileToWrite {
  return {
    suite,
    plaintextSize,
    key: options.contentKey ?? randomBytes(32),
    fileId: options.fileId ?? randomBytes(16),
    suitePayload: suitePayloadOf(suite, options.suitePayloadOverride),
    chunkSize: options.chunkSize ?? DEFAULT_CHUNK_SIZE,
  };
}

function suitePayloadOf(suite: SuiteId, override: Uint8Array | undefined): Uint8Array {
  const { payloadLength } = suiteRules(suite);
  if (override !== undefined && override.length !== payloadLength) {
    throw new CryptoError(
      "suite_payload_wrong_length",
      `suitePayloadOverride must be ${payloadLength} bytes, not ${override.length}`,
    );
  }
  return override ?? new Uint8Array(payloadLength);
}

/** The four functions of a suite whose files have a content key. */
export function wholeFileFunctions(suite: SuiteId) {
  async function encrypt(size: number, read: ReadPiece, options: EncryptOptions) {
    const file = planWithContentKey(suite, size, options);
    const encrypted = await writeToBlob(file, read, options.onProgress);
    return { ...encrypted, contentKey: file.key };
  }

  function readerOptions({ contentKey, allowedSuites = [suite], ...options }: DecryptOptions) {
    return { ...options, allowedSuites, keys: { contentKey } };
  }

  return {
    async encryptBlob(
      { blob, ...options }: EncryptOptions & { blob: Blob },
    ): Promise<EncryptedFile & { contentKey: Uint8Array }> {
      requireBlob(blob);
      return await encrypt(blob.size, piecesOfBlob(blob), options);
    },

    async encryptBytes(
      bytes: Uint8Array,
      options: EncryptOptions = {},
    ): Promise<EncryptedFile & { contentKey: Uint8Array }> {
      requireBytes(bytes);
      return await encrypt(bytes.length, piecesOfBytes(bytes), options);
    },

    async decryptBlob(options: DecryptOptions): Promise<Blob> {
      requireBlob(options.blob);
      return await openToBlob(options.blob, readerOptions(options), options.onProgress);
    },

    async decryptToBytes(options: DecryptOptions): Promise<Bytes> {
      requireBlob(options.blob);
      return await openToBytes(options.blob, readerOptions(options), options.onProgress);
    },
  };
}
