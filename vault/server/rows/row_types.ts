// The rows that the server keeps (vault spec, 13), column by column, in camelCase. Times are
// milliseconds since 1970; names and wraps are the texts that the owner's or the connection's side
// made; the server can open none of them.

export type Scope = "read" | "organize" | "write";
export type FolderKind = "normal" | "bin" | "media";
export type GrantKeyKind = "folder" | "file" | "file_pq" | "name";
export type UploadState = "reserved" | "stored" | "failed";

/** What any value of a JSON column may be. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The owner: login data, wrapped root keys, and what left the server in the current day and month. */
export interface OwnerRow {
  id: string;
  /** Base64. */
  kdfSalt: string;
  kdfPreset: string;
  loginProofHash: string;
  /** The root key wrapped under the passphrase: the owner record's text. */
  rootKey: string;
  recoveryProofHash: string;
  recoveryRootKey: string;
  /** Base64 of 1568 bytes. */
  mlKemPublicKey: string;
  binFolderId: string;
  mediaFolderId: string | null;
  failedLogins: number;
  /** No login is tried before this time. */
  nextLoginAt: number;
  /** `YYYY-MM-DD` (UTC) that {@link egressDayBytes} counts. */
  egressDay: string;
  egressDayBytes: number;
  /** `YYYY-MM` (UTC) that {@link egressMonthBytes} counts. */
  egressMonth: string;
  egressMonthBytes: number;
  createdAt: number;
  updatedAt: number;
}

/** The token that lets the first visitor become the owner. */
export interface SetupTokenRow {
  tokenHash: string;
  createdAt: number;
}

export interface SessionRow {
  id: string;
  ownerId: string;
  tokenHash: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

export interface FolderRow {
  id: string;
  ownerId: string;
  parentId: string | null;
  name: string;
  /** Null only where the key of the folder needs no wrap under a parent's. */
  fkWrapped: string | null;
  fkIv: string | null;
  kind: FolderKind;
  /** Where it lay before it went to the Bin; null at the root or outside the Bin. */
  originId: string | null;
  /** When the owner or a connection put it into the Bin; null outside. */
  binnedAt: number | null;
  createdAt: number;
  /** Rises with every change. */
  updatedAt: number;
  version: number;
}

export interface FileRow {
  id: string;
  ownerId: string;
  folderId: string | null;
  name: string;
  contentType: string | null;
  /** Bytes of the plaintext. */
  size: number;
  /** Bytes of the object. */
  ciphertextSize: number;
  storageKey: string;
  /** Hex, of the object. */
  cipherPartsSha1: string;
  /** Hex, of the object. */
  sha256: string;
  cipherVersion: number;
  cipherChunkSize: number | null;
  cipherNoncePrefix: string | null;
  cskWrapped: string;
  cskIv: string;
  pqkFkWrapped: string | null;
  pqkFkIv: string | null;
  originId: string | null;
  binnedAt: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
}

export interface GrantRow {
  id: string;
  ownerId: string;
  /** Envelope text under the root key. */
  label: string;
  clientHint: string;
  /** Hex. */
  tokenHash: string;
  scopes: Scope[];
  scopeAll: boolean;
  includeMedia: boolean;
  trashFolderId: string | null;
  pkFingerprint: string;
  /** Null: no limit. */
  writeBudgetBytes: number | null;
  writeUsedBytes: number;
  writeReservedBytes: number;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

export interface GrantKeyRow {
  grantId: string;
  kind: GrantKeyKind;
  objectId: string;
  wrapped: string;
  iv: string;
}

/** The connection's secret as its owner keeps it, with the scope fields that were sealed along. */
export interface GrantOwnerCopyRow {
  grantId: string;
  wrapped: string;
  iv: string;
  scope: Json;
}

/** An upload from its reservation on; its id is that of the file row to come. */
export interface UploadRow {
  id: string;
  ownerId: string;
  /** Null for the owner's own uploads. */
  grantId: string | null;
  folderId: string | null;
  storageKey: string;
  sizeBytes: number;
  proofKey: string;
  /** The fields of the file row as they were given. */
  row: Json;
  state: UploadState;
  /** Hex of the object that was put; null before. */
  sha1: string | null;
  sha256: string | null;
  /** What a successful finalize answered, for its repetition. */
  answer: Json;
  createdAt: number;
  expiresAt: number;
}

export interface AuditRow {
  id: string;
  ownerId: string;
  /** Null for the owner. */
  grantId: string | null;
  action: string;
  objectKind: "file" | "folder" | null;
  objectId: string | null;
  result: "ok" | "refused";
  code: string | null;
  at: number;
  /** The columns that a change replaced; null when there is nothing to undo. */
  before: Json;
  after: Json;
  /** The version of the row that the change wrote. */
  version: number | null;
  undoneAt: number | null;
}

export interface IdempotencyRow {
  /** The grant's id, or the owner's. */
  actorId: string;
  key: string;
  requestHash: string;
  status: number;
  response: Json;
  at: number;
}

/** An object whose rows are gone and whose file is to follow. */
export interface PurgedObjectRow {
  storageKey: string;
  at: number;
}
