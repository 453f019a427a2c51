// From a parsed header and what a caller has to the key of the file, in the order that each suite
// asks for (crypto spec, 2, "Verification order"). What comes back was proven by the header's MAC.

import { type Bytes, zeroize } from "./bytes.ts";
import { HeaderError } from "./errors.ts";
import { checkHeaderMac, type HeaderWithMac } from "./header.ts";
import { decapsulate } from "./pq_key.ts";
import { checkSuitePayload, SUITE, SUITE_NAMES, type SuiteId } from "./suites.ts";

/** What opens a file: its own key (for suite 0x03 K), or what K is found with. */
export type FileKeys =
  | { contentKey: Uint8Array }
  | { recipientSecretKey: Uint8Array; envelopeKey: Uint8Array };

/** Copies, to be wiped without harm to the caller's. */
export function copyKeys(keys: FileKeys): FileKeys {
  return "contentKey" in keys ? { contentKey: new Uint8Array(keys.contentKey) } : {
    recipientSecretKey: new Uint8Array(keys.recipientSecretKey),
    envelopeKey: new Uint8Array(keys.envelopeKey),
  };
}

export function wipeKeys(keys: FileKeys): void {
  for (const key of Object.values(keys)) zeroize(key);
}

/**
 * The file's key, which the caller wipes.
 *
 * @throws HeaderError `suite_not_allowed`, `header_mac_mismatch`, or for a malformed payload;
 * CryptoError `unwrap_failed`.
 */
export function unlock(
  header: HeaderWithMac,
  keys: FileKeys,
  allowedSuites: readonly SuiteId[],
): Bytes {
  const viaKem = !("contentKey" in keys);
  const { suite, suitePayload, fileId } = header;
  if (
    !allowedSuites.includes(suite) ||
    (viaKem && suite !== SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1)
  ) {
    throw new HeaderError(
      "suite_not_allowed",
      `the file is written in ${SUITE_NAMES[suite]}, which is not accepted here`,
    );
  }
  // Decapsulating before the MAC is safe: a changed ciphertext gives another key, and the MAC
  // fails.
  const key = viaKem
    ? decapsulate({ suitePayload, fileId, ...keys })
    : new Uint8Array(keys.contentKey);
  try {
    checkHeaderMac(header, key);
    checkSuitePayload(suite, suitePayload);
  } catch (error) {
    zeroize(key);
    throw error;
  }
  return key;
}
