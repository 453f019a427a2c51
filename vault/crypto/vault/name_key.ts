// The key of one name: Argon2id over the folder's key, by salt and level (crypto spec, 12). The
// folder's key has 256 bits already, so the cost protects nothing more; it is part of the format.
// Who opens many names passes a deriver of its own, which merges equal derivations and bounds how
// many run at a time.

import { type Bytes, bytesToBase64, utf8, zeroize } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { argon2id } from "../kdf/argon2.ts";
import { ARGON2_LEVELS } from "../kdf/parameters.ts";
import { requireKey } from "./keys.ts";
import { NAME_SALT_LENGTH, type NameKdfLevel } from "./name_envelope.ts";

/**
 * Derives name keys as {@link deriveNameKey} does, only better for a caller's purpose. The key that
 * it resolves to is wiped after use: what it keeps for later it gives a copy of.
 */
export type NameKeyDeriver = (
  folderKey: Uint8Array,
  salt: Uint8Array,
  level: NameKdfLevel,
) => Promise<Uint8Array>;

const LEVELS: readonly string[] = ["interactive", "moderate"] satisfies NameKdfLevel[];

/**
 * What is stretched into a name key: the folder key's base64 text, padding included. The caller
 * wipes it.
 *
 * @throws {VaultCryptoError} `invalid_input` for a key that is none.
 */
export function namePassword(folderKey: Uint8Array): Bytes {
  requireKey(folderKey, "the folder key");
  return utf8(bytesToBase64(folderKey));
}

/**
 * The key of one name (crypto spec, 12): about 70 ms and 64 MiB at `interactive`, half a second and
 * 256 MiB at `moderate`.
 *
 * @throws {VaultCryptoError} `invalid_input` for a key, a salt or a level that is none.
 */
export async function deriveNameKey(
  folderKey: Uint8Array,
  salt: Uint8Array,
  level: NameKdfLevel,
): Promise<Bytes> {
  if (!(salt instanceof Uint8Array) || salt.length !== NAME_SALT_LENGTH) {
    throw new VaultCryptoError("invalid_input", `a name's salt has ${NAME_SALT_LENGTH} bytes`);
  }
  if (!LEVELS.includes(level)) {
    throw new VaultCryptoError("invalid_input", `a name's level is one of ${LEVELS.join(", ")}`);
  }
  const password = namePassword(folderKey);
  try {
    return await argon2id({ password, salt, ...ARGON2_LEVELS[level] });
  } finally {
    zeroize(password);
  }
}
