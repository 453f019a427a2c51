// Seals and opens the chunks of one file (crypto spec, 3 and 4), whichever cipher its suite has.
// The only secret that it keeps is the file's chunk key; once that was wiped, nothing can be sealed
// or opened any more, least of all under a key of zeros.

import { type Bytes, zeroize } from "./bytes.ts";
import { buildChunkAad } from "./chunk.ts";
import { ChunkError } from "./errors.ts";
import type { HeaderInput } from "./header.ts";
import { aesGcmOpen, aesGcmSeal, type AesKey, importAesKey } from "./primitives/aes_gcm.ts";
import { requireLength } from "./primitives/lengths.ts";
import { xchachaOpenPieces, xchachaSealPieces } from "./primitives/xchacha.ts";
import {
  chunkNonce,
  deriveChunkKey,
  deriveNoncePrefix,
  type SuiteId,
  suiteRules,
} from "./suites.ts";

export class ChunkCipher {
  readonly #suite: SuiteId;
  readonly #usesAes: boolean;
  readonly #totalChunks: number;
  readonly #noncePrefix: Bytes;
  readonly #chunkKey: Bytes;
  #aesKey?: Promise<AesKey>;
  #wiped = false;

  /** @param key the file's content key, or K; it is not kept. */
  constructor(
    { suite, fileId, totalChunks }: Pick<HeaderInput, "suite" | "fileId" | "totalChunks">,
    key: Uint8Array,
  ) {
    requireLength(key, 32, "the file's key");
    this.#suite = suite;
    this.#usesAes = suiteRules(suite).cipher === "aes-gcm";
    this.#totalChunks = totalChunks;
    this.#noncePrefix = deriveNoncePrefix(suite, fileId);
    this.#chunkKey = deriveChunkKey(suite, key, fileId);
  }

  /**
   * Ciphertext and tag of one chunk, in pieces that together are the whole: joining them would copy
   * megabytes once more.
   */
  async seal(index: number, plaintext: Uint8Array): Promise<Bytes[]> {
    this.#requireKey();
    const nonce = chunkNonce(this.#suite, this.#noncePrefix, index);
    const aad = this.#aad(index);
    return this.#usesAes
      ? [await aesGcmSeal(await this.#importedKey(), nonce, plaintext, aad)]
      : xchachaSealPieces(this.#chunkKey, nonce, plaintext, aad);
  }

  /**
   * The plaintext of one chunk, given its ciphertext and tag; in pieces, all of them authentic.
   *
   * @throws ChunkError `chunk_authentication_failed`.
   */
  async open(index: number, sealed: Uint8Array): Promise<Bytes[]> {
    this.#requireKey();
    const nonce = chunkNonce(this.#suite, this.#noncePrefix, index);
    const aad = this.#aad(index);
    const plaintext = this.#usesAes
      ? await this.#openAes(nonce, sealed, aad)
      : xchachaOpenPieces(this.#chunkKey, nonce, sealed, aad);
    if (plaintext === undefined) {
      throw new ChunkError(
        "chunk_authentication_failed",
        `chunk ${index} is not authentic: it was changed, or belongs elsewhere`,
      );
    }
    return plaintext;
  }

  /** Forgets the key, for good. */
  wipe(): void {
    this.#wiped = true;
    this.#aesKey = undefined;
    zeroize(this.#chunkKey);
  }

  async #openAes(nonce: Bytes, sealed: Uint8Array, aad: Bytes): Promise<Bytes[] | undefined> {
    const plaintext = await aesGcmOpen(await this.#importedKey(), nonce, sealed, aad);
    return plaintext && [plaintext];
  }

  #aad(index: number): Bytes {
    return buildChunkAad(index, this.#totalChunks, index === this.#totalChunks - 1);
  }

  #requireKey(): void {
    if (this.#wiped) throw new ChunkError("closed", "the file was closed and its key is gone");
  }

  /** Once the platform has the key, ours is wiped. */
  #importedKey(): Promise<AesKey> {
    this.#aesKey ??= importAesKey(this.#chunkKey).finally(() => zeroize(this.#chunkKey));
    return this.#aesKey;
  }
}
