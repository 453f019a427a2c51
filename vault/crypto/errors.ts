// How the formats say that they refuse or failed: one class with a stable code, and under it the
// names that the published package uses, so that a caller can catch either. A message names what
// was wrong and where, never a key, a token, a plaintext or the text that was to be decoded.

/** Any refusal or failure of this module; `code` is part of the interface (crypto spec, 21). */
export class CryptoError extends Error {
  override readonly name: string = "CryptoError";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A container header that is malformed, unsupported or not authentic (crypto spec, 2). */
export class HeaderError extends CryptoError {
  override readonly name = "HeaderError";
}

/** A chunk, or the stream of them, that is cut, out of order or not authentic (crypto spec, 3). */
export class ChunkError extends CryptoError {
  override readonly name = "ChunkError";
}

/** A signature block that is malformed (crypto spec, 8). */
export class SignatureError extends CryptoError {
  override readonly name = "SignatureError";
}

/** The codes of the vault's key chain, names and grants (crypto spec, 19). */
export type VaultCryptoErrorCode =
  | "unwrap_failed"
  | "name_decrypt_failed"
  | "unsupported_envelope"
  | "invalid_input"
  | "invalid_connection_string";

/** A key wrap, a name envelope or a connection string that is refused (crypto spec, 11 to 15). */
export class VaultCryptoError extends CryptoError {
  override readonly name = "VaultCryptoError";
  declare readonly code: VaultCryptoErrorCode;

  constructor(code: VaultCryptoErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
