// Carries out vault_find_duplicates.

import { byCodeUnit } from "../../../containment/text.ts";
import type { VaultFile, VaultView } from "../../../vault/client/types.ts";
import type { VaultContext } from "../context.ts";
import type { FileRow } from "../rows.ts";
import { choose, folderField, warningsOf } from "./choose.ts";
import { bucketsOf } from "./duplicates/buckets.ts";
import { Search } from "./duplicates/search.ts";
import { fileRow } from "./rows.ts";

interface Input {
  folder_id?: string;
  min_bytes: number;
  max_total_bytes: number;
  max_file_bytes: number;
}

/** @throws ToolError `not_found`, `grant_invalid`, `cancelled`, and as `VaultClient.view`. */
export async function duplicates(context: VaultContext, input: Input) {
  const { client, signal, progress } = context;
  const view = await client.view({ signal, progress });
  const chosen = choose(view, input);
  const { buckets, skipped } = bucketsOf(chosen.files, input);
  const search = new Search(context, view, input.max_total_bytes);
  const found = await search.run(buckets);
  const groups = found.groups
    .map(({ sha256, files }) => groupOf(view, sha256, files))
    .sort((a, b) =>
      b.reclaimable_bytes - a.reclaimable_bytes || byCodeUnit(a.keep.path, b.keep.path)
    );
  return {
    ...folderField(view, chosen),
    groups,
    reclaimable_bytes: groups.reduce((sum, group) => sum + group.reclaimable_bytes, 0),
    hashed_bytes: found.hashedBytes,
    unverified: [...skipped, ...found.unverified].map(({ file, reason }) => ({
      ...fileRow(view, file),
      reason,
    })),
    ...(found.stopped === undefined
      ? {}
      : { stopped_early: found.stopped, not_attempted: found.notAttempted }),
    ...warningsOf(view, chosen),
  };
}

function groupOf(view: VaultView, sha256: string, files: readonly VaultFile[]) {
  const rows = files.map((file) => fileRow(view, file)).sort(keepFirst);
  const [keep, ...duplicates] = rows;
  const { size } = keep;
  return { sha256, size, reclaimable_bytes: size * duplicates.length, keep, duplicates };
}

/** The copy to keep comes first: the oldest, then the shorter path, then the order of paths. */
export function keepFirst(a: FileRow, b: FileRow): number {
  return byCodeUnit(a.created ?? "~", b.created ?? "~") || a.path.length - b.path.length ||
    byCodeUnit(a.path, b.path) || byCodeUnit(a.id, b.id);
}
