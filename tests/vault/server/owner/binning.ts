// Putting things into the Bin, for the tests of what becomes of them there.

import assert from "node:assert/strict";
import { checkVault } from "../../../../vault/server/check.ts";
import { anyFileFields, anyFolderFields, type OwnedVault } from "./owned_vault.ts";

export type Kind = "file" | "folder";

export function binItem(kind: Kind, id: string, given: Record<string, unknown> = {}) {
  return { kind, id, ...(kind === "file" ? anyFileFields() : anyFolderFields()), ...given };
}

export async function toBin(vault: OwnedVault, ...items: [Kind, string][]): Promise<void> {
  const { results } = await vault.ok("POST", "/bin", {
    items: items.map(([kind, id]) => binItem(kind, id)),
  });
  for (const { ok, code } of results) assert.ok(ok, code);
}

/** What became of each of some items that a request named. */
export async function outcome(
  vault: OwnedVault,
  path: string,
  items: unknown[],
): Promise<string[]> {
  const { results } = await vault.ok("POST", path, { items });
  return results.map(({ ok, code }: { ok: boolean; code?: string }) => ok ? "ok" : code);
}

/** Everything that the rows promise is on the disk, and nothing else is. */
export function assertClean(vault: OwnedVault): void {
  const { sound, faults, orphans, purged, temporaries } = checkVault(vault.rows, vault.objects);
  assert.deepEqual({ sound, faults, orphans, purged, temporaries }, {
    sound: true,
    faults: [],
    orphans: [],
    purged: [],
    temporaries: [],
  });
  assert.deepEqual(vault.rows.purgedObjects(), []);
}
