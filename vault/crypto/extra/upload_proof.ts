// The upload proof from the first bytes of a stream, as they pass (crypto spec, 15). Both sides use
// it: who uploads feeds the pieces as they are made, the server feeds what it reads back from
// storage. Nothing of the first chunk is kept, however large a header says that it is.

import {
  type Bytes,
  bytesToBase64,
  concatBytes,
  constantTimeEqual,
  getUint32,
  hexToBytes,
  zeroize,
} from "../bytes.ts";
import { CryptoError, VaultCryptoError } from "../errors.ts";
import {
  HEADER_FIXED_PREFIX_LENGTH,
  headerLengthOf,
  type ParsedHeader,
  parseHeader,
} from "../header.ts";
import type { Hash } from "../primitives/hash.ts";
import { createHmacSha256 } from "../primitives/hmac.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";
import { SUITE } from "../suites.ts";
import { decodeFieldOf, KEY_LENGTH } from "../vault/keys.ts";
import { ciphertextLength } from "./ciphertext_length.ts";
import { contentFitsRow } from "./row_binding.ts";

/** The version of the proof, and the `cipher_version` of what it proves. */
const VERSIONS = Uint8Array.of(3, 3);
const MAC_LENGTH = 32;
/** Bytes of the length in front of a chunk. */
const CHUNK_PREFIX = 4;
const LONGEST_HEAD = HEADER_FIXED_PREFIX_LENGTH + 0xffff + MAC_LENGTH + CHUNK_PREFIX;

function refuse(message: string): never {
  throw new VaultCryptoError("invalid_input", message);
}

/** A MAC under the proof key, whose bytes are wiped. */
function macUnder(proofKeyHex: string): Hash {
  if (typeof proofKeyHex !== "string" || !/^[0-9a-f]{64}$/i.test(proofKeyHex)) {
    refuse(`the proof key must be ${2 * KEY_LENGTH} hex digits`);
  }
  const key = hexToBytes(proofKeyHex);
  const mac = createHmacSha256(key);
  zeroize(key);
  mac.update(VERSIONS);
  return mac;
}

/** What is read of a header, or the refusal of a file that has none. */
function readHeader<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    // A 64-bit field that no number holds is a RangeError; either way the file has no header.
    if (!(error instanceof CryptoError || error instanceof RangeError)) throw error;
    return refuse(`the file's header does not parse: ${error.message}`);
  }
}

/** One upload's proof in the making. */
export class UploadProofV3 {
  readonly #mac: Hash;
  /** The header and the first chunk's length, as far as they came. */
  readonly #head = new Uint8Array(LONGEST_HEAD);
  #headHeld = 0;
  #headNeeded = HEADER_FIXED_PREFIX_LENGTH;
  #header: ParsedHeader | undefined;
  #chunkLeft = 0;
  #proof: Bytes | undefined;

  /** @throws {VaultCryptoError} `invalid_input` for a proof key that is not 64 hex digits. */
  constructor(proofKeyHex: string) {
    this.#mac = macUnder(proofKeyHex);
  }

  /**
   * Takes the next bytes of the file; those behind the first chunk are ignored. They are not kept.
   *
   * @returns whether everything that the proof needs has come.
   * @throws {VaultCryptoError} `invalid_input` for a header that does not parse, an empty file, or
   * a first chunk of impossible length.
   */
  absorb(bytes: Uint8Array): boolean {
    const rest = this.#header === undefined ? this.#absorbHead(bytes) : bytes;
    if (this.#header !== undefined && !this.complete) {
      const ofChunk = rest.subarray(0, this.#chunkLeft);
      this.#mac.update(ofChunk);
      this.#chunkLeft -= ofChunk.length;
    }
    return this.complete;
  }

  /** Whether everything that the proof needs has come. */
  get complete(): boolean {
    return this.#header !== undefined && this.#chunkLeft === 0;
  }

  /** The file's header, once it came; only the proof's MAC has been laid over it. */
  get header(): ParsedHeader | undefined {
    return this.#header;
  }

  /**
   * The proof, base64 of 34 bytes.
   *
   * @throws {VaultCryptoError} `invalid_input` when the header or the first chunk is not complete.
   */
  digest(): string {
    return bytesToBase64(this.#finish());
  }

  /**
   * Whether a proof that somebody sent is this one, in constant time.
   *
   * @throws {VaultCryptoError} as {@link digest}.
   */
  matches(proof: string): boolean {
    const expected = this.#finish();
    const given = decodeFieldOf(proof, expected.length);
    return given !== undefined && constantTimeEqual(given, expected);
  }

  #finish(): Bytes {
    if (!this.complete) refuse("the file ends before its first chunk does");
    this.#proof ??= concatBytes([VERSIONS, this.#mac.digest()]);
    return this.#proof;
  }

  /** Collects the head and checks it as soon as it is whole; gives back what lies behind it. */
  #absorbHead(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    while (this.#header === undefined && rest.length > 0) {
      const taken = rest.subarray(0, this.#headNeeded - this.#headHeld);
      this.#head.set(taken, this.#headHeld);
      this.#headHeld += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#headHeld < this.#headNeeded) continue;
      const head = this.#head.subarray(0, this.#headHeld);
      if (head.length > HEADER_FIXED_PREFIX_LENGTH) this.#checkHead(head);
      else this.#headNeeded = readHeader(() => headerLengthOf(head)) + CHUNK_PREFIX;
    }
    return rest;
  }

  #checkHead(head: Uint8Array): void {
    const header = readHeader(() => parseHeader(head.slice(0, -CHUNK_PREFIX)));
    if (header.totalChunks === 0) refuse("an empty file has no upload proof");
    const chunkLength = getUint32(head, head.length - CHUNK_PREFIX);
    if (chunkLength <= TAG_LENGTH || chunkLength > header.chunkSize + TAG_LENGTH) {
      refuse("the file's first chunk has an impossible length");
    }
    this.#header = header;
    this.#mac.update(head);
    this.#chunkLeft = chunkLength;
  }
}

/** What a server finds wrong with a stored file (vault spec, 13). */
export type UploadFault = "wrong_suite" | "wrong_row" | "wrong_size";

/**
 * What keeps a file from being stored under `cipher_version` 3: another suite than 0x03, a file id
 * that is not its row's, or a size that its header does not account for. A proof alone says none of
 * this: whoever has the proof key can make one over any header.
 */
export function uploadFault(
  header: ParsedHeader,
  upload: { rowId: string; ciphertextSize: number },
): UploadFault | undefined {
  if (header.suite !== SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1) return "wrong_suite";
  if (!contentFitsRow(header.fileId, upload.rowId)) return "wrong_row";
  const { plaintextSize, chunkSize, suite } = header;
  const sizes = [false, true].map((signed) =>
    ciphertextLength(plaintextSize, chunkSize, suite, signed)
  );
  return sizes.includes(upload.ciphertextSize) ? undefined : "wrong_size";
}
