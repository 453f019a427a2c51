// How the owner's library says that something was refused or failed: one class whose code is the
// interface. A message is for a person; it names no key, no passphrase and nothing that was decrypted.

/** Any failure of the owner's library; see {@link OwnerErrorCode} for the codes of its own. */
export class OwnerError extends Error {
  override readonly name = "OwnerError";
  readonly code: string;
  /** After a refusal for too many attempts: when to try again. */
  readonly retryAfterSeconds?: number;

  constructor(
    code: OwnerErrorCode | string & Record<never, never>,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The codes that this library makes itself; a server's own codes come through beside them. */
export type OwnerErrorCode =
  /** The passphrase or the recovery key is not the vault's. */
  | "login_failed"
  /** What was typed as a recovery key has a mistake in it. */
  | "invalid_recovery_key"
  /** Too many attempts; see `retryAfterSeconds`. */
  | "rate_limited"
  /** The session ended or was ended; unlock again. */
  | "session_ended"
  /** The vault is locked: `lock` was called. */
  | "locked"
  /** The server could not be reached, or the connection broke. */
  | "network_error"
  /** The server answered what no such server answers. */
  | "bad_answer"
  /** A key could not be derived: a worker was lost, or there is not enough memory. */
  | "derivation_failed"
  /** The item is not there any more. */
  | "not_found"
  /** It was changed by someone else since it was listed: refresh and look again. */
  | "conflict"
  /** A name that cannot be given; the message says why. */
  | "invalid_name"
  /** A folder into itself, into the Bin by `move`, or to where it is. */
  | "invalid_destination"
  /** The Bin, the Media folder or a connection's bin: it stays as it is. */
  | "fixed_item"
  /** The name does not open, so the item cannot be sealed again elsewhere. */
  | "name_unavailable"
  /** The key of the item or of the folder does not open. */
  | "key_unavailable"
  /** An empty file, which the format cannot prove to have been stored. */
  | "empty_file"
  /** More than a file of the vault may have. */
  | "too_large"
  /** The content does not open, is cut, or was tampered with. */
  | "decrypt_failed"
  /** The content belongs to another file: the server exchanged something. */
  | "row_mismatch"
  /** What was stored is not what was sent. */
  | "verify_failed"
  /** The storage refused the bytes. */
  | "upload_failed"
  /** Another public key than the vault's: the server exchanged it. */
  | "key_mismatch"
  /** A connection's scope, or one of its keys, is not what its owner agreed to. */
  | "grant_altered"
  /** A folder that this connection must never get. */
  | "key_excluded"
  /** It was renamed or moved, and a connection could not be given its new name. */
  | "grant_not_updated"
  /** An argument that cannot be. */
  | "invalid_argument";
