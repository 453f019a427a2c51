// The container of the second implementation (crypto spec, 2 to 4 and 8): a whole file from its parts,
// and a whole file taken apart again. Plain and slow; every part can be had alone, so that a test can put
// together a file that no honest writer makes.

import {
  aesGcmOpen,
  aesGcmSeal,
  ascii,
  bigEndian,
  ed25519,
  ed25519Verify,
  hkdf,
  hmac,
  join,
  sameBytes,
  sha256,
  xchachaOpen,
  xchachaSeal,
} from "./primitives.ts";

export type Suite = 1 | 2 | 3 | 4;
export const SUITES: readonly Suite[] = [1, 2, 3, 4];

const PAYLOAD_LENGTHS: Record<Suite, number> = { 1: 72, 2: 96, 3: 1664, 4: 72 };
const PREFIX = "shieldfive/v1/";

export interface HeaderFields {
  suite: number;
  flags?: number;
  fileId: Uint8Array;
  chunkSize: number;
  totalChunks: number | bigint;
  plaintextSize: number | bigint;
  payload: Uint8Array;
}

/** The header's bytes under the MAC. */
export function headerUnderMac(fields: HeaderFields): Uint8Array {
  return join(
    ascii("SF5"),
    Uint8Array.of(1, 0, fields.suite, fields.flags ?? 0),
    fields.fileId,
    bigEndian(fields.chunkSize, 4),
    bigEndian(fields.totalChunks, 8),
    bigEndian(fields.plaintextSize, 8),
    bigEndian(fields.payload.length, 2),
    fields.payload,
  );
}

export function headerMac(underMac: Uint8Array, key: Uint8Array): Uint8Array {
  return hmac(hkdf(key, underMac.subarray(7, 23), `${PREFIX}header-mac`, 32), underMac);
}

export function header(fields: HeaderFields, key: Uint8Array): Uint8Array {
  const underMac = headerUnderMac(fields);
  return join(underMac, headerMac(underMac, key));
}

export function chunkAad(index: number, total: number): Uint8Array {
  return join(
    ascii(`${PREFIX}chunk`),
    bigEndian(index, 8),
    bigEndian(total, 8),
    Uint8Array.of(index === total - 1 ? 1 : 0),
  );
}

export interface ChunkCipher {
  seal(index: number, total: number, plaintext: Uint8Array): Uint8Array;
  open(index: number, total: number, sealed: Uint8Array): Uint8Array;
}

/** How the chunks of a file are sealed. */
export function chunkCipher(suite: Suite, key: Uint8Array, fileId: Uint8Array): ChunkCipher {
  const aes = suite === 1 || suite === 4;
  const family = aes ? "aes-gcm" : "xchacha";
  const chunkKey = hkdf(key, fileId, `${PREFIX}${family}/chunk-key`, 32);
  const counter = suite === 4 ? 4 : 8;
  const prefix = hkdf(
    fileId,
    undefined,
    `${PREFIX}${suite === 4 ? "aes-gcm-v2" : family}/nonce-prefix`,
    (aes ? 12 : 24) - counter,
  );
  const nonce = (index: number) => join(prefix, bigEndian(index, counter));
  return {
    seal: (index, total, plaintext) =>
      (aes ? aesGcmSeal : xchachaSeal)(chunkKey, nonce(index), plaintext, chunkAad(index, total)),
    open: (index, total, sealed) =>
      (aes ? aesGcmOpen : xchachaOpen)(chunkKey, nonce(index), sealed, chunkAad(index, total)),
  };
}

/** A chunk as it stands in a file. */
export function frame(sealed: Uint8Array): Uint8Array {
  return join(bigEndian(sealed.length, 4), sealed);
}

export interface FileParts {
  underMac: Uint8Array;
  mac: Uint8Array;
  /** Sealed chunks, without their lengths. */
  chunks: Uint8Array[];
}

export interface FileInput {
  suite: Suite;
  /** The content key; K for suite 0x03. */
  key: Uint8Array;
  fileId: Uint8Array;
  chunkSize: number;
  plaintext: Uint8Array;
  /** Zeros where it is left out. */
  payload?: Uint8Array;
}

export function fileParts(input: FileInput): FileParts {
  const { suite, key, fileId, chunkSize, plaintext } = input;
  const total = Math.ceil(plaintext.length / chunkSize);
  const cipher = chunkCipher(suite, key, fileId);
  const underMac = headerUnderMac({
    suite,
    fileId,
    chunkSize,
    totalChunks: total,
    plaintextSize: plaintext.length,
    payload: input.payload ?? new Uint8Array(PAYLOAD_LENGTHS[suite]),
  });
  const chunks = Array.from({ length: total }, (_, index) => {
    const piece = plaintext.subarray(index * chunkSize, (index + 1) * chunkSize);
    return cipher.seal(index, total, piece);
  });
  return { underMac, mac: headerMac(underMac, key), chunks };
}

export function assemble({ underMac, mac, chunks }: FileParts): Uint8Array<ArrayBuffer> {
  return join(underMac, mac, ...chunks.map(frame));
}

export function encrypt(input: FileInput): Uint8Array<ArrayBuffer> {
  return assemble(fileParts(input));
}

/** What a sender signs: header, number of chunks, and every chunk with its tag. */
export function transcript({ underMac, chunks }: FileParts): Uint8Array {
  return sha256(join(
    ascii("shieldfive/crypto/v1/sender-sig"),
    bigEndian(underMac.length, 8),
    underMac,
    bigEndian(chunks.length, 8),
    ...chunks.flatMap((chunk, index) => [bigEndian(index, 8), bigEndian(chunk.length, 8), chunk]),
  ));
}

export function signatureBlock(
  algorithm: number,
  publicKey: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  return join(
    Uint8Array.of(algorithm),
    bigEndian(publicKey.length, 2),
    publicKey,
    bigEndian(signature.length, 2),
    signature,
  );
}

export function encryptSigned(input: FileInput, seed: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts = fileParts(input);
  const { publicKey, sign } = ed25519(seed);
  return join(assemble(parts), signatureBlock(1, publicKey, sign(transcript(parts))));
}

export interface TakenApart extends FileParts {
  suite: Suite;
  fileId: Uint8Array;
  chunkSize: number;
  plaintextSize: number;
  payload: Uint8Array;
  /** What follows the last chunk. */
  rest: Uint8Array;
}

/** The parts of a well-formed file. */
export function takeApart(file: Uint8Array): TakenApart {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const payloadEnd = 45 + view.getUint16(43);
  const total = Number(view.getBigUint64(27));
  const chunks: Uint8Array[] = [];
  let at = payloadEnd + 32;
  for (let index = 0; index < total; index++) {
    const length = view.getUint32(at);
    chunks.push(file.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return {
    suite: file[5] as Suite,
    fileId: file.slice(7, 23),
    chunkSize: view.getUint32(23),
    plaintextSize: Number(view.getBigUint64(35)),
    payload: file.slice(45, payloadEnd),
    underMac: file.slice(0, payloadEnd),
    mac: file.slice(payloadEnd, payloadEnd + 32),
    chunks,
    rest: file.slice(at),
  };
}

/** @throws Error unless every byte of the unsigned file is as a writer with this key leaves it. */
export function decrypt(file: Uint8Array, key: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts = takeApart(file);
  if (!sameBytes(parts.mac, headerMac(parts.underMac, key))) throw new Error("header MAC");
  const cipher = chunkCipher(parts.suite, key, parts.fileId);
  const { length } = parts.chunks;
  const plaintext = join(...parts.chunks.map((chunk, index) => cipher.open(index, length, chunk)));
  if (plaintext.length !== parts.plaintextSize) throw new Error("plaintext size");
  if (!sameBytes(assemble(parts), file)) throw new Error("something else in the file");
  return plaintext;
}

/** Whether the file ends in an Ed25519 block of this key over its own transcript, and in nothing else. */
export function signedBy(file: Uint8Array, publicKey: Uint8Array): boolean {
  const parts = takeApart(file);
  const signature = parts.rest.slice(-64);
  return sameBytes(parts.rest, signatureBlock(1, publicKey, signature)) &&
    ed25519Verify(signature, transcript(parts), publicKey);
}
