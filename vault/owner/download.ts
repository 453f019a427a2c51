// A file out of the vault. What comes is decrypted as it comes, and held to the file's row; that it was
// whole is known at its end alone, where the stream fails otherwise.

import { base64ToBytes, SUITE, zeroize } from "@shieldfive/crypto";
import { openFileStream } from "@shieldfive/crypto/extra/file_stream.ts";
import { decryptStreamV0 } from "@shieldfive/crypto/extra/legacy_v0.ts";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import type { Api } from "./api.ts";
import { OwnerError } from "./error.ts";
import { contentError, type ContentKeys, contentKeys } from "./file_keys.ts";
import type { Keyring } from "./keyring.ts";
import type { FileRow } from "./rows.ts";
import type { DownloadOptions } from "./types.ts";

/** The content of a row, decrypted. */
export async function downloadRow(
  { api, keyring }: { api: Api; keyring: Keyring },
  row: FileRow,
  { onProgress, signal }: DownloadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const keys = await contentKeys(keyring, row);
  try {
    const ciphertext = await api.content(`/files/${row.id}/content`, { signal });
    const plaintext = decrypted(row, keys, ciphertext);
    let done = 0;
    return passed(plaintext, (piece) => {
      done += piece.length;
      onProgress?.({ phase: "receiving", done, total: row.size });
    }, api.until(signal));
  } finally {
    zeroize("contentKey" in keys ? keys.contentKey : keys.envelopeKey);
  }
}

/** The plaintext of a row's ciphertext; keys are copied before it returns. */
function decrypted(
  row: FileRow,
  keys: ContentKeys,
  ciphertext: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  if (row.cipherVersion === 1) return decryptedV0(row, keys, ciphertext);
  const suite = SUITES[row.cipherVersion];
  if (suite === undefined) {
    throw new OwnerError(
      "decrypt_failed",
      "the file is in a format that this program does not know",
    );
  }
  const allowedSuites = [suite];
  return openFileStream(ciphertext, { keys, allowedSuites, fileId: fileIdOfRow(row.id) }).plaintext;
}

const SUITES: Record<number, typeof SUITE[keyof typeof SUITE]> = {
  2: SUITE.AES_256_GCM_V1,
  3: SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1,
};

function decryptedV0(
  row: FileRow,
  keys: ContentKeys,
  ciphertext: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const { cipherNoncePrefix, cipherChunkSize } = row;
  if (!("contentKey" in keys) || cipherNoncePrefix === null || cipherChunkSize === null) {
    throw new OwnerError("decrypt_failed", "the file's row lacks what its format needs");
  }
  return decryptStreamV0(ciphertext, {
    contentKey: keys.contentKey,
    noncePrefix: base64ToBytes(cipherNoncePrefix),
    chunkSize: cipherChunkSize,
    ciphertextSize: row.ciphertextSize ?? undefined,
    plaintextSize: row.size,
  });
}

/** The same stream; it shows its pieces, stops with the signal, and says what its failures mean. */
function passed(
  source: ReadableStream<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        signal.throwIfAborted();
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onPiece(value);
        controller.enqueue(value);
      } catch (error) {
        // Not awaited: a source that does not answer must not hold up the news. It may have failed itself.
        reader.cancel(error).catch(() => {});
        throw meaning(error, signal);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

function meaning(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const named = contentError(error);
  if (named instanceof OwnerError || named instanceof DOMException) return named;
  return new OwnerError("network_error", "the connection broke", { cause: error });
}
