// A part of a file's content by the chunks that it lies in: a text's first page, or the two ends of files
// that may be equal. Each chunk is authentic, at its place and of this file; that the rest is there is not
// proven. Where the format has no chunks to be had alone, what lies before is fetched too.

import { ToolError } from "../../containment/error.ts";
import { DEFAULT_CHUNK_SIZE, type SuiteId, zeroize } from "@shieldfive/crypto";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { ChunkOpener, type ChunkRange } from "@shieldfive/crypto/extra/range.ts";
import { contentFitsRow } from "@shieldfive/crypto/extra/row_binding.ts";
import type { Api } from "./api.ts";
import { contentOf, meaningOfContent, rowMismatch, suiteOf } from "./content.ts";
import { contentKey } from "./file_keys.ts";
import type { ViewKeys } from "./load.ts";
import type { FileRow } from "./rows.ts";

/** Bytes that are given at a time: they are all in memory. */
const LONGEST_PART = 64 * 1024 * 1024;
/** Headers that are kept, of files that were read in parts lately; each has at most 1,741 bytes. */
const KEPT_HEADERS = 64;

/** What is asked of a file. */
export interface PartOfContent {
  /** The first byte. */
  offset: number;
  /** Bytes; fewer come where the content ends before. */
  length: number;
  signal?: AbortSignal;
}

/** Where parts are read from. */
export interface Source {
  api: Api;
  keys: ViewKeys;
}

function requirePart({ offset, length }: PartOfContent): void {
  const whole = Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length);
  if (whole && length >= 0 && length <= LONGEST_PART) return;
  throw new ToolError(
    "invalid_argument",
    `a part of a file begins at a byte and has at most ${LONGEST_PART} of them`,
  );
}

/** Reads parts of files; headers that were fetched and found genuine are not fetched again soon. */
export class Parts {
  readonly #headers = new Map<string, Uint8Array>();

  /** @throws ToolError as `VaultClient.content` */
  async read(source: Source, row: FileRow, part: PartOfContent): Promise<Uint8Array> {
    requirePart(part);
    const suite = suiteOf(row);
    if (suite === undefined) return await partOfStream(source, row, part);
    const key = await contentKey(source.keys, row);
    try {
      return await this.#byChunks(source.api, row, { ...part, suite, key });
    } catch (error) {
      throw meaningOfContent(error);
    } finally {
      zeroize(key);
    }
  }

  async #byChunks(
    api: Api,
    row: FileRow,
    { suite, key, offset, length, signal }: PartOfContent & { suite: SuiteId; key: Uint8Array },
  ): Promise<Uint8Array> {
    const headerLength = ciphertextLength(0, DEFAULT_CHUNK_SIZE, suite);
    // What lies in the first chunk comes with the header: small files take one request.
    const withChunk = ciphertextLength(DEFAULT_CHUNK_SIZE, DEFAULT_CHUNK_SIZE, suite);
    const ahead = offset + length <= DEFAULT_CHUNK_SIZE
      ? Math.max(headerLength, Math.min(withChunk, row.ciphertextSize ?? withChunk))
      : headerLength;
    const head = this.#headers.get(row.id) ?? await bytesOf(api, row.id, [0, ahead], signal);
    const header = head.slice(0, headerLength);
    const opener = new ChunkOpener(header, {
      keys: { contentKey: key },
      allowedSuites: [suite],
    });
    try {
      if (!contentFitsRow(opener.header.fileId, row.id)) throw rowMismatch();
      this.#keep(row.id, header);
      const { plaintextSize } = opener.header;
      const range = opener.range(
        Math.min(offset, plaintextSize),
        Math.min(offset + length, plaintextSize),
      );
      if (range.length === 0) return new Uint8Array();
      const fetched = range.end <= head.length
        ? head.subarray(range.start, range.end)
        : await bytesOf(api, row.id, [range.start, range.end], signal);
      return await opened(opener, range, fetched);
    } finally {
      opener.close();
    }
  }

  #keep(id: string, header: Uint8Array): void {
    this.#headers.delete(id);
    this.#headers.set(id, header);
    if (this.#headers.size > KEPT_HEADERS) {
      this.#headers.delete(this.#headers.keys().next().value!);
    }
  }
}

/** Ciphertext from one byte to another; less where the file ends before. */
async function bytesOf(
  api: Api,
  id: string,
  [start, end]: [number, number],
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const part = { start, end };
  const stream = await api.ciphertext(id, { part, most: end - start, signal });
  return await collected(stream, end - start);
}

/** The plaintext of a range. */
async function opened(
  opener: ChunkOpener,
  range: ChunkRange,
  ciphertext: Uint8Array,
): Promise<Uint8Array> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(ciphertext);
      controller.close();
    },
  });
  return await collected(opener.stream(source, range), range.length);
}

/** For the format without headers: what lies before is decrypted too, what lies behind is not fetched. */
async function partOfStream(
  source: Source,
  row: FileRow,
  { offset, length, signal }: PartOfContent,
): Promise<Uint8Array> {
  const maxBytes = Number.MAX_SAFE_INTEGER / 2;
  const stream = await contentOf(source, row, { maxBytes, signal });
  return await collected(stream, length, offset);
}

/** The first bytes of a stream behind those that are left out. */
async function collected(
  stream: ReadableStream<Uint8Array>,
  length: number,
  leftOut = 0,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  const reader = stream.getReader();
  while (filled < length) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, filled);
    const wanted = value.subarray(leftOut, leftOut + length - filled);
    leftOut -= Math.min(leftOut, value.length);
    bytes.set(wanted, filled);
    filled += wanted.length;
  }
  // Not awaited: nothing more of it is needed.
  void reader.cancel().catch(() => {});
  return bytes;
}
