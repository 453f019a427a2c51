// Which folders a connection gets, as a person picks them in the tree: a picked folder stands for all that is
// below it, so nothing below one is picked by itself.

import type { Folder, Tree } from "../../vault/owner/mod.ts";

/** The folders directly in another one, or at the top for null, that a connection can be given. */
export function offeredFolders(tree: Tree, parentId: string | null): Folder[] {
  return tree.children(parentId).filter((item): item is Folder =>
    item.kind === "folder" && (item.role === "normal" || item.role === "media")
  );
}

/** Whether a connection could open a folder. */
export function canBeShared(folder: Folder): boolean {
  return folder.readable && folder.name !== null;
}

/** How a folder stands to what was picked. */
export type Standing = "picked" | "included" | "partly" | "free";

/** The picked folders, and every folder above one of them. */
export interface Picked {
  readonly ids: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

/** What was picked, prepared for {@link standingOf}. Ids of folders that are gone are left out. */
export function pickedIn(tree: Tree, ids: Iterable<string>): Picked {
  const there = [...ids].filter((id) => tree.folders.has(id));
  const above = there.flatMap((id) => tree.ancestors(tree.folders.get(id)!).map((one) => one.id));
  return { ids: new Set(there), above: new Set(above) };
}

/** How a folder stands to what was picked. */
export function standingOf(tree: Tree, folder: Folder, picked: Picked): Standing {
  if (picked.ids.has(folder.id)) return "picked";
  if (tree.ancestors(folder).some(({ id }) => picked.ids.has(id))) return "included";
  return picked.above.has(folder.id) ? "partly" : "free";
}

/** What is picked once a folder is picked or let go. */
export function toggled(tree: Tree, ids: Iterable<string>, folder: Folder): Set<string> {
  const next = new Set(ids);
  if (next.delete(folder.id)) return next;
  for (const id of next) {
    const other = tree.folders.get(id);
    const below = other !== undefined && tree.ancestors(other).some((one) => one.id === folder.id);
    if (below) next.delete(id);
  }
  return next.add(folder.id);
}

/** The folders whose name has a text in it, whatever its case, by path. */
export function foldersNamed(tree: Tree, text: string): Folder[] {
  const wanted = text.normalize("NFC").toLowerCase();
  return [...tree.folders.values()]
    .filter((folder) =>
      !folder.inBin && (folder.role === "normal" || folder.role === "media") &&
      folder.name?.normalize("NFC").toLowerCase().includes(wanted)
    )
    .sort((a, b) => tree.path(a).localeCompare(tree.path(b)));
}
