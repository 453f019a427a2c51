// Carries out vault_list_files.

import type { VaultContext } from "../context.ts";
import { byPath, type Choice, choose, folderField, sumOfSizes, warningsOf } from "./choose.ts";
import { fileRow, folderRow } from "./rows.ts";

/** @throws ToolError `not_found`, and as `VaultClient.view`. */
export async function list(
  { client, signal, progress }: VaultContext,
  input: Choice & { limit: number; offset: number },
) {
  const { limit, offset } = input;
  const view = await client.view({ signal, progress });
  const chosen = choose(view, input);
  const folders = byPath(chosen.folders.map((folder) => folderRow(view, folder)));
  const files = byPath(chosen.files.map((file) => fileRow(view, file)));
  const end = offset + limit;
  return {
    ...folderField(view, chosen),
    folders: folders.slice(offset, end),
    files: files.slice(offset, end),
    total: files.length,
    total_folders: folders.length,
    total_bytes: sumOfSizes(files),
    ...(end < Math.max(files.length, folders.length) ? { next_offset: end } : {}),
    ...warningsOf(view, chosen),
  };
}
