// What the second implementation knows of the vault's rows (crypto spec, 9 to 16): v0 content, key
// chains, names, grants and the upload proof.

import {
  aesGcmOpen,
  aesGcmSeal,
  argon2id,
  ascii,
  base64,
  base64url,
  bigEndian,
  hex,
  hkdf,
  hmac,
  join,
  sha256,
  unbase64,
  unhex,
} from "./primitives.ts";

/** Content without a header; an empty file is no chunk. */
export function encryptV0(
  key: Uint8Array,
  noncePrefix: Uint8Array,
  chunkSize: number,
  plaintext: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  for (let index = 0; index * chunkSize < plaintext.length; index++) {
    const piece = plaintext.subarray(index * chunkSize, (index + 1) * chunkSize);
    chunks.push(aesGcmSeal(key, join(noncePrefix, bigEndian(index, 8)), piece));
  }
  return join(...chunks);
}

export interface Wrapped {
  wrapped: string;
  iv: string;
}

/** A key sealed under another one; `aad` is nothing in the key chain. */
export function wrap(key: Uint8Array, iv: Uint8Array, inner: Uint8Array, aad = ""): Wrapped {
  return { wrapped: base64(aesGcmSeal(key, iv, inner, ascii(aad))), iv: base64(iv) };
}

export function unwrap(key: Uint8Array, { wrapped, iv }: Wrapped, aad = ""): Uint8Array {
  return aesGcmOpen(key, unbase64(iv), unbase64(wrapped), ascii(aad));
}

export type NameLevel = "interactive" | "moderate";

export function nameKey(parent: Uint8Array, salt: Uint8Array, level: NameLevel): Uint8Array {
  return level === "interactive"
    ? argon2id(base64(parent), salt, 2, 64)
    : argon2id(base64(parent), salt, 3, 256);
}

export interface Envelope {
  v: 4 | 6;
  ct: string;
  iv: string;
  tag: string;
  salt: string;
  kdf?: NameLevel;
}

export function sealName(input: {
  key: Uint8Array;
  name: Uint8Array;
  iv: Uint8Array;
  salt: Uint8Array;
  /** Bound into a v6 envelope; without it the envelope is v4. */
  rowId?: string;
  /** What the envelope says of its level. */
  kdf?: NameLevel;
}): Envelope {
  const sealed = aesGcmSeal(input.key, input.iv, input.name, ascii(input.rowId ?? ""));
  return {
    v: input.rowId === undefined ? 4 : 6,
    ct: base64(sealed.subarray(0, -16)),
    iv: base64(input.iv),
    tag: base64(sealed.subarray(-16)),
    salt: base64(input.salt),
    ...(input.kdf !== undefined ? { kdf: input.kdf } : {}),
  };
}

export function openName(key: Uint8Array, envelope: Envelope, rowId: string): string {
  const sealed = join(unbase64(envelope.ct), unbase64(envelope.tag));
  const aad = ascii(envelope.v === 6 ? rowId : "");
  const opened = aesGcmOpen(key, unbase64(envelope.iv), sealed, aad);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(opened);
}

export function grantWrapKey(secret: Uint8Array, grantId: string): Uint8Array {
  return hkdf(secret, ascii(grantId), "shieldfive/v1/agent-grant/wrap", 32);
}

export function grantAad(grantId: string, kind: string, objectId: string): string {
  return ["sf-grant-v1", grantId, kind, objectId].join("|");
}

export function grantSecretKey(rootKey: Uint8Array, grantId: string): Uint8Array {
  return hkdf(rootKey, ascii(grantId), "shieldfive/v1/agent-grant/secret", 32);
}

export interface Scope {
  grantId: string;
  scopeAll: boolean;
  includeMedia: boolean;
  rootIds: string[];
  trashFolderId: string | null;
  excludedIds: string[];
  excludedKeyFingerprints: string[];
}

export function scopeText(scope: Scope): string {
  const list = (values: string[]) => [...new Set(values)].sort().join(",");
  return [
    "sf-grant-scope-v1",
    scope.grantId,
    `all=${Number(scope.scopeAll)}`,
    `media=${Number(scope.includeMedia)}`,
    `roots=${list(scope.rootIds)}`,
    `trash=${scope.trashFolderId ?? "-"}`,
    `excluded=${list(scope.excludedIds)}`,
    `excludedKeys=${list(scope.excludedKeyFingerprints)}`,
  ].join("|");
}

export function connectionString(input: {
  grantId: string;
  token: Uint8Array;
  secret: Uint8Array;
  publicKey: Uint8Array;
}): string {
  const { grantId, token, secret, publicKey } = input;
  const parts = [grantId, base64url(token), base64url(secret), hex(sha256(publicKey))];
  return "sf-grant-v1:" + parts.join(".");
}

/** Over the header and the first chunk of a 0x03 file; `length` is that of both together. */
export function uploadProof(proofKeyHex: string, file: Uint8Array, length: number): string {
  const versions = Uint8Array.of(3, 3);
  const mac = hmac(unhex(proofKeyHex), join(versions, file.subarray(0, length)));
  return base64(join(versions, mac));
}

export type Preset = "moderate" | "sensitive";

/** A master secret; salts over 16 bytes are compressed. */
export function masterSecret(passphrase: string, salt: Uint8Array, preset: Preset): Uint8Array {
  const short = salt.length === 16
    ? salt
    : hkdf(salt, undefined, "shieldfive/v1/argon2id/salt-compression", 16);
  return preset === "moderate"
    ? argon2id(passphrase, short, 3, 256)
    : argon2id(passphrase, short, 4, 1024);
}
