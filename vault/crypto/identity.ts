// Who a recipient is: the public bundle that others share files to (crypto spec, 17), and the key pair
// behind it. A bundle is not signed: it is worth what the way is worth on which it came. What belongs to
// people besides, shares and signatures, is handed on from here (crypto spec, 19).

import { concatBytes, getUint32, putUint32, utf8 } from "./bytes.ts";
import { CryptoError } from "./errors.ts";
import { deriveMlKemKeypair, generateMlKemKeypair } from "./pq_hybrid_v1.ts";
import { requireLength } from "./primitives/lengths.ts";

export {
  buildShareForRecipient,
  openShareAsRecipient,
  type OpenShareOptions,
  type ShareOptions,
} from "./share.ts";
export {
  buildSignatureBlock,
  deriveEd25519PublicKey,
  parseSignatureBlock,
  type SenderSignature,
  SenderSigTranscript,
  signSenderTranscript,
  verifySenderTranscript,
} from "./signature.ts";
export { SignatureError } from "./errors.ts";

const MAGIC = concatBytes([utf8("SF5I"), Uint8Array.of(1)]);
const PUBLIC_KEY_LENGTH = 1568;
const MAX_METADATA_LENGTH = 4096;

const ISSUED_AT = MAGIC.length;
const USER_ID_LENGTH_AT = ISSUED_AT + 4;
const USER_ID_AT = USER_ID_LENGTH_AT + 1;

/** What anybody may know of a recipient. */
export interface PublicIdentity {
  /** 1 to 255 bytes as UTF-8. */
  userId: string;
  /** When it was issued, in seconds since 1970. */
  issuedAt: number;
  mlKemPublicKey: Uint8Array;
  /** Up to 4096 bytes that mean nothing here. */
  metadata: Uint8Array;
}

/** What a new identity is made of. */
export interface NewIdentity {
  userId: string;
  /** What the key pair is derived from, so that it alone restores the pair; absent: a random pair. */
  masterSecret?: Uint8Array;
  /** In seconds since 1970; absent: now. */
  issuedAt?: number;
  metadata?: Uint8Array;
}

/** A new identity and the secret key that belongs to it. */
export async function createIdentity(
  { userId, masterSecret, issuedAt = Math.floor(Date.now() / 1000), metadata }: NewIdentity,
): Promise<{ identity: PublicIdentity; mlKemSecretKey: Uint8Array }> {
  const { publicKey, secretKey } = masterSecret === undefined
    ? generateMlKemKeypair()
    : await deriveMlKemKeypair(masterSecret);
  const identity = {
    userId,
    issuedAt,
    mlKemPublicKey: publicKey,
    metadata: metadata ?? new Uint8Array(),
  };
  encodeIdentityBundle(identity); // throws for what could not be published
  return { identity, mlKemSecretKey: secretKey };
}

/**
 * The bundle to publish.
 *
 * @throws {CryptoError} `invalid_input` for a field that the format has no room for.
 */
export function encodeIdentityBundle(
  { userId, issuedAt, mlKemPublicKey, metadata }: PublicIdentity,
): Uint8Array {
  const user = utf8(userId);
  if (user.length === 0 || user.length > 255 || !userId.isWellFormed()) {
    throw new CryptoError("invalid_input", "the user id must have 1 to 255 bytes of valid text");
  }
  if (!Number.isInteger(issuedAt) || issuedAt < 0 || issuedAt > 0xffff_ffff) {
    throw new CryptoError("invalid_input", "the time of issue must be seconds that fit in 32 bits");
  }
  requireLength(mlKemPublicKey, PUBLIC_KEY_LENGTH, "the ML-KEM public key");
  if (metadata.length > MAX_METADATA_LENGTH) {
    throw new CryptoError("invalid_input", `metadata is limited to ${MAX_METADATA_LENGTH} bytes`);
  }
  const issued = new Uint8Array(4);
  putUint32(issued, 0, issuedAt);
  return concatBytes([
    MAGIC,
    issued,
    Uint8Array.of(user.length),
    user,
    mlKemPublicKey,
    Uint8Array.of(metadata.length >> 8, metadata.length & 0xff),
    metadata,
  ]);
}

/**
 * Reads a bundle.
 *
 * @throws {CryptoError} `bad_magic` for anything that is none of this version; `identity_bundle_malformed`.
 */
export function decodeIdentityBundle(bundle: Uint8Array): PublicIdentity {
  if (!MAGIC.every((byte, i) => bundle[i] === byte)) {
    throw new CryptoError("bad_magic", "these bytes are no identity, or one of another version");
  }
  const keyAt = USER_ID_AT + (bundle[USER_ID_LENGTH_AT] ?? 0);
  const metadataLengthAt = keyAt + PUBLIC_KEY_LENGTH;
  const metadataAt = metadataLengthAt + 2;
  if (bundle.length < metadataAt) throw malformed("it ends before its fields do");
  if (keyAt === USER_ID_AT) throw malformed("it names no user");
  const metadataLength = bundle[metadataLengthAt] << 8 | bundle[metadataLengthAt + 1];
  if (metadataLength > MAX_METADATA_LENGTH) throw malformed("its metadata is too long");
  if (bundle.length !== metadataAt + metadataLength) {
    throw malformed("its length is not what its fields say");
  }
  return {
    userId: strictText(bundle.subarray(USER_ID_AT, keyAt)),
    issuedAt: getUint32(bundle, ISSUED_AT),
    mlKemPublicKey: bundle.slice(keyAt, metadataLengthAt),
    metadata: bundle.slice(metadataAt),
  };
}

function strictText(bytes: Uint8Array): string {
  try {
    // A mark of the byte order is part of the text, else two bundles could name one user.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw malformed("its user id is no valid text", cause);
  }
}

function malformed(why: string, cause?: unknown): CryptoError {
  return new CryptoError("identity_bundle_malformed", `the identity is malformed: ${why}`, {
    cause,
  });
}
