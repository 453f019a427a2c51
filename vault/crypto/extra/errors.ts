// The classes of refusals, for callers that turn them into answers of their own.

export { CryptoError, HeaderError, VaultCryptoError } from "../errors.ts";
