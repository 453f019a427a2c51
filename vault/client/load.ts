// Loads everything within a connection's reach: who it is, its keys, all rows, the folders' keys from the
// top down, and the names (vault spec, 4). Keys and rows stay beside the view that tools get.

import type { GrantCredential } from "@shieldfive/crypto/vault";
import type { Api } from "./api.ts";
import { openFolderKeys } from "./folder_keys.ts";
import { fetchGrant, type Grant, type GrantKeys, openGrantKeys, recipientKey } from "./grant.ts";
import { fetchListing, type Listing } from "./listing.ts";
import type { Names, SealedName } from "./names.ts";
import type { FileRow, Row } from "./rows.ts";
import { requireScope } from "./rules.ts";
import type { ViewOptions } from "./types.ts";
import { LoadedView } from "./view.ts";

/** What a client works with, for its life. */
export interface Workplace {
  api: Api;
  credential: GrantCredential;
  names: Names;
  /** The key of the connection's wraps. */
  grantWrapKey: Promise<Uint8Array>;
  now(): number;
  log(line: string): void;
}

/** The keys that a view holds. */
export interface ViewKeys {
  /** Of folders, by their ids. */
  folders: ReadonlyMap<string, Uint8Array>;
  /** What came with the connection for files at the top, and for names. */
  granted: GrantKeys;
}

/** A view, and what changes and contents need beside it. */
export interface Loaded {
  view: LoadedView;
  grant: Grant;
  rows: Pick<Listing, "folders" | "files">;
  keys: ViewKeys;
}

/** @throws ToolError as `VaultClient.view` */
export async function load(place: Workplace, options: ViewOptions): Promise<Loaded> {
  const { api, credential, names } = place;
  const { signal } = options;
  const grant = await fetchGrant(api, credential.grantId, signal);
  if (options.recipient) {
    requireScope(grant.info, "write"); // without it the server gives no key
    recipientKey(grant, credential);
  }
  const listing = await fetchListing(api, signal);
  const { folders, files } = listing;
  const granted = await openGrantKeys(grant.keys, {
    grantId: credential.grantId,
    grantWrapKey: await place.grantWrapKey,
  });
  const keys = { granted, folders: await openFolderKeys(folders, granted.folder) };
  const opened = await names.open(sealedNames(listing, grant, keys), {
    ...options,
    derive: options.names !== "none",
  });
  names.keepOnly({ has: (id) => folders.has(id) || files.has(id) });
  const view = new LoadedView({
    ...listing,
    ...opened,
    grant: grant.info,
    holds: (id) => keys.folders.has(id),
    canRead: (row) => canRead(row, keys),
  });
  return { view, grant, rows: { folders, files }, keys };
}

/** The names for which there is a key. */
function sealedNames({ folders, files }: Listing, { info }: Grant, keys: ViewKeys): SealedName[] {
  const sealed: SealedName[] = [];
  const add = (row: Row, isTop: boolean) => {
    const by = isTop ? nameKeyOf(row, keys) : folderKeyOf(row, keys);
    if (by !== undefined) sealed.push({ rowId: row.id, raw: row.name, by });
  };
  const picked = new Set(info.folderIds);
  for (const row of folders.values()) {
    add(row, row.isScopeRoot || row.parentId === null || picked.has(row.id));
  }
  for (const row of files.values()) add(row, row.parentId === null);
  return sealed;
}

function nameKeyOf({ id }: Row, { granted }: ViewKeys): SealedName["by"] | undefined {
  const nameKey = granted.name.get(id);
  return nameKey && { nameKey };
}

function folderKeyOf({ parentId }: Row, { folders }: ViewKeys): SealedName["by"] | undefined {
  const folderKey = parentId === null ? undefined : folders.get(parentId);
  return folderKey && { folderKey };
}

/** Whether there is a key for a file's content (vault spec, 4). */
function canRead({ id, parentId, cipherVersion, csk, pqk }: FileRow, keys: ViewKeys): boolean {
  if (parentId === null) {
    return keys.granted[cipherVersion === 3 ? "file_pq" : "file"].has(id);
  }
  return keys.folders.has(parentId) && (cipherVersion === 3 ? pqk : csk) !== undefined;
}
