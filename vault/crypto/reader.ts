// Opens a container that arrives in pieces of any size, and gives its plaintext chunk by chunk.
// Whole files, blobs and streams all go through here.
//
// A chunk that was given out is authentic, but the file may still turn out to be cut: whoever
// stores the plaintext keeps it under a temporary name until the end. The last chunk comes only
// after everything behind it was checked, so that a damaged file is never given out whole.

import { type Bytes, getUint32 } from "./bytes.ts";
import { checkChunkLength, checkChunkSize, LENGTH_PREFIX } from "./chunk.ts";
import { ChunkCipher } from "./chunk_cipher.ts";
import { ChunkError } from "./errors.ts";
import {
  HEADER_FIXED_PREFIX_LENGTH,
  headerLengthOf,
  type HeaderWithMac,
  parseHeader,
  tooShort,
} from "./header.ts";
import { Pace } from "./pace.ts";
import { Pieces, type ReadPiece } from "./pieces.ts";
import {
  MAX_SIGNATURE_BLOCK_LENGTH,
  parseTrailingSignatureBlock,
  SenderSigTranscript,
  type VerifiedSignature,
  verifySenderTranscript,
} from "./signature.ts";
import type { SuiteId } from "./suites.ts";
import { copyKeys, type FileKeys, unlock, wipeKeys } from "./unlock.ts";

/** What a caller may say about a file that is opened. */
export interface OpenOptions {
  /** The plaintext that one chunk may have; 64 MiB unless given. */
  maxChunkBytes?: number;
  /** Ed25519 public key of whoever should have signed the file. */
  expectedSignerPublicKey?: Uint8Array;
  /**
   * Called once, when everything was checked and before the last chunk is given out; null for a
   * file without a signature. What it throws refuses the file.
   */
  onSignature?: (signature: VerifiedSignature | null) => void;
}

export interface ReaderOptions extends OpenOptions {
  keys: FileKeys;
  allowedSuites: readonly SuiteId[];
  /** Called once the header was proven to belong to the key. What it throws refuses the file. */
  onHeader?: (header: HeaderWithMac) => void;
}

export class ContainerReader {
  readonly #options: ReaderOptions;
  readonly #keys: FileKeys;
  #cipher?: ChunkCipher;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#keys = copyKeys(options.keys);
  }

  /**
   * The plaintext, chunk after chunk in one or more pieces, as far as it is asked for.
   *
   * @throws HeaderError, ChunkError or SignatureError with the code of the first rule that the file
   * breaks (crypto spec, 2, 3 and 8).
   */
  async *read(read: ReadPiece): AsyncGenerator<Bytes, void, void> {
    const pieces = new Pieces(read);
    const pace = new Pace();
    try {
      const header = await takeHeader(pieces);
      const cipher = this.#openCipher(header);
      const transcript = this.#startTranscript(header);
      let size = 0;
      for (let index = 0; index < header.totalChunks; index++) {
        const sealed = await this.#takeChunk(pieces, header, index);
        const plaintext = await cipher.open(index, sealed);
        transcript?.absorbChunk(index, sealed);
        size += lengthOf(plaintext);
        if (index === header.totalChunks - 1) await this.#finish(pieces, header, size, transcript);
        yield* plaintext;
        await pace.breathe();
      }
      if (header.totalChunks === 0) await this.#finish(pieces, header, size, transcript);
    } finally {
      this.close();
    }
  }

  /** Forgets the keys; whatever is read after it fails. */
  close(): void {
    this.#closed = true;
    wipeKeys(this.#keys);
    this.#cipher?.wipe();
  }

  #openCipher(header: HeaderWithMac): ChunkCipher {
    if (this.#closed) throw new ChunkError("closed", "the file was closed and its key is gone");
    const key = unlock(header, this.#keys, this.#options.allowedSuites);
    this.#cipher = new ChunkCipher(header, key);
    wipeKeys({ contentKey: key });
    wipeKeys(this.#keys);
    checkChunkSize(header, this.#options.maxChunkBytes);
    this.#options.onHeader?.(header);
    return this.#cipher;
  }

  /** Ciphertext and tag of the next chunk, in memory that holds until more is read. */
  async #takeChunk(pieces: Pieces, header: HeaderWithMac, index: number): Promise<Uint8Array> {
    const prefix = await pieces.take(LENGTH_PREFIX);
    if (prefix.length < LENGTH_PREFIX) {
      const where = prefix.length === 0 ? "before" : "inside the length of";
      throw new ChunkError(
        "chunk_length_truncated",
        `the file ends ${where} chunk ${index} of ${header.totalChunks}`,
      );
    }
    const length = getUint32(prefix, 0);
    checkChunkLength(length, index, header, this.#options.maxChunkBytes);
    const sealed = await pieces.take(length);
    if (sealed.length < length) {
      throw new ChunkError(
        "chunk_truncated",
        `the file ends inside chunk ${index} of ${header.totalChunks}`,
      );
    }
    return sealed;
  }

  #startTranscript(header: HeaderWithMac): SenderSigTranscript | undefined {
    if (this.#options.expectedSignerPublicKey === undefined) return undefined;
    const transcript = new SenderSigTranscript();
    transcript.absorbHeader(header.unauthenticatedBytes, header.totalChunks);
    return transcript;
  }

  /** What is checked after the last chunk. */
  async #finish(
    pieces: Pieces,
    header: HeaderWithMac,
    size: number,
    transcript: SenderSigTranscript | undefined,
  ): Promise<void> {
    if (size !== header.plaintextSize) {
      throw new ChunkError(
        "plaintext_size_mismatch",
        `the chunks hold ${size} bytes, where the header says ${header.plaintextSize}`,
      );
    }
    const block = await pieces.atEnd()
      ? null
      : parseTrailingSignatureBlock(await pieces.take(MAX_SIGNATURE_BLOCK_LENGTH + 1));
    const { expectedSignerPublicKey, onSignature } = this.#options;
    const verified = block === null || transcript === undefined ? null : verifySenderTranscript({
      digest: transcript.digest(),
      signature: block,
      expectedSignerPublicKey,
    });
    onSignature?.(block === null ? null : { ...block, verified });
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Waits for the fixed fields, then for as much as they announce. */
async function takeHeader(pieces: Pieces): Promise<HeaderWithMac> {
  const prefix = (await pieces.take(HEADER_FIXED_PREFIX_LENGTH)).slice();
  if (prefix.length < HEADER_FIXED_PREFIX_LENGTH) throw tooShort();
  const header = new Uint8Array(headerLengthOf(prefix));
  header.set(prefix);
  const rest = await pieces.take(header.length - prefix.length);
  if (rest.length < header.length - prefix.length) throw tooShort();
  header.set(rest, prefix.length);
  return parseHeader(header);
}
