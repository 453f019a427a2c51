// A new name in the same place. What lies at the root has its name under the root key, which a connection
// does not have, so it renames nothing there (vault spec, 3).

import { record } from "../audit.ts";
import { notFound } from "../refusal.ts";
import { type Change, reachableFile, reachableFolder, requireUnchanged } from "./change.ts";
import type { RenameInput } from "./inputs.ts";

/**
 * Renames a file and records it.
 *
 * @returns the id of the record.
 * @throws Refusal 404 out of reach, and for a connection at the root; 409 `conflict`.
 */
export function renameFile(change: Change, id: string, input: RenameInput): string {
  const file = reachableFile(change, id);
  if (file.folderId === null && !change.reach.ownsRoot) throw notFound();
  requireUnchanged(file, input);
  const { version } = change.rows.changeFile(id, { name: input.name });
  return record(change, {
    action: "rename_file",
    object: { kind: "file", id },
    change: { before: { name: file.name }, after: { name: input.name }, version },
  });
}

/** As {@link renameFile}; fixed folders refuse with 404 too. */
export function renameFolder(change: Change, id: string, input: RenameInput): string {
  const folder = reachableFolder(change, id);
  const atRoot = folder.parentId === null && !change.reach.ownsRoot;
  if (atRoot || change.reach.isFixed(folder)) throw notFound();
  requireUnchanged(folder, input);
  const { version } = change.rows.changeFolder(id, { name: input.name });
  return record(change, {
    action: "rename_folder",
    object: { kind: "folder", id },
    change: { before: { name: folder.name }, after: { name: input.name }, version },
  });
}
