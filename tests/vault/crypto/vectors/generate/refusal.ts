// A file that must not open, before it is written down as a change to one that does.

export interface Refusal {
  what: string;
  file: Uint8Array;
  code?: string;
  streamCode?: string;
  key?: Uint8Array;
}

/** A copy with some bits of one byte flipped. */
export function flipped(file: Uint8Array, at: number, bits = 0x01): Uint8Array {
  const copy = file.slice();
  copy[at] ^= bits;
  return copy;
}
