// Rows as a connection gets to see them (vault spec, 3): what it needs to find and open things, and
// nothing of where they lie on the server or lay before.

import type { FileRow, FolderRow, GrantKeyRow, GrantRow, Json, OwnerRow } from "../../rows/rows.ts";
import type { Place } from "../scope.ts";
import { timeText } from "../times.ts";

/** The columns of a file that go out, to a connection and to the owner. */
export function fileFields(file: FileRow): Record<string, Json> {
  return {
    id: file.id,
    folderId: file.folderId,
    name: file.name,
    contentType: file.contentType,
    size: file.size,
    ciphertextSize: file.ciphertextSize,
    createdAt: timeText(file.createdAt),
    updatedAt: timeText(file.updatedAt),
    cipherVersion: file.cipherVersion,
    cipherChunkSize: file.cipherChunkSize,
    cipherNoncePrefix: file.cipherNoncePrefix,
    cskWrapped: file.cskWrapped,
    cskIv: file.cskIv,
    pqkFkWrapped: file.pqkFkWrapped,
    pqkFkIv: file.pqkFkIv,
  };
}

/** The columns of a folder that go out, to a connection and to the owner. */
export function folderFields(folder: FolderRow): Record<string, Json> {
  return {
    id: folder.id,
    parentId: folder.parentId,
    name: folder.name,
    fkWrapped: folder.fkWrapped,
    fkIv: folder.fkIv,
    updatedAt: timeText(folder.updatedAt),
  };
}

export function fileAsJson(file: FileRow, place: Place): Json {
  return Object.assign(fileFields(file), { inTrash: place === "trash" });
}

/** @param parentPlace where the parent lies; a parent out of reach is not named. */
export function folderAsJson(
  folder: FolderRow,
  place: Place,
  parentPlace: Place | undefined,
  isScopeRoot: boolean,
): Json {
  return {
    ...folderFields(folder),
    parentId: parentPlace === undefined ? null : folder.parentId,
    inTrash: place === "trash",
    isScopeRoot,
  };
}

/** What only a connection that may upload is told. */
function writeFields(grant: GrantRow, owner: OwnerRow): Record<string, Json> {
  if (!grant.scopes.includes("write")) return {};
  const { writeBudgetBytes, writeUsedBytes, writeReservedBytes } = grant;
  return {
    mlKemPublicKey: owner.mlKemPublicKey,
    // What is held is not there for another upload either.
    ...(writeBudgetBytes === null ? {} : {
      writeBudget: { bytes: writeBudgetBytes, usedBytes: writeUsedBytes + writeReservedBytes },
    }),
  };
}

export function grantAsJson(
  grant: GrantRow,
  owner: OwnerRow,
  roots: string[],
  keys: GrantKeyRow[],
): Json {
  return {
    grant: {
      id: grant.id,
      scopes: grant.scopes,
      scopeAll: grant.scopeAll,
      scopeFolderIds: grant.scopeAll ? [] : roots,
      trashFolderId: grant.trashFolderId,
      expiresAt: timeText(grant.expiresAt),
      pkFingerprint: grant.pkFingerprint,
      ...writeFields(grant, owner),
    },
    keys: keys.map(({ kind, objectId, wrapped, iv }) => ({ kind, objectId, wrapped, iv })),
  };
}
