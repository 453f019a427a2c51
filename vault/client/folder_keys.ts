// The keys of folders, from those that came with the connection downward: each row is looked at once,
// whatever the order of the rows, however deep they lie, and though some lie in each other.
//
// Wraps of the chain are bound to no row (crypto spec, 21): a server could show one folder's key for
// another's, to have something sealed under a key that others have. So a key that two folders would have
// is neither's, unless it came with the connection, where each is bound to its folder.

import { keyFingerprint, unwrapChainKey } from "@shieldfive/crypto/vault";
import { batched } from "./batched.ts";
import { openedOrNone } from "./grant.ts";
import type { FolderRow } from "./rows.ts";

type Keys = ReadonlyMap<string, Uint8Array>;

/** The rows whose key is to be opened under their parent's, by that parent. */
function byParent(folders: ReadonlyMap<string, FolderRow>, granted: Keys) {
  const children = new Map<string, FolderRow[]>();
  for (const row of folders.values()) {
    const { id, parentId, key, isScopeRoot } = row;
    if (parentId === null || key === undefined || isScopeRoot || granted.has(id)) continue;
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [row]);
    else siblings.push(row);
  }
  return children;
}

/** Goes down level by level; `visit` says whether what lies below a row is to be looked at. */
async function descend(
  children: ReadonlyMap<string, FolderRow[]>,
  granted: Keys,
  visit: (row: FolderRow) => boolean | Promise<boolean>,
): Promise<void> {
  let level = [...granted.keys()];
  while (level.length > 0) {
    const rows = level.flatMap((id) => children.get(id) ?? []);
    const below: string[] = [];
    await batched(rows, async (row) => {
      if (await visit(row)) below.push(row.id);
    });
    level = below;
  }
}

/** The ids that have a key which another one has too. */
function shared(keys: Keys): Set<string> {
  const owners = new Map<string, string[]>();
  for (const [id, key] of keys) {
    const fingerprint = keyFingerprint(key);
    const ids = owners.get(fingerprint);
    if (ids === undefined) owners.set(fingerprint, [id]);
    else ids.push(id);
  }
  return new Set([...owners.values()].filter(({ length }) => length > 1).flat());
}

/**
 * All folder keys that can be had.
 *
 * @param granted those that came with the connection.
 */
export async function openFolderKeys(
  folders: ReadonlyMap<string, FolderRow>,
  granted: Keys,
): Promise<Map<string, Uint8Array>> {
  const children = byParent(folders, granted);
  const opened = new Map(granted);
  await descend(children, granted, async (row) => {
    const key = await openedOrNone(unwrapChainKey(opened.get(row.parentId!)!, row.key!));
    if (key !== undefined) opened.set(row.id, key);
    return key !== undefined;
  });
  const doubtful = shared(opened);
  const believed = new Map(granted);
  await descend(children, granted, ({ id }) => {
    const key = opened.get(id);
    if (key === undefined || doubtful.has(id)) return false;
    believed.set(id, key);
    return true;
  });
  return believed;
}
