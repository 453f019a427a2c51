// What the tests of the vault's formats share: keys that can be told apart, ids, and how a refusal
// looks.

import assert from "node:assert/strict";
import type { NameKdfLevel } from "@shieldfive/crypto/vault";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";

/** The id of an old row, and one that binds its name (crypto spec, 16). */
export const OLD_ROW = "6f1c2a3b-4d5e-4f60-8a71-92b3c4d5e6f7";
export const BOUND_ROW = "0199c0ff-ee00-7abc-8def-0123456789ab";
export const GRANT = "0b7e9d2c-1a3f-4e5d-9c8b-7a6f5e4d3c2b";

/** Another 32 bytes for every number. */
export function testKey(first: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: 32 }, (_, i) => (first + 7 * i) & 0xff);
}

/** Fails unless the call is refused with this code, by an error of ours. */
export async function refuses(code: string, call: () => unknown): Promise<void> {
  await assert.rejects(
    async () => await call(),
    (error) => {
      if (!(error instanceof CryptoError)) throw error;
      assert.equal(error.code, code, error.message);
      return true;
    },
  );
}

/** A deriver that needs no time: the folder's key serves for the name's at `interactive`. */
export function instantly(
  folderKey: Uint8Array,
  _salt: Uint8Array,
  level: NameKdfLevel,
): Promise<Uint8Array> {
  return Promise.resolve(level === "interactive" ? folderKey.slice() : folderKey.toReversed());
}
