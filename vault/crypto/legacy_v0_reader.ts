// Opens files of version 0 (crypto spec, 9), which have no header: AES-256-GCM chunks one after
// another, each under the next counter, and nothing that says how many there are. A file that was
// cut between two chunks cannot be told from a whole one except by the sizes that were recorded
// elsewhere.

import { type Bytes, putUint64, zeroize } from "./bytes.ts";
import { DEFAULT_MAX_CHUNK_BYTES } from "./chunk.ts";
import { ChunkError, CryptoError } from "./errors.ts";
import { Pieces, type ReadPiece } from "./pieces.ts";
import { aesGcmOpen, type AesKey, importAesKey } from "./primitives/aes_gcm.ts";
import { requireLength, TAG_LENGTH } from "./primitives/lengths.ts";

export interface V0Options {
  contentKey: Uint8Array;
  /** The first 4 bytes of every IV. */
  noncePrefix: Uint8Array;
  /** Plaintext bytes of every chunk but the last. */
  chunkSize: number;
}

/** What was recorded of a file when it was stored; whatever is given has to be so. */
export interface V0Recorded {
  ciphertextSize?: number;
  plaintextSize?: number;
}

export class V0Reader {
  readonly #key: Bytes;
  readonly #noncePrefix: Bytes;
  readonly #chunkSize: number;
  readonly #recorded: V0Recorded;
  #aesKey?: Promise<AesKey>;

  /** @throws CryptoError `invalid_input`; ChunkError `chunk_too_large` above 64 MiB. */
  constructor({ contentKey, noncePrefix, chunkSize }: V0Options, recorded: V0Recorded = {}) {
    requireLength(contentKey, 32, "the content key");
    requireLength(noncePrefix, 4, "the nonce prefix");
    if (!Number.isInteger(chunkSize) || chunkSize < 1) {
      throw new CryptoError("invalid_input", "the chunk size must be a whole number of bytes");
    }
    if (chunkSize > DEFAULT_MAX_CHUNK_BYTES) {
      throw new ChunkError("chunk_too_large", `a chunk of ${chunkSize} bytes is too large`);
    }
    this.#key = new Uint8Array(contentKey);
    this.#noncePrefix = new Uint8Array(noncePrefix);
    this.#chunkSize = chunkSize;
    this.#recorded = recorded;
  }

  /**
   * The plaintext, chunk by chunk. The last one comes after the recorded sizes were compared.
   *
   * @throws ChunkError `chunk_truncated`, `chunk_authentication_failed`,
   * `ciphertext_size_mismatch`, `plaintext_size_mismatch`.
   */
  async *read(read: ReadPiece): AsyncGenerator<Bytes, void, void> {
    const pieces = new Pieces(read);
    const size = { ciphertext: 0, plaintext: 0 };
    try {
      for (let index = 0; !(await pieces.atEnd()); index++) {
        const sealed = await pieces.take(this.#chunkSize + TAG_LENGTH);
        size.ciphertext += sealed.length;
        const plaintext = await this.#open(sealed, index);
        size.plaintext += plaintext.length;
        if (await pieces.atEnd()) this.#compare(size);
        if (plaintext.length > 0) yield plaintext;
      }
      if (size.ciphertext === 0) this.#compare(size);
    } finally {
      this.close();
    }
  }

  /** Forgets the key; whatever is read after it fails. */
  close(): void {
    this.#aesKey ??= Promise.reject(new ChunkError("closed", "the file was closed"));
    this.#aesKey.catch(() => {});
    zeroize(this.#key);
  }

  async #open(sealed: Uint8Array, index: number): Promise<Bytes> {
    if (sealed.length <= TAG_LENGTH && !this.#isEmptyFile(sealed, index)) {
      throw new ChunkError("chunk_truncated", `the file ends inside chunk ${index}`);
    }
    const iv = new Uint8Array(12);
    iv.set(this.#noncePrefix);
    putUint64(iv, 4, index);
    this.#aesKey ??= importAesKey(this.#key);
    const plaintext = await aesGcmOpen(await this.#aesKey, iv, sealed);
    if (plaintext === undefined) {
      throw new ChunkError(
        "chunk_authentication_failed",
        `chunk ${index} is not authentic: it was changed, or the keys or the chunk size are others`,
      );
    }
    return plaintext;
  }

  /** Some writers stored an empty file as one tag; elsewhere a tag alone is what a cut leaves. */
  #isEmptyFile(sealed: Uint8Array, index: number): boolean {
    return index === 0 && sealed.length === TAG_LENGTH && this.#recorded.plaintextSize === 0;
  }

  #compare(size: { ciphertext: number; plaintext: number }): void {
    for (const what of ["ciphertext", "plaintext"] as const) {
      const recorded = this.#recorded[`${what}Size`];
      if (recorded === undefined || recorded === size[what]) continue;
      throw new ChunkError(
        `${what}_size_mismatch`,
        `the file has ${size[what]} bytes of ${what}, where ${recorded} were recorded`,
      );
    }
  }
}
