// Opens a file in whichever suite its header names. For callers that hold a file and all its keys
// and nothing else; the vault knows the suite from its own records and never asks the file (crypto
// spec, 5).

import { CryptoError } from "./errors.ts";
import { SUITE, SUITE_NAMES, type SuiteId } from "./suites.ts";
import type { FileKeys } from "./unlock.ts";
import { headerOfBlob, openToBlob, type ProgressCallback, requireBlob } from "./whole_file.ts";

export interface AutoDecryptOptions {
  blob: Blob;
  /** For suites 0x01, 0x02 and 0x04. */
  contentKey?: Uint8Array;
  /** For suite 0x03, with the envelope key. */
  recipientSecretKey?: Uint8Array;
  envelopeKey?: Uint8Array;
  onProgress?: ProgressCallback;
}

/**
 * Decrypts a container of any suite. Files of version 0 have no header to go by: use `decryptV0`.
 *
 * @throws CryptoError `invalid_input` when the keys of the file's suite are missing; otherwise as
 * the suite's own `decryptBlob`.
 */
export async function autoDecryptBlob(options: AutoDecryptOptions): Promise<Blob> {
  const { blob, onProgress } = options;
  requireBlob(blob);
  const { suite } = await headerOfBlob(blob);
  const readerOptions = { keys: keysFor(suite, options), allowedSuites: [suite] };
  return await openToBlob(blob, readerOptions, onProgress);
}

function keysFor(suite: SuiteId, options: AutoDecryptOptions): FileKeys {
  const { contentKey, recipientSecretKey, envelopeKey } = options;
  if (suite === SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1) {
    if (recipientSecretKey !== undefined && envelopeKey !== undefined) {
      return { recipientSecretKey, envelopeKey };
    }
    throw missing(suite, "recipientSecretKey and envelopeKey");
  }
  if (contentKey === undefined) throw missing(suite, "contentKey");
  return { contentKey };
}

function missing(suite: SuiteId, what: string): CryptoError {
  return new CryptoError("invalid_input", `a file in ${SUITE_NAMES[suite]} needs ${what}`);
}
