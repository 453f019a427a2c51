// Names, wraps and ciphertext of the right shape with nothing inside. The server never sees inside, so
// a test of the server alone needs no key, and makes thousands of these in the time of one real name.

import { bytesToBase64, concatBytes, randomBytes, SUITE } from "@shieldfive/crypto";
import { buildHeaderUnauthenticated } from "@shieldfive/crypto/format";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";

const ML_KEM_CIPHERTEXT = 1568 + 48;
const PAD = 24;
const NONCE = 24;
const MAC = 32;
const TAG = 16;

/** The text of a name envelope of version 6. */
export function anyName(): string {
  const part = (length: number) => bytesToBase64(randomBytes(length));
  return JSON.stringify({
    v: 6,
    ct: part(9),
    iv: part(12),
    tag: part(16),
    salt: part(16),
    kdf: "interactive",
  });
}

/** A wrapped key. */
export function anyWrap(): { wrapped: string; iv: string } {
  return { wrapped: bytesToBase64(randomBytes(48)), iv: bytesToBase64(randomBytes(12)) };
}

/** What a row of a folder takes. */
export function anyFolderFields(): { name: string; fkWrapped: string; fkIv: string } {
  const { wrapped, iv } = anyWrap();
  return { name: anyName(), fkWrapped: wrapped, fkIv: iv };
}

/** What a row of a post-quantum file takes. */
export function anyFileFields() {
  const [csk, pqk] = [anyWrap(), anyWrap()];
  return {
    name: anyName(),
    cskWrapped: csk.wrapped,
    cskIv: csk.iv,
    pqkFkWrapped: pqk.wrapped,
    pqkFkIv: pqk.iv,
  };
}

/** Bytes for a content, in no time however many. */
function filler(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const seed = randomBytes(Math.min(length, 4096));
  for (let at = 0; at < length; at += seed.length) {
    bytes.set(seed.subarray(0, Math.min(seed.length, length - at)), at);
  }
  return bytes;
}

/** A file of suite 0x03 whose every field is as it must be, and which opens under no key. */
export function anyCiphertext(
  rowId: string,
  plaintextSize: number,
  chunkSize = 64 * 1024,
): Uint8Array<ArrayBuffer> {
  const totalChunks = Math.ceil(plaintextSize / chunkSize);
  const suitePayload = concatBytes([
    randomBytes(ML_KEM_CIPHERTEXT),
    new Uint8Array(PAD),
    randomBytes(NONCE),
  ]);
  const header = buildHeaderUnauthenticated({
    suite: SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1,
    fileId: fileIdOfRow(rowId),
    chunkSize,
    totalChunks,
    plaintextSize,
    suitePayload,
  });
  const parts: Uint8Array[] = [header, randomBytes(MAC)];
  for (let index = 0; index < totalChunks; index++) {
    const length = Math.min(chunkSize, plaintextSize - index * chunkSize) + TAG;
    const prefix = new Uint8Array(4);
    new DataView(prefix.buffer).setUint32(0, length);
    parts.push(prefix, filler(length));
  }
  return concatBytes(parts);
}
