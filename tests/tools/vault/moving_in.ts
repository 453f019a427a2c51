// What the tests of vault_move_in have in common: its arguments, and what is in the trash and in the vault after.

import { exists } from "../../support.ts";
import type { Joined } from "./joined.ts";

export const TRASH = ".shieldfive-mcp-trash";

export function args({ dir, folder }: Joined, names: string[], more: Record<string, unknown> = {}) {
  const paths = names.map((name) => `${dir}/${name}`);
  return { paths, destination_folder_id: folder, ...more };
}

/** The batches in a trash, with their manifests. */
export function batchesIn(dir: string) {
  if (!exists(`${dir}/${TRASH}`)) return [];
  return [...Deno.readDirSync(`${dir}/${TRASH}`)].map(({ name }) => ({
    name,
    manifest: JSON.parse(Deno.readTextFileSync(`${dir}/${TRASH}/${name}/manifest.json`)),
  }));
}

/** Names in the vault's folder, sorted. */
export async function namesIn({ world, folder }: Joined): Promise<string[]> {
  const files = world.rows.files({ limit: 1000, after: null })
    .filter(({ folderId }) => folderId === folder);
  return (await Promise.all(files.map(({ id }) => world.nameOf(id)))).sort();
}
