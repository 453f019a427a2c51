// `@shieldfive/crypto/format`: the container's header and the authenticated data of its chunks. The
// keyed functions give promises, as they do in the published package.

import type { Bytes } from "./bytes.ts";
import {
  authenticatedHeader,
  checkHeaderMac,
  type HeaderInput,
  headerMacKey,
  type HeaderWithMac,
} from "./header.ts";

export { buildChunkAad } from "./chunk.ts";
export { HeaderError } from "./errors.ts";
export { buildHeaderUnauthenticated, parseHeader } from "./header.ts";
export type { HeaderInput, HeaderWithMac, ParsedHeader } from "./header.ts";

/**
 * The 32-byte key of a header's MAC.
 *
 * @param key the file's content key; for suite 0x03 its K.
 */
// deno-lint-ignore require-await
export async function deriveHeaderMacKey(key: Uint8Array, fileId: Uint8Array): Promise<Bytes> {
  return headerMacKey(key, fileId);
}

/**
 * A header with its MAC.
 *
 * @throws HeaderError as `buildHeaderUnauthenticated`.
 */
// deno-lint-ignore require-await
export async function buildAuthenticatedHeader(
  input: HeaderInput,
  key: Uint8Array,
): Promise<Bytes> {
  return authenticatedHeader(input, key);
}

/** @throws HeaderError `header_mac_mismatch`: another key, or a header that was changed. */
// deno-lint-ignore require-await
export async function verifyHeaderMac(header: HeaderWithMac, key: Uint8Array): Promise<void> {
  checkHeaderMac(header, key);
}
