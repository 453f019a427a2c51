// Name keys by way of a pool: equal ones are derived once, and a listing of any length takes a bounded
// memory. Not in the published package.

import { zeroize } from "../bytes.ts";
import type { KeyDerivationPool } from "../kdf/pool.ts";
import { type NameKeyDeriver, namePassword } from "../vault/name_key.ts";

/**
 * A deriver that hands everything to the pool.
 *
 * @param signal lets go of whatever the deriver has asked for; see `KeyDerivationPool.derive`.
 * @param purpose what all its keys are for; see `KeyRequest`.
 */
export function pooledNameKeys(
  pool: Pick<KeyDerivationPool, "derive">,
  signal?: AbortSignal,
  purpose?: string,
): NameKeyDeriver {
  return async (folderKey, salt, level) => {
    const password = namePassword(folderKey);
    try {
      return await pool.derive({ password, salt, level, purpose }, signal);
    } finally {
      zeroize(password);
    }
  };
}
