// What an owner's client and an assistant do to the key chain when items are made and moved: a new
// child gets a key of its own, a moved one keeps its key under another parent (crypto spec, 11 and
// 12).

import { type Bytes, randomBytes, zeroize } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { unwrapChainKey, wrapChainKey } from "../vault/chain.ts";
import { KEY_LENGTH, type WrappedKey } from "../vault/keys.ts";
import type { NameEnvelope } from "../vault/name_envelope.ts";
import type { NameKeyDeriver } from "../vault/name_key.ts";
import { decryptName, encryptNameV6 } from "../vault/names.ts";
import { nameFitsRow } from "./row_binding.ts";

/**
 * A fresh key for a folder or file, and its wrap for the row. The caller wipes the key.
 *
 * @throws {VaultCryptoError} `invalid_input` for a parent key that is none.
 */
export async function createChildKey(
  parent: Uint8Array,
): Promise<{ key: Bytes; wrapped: WrappedKey }> {
  const key = randomBytes(KEY_LENGTH);
  return { wrapped: await wrapChainKey(parent, key), key };
}

/**
 * The same key under another parent, for an item that moves.
 *
 * @throws {VaultCryptoError} `unwrap_failed` when the wrap does not open under the parent that it
 * is said to be under; `invalid_input` for a parent key that is none.
 */
export async function rewrapChildKey(
  options: { wrapped: WrappedKey; from: Uint8Array; to: Uint8Array },
): Promise<WrappedKey> {
  const key = await unwrapChainKey(options.from, options.wrapped);
  try {
    return await wrapChainKey(options.to, key);
  } finally {
    zeroize(key);
  }
}

/**
 * The same name under another parent, exactly: controls, byte order marks and characters that no
 * one would be let type are kept. A name that its row must not carry is refused, or moving it would
 * make it look as if it had been bound to the row all along.
 *
 * @throws {VaultCryptoError} `unsupported_envelope` for an unbound name on a row-bound row;
 * otherwise as `decryptName` and `encryptNameV6`.
 */
export async function resealName(
  options: { envelope: NameEnvelope; rowId: string; from: Uint8Array; to: Uint8Array },
  deriver?: NameKeyDeriver,
): Promise<NameEnvelope> {
  const { envelope, rowId, from, to } = options;
  if (!nameFitsRow(envelope, rowId)) {
    throw new VaultCryptoError("unsupported_envelope", "the name is not bound to its row");
  }
  const name = await decryptName({ envelope, folderKey: from, rowId }, deriver);
  return await encryptNameV6({ name, folderKey: to, rowId }, deriver);
}
