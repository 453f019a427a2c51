// Key derivations by the dozen, and the ways to carry them out: not in the published package.

export { CryptoError } from "../errors.ts";
export { ARGON2_PACKAGES, installedAddon, mayLoad } from "../kdf/addon.ts";
export { argon2id, chooseArgon2, type ChosenArgon2 } from "../kdf/argon2.ts";
export {
  type Argon2,
  ARGON2_LEVELS,
  type Argon2Level,
  type Argon2Request,
} from "../kdf/parameters.ts";
export {
  type DerivationBackend,
  KeyDerivationPool,
  type KeyRequest,
  type PoolOptions,
} from "../kdf/pool.ts";
