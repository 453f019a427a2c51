// How a suite 0x03 file gets its key (crypto spec, 6): one half comes from ML-KEM-1024, the other
// from a secretbox under the envelope key, and only both together give K. Halves are wiped as soon
// as they were combined; K belongs to the caller.

import { type Bytes, randomBytes, zeroize } from "./bytes.ts";
import { CryptoError } from "./errors.ts";
import { HKDF_INFO } from "./labels.ts";
import { hkdf } from "./primitives/hkdf.ts";
import { mlKemDecapsulate, mlKemEncapsulate } from "./primitives/ml_kem.ts";
import { secretboxOpen, secretboxSeal } from "./primitives/secretbox.ts";
import { requireLength } from "./primitives/lengths.ts";
import { checkSuitePayload, PQ_PAYLOAD, SUITE } from "./suites.ts";

export interface EncapsulateOptions {
  /** ML-KEM-1024 public key, 1568 bytes. */
  recipientPublicKey: Uint8Array;
  /** 32 bytes that the recipient knows as well. */
  envelopeKey: Uint8Array;
  /** The 16 bytes that the file's header carries. */
  fileId: Uint8Array;
}

export interface DecapsulateOptions {
  suitePayload: Uint8Array;
  /** ML-KEM-1024 secret key, 3168 bytes. */
  recipientSecretKey: Uint8Array;
  envelopeKey: Uint8Array;
  fileId: Uint8Array;
}

/** Makes a fresh K for a recipient, and the header payload from which the recipient finds it. */
export function encapsulate(
  { recipientPublicKey, envelopeKey, fileId }: EncapsulateOptions,
): { suitePayload: Bytes; combinedKey: Bytes } {
  requireLength(envelopeKey, 32, "the envelope key");
  requireLength(fileId, 16, "the file id");
  const classicalShare = randomBytes(32);
  const nonce = randomBytes(24);
  const { ciphertext, sharedSecret } = mlKemEncapsulate(recipientPublicKey);
  const suitePayload = new Uint8Array(PQ_PAYLOAD.LENGTH);
  suitePayload.set(ciphertext);
  suitePayload.set(
    secretboxSeal(envelopeKey, nonce, classicalShare),
    PQ_PAYLOAD.KEM_CIPHERTEXT_END,
  );
  suitePayload.set(nonce, PQ_PAYLOAD.PADDING_END);
  return { suitePayload, combinedKey: combine(classicalShare, sharedSecret, fileId) };
}

/**
 * The K of a file from its payload. A wrong ML-KEM key or ciphertext gives another K, which the
 * header MAC finds out; a wrong envelope key is found here.
 *
 * @throws HeaderError for a malformed payload; CryptoError `unwrap_failed`.
 */
export function decapsulate(
  { suitePayload, recipientSecretKey, envelopeKey, fileId }: DecapsulateOptions,
): Bytes {
  requireLength(envelopeKey, 32, "the envelope key");
  requireLength(fileId, 16, "the file id");
  checkSuitePayload(SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1, suitePayload);
  const { KEM_CIPHERTEXT_END, BOX_END, PADDING_END } = PQ_PAYLOAD;
  const sharedSecret = mlKemDecapsulate(
    suitePayload.subarray(0, KEM_CIPHERTEXT_END),
    recipientSecretKey,
  );
  const classicalShare = secretboxOpen(
    envelopeKey,
    suitePayload.subarray(PADDING_END),
    suitePayload.subarray(KEM_CIPHERTEXT_END, BOX_END),
  );
  if (classicalShare === undefined) {
    zeroize(sharedSecret);
    throw new CryptoError("unwrap_failed", "the file's key does not open with these keys");
  }
  return combine(classicalShare, sharedSecret, fileId);
}

/** K from its two halves, which are wiped. */
function combine(classicalShare: Bytes, sharedSecret: Bytes, fileId: Uint8Array): Bytes {
  const both = new Uint8Array(64);
  both.set(classicalShare);
  both.set(sharedSecret, 32);
  try {
    return hkdf(both, fileId, HKDF_INFO.PQ_HYBRID_COMBINE, 32);
  } finally {
    for (const secret of [both, classicalShare, sharedSecret]) zeroize(secret);
  }
}
