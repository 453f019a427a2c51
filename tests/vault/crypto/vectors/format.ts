// The shape of the project's own test vectors, which `generate.ts` writes and `checks/` reads. Short
// values are hexadecimal, whole files are base64.

/** A file that opens, and what it opens to. */
export interface FileVector {
  name: string;
  suite: 1 | 2 | 3 | 4;
  /** The content key; K for suite 0x03. */
  key: string;
  fileId: string;
  chunkSize: number;
  plaintext: string;
  /** The header's payload, where it is neither zeros nor an encapsulation. */
  payload?: string;
  file: string;
  /** The secret key that signed it, where a writer of ours signs in the same way. */
  signer?: string;
  /** What a reader says of the signature, by the public key that it was told to expect. */
  signature?: {
    algorithm: number;
    verified: { expected: string | null; result: boolean | null }[];
  };
}

/** How suite 0x03's files were encapsulated; the same recipient in all of them. */
export interface HybridVector {
  masterSecret: string;
  envelopeKey: string;
  publicKeySha256: string;
  secretKeySha256: string;
  payload: string;
  key: string;
  fileId: string;
}

export interface LegacyVector {
  name: string;
  contentKey: string;
  noncePrefix: string;
  chunkSize: number;
  plaintext: string;
  file: string;
}

/** A file that is too long to be written down: its byte i is `pattern(size)[i]`. */
export interface LongFileVector {
  name: string;
  suite: 1 | 2 | 4;
  key: string;
  fileId: string;
  chunkSize: number;
  size: number;
  fileSha256: string;
}

export interface FileVectors {
  hybrid: HybridVector;
  files: FileVector[];
  longFiles: LongFileVector[];
  legacy: LegacyVector[];
}

/** The plaintext of a long file. */
export function pattern(size: number, from = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = Math.imul(from + i, 0x9e3779b1) >>> 24;
  return bytes;
}

/** Bytes of a file that are replaced by others. */
export interface FileChange {
  at: number;
  remove: number;
  insert: string;
}

/** A file that does not open: one of the files, with changes that do not overlap. */
export interface RefusedFile {
  name: string;
  of: string;
  changes: FileChange[];
  /** The key to open with, where it is not the file's. */
  key?: string;
  /** The code of the refusal, where the format gives it one. */
  code?: string;
  /** The same for a reader that is fed bit by bit, where it cannot know as much. */
  streamCode?: string;
}

/** A header or a signature block. */
export interface RefusedBytes {
  name: string;
  bytes: string;
  code: string;
}

export interface RefusedText {
  name: string;
  value: string;
}

export interface RefusalVectors {
  files: RefusedFile[];
  headers: RefusedBytes[];
  acceptedHeaders: { name: string; bytes: string }[];
  signatureBlocks: RefusedBytes[];
  legacy: (Omit<LegacyVector, "plaintext">)[];
  connectionStrings: RefusedText[];
  envelopes: RefusedText[];
}

export interface WrappedVector {
  wrapped: string;
  iv: string;
}

export interface ScopeVector {
  grantId: string;
  scopeAll: boolean;
  includeMedia: boolean;
  rootIds: string[];
  trashFolderId: string | null;
  excludedIds: string[];
  excludedKeyFingerprints: string[];
}

export interface VaultVectors {
  chain: { parent: string; key: string; wrap: WrappedVector }[];
  grants: {
    grantId: string;
    token: string;
    secret: string;
    publicKey: string;
    connectionString: string;
    tokenHash: string;
    wrapKey: string;
    fingerprint: string;
    wraps: { kind: string; objectId: string; key: string; wrap: WrappedVector }[];
  }[];
  scopes: {
    rootKey: string;
    secret: string;
    scope: ScopeVector;
    text: string;
    wrap: WrappedVector;
  }[];
  keyFingerprints: { key: string; fingerprint: string }[];
  /** Over files of the other list, by their names. */
  uploadProofs: { proofKey: string; of: string; proof: string; needed: number }[];
  share: {
    masterSecret: string;
    envelopeKey: string;
    fileId: string;
    key: string;
    bundle: string;
  };
  identity: {
    userId: string;
    issuedAt: number;
    metadata: string;
    masterSecret: string;
    bundleSha256: string;
  };
}

export interface EnvelopeVector {
  v: 4 | 6;
  ct: string;
  iv: string;
  tag: string;
  salt: string;
  kdf?: "interactive" | "moderate";
}

/** What takes an Argon2id to make, and so is not made again by every run of the tests. */
export interface Argon2Vectors {
  nameKeys: { parent: string; salt: string; level: "interactive" | "moderate"; key: string }[];
  names: {
    name: string;
    parent: string;
    /** The derived key that opens it. */
    nameKey: string;
    rowId: string;
    /** As UTF-8, in hexadecimal; nothing where the envelope does not open. */
    plaintext?: string;
    code?: string;
    envelope: EnvelopeVector;
  }[];
  passphrases: {
    passphrase: string;
    salt: string;
    preset: "moderate" | "sensitive";
    masterSecret: string;
  }[];
}
