// Rows with everything filled in, for tests that care about a few of their columns.

import type { FileObjects } from "../../../vault/server/objects/files.ts";
import { newStorageKey, type StoredObject } from "../../../vault/server/objects/objects.ts";
import type {
  FileRow,
  FolderRow,
  GrantRow,
  OwnerRow,
  Rows,
  UploadRow,
} from "../../../vault/server/rows/rows.ts";

export const OWNER = "0190a000-0000-7000-8000-000000000001";
export const BIN = "0190a000-0000-7000-8000-000000000002";
const NOTHING = "0".repeat(64);

/** A row id that sorts by its number. */
export function rowId(number: number): string {
  return `0190b000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

export function ownerRow(): OwnerRow {
  return {
    id: OWNER,
    kdfSalt: "c2FsdA==",
    kdfPreset: "standard",
    loginProofHash: NOTHING,
    rootKey: "{}",
    recoveryProofHash: NOTHING,
    recoveryRootKey: "{}",
    mlKemPublicKey: "cGs=",
    binFolderId: BIN,
    mediaFolderId: null,
    failedLogins: 0,
    nextLoginAt: 0,
    egressDay: "2026-01-01",
    egressDayBytes: 0,
    egressMonth: "2026-01",
    egressMonthBytes: 0,
    createdAt: 1,
    updatedAt: 1,
  };
}

export function folderRow(id: string, given: Partial<FolderRow> = {}): FolderRow {
  return {
    id,
    ownerId: OWNER,
    parentId: null,
    name: "{}",
    fkWrapped: "a",
    fkIv: "b",
    kind: "normal",
    originId: null,
    binnedAt: null,
    createdAt: 1000,
    updatedAt: 1000,
    version: 1,
    ...given,
  };
}

export function fileRow(id: string, given: Partial<FileRow> = {}): FileRow {
  return {
    id,
    ownerId: OWNER,
    folderId: null,
    name: "{}",
    contentType: null,
    size: 1,
    ciphertextSize: 1,
    storageKey: newStorageKey(),
    cipherPartsSha1: "0".repeat(40),
    sha256: NOTHING,
    cipherVersion: 3,
    cipherChunkSize: null,
    cipherNoncePrefix: null,
    cskWrapped: "a",
    cskIv: "b",
    pqkFkWrapped: null,
    pqkFkIv: null,
    originId: null,
    binnedAt: null,
    createdAt: 1000,
    updatedAt: 1000,
    version: 1,
    ...given,
  };
}

export function grantRow(id: string, given: Partial<GrantRow> = {}): GrantRow {
  return {
    id,
    ownerId: OWNER,
    label: "{}",
    clientHint: "other",
    tokenHash: id,
    scopes: ["read", "write"],
    scopeAll: false,
    includeMedia: true,
    trashFolderId: null,
    pkFingerprint: NOTHING,
    writeBudgetBytes: null,
    writeUsedBytes: 0,
    writeReservedBytes: 0,
    createdAt: 1000,
    expiresAt: 9000,
    revokedAt: null,
    lastUsedAt: null,
    ...given,
  };
}

export function uploadRow(id: string, given: Partial<UploadRow> = {}): UploadRow {
  return {
    id,
    ownerId: OWNER,
    grantId: null,
    folderId: null,
    storageKey: newStorageKey(),
    sizeBytes: 1,
    proofKey: NOTHING,
    row: { name: "{}" },
    state: "reserved",
    sha1: null,
    sha256: null,
    answer: null,
    createdAt: 1000,
    expiresAt: 5000,
    ...given,
  };
}

/** Makes the owner and the Bin, as the first visitor does. */
export function setUp(rows: Rows): void {
  rows.transaction(() => {
    rows.insertOwner(ownerRow());
    rows.insertFolder(folderRow(BIN, { kind: "bin" }));
  });
}

/** Puts an object; the row of a file with it still has to be inserted. */
export function putObject(
  objects: FileObjects,
  bytes: Uint8Array,
  key = newStorageKey(),
): StoredObject & { storageKey: string } {
  const writer = objects.create(key);
  writer.write(bytes);
  return { ...writer.commit(), storageKey: key };
}

/** The columns of a file row that its object decides. */
export function columnsOf(object: StoredObject & { storageKey: string }): Partial<FileRow> {
  const { size, sha1, sha256, storageKey } = object;
  return { storageKey, size, ciphertextSize: size, cipherPartsSha1: sha1, sha256 };
}
