// Bytes for tests: any length, nothing that repeats, and the same every time.

/** So many bytes that follow from a seed (xorshift). */
export function patterned(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state >>> 11;
  }
  return bytes;
}

/** A copy with one bit turned over. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  copy[bit >> 3] ^= 1 << (bit & 7);
  return copy;
}
