// Ed25519 (RFC 8032), for the sender's signature (crypto spec, 8). One implementation everywhere, since
// implementations differ on which odd signatures they accept, and two readers must not.

import { ed25519 } from "@noble/curves/ed25519.js";
import type { Bytes } from "../bytes.ts";
import { requireLength } from "./lengths.ts";

/** The public key of a 32-byte secret key. */
export function ed25519PublicKey(secretKey: Uint8Array): Bytes {
  requireLength(secretKey, 32, "the Ed25519 secret key");
  return ed25519.getPublicKey(secretKey);
}

/** The 64-byte signature of a message. */
export function ed25519Sign(message: Uint8Array, secretKey: Uint8Array): Bytes {
  requireLength(secretKey, 32, "the Ed25519 secret key");
  return ed25519.sign(message, secretKey);
}

/**
 * Whether the signature is this key's for this message; false for any malformed one. Strict: it takes
 * one encoding of each value only, and no key of small order, whose signatures fit many messages.
 */
export function ed25519Verify(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  return ed25519.verify(signature, message, publicKey, { zip215: false });
}
