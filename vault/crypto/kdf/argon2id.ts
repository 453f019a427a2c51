// The master secret of a passphrase (crypto spec, 10). The passphrase counts as its UTF-8 bytes, just as it
// is typed: the format knows no normalisation, and adding one would lock people out whose passphrase it
// changes. Whoever stores the salt stores the original one, and the name of the preset with it.

import { constantTimeEqual, randomBytes, utf8, zeroize } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { HKDF_INFO } from "../labels.ts";
import { hkdf } from "../primitives/hkdf.ts";
import { argon2id } from "./argon2.ts";
import { ARGON2_LEVELS, type Argon2Request } from "./parameters.ts";

/** Bytes of a salt that is drawn here, and the fewest that a salt may have. */
export const ARGON2ID_SALT_BYTES = 16;
export const MASTER_SECRET_BYTES = 32;

/** What passphrases are protected with; `moderate` takes 256 MiB, `sensitive` 1 GiB. */
export type Argon2idPreset = "moderate" | "sensitive";

const PRESETS: readonly string[] = ["moderate", "sensitive"] satisfies Argon2idPreset[];

/** What it takes to find a master secret again. */
export interface StoredPassphrase {
  passphrase: string;
  salt: Uint8Array;
  preset: Argon2idPreset;
}

/**
 * A master secret for a passphrase, and what has to be stored to find it again.
 *
 * @param salt absent: 16 fresh random bytes.
 * @param preset absent: `moderate`.
 * @throws {CryptoError} `invalid_input` for an empty passphrase, a salt under 16 bytes, another preset.
 */
export async function deriveMasterSecret(
  { passphrase, salt = randomBytes(ARGON2ID_SALT_BYTES), preset = "moderate" }:
    & Pick<StoredPassphrase, "passphrase">
    & Partial<StoredPassphrase>,
): Promise<{ masterSecret: Uint8Array; salt: Uint8Array; preset: Argon2idPreset }> {
  const masterSecret = await reDeriveMasterSecret({ passphrase, salt, preset });
  return { masterSecret, salt, preset };
}

/**
 * The master secret that a passphrase had; throws as {@link deriveMasterSecret}.
 *
 * @param derive derives elsewhere than in this thread; what it gives is the caller's own.
 */
export async function reDeriveMasterSecret(
  { passphrase, salt, preset }: StoredPassphrase,
  derive: (request: Argon2Request) => Promise<Uint8Array> = argon2id,
): Promise<Uint8Array> {
  if (passphrase === "") throw new CryptoError("invalid_input", "the passphrase is empty");
  if (!passphrase.isWellFormed()) {
    // Halves of characters would all become the same replacement, and passphrases with them.
    throw new CryptoError("invalid_input", "the passphrase is not valid Unicode text");
  }
  if (!PRESETS.includes(preset)) {
    throw new CryptoError("invalid_input", `the preset must be one of ${PRESETS.join(", ")}`);
  }
  const password = utf8(passphrase);
  try {
    return await derive({
      password,
      salt: compressed(salt),
      ...ARGON2_LEVELS[preset],
      length: MASTER_SECRET_BYTES,
    });
  } finally {
    zeroize(password);
  }
}

/** Whether the passphrase gives this master secret; throws as {@link deriveMasterSecret}. */
export async function verifyPassphrase(
  { masterSecret, ...stored }: StoredPassphrase & { masterSecret: Uint8Array },
): Promise<boolean> {
  const derived = await reDeriveMasterSecret(stored);
  try {
    return constantTimeEqual(derived, masterSecret);
  } finally {
    zeroize(derived);
  }
}

/** The 16 bytes that Argon2id gets. */
function compressed(salt: Uint8Array): Uint8Array {
  if (salt.length < ARGON2ID_SALT_BYTES) {
    throw new CryptoError(
      "invalid_input",
      `the salt must have ${ARGON2ID_SALT_BYTES} bytes or more`,
    );
  }
  if (salt.length === ARGON2ID_SALT_BYTES) return salt;
  return hkdf(salt, null, HKDF_INFO.ARGON2ID_SALT_COMPRESSION, ARGON2ID_SALT_BYTES);
}
