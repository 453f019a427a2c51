// The primitives of a second implementation of the formats, which the product's own is compared with:
// libsodium for everything that it has, node:crypto for AES-GCM, the runtime's ML-KEM where no coins are
// given. Nothing of the product is imported here, and where the product has a choice between two
// libraries this takes another one.

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";
import sodium from "libsodium-wrappers-sumo";
import { ml_kem1024 } from "@noble/post-quantum/ml-kem.js";

await sodium.ready;

/** A copy as a plain Uint8Array: a Buffer is taken for something else by strict comparisons. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

export function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return plain(Buffer.concat(parts));
}

export function ascii(text: string): Uint8Array<ArrayBuffer> {
  return plain(Buffer.from(text, "utf8"));
}

export function unhex(text: string): Uint8Array<ArrayBuffer> {
  return plain(Buffer.from(text, "hex"));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

export function unbase64(text: string): Uint8Array<ArrayBuffer> {
  return plain(Buffer.from(text, "base64"));
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** The number in so many bytes, the highest first. */
export function bigEndian(value: number | bigint, length: number): Uint8Array<ArrayBuffer> {
  return unhex(BigInt(value).toString(16).padStart(2 * length, "0"));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return sodium.crypto_hash_sha256(bytes);
}

/** The hash of parts, of which one at a time has to be there. */
export function sha256Of(parts: Iterable<Uint8Array>): Uint8Array {
  const state = sodium.crypto_hash_sha256_init();
  for (const part of parts) sodium.crypto_hash_sha256_update(state, part);
  return sodium.crypto_hash_sha256_final(state);
}

export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const state = sodium.crypto_auth_hmacsha256_init(key);
  sodium.crypto_auth_hmacsha256_update(state, message);
  return sodium.crypto_auth_hmacsha256_final(state);
}

/** HKDF by the book (RFC 5869): extract, then expand; no salt is 32 zero bytes. */
export function hkdf(
  ikm: Uint8Array,
  salt: Uint8Array | undefined,
  info: string,
  length: number,
): Uint8Array<ArrayBuffer> {
  const pseudorandomKey = hmac(salt ?? new Uint8Array(32), ikm);
  const blocks: Uint8Array[] = [];
  for (let i = 1, last = new Uint8Array(); 32 * blocks.length < length; i++) {
    last = plain(hmac(pseudorandomKey, join(last, ascii(info), bigEndian(i, 1))));
    blocks.push(last);
  }
  return join(...blocks).slice(0, length);
}

export function aesGcmSeal(
  key: Uint8Array,
  iv: Uint8Array,
  message: Uint8Array,
  aad: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(aad);
  const sealed = cipher.update(message);
  cipher.final();
  return join(sealed, cipher.getAuthTag());
}

/** @throws Error when the tag does not fit. */
export function aesGcmOpen(
  key: Uint8Array,
  iv: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const decipher = createDecipheriv("aes-256-gcm", key, iv);
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-16));
  const opened = decipher.update(sealed.subarray(0, -16));
  decipher.final();
  return plain(opened);
}

export function xchachaSeal(
  key: Uint8Array,
  nonce: Uint8Array,
  message: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(message, aad, null, nonce, key);
}

/** @throws Error when the tag does not fit. */
export function xchachaOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, aad, nonce, key);
}

export function secretboxSeal(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): Uint8Array {
  return sodium.crypto_secretbox_easy(message, nonce, key);
}

/** @throws Error when the tag does not fit. */
export function secretboxOpen(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array {
  return sodium.crypto_secretbox_open_easy(box, nonce, key);
}

export function ed25519(seed: Uint8Array): {
  publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
} {
  const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed);
  return { publicKey, sign: (message) => sodium.crypto_sign_detached(message, privateKey) };
}

export function ed25519Verify(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return sodium.crypto_sign_verify_detached(signature, message, publicKey);
}

/** Argon2id version 1.3 with one lane, 32 bytes; the salt is 16 bytes. */
export function argon2id(
  password: string | Uint8Array,
  salt: Uint8Array,
  passes: number,
  mebibytes: number,
): Uint8Array {
  const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
  return sodium.crypto_pwhash(32, password, salt, passes, mebibytes * 2 ** 20, algorithm);
}

/** The runtime's ML-KEM-1024, which TypeScript's library does not know yet. */
interface KeyEncapsulation {
  importKey(
    format: "raw-seed",
    bytes: Uint8Array,
    algorithm: string,
    extractable: boolean,
    usages: string[],
  ): Promise<CryptoKey>;
  getPublicKey(key: CryptoKey, usages: string[]): Promise<CryptoKey>;
  exportKey(format: "raw-public", key: CryptoKey): Promise<ArrayBuffer>;
  decapsulateBits(algorithm: string, key: CryptoKey, ciphertext: Uint8Array): Promise<ArrayBuffer>;
}
const runtime = crypto.subtle as unknown as KeyEncapsulation;

/** The key pair of a seed d‖z as the runtime makes it. */
export async function mlKemOf(seed: Uint8Array): Promise<{
  publicKey: Uint8Array<ArrayBuffer>;
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}> {
  const secret = await runtime.importKey("raw-seed", seed, "ML-KEM-1024", true, [
    "decapsulateBits",
  ]);
  const shown = await runtime.getPublicKey(secret, ["encapsulateBits"]);
  return {
    publicKey: new Uint8Array(await runtime.exportKey("raw-public", shown)),
    async decapsulate(ciphertext) {
      return new Uint8Array(await runtime.decapsulateBits("ML-KEM-1024", secret, ciphertext));
    },
  };
}

/** The secret key of a seed, spelled out in 3168 bytes. */
export function mlKemSecretKey(seed: Uint8Array): Uint8Array<ArrayBuffer> {
  return plain(ml_kem1024.keygen(seed).secretKey);
}

/** Encapsulation with given coins, which only this library takes. */
export function mlKemEncapsulate(
  publicKey: Uint8Array,
  coins: Uint8Array,
): { ciphertext: Uint8Array; shared: Uint8Array } {
  const { cipherText, sharedSecret } = ml_kem1024.encapsulate(publicKey, coins);
  return { ciphertext: plain(cipherText), shared: plain(sharedSecret) };
}
