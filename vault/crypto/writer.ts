// Makes a container out of plaintext pieces of any size: the header, then the length and the
// ciphertext of each chunk, then the signature block. Whole files, blobs and streams all go through
// here.
//
// What comes out is a valid file only if the source gave exactly the size that was announced: the
// piece that would complete the file is held back until the source has ended.

import { type Bytes, concatBytes, zeroize } from "./bytes.ts";
import { checkChunkSize, chunksOf, lengthPrefix, plaintextOfChunk } from "./chunk.ts";
import { ChunkCipher } from "./chunk_cipher.ts";
import { ChunkError } from "./errors.ts";
import { authenticatedHeader, HEADER_SIZES, type HeaderInput } from "./header.ts";
import { Pace } from "./pace.ts";
import { Pieces, type ReadPiece } from "./pieces.ts";
import { requireLength, TAG_LENGTH } from "./primitives/lengths.ts";
import { buildSignatureBlock, SenderSigTranscript, signSenderTranscript } from "./signature.ts";
import { checkSuitePayload } from "./suites.ts";

export interface FileToWrite extends Omit<HeaderInput, "totalChunks"> {
  /** The content key; for suite 0x03 K. Not kept. */
  key: Uint8Array;
  /** Ed25519 secret key, 32 bytes, of whoever signs the file. */
  signingKey?: Uint8Array;
  /** The plaintext that one chunk may have; 64 MiB unless given. */
  maxChunkBytes?: number;
}

export class ContainerWriter {
  /** The header with its MAC, known before the first byte of plaintext. */
  readonly header: Bytes;
  readonly totalChunks: number;
  readonly #file: HeaderInput;
  readonly #cipher: ChunkCipher;
  readonly #signingKey?: Bytes;

  /** @throws HeaderError for numbers that the format refuses; ChunkError `chunk_too_large`. */
  constructor({ key, signingKey, maxChunkBytes, ...input }: FileToWrite) {
    this.totalChunks = chunksOf(input.plaintextSize, input.chunkSize);
    this.#file = { ...input, totalChunks: this.totalChunks };
    this.header = authenticatedHeader(this.#file, key);
    checkSuitePayload(input.suite, input.suitePayload);
    checkChunkSize(this.#file, maxChunkBytes);
    if (signingKey !== undefined) requireLength(signingKey, 32, "the Ed25519 secret key");
    this.#cipher = new ChunkCipher(this.#file, key);
    this.#signingKey = signingKey && new Uint8Array(signingKey);
  }

  /**
   * The file, piece by piece, as far as it is asked for.
   *
   * @throws ChunkError `plaintext_size_mismatch` when the source has fewer bytes than announced, or
   * more; then the pieces that came before do not make a file.
   */
  async *write(read: ReadPiece): AsyncGenerator<Bytes, void, void> {
    const pieces = new Pieces(read);
    const pace = new Pace();
    const transcript = this.#startTranscript();
    try {
      if (this.totalChunks === 0) await this.#requireEnd(pieces);
      yield this.header.slice();
      for (let index = 0; index < this.totalChunks; index++) {
        const plaintext = await this.#takePlaintext(pieces, index);
        const length = plaintext.length + TAG_LENGTH;
        const sealed = await this.#cipher.seal(index, plaintext);
        transcript?.absorbChunk(index, concatBytes(sealed));
        if (index === this.totalChunks - 1) await this.#requireEnd(pieces);
        yield lengthPrefix(length);
        yield* sealed;
        await pace.breathe();
      }
      if (transcript !== undefined) yield this.#sign(transcript);
    } finally {
      pieces.wipe();
      this.close();
    }
  }

  /** Forgets the keys; whatever is written after it fails. */
  close(): void {
    this.#cipher.wipe();
    if (this.#signingKey !== undefined) zeroize(this.#signingKey);
  }

  async #takePlaintext(pieces: Pieces, index: number): Promise<Uint8Array> {
    const size = plaintextOfChunk(this.#file, index);
    const plaintext = await pieces.take(size);
    if (plaintext.length < size) throw this.#sizeMismatch("fewer");
    return plaintext;
  }

  async #requireEnd(pieces: Pieces): Promise<void> {
    if (!(await pieces.atEnd())) throw this.#sizeMismatch("more");
  }

  #sizeMismatch(what: "fewer" | "more"): ChunkError {
    return new ChunkError(
      "plaintext_size_mismatch",
      `the source has ${what} than the ${this.#file.plaintextSize} bytes that were announced`,
    );
  }

  #startTranscript(): SenderSigTranscript | undefined {
    if (this.#signingKey === undefined) return undefined;
    const transcript = new SenderSigTranscript();
    const underMac = this.header.subarray(0, -HEADER_SIZES.HEADER_MAC);
    transcript.absorbHeader(underMac, this.totalChunks);
    return transcript;
  }

  #sign(transcript: SenderSigTranscript): Bytes {
    const signature = signSenderTranscript({
      digest: transcript.digest(),
      secretKey: this.#signingKey!,
    });
    return new Uint8Array(buildSignatureBlock(signature));
  }
}
