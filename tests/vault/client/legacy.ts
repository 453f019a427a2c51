// Writes what the product only reads: contents of the oldest format, and names that are bound to no row
// (crypto spec, 9 and 12).

import { concatBytes, randomBytes } from "@shieldfive/crypto";

/** Small, so that a file of a few bytes has several chunks. */
const CHUNK = 64;

/** A file of the oldest format, its key, and the columns that its row needs. */
export async function writeV0(bytes: Uint8Array) {
  const csk = randomBytes(32);
  const prefix = randomBytes(4);
  const key = await crypto.subtle.importKey("raw", csk, "AES-GCM", false, ["encrypt"]);
  const chunks: Uint8Array[] = [];
  for (let index = 0; index * CHUNK < bytes.length; index++) {
    const iv = new Uint8Array(12);
    iv.set(prefix);
    new DataView(iv.buffer).setBigUint64(4, BigInt(index));
    const chunk = bytes.slice(index * CHUNK, (index + 1) * CHUNK);
    chunks.push(new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, chunk)));
  }
  const columns = { cipherChunkSize: CHUNK, cipherNoncePrefix: prefix.toBase64() };
  return { ciphertext: concatBytes(chunks), csk, pqk: undefined, columns };
}

/** The text of a version 4 envelope. */
export async function sealV4(name: string, salt: Uint8Array, key: Uint8Array): Promise<string> {
  const iv = randomBytes(12);
  const raw = new Uint8Array(key);
  const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
  const bytes = new TextEncoder().encode(name);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, bytes));
  return JSON.stringify({
    v: 4,
    ct: sealed.slice(0, -16).toBase64(),
    iv: iv.toBase64(),
    tag: sealed.slice(-16).toBase64(),
    salt: salt.toBase64(),
    kdf: "interactive",
  });
}
