// A file's content, decrypted as it comes and held to its row: that it was whole is known at its end alone,
// where the stream fails otherwise. Nothing of it is kept.

import { ToolError } from "../../containment/error.ts";
import { base64ToBytes, SUITE, type SuiteId, zeroize } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { openFileStream } from "@shieldfive/crypto/extra/file_stream.ts";
import { decryptStreamV0 } from "@shieldfive/crypto/extra/legacy_v0.ts";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import type { Api } from "./api.ts";
import { contentKey } from "./file_keys.ts";
import { tooLarge } from "./incoming.ts";
import type { ViewKeys } from "./load.ts";
import { connectionBroke } from "./refusals.ts";
import type { FileRow } from "./rows.ts";
import { orAborted, throwIfCancelled } from "./timing.ts";
import type { ContentOptions } from "./types.ts";

/** What a file's ciphertext may have beyond the content (vault spec, 4). */
const FRAMING = 1024 * 1024;

/** The one suite of each cipher version that has a header. */
const SUITES: Readonly<Record<number, SuiteId>> = {
  2: SUITE.AES_256_GCM_V1,
  3: SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1,
};

/**
 * The suite of a file; undefined for the oldest format, which has none.
 *
 * @throws ToolError `unsupported`
 */
export function suiteOf({ cipherVersion }: FileRow): SuiteId | undefined {
  if (cipherVersion === 1) return undefined;
  const suite = SUITES[cipherVersion];
  if (suite !== undefined) return suite;
  throw new ToolError(
    "unsupported",
    `the file is stored in a format (${cipherVersion}) that this version of shieldfive does not know; ` +
      "install the newest version",
  );
}

/** @throws ToolError as `VaultClient.content` */
export async function contentOf(
  { api, keys }: { api: Api; keys: ViewKeys },
  row: FileRow,
  options: ContentOptions,
): Promise<ReadableStream<Uint8Array>> {
  const suite = suiteOf(row);
  const { maxBytes, signal, progress } = options;
  if (row.size > maxBytes) throw tooLarge(maxBytes);
  const key = await contentKey(keys, row);
  try {
    const ciphertext = await api.ciphertext(row.id, { most: maxBytes + FRAMING, signal });
    const plaintext = suite === undefined
      ? decryptedV0(row, key, ciphertext)
      : decrypted(row, suite, key, ciphertext);
    let done = 0;
    return passed(plaintext, signal, ({ length }) => {
      done += length;
      if (done > maxBytes) throw tooLarge(maxBytes);
      progress?.({ done, total: row.size, unit: "bytes", label: "downloading" });
    });
  } finally {
    zeroize(key);
  }
}

function decrypted(
  row: FileRow,
  suite: SuiteId,
  contentKey: Uint8Array,
  ciphertext: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const fileId = fileIdOfRow(row.id);
  return openFileStream(ciphertext, { keys: { contentKey }, allowedSuites: [suite], fileId })
    .plaintext;
}

function decryptedV0(
  row: FileRow,
  contentKey: Uint8Array,
  ciphertext: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  try {
    return decryptStreamV0(ciphertext, {
      contentKey,
      noncePrefix: base64ToBytes(row.cipherNoncePrefix ?? ""),
      chunkSize: row.cipherChunkSize ?? 0,
      // The only protection against a cut that this format has.
      ciphertextSize: row.ciphertextSize ?? undefined,
      // Some writers stored an empty file as a tag alone.
      plaintextSize: row.size === 0 ? 0 : undefined,
    });
  } catch (error) {
    void ciphertext.cancel(error).catch(() => {}); // its own end is nobody's concern any more
    throw meaningOfContent(error);
  }
}

/** What a failure with content is called. */
export function meaningOfContent(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof CryptoError && error.code === "file_id_mismatch") return rowMismatch();
  if (!(error instanceof CryptoError || error instanceof RangeError)) return connectionBroke(error);
  return new ToolError(
    "decrypt_failed",
    "the content does not open: it was cut or changed, so nothing of it is to be trusted; ask the owner " +
      "to look at the file in ShieldFive",
    { cause: error },
  );
}

export function rowMismatch(): ToolError {
  return new ToolError(
    "row_mismatch",
    "the content belongs to a different file, so it is not shown; ask the owner to upload the file again",
  );
}

/** The same stream; it shows its pieces, stops with the signal, and says what its failures mean. */
function passed(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  onPiece: (piece: Uint8Array) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const read = () => signal === undefined ? reader.read() : orAborted(reader.read(), signal);
  // Not awaited: a source that does not answer must not hold up the news. It may have failed itself.
  const leave = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        throwIfCancelled(signal);
        const { done, value } = await read();
        if (done) return controller.close();
        onPiece(value);
        controller.enqueue(value);
      } catch (error) {
        leave(error);
        throw meaningOfContent(error);
      }
    },
    cancel: leave,
  }, { highWaterMark: 0 });
}
