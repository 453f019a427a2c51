// Names of files and folders, sealed under the key of the folder that holds them (crypto spec, 12).
// A name is bytes: it comes back exactly as it was sealed, byte order marks and controls included,
// or not at all. A wrong key, another row and a damaged envelope are told apart by nothing.

import { type Bytes, bytesToBase64, randomBytes, utf8, zeroize } from "../bytes.ts";
import { VaultCryptoError } from "../errors.ts";
import { aesGcmOpen, aesGcmSeal, importAesKey } from "../primitives/aes_gcm.ts";
import { TAG_LENGTH } from "../primitives/lengths.ts";
import { IV_LENGTH, requireKey, requireUuid } from "./keys.ts";
import {
  decodeEnvelope,
  MAX_NAME_BYTES,
  NAME_SALT_LENGTH,
  type NameEnvelope,
  type OpenEnvelope,
} from "./name_envelope.ts";
import { deriveNameKey, type NameKeyDeriver } from "./name_key.ts";

function didNotOpen(): VaultCryptoError {
  return new VaultCryptoError("name_decrypt_failed", "the name does not open");
}

async function openWith(nameKey: Uint8Array, envelope: OpenEnvelope): Promise<Bytes | undefined> {
  return await aesGcmOpen(
    await importAesKey(nameKey),
    envelope.iv,
    envelope.sealed,
    envelope.aad,
  );
}

/** Tries the levels in turn: the name's bytes, and the key that opened them. */
async function openNameBytes(
  envelope: OpenEnvelope,
  parentKey: Uint8Array,
  deriver: NameKeyDeriver,
): Promise<{ name: Bytes; nameKey: Uint8Array }> {
  for (const level of envelope.levels) {
    const nameKey = await deriver(parentKey, envelope.salt, level);
    const name = await openWith(nameKey, envelope);
    if (name !== undefined) return { name, nameKey };
    zeroize(nameKey);
  }
  throw didNotOpen();
}

/** The text of a name's bytes; a byte order mark is part of the name. */
function textOf(name: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name);
  } catch (error) {
    if (error instanceof TypeError) throw didNotOpen();
    throw error;
  }
}

/**
 * The name in an envelope, under the key of the folder that holds it, or the root key at the top.
 *
 * @param deriver derives the name keys instead of {@link deriveNameKey}, so that a caller with
 * thousands of names can merge, bound and remember derivations.
 * @throws {VaultCryptoError} `name_decrypt_failed`, `unsupported_envelope`, or `invalid_input` for
 * a key that is none and for a row-bound name without its row id.
 */
export async function decryptName(
  options: { envelope: NameEnvelope; folderKey: Uint8Array; rowId?: string },
  deriver: NameKeyDeriver = deriveNameKey,
): Promise<string> {
  requireKey(options.folderKey, "the folder key");
  const envelope = decodeEnvelope(options.envelope, options.rowId);
  const { name, nameKey } = await openNameBytes(envelope, options.folderKey, deriver);
  zeroize(nameKey);
  return textOf(name);
}

/**
 * The name in an envelope under its own name key, as a grant's `name` wrap carries it (crypto spec,
 * 13).
 *
 * @throws {VaultCryptoError} as {@link decryptName}.
 */
export async function decryptNameWithKey(
  options: { envelope: NameEnvelope; nameKey: Uint8Array; rowId?: string },
): Promise<string> {
  requireKey(options.nameKey, "the name key");
  const name = await openWith(options.nameKey, decodeEnvelope(options.envelope, options.rowId));
  if (name === undefined) throw didNotOpen();
  return textOf(name);
}

/**
 * The key of one envelope, for a grant's `name` wrap. The envelope is opened with it, so that what
 * is wrapped is the key of the level at which the name really was sealed.
 *
 * @throws {VaultCryptoError} as {@link decryptName}.
 */
export async function deriveNameKeyForEnvelope(
  options: { envelope: NameEnvelope; parentKey: Uint8Array; rowId?: string },
  deriver: NameKeyDeriver = deriveNameKey,
): Promise<Uint8Array> {
  requireKey(options.parentKey, "the parent key");
  const envelope = decodeEnvelope(options.envelope, options.rowId);
  return (await openNameBytes(envelope, options.parentKey, deriver)).nameKey;
}

/** The bytes to seal; half a surrogate pair would come back as another character. */
function bytesOf(name: string): Bytes {
  if (typeof name !== "string" || name === "" || !name.isWellFormed()) {
    throw new VaultCryptoError("invalid_input", "a name is non-empty text of whole characters");
  }
  // No character has more than three bytes a unit, so the text is bounded before it is encoded.
  const bytes = name.length <= MAX_NAME_BYTES ? utf8(name) : undefined;
  if (bytes === undefined || bytes.length > MAX_NAME_BYTES) {
    throw new VaultCryptoError("invalid_input", `a name has at most ${MAX_NAME_BYTES} bytes`);
  }
  return bytes;
}

/**
 * Seals a name for its row under the key of the folder that holds it, with fresh salt and IV.
 * Whoever moves an item seals its name again: the old envelope opens under the old parent alone.
 *
 * @throws {VaultCryptoError} `invalid_input` for an empty, malformed or over-long name, a key that
 * is none, or a row id that is not a lower-case UUID.
 */
export async function encryptNameV6(
  options: { name: string; folderKey: Uint8Array; rowId: string },
  deriver: NameKeyDeriver = deriveNameKey,
): Promise<NameEnvelope> {
  requireKey(options.folderKey, "the folder key");
  requireUuid(options.rowId, "the row id");
  const name = bytesOf(options.name);
  const salt = randomBytes(NAME_SALT_LENGTH);
  const iv = randomBytes(IV_LENGTH);
  const nameKey = await deriver(options.folderKey, salt, "interactive");
  const sealed = await aesGcmSeal(await importAesKey(nameKey), iv, name, utf8(options.rowId));
  zeroize(nameKey);
  return {
    v: 6,
    ct: bytesToBase64(sealed.subarray(0, -TAG_LENGTH)),
    iv: bytesToBase64(iv),
    tag: bytesToBase64(sealed.subarray(-TAG_LENGTH)),
    salt: bytesToBase64(salt),
    kdf: "interactive",
  };
}
