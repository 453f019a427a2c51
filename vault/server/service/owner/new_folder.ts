// The folders that come with something else: the Bin and Media with the vault, a trash with a connection.

import type { FolderKind, Rows } from "../../rows/rows.ts";
import { iv, nameEnvelope, object, uuid, type ValueOf, wrapped } from "../fields.ts";

/** What the owner's page gives of such a folder, sealed for where it will lie. */
export const sealedFolderRow = object({
  id: uuid,
  name: nameEnvelope,
  fkWrapped: wrapped,
  fkIv: iv,
});

/** Where such a folder lies, and what it is to the vault. */
export interface FolderPlace {
  ownerId: string;
  parentId: string | null;
  kind: FolderKind;
  /** Milliseconds since 1970. */
  now: number;
}

/** Inserts such a folder in the caller's transaction. */
export function insertFolder(
  rows: Rows,
  folder: ValueOf<typeof sealedFolderRow>,
  { ownerId, parentId, kind, now }: FolderPlace,
): void {
  rows.insertFolder({
    ...folder,
    ownerId,
    parentId,
    kind,
    originId: null,
    binnedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  });
}
