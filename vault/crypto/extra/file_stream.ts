// `@shieldfive/crypto/extra/file_stream.ts`: opens a container of any suite from stream to stream,
// bound to the row that it should belong to. The streams of the suites' modules do not ask for the
// row; a server that swapped two files with their keys would go unnoticed there (crypto spec, 16).

import { constantTimeEqual } from "../bytes.ts";
import { HeaderError } from "../errors.ts";
import type { HeaderWithMac, ParsedHeader } from "../header.ts";
import type { OpenOptions } from "../reader.ts";
import { decryptStream, type StreamMetadata } from "../streams/shell.ts";
import type { SuiteId } from "../suites.ts";
import type { FileKeys } from "../unlock.ts";

export interface FileStreamOptions extends OpenOptions {
  /** The file's own key (for suite 0x03 K), or what K is found with. */
  keys: FileKeys;
  allowedSuites: readonly SuiteId[];
  /** The 16 bytes that the header must carry. */
  fileId: Uint8Array;
}

/**
 * The plaintext of a stream. Early chunks come before the end of the file was seen: whoever stores
 * them uses a temporary name until the stream has ended.
 *
 * @throws in the stream: HeaderError `file_id_mismatch` before any plaintext, and all that the file
 * breaks.
 */
export function openFileStream(
  source: ReadableStream<Uint8Array>,
  { fileId, ...options }: FileStreamOptions,
): {
  plaintext: ReadableStream<Uint8Array>;
  /** Known, and proven by its MAC, before the first plaintext. */
  header: Promise<ParsedHeader>;
  metadata: Promise<StreamMetadata>;
} {
  const { promise: header, resolve, reject } = Promise.withResolvers<ParsedHeader>();
  // Whoever reads the plaintext learns of a failure there; the header may not interest them.
  header.catch(() => {});
  const { plaintext, metadata } = decryptStream(source, {
    ...options,
    onHeader(header: HeaderWithMac) {
      if (!constantTimeEqual(header.fileId, fileId)) throw belongsElsewhere();
      resolve(header);
    },
  });
  metadata.catch(reject);
  return { plaintext, header, metadata };
}

function belongsElsewhere(): HeaderError {
  return new HeaderError("file_id_mismatch", "the content belongs to a different file");
}
