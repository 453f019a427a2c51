// Carries out vault_storage_stats.

import { byCodeUnit } from "../../../containment/text.ts";
import type { VaultView } from "../../../vault/client/types.ts";
import type { VaultContext } from "../context.ts";
import { choose, folderField, sumOfSizes, warningsOf } from "./choose.ts";
import { fileRow, typeOf } from "./rows.ts";

const FOLDERS = 15;
const FILES = 20;
const TYPES = 25;

/** Files of one kind, added up. */
interface Sum {
  files: number;
  bytes: number;
}

/** @throws ToolError `not_found`, and as `VaultClient.view`. */
export async function stats(
  { client, signal, progress }: VaultContext,
  input: { folder_id?: string },
) {
  const view = await client.view({ signal, progress });
  const chosen = choose(view, input);
  const { files, folder } = chosen;
  const trashed = [...view.files.values()].filter(({ inTrash }) => inTrash);
  const [folders, types] = [new Sums(), new Sums()];
  for (const file of files) {
    types.add(typeOf(file), file.size);
    for (const { id } of view.ancestors(file)) {
      folders.add(id, file.size);
      if (id === folder?.id) break;
    }
  }
  const biggest = [...files].sort((a, b) => b.size - a.size || byCodeUnit(a.id, b.id));
  return {
    ...folderField(view, chosen),
    total_files: files.length,
    total_bytes: sumOfSizes(files),
    biggest_folders: foldersIn(view, folders.biggest(FOLDERS)),
    biggest_files: biggest.slice(0, FILES).map((file) => fileRow(view, file)),
    by_type: types.biggest(TYPES).map(([type, sum]) => ({ type, ...sum })),
    pending_owner_unlock: files.filter(({ readable }) => !readable).length,
    in_connection_bin: { files: trashed.length, bytes: sumOfSizes(trashed) },
    ...warningsOf(view, chosen),
  };
}

class Sums {
  readonly #sums = new Map<string, Sum>();

  add(key: string, bytes: number): void {
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { files: 1, bytes });
    else {
      sum.files++;
      sum.bytes += bytes;
    }
  }

  biggest(most: number): [string, Sum][] {
    return [...this.#sums]
      .sort(([a, { bytes: less }], [b, { bytes: more }]) => more - less || byCodeUnit(a, b))
      .slice(0, most);
  }
}

function foldersIn(view: VaultView, sums: [string, Sum][]) {
  return sums.map(([id, sum]) => ({ id, path: view.path(view.folders.get(id)!), ...sum }));
}
