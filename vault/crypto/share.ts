// Giving one file to one more recipient: the key that opens the file, sealed so that only the holder of
// an ML-KEM secret key and of the envelope key can read it (crypto spec, 7). A bundle holds for the file
// whose id it was made with, and for no other.

import { concatBytes, getUint32, putUint32, randomBytes, utf8, zeroize } from "./bytes.ts";
import { CryptoError } from "./errors.ts";
import { HKDF_INFO } from "./labels.ts";
import {
  decapsulateFromHeader,
  encapsulateForRecipient,
  PQ_HYBRID_V1_SUITE_PAYLOAD_LENGTH,
} from "./pq_hybrid_v1.ts";
import { hkdf } from "./primitives/hkdf.ts";
import { requireLength } from "./primitives/lengths.ts";
import { xchachaOpen, xchachaSeal } from "./primitives/xchacha.ts";

/** The format and its version. What came before had neither, and is refused. */
const MAGIC = concatBytes([utf8("SF5S"), Uint8Array.of(2)]);
const KEY_LENGTH = 32;
const NONCE_LENGTH = 24;

const PAYLOAD_AT = MAGIC.length + 4;
const NONCE_AT = PAYLOAD_AT + PQ_HYBRID_V1_SUITE_PAYLOAD_LENGTH;
const WRAPPED_AT = NONCE_AT + NONCE_LENGTH;

/** Bytes of every bundle. */
export const SHARE_BUNDLE_LENGTH = WRAPPED_AT + KEY_LENGTH + 16;

/** What a bundle is made of. */
export interface ShareOptions {
  /** The key K of the file, 32 bytes. */
  combinedKey: Uint8Array;
  /** The id of the file, 16 bytes. */
  fileId: Uint8Array;
  /** Whoever is to open it: a public identity, or its ML-KEM public key alone. */
  recipient: { mlKemPublicKey: Uint8Array };
  /** The envelope key that the recipient has already, 32 bytes. */
  recipientEnvelopeKey: Uint8Array;
}

/** Makes the bundle that gives a file's key to a recipient. */
export async function buildShareForRecipient(
  { combinedKey, fileId, recipient, recipientEnvelopeKey }: ShareOptions,
): Promise<{ shareBundle: Uint8Array }> {
  requireLength(combinedKey, KEY_LENGTH, "the file's key");
  const { suitePayload, combinedKey: transportSecret } = await encapsulateForRecipient({
    recipientPublicKey: recipient.mlKemPublicKey,
    envelopeKey: recipientEnvelopeKey,
    fileId,
  });
  const shareKey = transportKey(transportSecret, fileId);
  const payloadLength = new Uint8Array(4);
  putUint32(payloadLength, 0, suitePayload.length);
  const nonce = randomBytes(NONCE_LENGTH);
  // All that precedes the wrapped key is what it is bound to.
  const head = concatBytes([MAGIC, payloadLength, suitePayload, nonce]);
  const wrapped = xchachaSeal(shareKey, nonce, combinedKey, head);
  zeroize(shareKey);
  return { shareBundle: concatBytes([head, wrapped]) };
}

/** What it takes to open a bundle. */
export interface OpenShareOptions {
  shareBundle: Uint8Array;
  /** The id of the file that the bundle is said to be for. */
  fileId: Uint8Array;
  recipientSecretKey: Uint8Array;
  recipientEnvelopeKey: Uint8Array;
}

/**
 * The key K of the file.
 *
 * @throws {CryptoError} `bad_magic`, `share_bundle_wrong_length`, what `decapsulateFromHeader` throws for a
 * malformed payload, and `share_open_failed`, whatever else did not fit.
 */
export async function openShareAsRecipient(
  { shareBundle, fileId, recipientSecretKey, recipientEnvelopeKey }: OpenShareOptions,
): Promise<Uint8Array> {
  checkShape(shareBundle);
  const { combinedKey: transportSecret } = await decapsulateFromHeader({
    suitePayload: shareBundle.subarray(PAYLOAD_AT, NONCE_AT),
    recipientSecretKey,
    envelopeKey: recipientEnvelopeKey,
    fileId,
  });
  const shareKey = transportKey(transportSecret, fileId);
  const combinedKey = xchachaOpen(
    shareKey,
    shareBundle.subarray(NONCE_AT, WRAPPED_AT),
    shareBundle.subarray(WRAPPED_AT),
    shareBundle.subarray(0, WRAPPED_AT),
  );
  zeroize(shareKey);
  if (combinedKey === undefined) {
    throw new CryptoError(
      "share_open_failed",
      "the share cannot be opened: it is for another recipient or file, or was changed",
    );
  }
  return combinedKey;
}

function checkShape(bundle: Uint8Array): void {
  if (!MAGIC.every((byte, i) => bundle[i] === byte)) {
    throw new CryptoError("bad_magic", "these bytes are no share, or one of another version");
  }
  if (
    bundle.length !== SHARE_BUNDLE_LENGTH ||
    getUint32(bundle, MAGIC.length) !== PQ_HYBRID_V1_SUITE_PAYLOAD_LENGTH
  ) {
    throw new CryptoError(
      "share_bundle_wrong_length",
      `a share has ${SHARE_BUNDLE_LENGTH} bytes, and says so in its length field`,
    );
  }
}

/** Wipes the secret that it derives from. */
function transportKey(transportSecret: Uint8Array, fileId: Uint8Array): Uint8Array {
  const key = hkdf(transportSecret, fileId, HKDF_INFO.SHARE_TRANSPORT, KEY_LENGTH);
  zeroize(transportSecret);
  return key;
}
