// Values that look random and are the same on every run: each belongs to its label.

import { ascii, hkdf } from "../../second/primitives.ts";

/** So many bytes (at most 8160) that belong to a label. */
export function draw(label: string, length: number): Uint8Array<ArrayBuffer> {
  return hkdf(ascii(label), undefined, "test vectors", length);
}

/** The 16 bytes of a row id of version 7 that belongs to a label. */
export function drawRowId(label: string): Uint8Array<ArrayBuffer> {
  const bytes = draw(`row ${label}`, 16);
  bytes.set([0x01, 0x99, 0xc0, 0xff, 0xee, 0x00]);
  bytes[6] = 0x70 | bytes[6] & 0x0f;
  bytes[8] = 0x80 | bytes[8] & 0x3f;
  return bytes;
}
