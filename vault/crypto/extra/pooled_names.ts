// Names by the thousand. Their keys come from a pool, which does equal derivations once; an
// envelope that did not open is remembered there, so that a server which lists the same damaged
// names on every call makes nobody derive for them twice (crypto spec, 21).

import { CryptoError, VaultCryptoError } from "../errors.ts";
import type { KeyDerivationPool } from "../kdf/pool.ts";
import { keyFingerprint } from "../vault/chain.ts";
import type { NameEnvelope } from "../vault/name_envelope.ts";
import { decryptName } from "../vault/names.ts";
import { pooledNameKeys } from "./pooled_name_keys.ts";

/** One envelope in one row under one key. */
function purposeOf(envelope: NameEnvelope, folderKey: Uint8Array, rowId: string): string {
  const { v, ct, iv, tag, salt, kdf } = envelope;
  return JSON.stringify([keyFingerprint(folderKey), rowId, v, ct, iv, tag, salt, kdf ?? ""]);
}

/**
 * `decryptName` with a pool's keys. An envelope that did not open is refused without a derivation
 * when it comes again under the same key and row.
 *
 * @throws {VaultCryptoError} as `decryptName`; also what the pool throws, and the signal's reason.
 */
export async function decryptPooledName(
  pool: Pick<KeyDerivationPool, "derive" | "remember">,
  options: { envelope: NameEnvelope; folderKey: Uint8Array; rowId: string },
  signal?: AbortSignal,
): Promise<string> {
  const purpose = purposeOf(options.envelope, options.folderKey, options.rowId);
  try {
    return await decryptName(options, pooledNameKeys(pool, signal, purpose));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    if (error.code === "name_decrypt_failed") pool.remember(purpose);
    if (error.code !== "known_failure") throw error;
    throw new VaultCryptoError("name_decrypt_failed", "the name did not open before either");
  }
}
