// The rows of a listing as the server keeps them: names sealed, keys wrapped.

import type { WrappedKey } from "@shieldfive/crypto/vault";
import type { Answer } from "./answer.ts";

interface ItemRow {
  id: string;
  /** The envelope's text. */
  name: string;
  /** Where it lay before it was put into the Bin; undefined for what was not put there. */
  originId: string | null | undefined;
  createdAt: string;
  updatedAt: string;
  /** This client changed it, and the server did not say what `updatedAt` is now. */
  unconfirmed: boolean;
  version: number;
}

export interface FolderRow extends ItemRow {
  kind: "folder";
  parentId: string | null;
  /** The folder's key under its parent's. */
  key: WrappedKey;
}

export interface FileRow extends ItemRow {
  kind: "file";
  folderId: string | null;
  contentType: string | null;
  size: number;
  ciphertextSize: number | null;
  cipherVersion: number;
  cipherChunkSize: number | null;
  cipherNoncePrefix: string | null;
  /** The content key of old formats, the envelope key of the post-quantum one. */
  csk: WrappedKey;
  /** The combined key of a post-quantum file. */
  pqk: WrappedKey | null;
}

export type Row = FolderRow | FileRow;

/** The id of the folder that a row lies in; null at the top. */
export function parentOf(row: Row): string | null {
  return row.kind === "folder" ? row.parentId : row.folderId;
}

function itemRow(answer: Answer): ItemRow {
  const updatedAt = answer.time("updatedAt");
  return {
    id: answer.id("id"),
    name: answer.text("name"),
    originId: answer.has("binnedAt") ? answer.idOrNull("originId") : undefined,
    createdAt: answer.timeOrNull("createdAt") ?? updatedAt,
    updatedAt,
    unconfirmed: false,
    version: answer.count("version"),
  };
}

/** @throws OwnerError `bad_answer` */
export function folderRow(answer: Answer): FolderRow {
  return {
    kind: "folder",
    ...itemRow(answer),
    parentId: answer.idOrNull("parentId"),
    // Without a wrap no key opens, just as with a wrap that is none.
    key: {
      wrapped: answer.textOrNull("fkWrapped") ?? "",
      iv: answer.textOrNull("fkIv") ?? "",
    },
  };
}

/** @throws OwnerError `bad_answer` */
export function fileRow(answer: Answer): FileRow {
  return {
    kind: "file",
    ...itemRow(answer),
    folderId: answer.idOrNull("folderId"),
    contentType: answer.textOrNull("contentType"),
    size: answer.count("size"),
    ciphertextSize: answer.countOrNull("ciphertextSize"),
    cipherVersion: answer.count("cipherVersion"),
    cipherChunkSize: answer.countOrNull("cipherChunkSize"),
    cipherNoncePrefix: answer.textOrNull("cipherNoncePrefix"),
    csk: { wrapped: answer.text("cskWrapped"), iv: answer.text("cskIv") },
    pqk: answer.has("pqkFkWrapped")
      ? { wrapped: answer.text("pqkFkWrapped"), iv: answer.text("pqkFkIv") }
      : null,
  };
}
