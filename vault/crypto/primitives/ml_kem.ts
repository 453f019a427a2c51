// ML-KEM-1024, final FIPS 203 (crypto spec, 1, 6 and 10): public key 1568 bytes, secret key 3168,
// ciphertext 1568, shared secret 32. The secret key is the expanded form, which WebCrypto does not take.

import { ml_kem1024 } from "@noble/post-quantum/ml-kem.js";
import type { Bytes } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { requireLength } from "./lengths.ts";
import { moveToOwnMemory } from "./own_memory.ts";

/** A recipient's pair of keys. */
export interface MlKemKeypair {
  publicKey: Bytes;
  secretKey: Bytes;
}

/** A key pair, from the 64 bytes d ‖ z when given, else from the platform's random source. */
export function mlKemKeygen(seed?: Uint8Array): MlKemKeypair {
  if (seed !== undefined) requireLength(seed, 64, "the seed");
  const { publicKey, secretKey } = ml_kem1024.keygen(seed);
  return { publicKey, secretKey };
}

/**
 * A fresh shared secret, and what its recipient needs to find it.
 *
 * @throws {CryptoError} `invalid_input` for a public key that FIPS 203 does not allow.
 */
export function mlKemEncapsulate(
  publicKey: Uint8Array,
): { ciphertext: Bytes; sharedSecret: Bytes } {
  requireLength(publicKey, 1568, "the ML-KEM public key");
  try {
    const { cipherText: ciphertext, sharedSecret } = ml_kem1024.encapsulate(publicKey);
    return { ciphertext, sharedSecret: moveToOwnMemory(sharedSecret) };
  } catch (cause) {
    // A coefficient that is not below the modulus (FIPS 203, 7.2).
    throw new CryptoError("invalid_input", "the ML-KEM public key is not a valid one", { cause });
  }
}

/**
 * The shared secret; for a ciphertext that was tampered with, another one (implicit rejection).
 *
 * @throws {CryptoError} `invalid_input` for a secret key that FIPS 203 does not allow.
 */
export function mlKemDecapsulate(ciphertext: Uint8Array, secretKey: Uint8Array): Bytes {
  requireLength(ciphertext, 1568, "the ML-KEM ciphertext");
  requireLength(secretKey, 3168, "the ML-KEM secret key");
  try {
    return moveToOwnMemory(ml_kem1024.decapsulate(ciphertext, secretKey));
  } catch (cause) {
    // The secret key holds a hash of its public key, which must fit (FIPS 203, 7.3).
    throw new CryptoError("invalid_input", "the ML-KEM secret key is not a valid one", { cause });
  }
}
