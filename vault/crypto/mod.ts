// `@shieldfive/crypto`: the published formats' common part, under the published package's names, so
// that the import map can put the package in its place. Everything else is under its own specifier.

export { autoDecryptBlob } from "./auto.ts";
export type { AutoDecryptOptions } from "./auto.ts";
export {
  base64ToBytes,
  bytesToBase64,
  bytesToHex,
  concatBytes,
  constantTimeEqual,
  hexToBytes,
  randomBytes,
  zeroize,
} from "./bytes.ts";
export { CHUNK_AAD_LENGTH } from "./chunk.ts";
export {
  buildAuthenticatedHeader,
  buildChunkAad,
  buildHeaderUnauthenticated,
  deriveHeaderMacKey,
  HeaderError,
  parseHeader,
  verifyHeaderMac,
} from "./format.ts";
export type { ParsedHeader } from "./format.ts";
export {
  DEFAULT_CHUNK_SIZE,
  FORMAT_MAGIC,
  FORMAT_MAGIC_LENGTH,
  HEADER_FIXED_PREFIX_LENGTH,
  HEADER_SIZES,
  MAX_CHUNK_SIZE,
  MAX_TOTAL_CHUNKS,
} from "./header.ts";
export { CHUNK_AAD_DOMAIN, HKDF_INFO } from "./labels.ts";
export { DEFAULT_SUITE, SUITE, SUITE_NAMES } from "./suites.ts";
export type { SuiteId, SuiteName } from "./suites.ts";
export type { EncryptedFile, ProgressCallback } from "./whole_file.ts";

/** The version of the published package whose formats and names these are. */
export const SHIELDFIVE_CRYPTO_VERSION = "1.0.1";
