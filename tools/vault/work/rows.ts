// From the items of a view to the rows of a result. Nothing of the server's goes in that was not opened
// with a key, checked, or written anew.

import type { VaultFile, VaultFolder, VaultView } from "../../../vault/client/types.ts";
import { timeText } from "../../format.ts";
import type { FileRow, FolderRow } from "../rows.ts";

const EXTENSION = /\.([A-Za-z0-9]{1,10})$/;

/** The extension of a name, lower-case, where it has one. */
export function extensionOf(name: string | null): string | undefined {
  return EXTENSION.exec(name ?? "")?.[1].toLowerCase();
}

export function typeOf({ name, contentType }: VaultFile): string {
  return extensionOf(name) ?? contentType ?? "unknown";
}

/** A time as data: the server may write it in any way. */
export function written(time: string): string | undefined {
  return timeText(Date.parse(time));
}

export function folderRow(view: VaultView, folder: VaultFolder): FolderRow {
  return {
    id: folder.id,
    path: view.path(folder),
    ...(folder.inTrash ? { in_trash: true } : {}),
  };
}

export function fileRow(view: VaultView, file: VaultFile): FileRow {
  const [modified, created] = [written(file.updatedAt), written(file.createdAt)];
  return {
    id: file.id,
    path: view.path(file),
    size: file.size,
    ...(modified === undefined ? {} : { modified }),
    ...(created === undefined ? {} : { created }),
    type: typeOf(file),
    ...(file.inTrash ? { in_trash: true } : {}),
    ...(file.readable ? {} : { readable: false }),
  };
}
