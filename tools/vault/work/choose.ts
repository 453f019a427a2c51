// Which part of the vault a reading tool looks at, and what is missing from the picture of it.

import { byCodeUnit } from "../../../containment/text.ts";
import { requireFolder } from "../../../vault/client/rules.ts";
import type { VaultFile, VaultFolder, VaultItem, VaultView } from "../../../vault/client/types.ts";
import { count } from "../../format.ts";

export interface Choice {
  folder_id?: string;
  include_trash?: boolean;
}

/** The part of a view that was asked for. */
export interface Chosen {
  /** The folder that was asked about. */
  folder?: VaultFolder;
  folders: VaultFolder[];
  files: VaultFile[];
}

/**
 * What lies in a folder, or everything. What is in the trash takes part when it is asked for; asking about
 * a folder in the trash asks for it.
 *
 * @throws ToolError `not_found`
 */
export function choose(view: VaultView, { folder_id, include_trash = false }: Choice): Chosen {
  const folder = folder_id === undefined ? undefined : requireFolder(view, folder_id.toLowerCase());
  const withTrash = include_trash || folder?.inTrash === true;
  const isWanted = (item: VaultItem) =>
    (withTrash || !item.inTrash) &&
    (folder === undefined || view.ancestors(item).some(({ id }) => id === folder.id));
  return {
    ...(folder === undefined ? {} : { folder }),
    folders: [...view.folders.values()].filter(isWanted),
    files: [...view.files.values()].filter(isWanted),
  };
}

/** Rows in the order of their paths. */
export function byPath<R extends { path: string; id: string }>(rows: R[]): R[] {
  return rows.sort((a, b) => byCodeUnit(a.path, b.path) || byCodeUnit(a.id, b.id));
}

/** The path of the folder that was asked about, for the result. */
export function folderField(view: VaultView, { folder }: Chosen): { folder?: string } {
  return folder === undefined ? {} : { folder: view.path(folder) };
}

export function sumOfSizes(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** What a reader has to know of a view: what does not open, and what was left out. */
export function warningsOf(
  view: VaultView,
  { folders, files }: Chosen,
): { warnings?: string[] } {
  const locked = files.filter(({ readable }) => !readable).length;
  const nameless = [...folders, ...files].filter(({ name }) => name === null).length;
  const untried = Math.min(view.untried, nameless);
  const warnings = [
    ...(locked === 0 ? [] : [
      `${
        count(locked, "file")
      } cannot be read yet: the owner's next visit to ShieldFive on the web ` +
      "adds the key",
    ]),
    ...(nameless - untried === 0 ? [] : [`${count(nameless - untried, "name")} did not open`]),
    ...(untried === 0
      ? []
      : [`${count(untried, "name")} could not be opened this time; try again`]),
    ...(view.skipped === 0 ? [] : [
      `PARTIAL: ${count(view.skipped, "row")} of the server made no sense and ${
        view.skipped === 1 ? "was" : "were"
      } left out`,
    ]),
  ];
  return warnings.length === 0 ? {} : { warnings };
}
