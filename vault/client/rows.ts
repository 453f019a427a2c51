// The rows of a listing as the server keeps them: names sealed, keys wrapped. A row that is not what it has
// to be is no row; a wrap that is none is like one that does not open.

import type { WrappedKey } from "@shieldfive/crypto/vault";
import { count, flag, isFields, orNull, text, time, uuid } from "./answers.ts";

/** Characters of a name's envelope (crypto spec, 12). */
const LONGEST_NAME = 8192;
/** Characters of either part of a wrap, with room for what is none. */
const LONGEST_WRAP = 128;
const LONGEST_TYPE = 1024;

interface ItemRow {
  id: string;
  /** Where it lies; null at the top. */
  parentId: string | null;
  /** The envelope's text. */
  name: string;
  updatedAt: string;
  inTrash: boolean;
}

export interface FolderRow extends ItemRow {
  kind: "folder";
  isScopeRoot: boolean;
  /** The folder's key under its parent's. */
  key: WrappedKey | undefined;
}

export interface FileRow extends ItemRow {
  kind: "file";
  contentType: string | null;
  size: number;
  ciphertextSize: number | null;
  createdAt: string;
  cipherVersion: number;
  cipherChunkSize: number | null;
  cipherNoncePrefix: string | null;
  /** The content key of old formats, the envelope key of the post-quantum one. */
  csk: WrappedKey | undefined;
  /** The combined key of a post-quantum file. */
  pqk: WrappedKey | undefined;
}

export type Row = FolderRow | FileRow;

/** The two parts of a wrap, where both are texts. */
export function wrapOf(wrapped: unknown, iv: unknown): WrappedKey | undefined {
  const parts = { wrapped: text(wrapped, LONGEST_WRAP), iv: text(iv, LONGEST_WRAP) };
  return parts.wrapped && parts.iv ? { wrapped: parts.wrapped, iv: parts.iv } : undefined;
}

/** The object where every field of it was of its kind. */
function whole<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T | undefined {
  return Object.values(fields).includes(undefined) ? undefined : fields as T;
}

/** What a row of folders says; undefined for what is none. */
export function folderRow(value: unknown): FolderRow | undefined {
  if (!isFields(value)) return undefined;
  const row = whole<Omit<FolderRow, "key">>({
    kind: "folder",
    id: uuid(value.id),
    parentId: orNull(value.parentId, uuid),
    name: text(value.name, LONGEST_NAME),
    updatedAt: time(value.updatedAt),
    inTrash: flag(value.inTrash),
    isScopeRoot: flag(value.isScopeRoot),
  });
  return row && { ...row, key: wrapOf(value.fkWrapped, value.fkIv) };
}

/** What a row of files says; undefined for what is none. */
export function fileRow(value: unknown): FileRow | undefined {
  if (!isFields(value)) return undefined;
  const row = whole<Omit<FileRow, "csk" | "pqk">>({
    kind: "file",
    id: uuid(value.id),
    parentId: orNull(value.folderId, uuid),
    name: text(value.name, LONGEST_NAME),
    updatedAt: time(value.updatedAt),
    inTrash: flag(value.inTrash),
    contentType: orNull(value.contentType, (type) => text(type, LONGEST_TYPE)),
    size: count(value.size),
    ciphertextSize: orNull(value.ciphertextSize, count),
    createdAt: time(value.createdAt),
    cipherVersion: count(value.cipherVersion),
    cipherChunkSize: orNull(value.cipherChunkSize, count),
    cipherNoncePrefix: orNull(value.cipherNoncePrefix, (prefix) => text(prefix, LONGEST_WRAP)),
  });
  if (row === undefined) return undefined;
  return {
    ...row,
    csk: wrapOf(value.cskWrapped, value.cskIv),
    pqk: wrapOf(value.pqkFkWrapped, value.pqkFkIv),
  };
}
