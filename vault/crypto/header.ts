// The header of container v1 (crypto spec, 2): what it says about a file, in which order it is
// read, and the MAC that binds it to the file's key. Nothing that a header says is true before its
// MAC was verified, and nothing is allocated from its numbers here.

import {
  type Bytes,
  concatBytes,
  constantTimeEqual,
  getUint32,
  getUint64,
  putUint32,
  putUint64,
  zeroize,
} from "./bytes.ts";
import { HeaderError } from "./errors.ts";
import { HKDF_INFO } from "./labels.ts";
import { hkdf } from "./primitives/hkdf.ts";
import { hmacSha256 } from "./primitives/hmac.ts";
import { requireLength } from "./primitives/lengths.ts";
import { isSuite, type SuiteId } from "./suites.ts";

/** "SF5", major version 1, minor version 0. */
export const FORMAT_MAGIC: Uint8Array = Uint8Array.of(0x53, 0x46, 0x35, 0x01, 0x00);
export const FORMAT_MAGIC_LENGTH = 5;

/** Bytes of each field, in their order; the suite payload comes before the MAC. */
export const HEADER_SIZES = Object.freeze({
  MAGIC: FORMAT_MAGIC_LENGTH,
  SUITE: 1,
  FLAGS: 1,
  FILE_ID: 16,
  CHUNK_SIZE: 4,
  TOTAL_CHUNKS: 8,
  PLAINTEXT_SIZE: 8,
  SUITE_PAYLOAD_LEN: 2,
  HEADER_MAC: 32,
});

const AT = {
  suite: 5,
  flags: 6,
  fileId: 7,
  chunkSize: 23,
  totalChunks: 27,
  plaintextSize: 35,
  payloadLength: 43,
} as const;

/** Bytes of the fields in front of the suite payload. */
export const HEADER_FIXED_PREFIX_LENGTH = 45;

/** Plaintext bytes of a chunk where the writer says nothing else: 4 MiB. */
export const DEFAULT_CHUNK_SIZE = 4 * 1024 * 1024;
export const MAX_CHUNK_SIZE = 0xffff_ffff;
export const MAX_TOTAL_CHUNKS = 1_000_000_000;

/** What a header says, apart from its version. */
export interface HeaderInput {
  suite: SuiteId;
  /** 16 bytes: the file's row id, and the salt of everything that is derived for it. */
  fileId: Uint8Array;
  /** Plaintext bytes of every chunk but the last. */
  chunkSize: number;
  totalChunks: number;
  /** Plaintext bytes of the file. */
  plaintextSize: number;
  suitePayload: Uint8Array;
}

export interface ParsedHeader extends HeaderInput {
  flags: number;
  /** Bytes of the header; the first chunk begins there. */
  headerLength: number;
}

/** A header with the bytes that its MAC covers, and the MAC. */
export type HeaderWithMac = ParsedHeader & { unauthenticatedBytes: Uint8Array; mac: Uint8Array };

/** Refuses numbers that cannot belong to one file. The order is that of the fields. */
function checkNumbers({ chunkSize, totalChunks, plaintextSize }: HeaderInput): void {
  if (!isIntegerWithin(chunkSize, 1, MAX_CHUNK_SIZE)) {
    throw new HeaderError("chunk_size_out_of_range", `chunk size ${chunkSize} is out of range`);
  }
  if (!isIntegerWithin(totalChunks, 0, MAX_TOTAL_CHUNKS)) {
    throw new HeaderError(
      "total_chunks_out_of_range",
      `the number of chunks, ${totalChunks}, is out of range`,
    );
  }
  if (totalChunks === 0 && plaintextSize !== 0) {
    throw new HeaderError(
      "total_chunks_zero_with_plaintext",
      `the file has no chunk for its ${plaintextSize} bytes`,
    );
  }
  // Products of these pass 2^53 and would be rounded as numbers.
  const size = BigInt(plaintextSize);
  const most = BigInt(totalChunks) * BigInt(chunkSize);
  if (size > most || (totalChunks > 0 && size <= most - BigInt(chunkSize))) {
    throw new HeaderError(
      "plaintext_size_inconsistent",
      `${totalChunks} chunks of ${chunkSize} bytes cannot hold exactly ${plaintextSize} bytes`,
    );
  }
}

function isIntegerWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/**
 * The header without its MAC.
 *
 * @throws HeaderError for what `parseHeader` would refuse, and `file_id_wrong_length`,
 * `plaintext_size_out_of_range`, `suite_payload_too_large`.
 */
export function buildHeaderUnauthenticated(input: HeaderInput): Bytes {
  const { suite, fileId, chunkSize, totalChunks, plaintextSize, suitePayload } = input;
  if (!isSuite(suite)) throw unknownSuite(suite);
  if (fileId.length !== HEADER_SIZES.FILE_ID) {
    throw new HeaderError("file_id_wrong_length", `a file id has 16 bytes, not ${fileId.length}`);
  }
  if (!isIntegerWithin(plaintextSize, 0, Number.MAX_SAFE_INTEGER)) {
    throw new HeaderError(
      "plaintext_size_out_of_range",
      "the plaintext size must be a whole number of bytes up to 2^53-1",
    );
  }
  checkNumbers(input);
  if (suitePayload.length > 0xffff) {
    throw new HeaderError("suite_payload_too_large", "a suite payload has at most 65535 bytes");
  }
  const header = new Uint8Array(HEADER_FIXED_PREFIX_LENGTH + suitePayload.length);
  header.set(FORMAT_MAGIC);
  header[AT.suite] = suite;
  header.set(fileId, AT.fileId);
  putUint32(header, AT.chunkSize, chunkSize);
  putUint64(header, AT.totalChunks, totalChunks);
  putUint64(header, AT.plaintextSize, plaintextSize);
  header[AT.payloadLength] = suitePayload.length >> 8;
  header[AT.payloadLength + 1] = suitePayload.length & 0xff;
  header.set(suitePayload, HEADER_FIXED_PREFIX_LENGTH);
  return header;
}

function unknownSuite(suite: number): HeaderError {
  return new HeaderError("unknown_suite", `suite ${suite} is not known`);
}

/**
 * The length of a whole header, from its first 45 bytes, which are checked on the way: what is no
 * container is refused before more of it is waited for.
 *
 * @throws HeaderError as `parseHeader`, and `integer_out_of_range` in place of a RangeError.
 */
export function headerLengthOf(prefix: Uint8Array): number {
  const { payloadLength } = refusingRangeErrors(() => parsePrefix(prefix));
  return HEADER_FIXED_PREFIX_LENGTH + payloadLength + HEADER_SIZES.HEADER_MAC;
}

function parsePrefix(bytes: Uint8Array): HeaderInput & { flags: number; payloadLength: number } {
  if (bytes.length < HEADER_FIXED_PREFIX_LENGTH) throw tooShort();
  if (FORMAT_MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new HeaderError(
      "bad_magic",
      "this is no encrypted file, or one of another version of the format",
    );
  }
  const suite = bytes[AT.suite];
  if (!isSuite(suite)) throw unknownSuite(suite);
  const flags = bytes[AT.flags];
  if (flags !== 0) {
    throw new HeaderError("reserved_flags_set", "the header has flags that are not known");
  }
  const fields = {
    suite,
    flags,
    fileId: bytes.slice(AT.fileId, AT.chunkSize),
    chunkSize: getUint32(bytes, AT.chunkSize),
    totalChunks: getUint64(bytes, AT.totalChunks),
    plaintextSize: getUint64(bytes, AT.plaintextSize),
    suitePayload: new Uint8Array(0),
    payloadLength: bytes[AT.payloadLength] << 8 | bytes[AT.payloadLength + 1],
  };
  checkNumbers(fields);
  return fields;
}

/** What is refused when a file ends before its header does. */
export function tooShort(): HeaderError {
  return new HeaderError("header_too_short", "the file ends before its header does");
}

/**
 * Reads the header at the start of the bytes. Its MAC is not verified.
 *
 * @throws HeaderError with the code of the first rule that is broken, in the order of crypto spec,
 * 2; RangeError for a 64-bit number above 2^53-1.
 */
export function parseHeader(bytes: Uint8Array): HeaderWithMac {
  if (bytes.length < HEADER_FIXED_PREFIX_LENGTH + HEADER_SIZES.HEADER_MAC) throw tooShort();
  const { payloadLength, ...fields } = parsePrefix(bytes);
  const macAt = HEADER_FIXED_PREFIX_LENGTH + payloadLength;
  const headerLength = macAt + HEADER_SIZES.HEADER_MAC;
  if (bytes.length < headerLength) {
    throw new HeaderError("header_truncated", "the suite payload or the MAC is cut off");
  }
  return {
    ...fields,
    suitePayload: bytes.slice(HEADER_FIXED_PREFIX_LENGTH, macAt),
    headerLength,
    unauthenticatedBytes: bytes.slice(0, macAt),
    mac: bytes.slice(macAt, headerLength),
  };
}

/**
 * For readers of files: a number above 2^53-1 becomes a HeaderError `integer_out_of_range`, so that
 * nobody takes what is wrong with a file for a fault of the program.
 */
export function refusingRangeErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HeaderError("integer_out_of_range", error.message, { cause: error });
  }
}

/** The MAC of a header under a file's key (for suite 0x03: K). */
function headerMac(
  unauthenticatedBytes: Uint8Array,
  key: Uint8Array,
  fileId: Uint8Array,
): Bytes {
  const macKey = headerMacKey(key, fileId);
  const mac = hmacSha256(macKey, unauthenticatedBytes);
  zeroize(macKey);
  return mac;
}

/** The key of a header's MAC, 32 bytes. */
export function headerMacKey(key: Uint8Array, fileId: Uint8Array): Bytes {
  requireLength(key, 32, "the file's key");
  return hkdf(key, fileId, HKDF_INFO.HEADER_MAC, 32);
}

/** Builds a header and its MAC. @throws HeaderError as `buildHeaderUnauthenticated`. */
export function authenticatedHeader(input: HeaderInput, key: Uint8Array): Bytes {
  const header = buildHeaderUnauthenticated(input);
  return concatBytes([header, headerMac(header, key, input.fileId)]);
}

/** @throws HeaderError `header_mac_mismatch`: another key, or a header that was changed. */
export function checkHeaderMac(header: HeaderWithMac, key: Uint8Array): void {
  const mac = headerMac(header.unauthenticatedBytes, key, header.fileId);
  if (!constantTimeEqual(mac, header.mac)) {
    throw new HeaderError(
      "header_mac_mismatch",
      "the key is not the file's, or the header was changed",
    );
  }
}
