// What every primitive gives for fixed inputs, for comparing one platform with another.

import { bytesToBase64, bytesToBase64url, bytesToHex } from "../../../vault/crypto/bytes.ts";
import { aesGcmOpen, aesGcmSeal, importAesKey } from "../../../vault/crypto/primitives/aes_gcm.ts";
import {
  ed25519PublicKey,
  ed25519Sign,
  ed25519Verify,
} from "../../../vault/crypto/primitives/ed25519.ts";
import {
  createSha1,
  createSha256,
  type Hash,
  sha256,
} from "../../../vault/crypto/primitives/hash.ts";
import { hkdf } from "../../../vault/crypto/primitives/hkdf.ts";
import { hmacSha256 } from "../../../vault/crypto/primitives/hmac.ts";
import {
  mlKemDecapsulate,
  mlKemEncapsulate,
  mlKemKeygen,
} from "../../../vault/crypto/primitives/ml_kem.ts";
import { NODE_FROM, nodeCrypto } from "../../../vault/crypto/primitives/platform.ts";
import { secretboxOpen, secretboxSeal } from "../../../vault/crypto/primitives/secretbox.ts";
import { xchachaOpen, xchachaSeal } from "../../../vault/crypto/primitives/xchacha.ts";
import { flipped, patterned } from "./patterned.ts";

export interface Outcome {
  /** Whether node:crypto could be had. */
  node: boolean;
  /** Bytes in hex, long ones as their SHA-256, and verdicts. */
  outputs: Record<string, string>;
}

const SIZES = [0, 100, NODE_FROM - 1, NODE_FROM, 200_001];
const KEY = patterned(32, 1);
const NONCE = patterned(24, 2);
const AAD = patterned(36, 3);

function shown(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "refused";
  return bytesToHex(bytes.length > 64 ? sha256(bytes) : bytes);
}

function inPieces(hash: Hash, message: Uint8Array): string {
  hash.update(message.subarray(0, 7));
  hash.update(message.subarray(7));
  return shown(hash.digest());
}

async function ofMessage(message: Uint8Array): Promise<Record<string, string>> {
  const sealed = xchachaSeal(KEY, NONCE, message, AAD);
  const box = secretboxSeal(KEY, NONCE, message);
  const aes = await importAesKey(KEY);
  const iv = NONCE.subarray(0, 12);
  const gcm = await aesGcmSeal(aes, iv, message, AAD);
  return {
    "sha256": shown(sha256(message)),
    "sha256 in pieces": inPieces(createSha256(), message),
    "sha1 in pieces": inPieces(createSha1(), message),
    "hmac": shown(hmacSha256(KEY, message, AAD)),
    "xchacha": shown(sealed),
    "xchacha opened": shown(xchachaOpen(KEY, NONCE, sealed, AAD)),
    "xchacha tampered with": shown(xchachaOpen(KEY, NONCE, flipped(sealed, 5), AAD)),
    "secretbox": shown(box),
    "secretbox opened": shown(secretboxOpen(KEY, NONCE, box)),
    "secretbox tampered with": shown(secretboxOpen(KEY, NONCE, flipped(box, 5))),
    "aes-gcm": shown(gcm),
    "aes-gcm opened": shown(await aesGcmOpen(aes, iv, gcm, AAD)),
    "aes-gcm tampered with": shown(await aesGcmOpen(aes, iv, flipped(gcm, 5), AAD)),
    "base64": shown(new TextEncoder().encode(bytesToBase64(message))),
    "base64url": shown(new TextEncoder().encode(bytesToBase64url(message))),
  };
}

function ofKeys(): Record<string, string> {
  const { publicKey, secretKey } = mlKemKeygen(patterned(64, 4));
  const { ciphertext, sharedSecret } = mlKemEncapsulate(publicKey);
  const found = mlKemDecapsulate(ciphertext, secretKey);
  const signature = ed25519Sign(AAD, KEY);
  return {
    "hkdf": shown(hkdf(KEY, null, "label", 64)),
    "ml-kem public key": shown(publicKey),
    "ml-kem secret key": shown(secretKey),
    "ml-kem agrees": String(shown(found) === shown(sharedSecret)),
    "ed25519": shown(signature),
    "ed25519 verified": String(ed25519Verify(signature, AAD, ed25519PublicKey(KEY))),
  };
}

/** Runs all of them. */
export async function primitivesOutcome(): Promise<Outcome> {
  const outputs = ofKeys();
  for (const size of SIZES) {
    for (const [name, output] of Object.entries(await ofMessage(patterned(size)))) {
      outputs[`${name}, ${size} bytes`] = output;
    }
  }
  return { node: nodeCrypto() !== undefined, outputs };
}
