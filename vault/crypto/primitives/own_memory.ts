// Libraries may give a secret as a view of longer memory. Sent to another thread such a view would take
// what lies beside it along.

import { type Bytes, zeroize } from "../bytes.ts";

/** Moves the bytes to memory of exactly their size; where they were, there are zeros. */
export function moveToOwnMemory(bytes: Uint8Array): Bytes {
  const own = new Uint8Array(bytes);
  zeroize(bytes);
  return own;
}
