// Loads the vault: all rows, then the folders' keys from the top down, then the names. What was opened
// before in the session is not opened again; what is under way is shown as it comes.

import { unwrapChainKey, VaultCryptoError } from "@shieldfive/crypto/vault";
import type { Answer } from "./answer.ts";
import type { Api } from "./api.ts";
import type { Contents, Listing } from "./contents.ts";
import { OwnerError } from "./error.ts";
import type { Keyring } from "./keyring.ts";
import { inTurn } from "./in_turn.ts";
import { openName } from "./names.ts";
import { fileRow, type FolderRow, folderRow, parentOf, type Row } from "./rows.ts";
import { MAX_DEPTH } from "./tree.ts";
import type { RefreshProgress, Tree } from "./types.ts";

const PAGE = 1000;
/** A server that never comes to an end is stopped (vault spec, 3). */
const MAX_PAGES = 1000;
/** Listings that are made again because something changed meanwhile. */
const MAX_LISTINGS = 5;
/** Milliseconds between two pictures of a tree that is being opened. */
const PICTURE_MS = 250;

/** What a refresh works on. */
export interface RefreshContext {
  api: Api;
  keyring: Keyring;
  contents: Contents;
}

type OnProgress = (progress: RefreshProgress) => void;

/** Loads everything; see `OwnerVault.refresh`. */
export async function refresh(
  context: RefreshContext,
  onProgress: OnProgress = () => {},
  signal?: AbortSignal,
): Promise<Tree> {
  const { contents, keyring } = context;
  const listing = await consistentListing(context, onProgress, signal);
  const { keys, order } = await openFolderKeys(keyring.rootKey, listing.folders);
  keyring.replace(keys);
  contents.replace(listing);
  await openNames(context, order, onProgress, signal);
  return contents.tree;
}

/** A listing that none of this client's own changes overtook. */
async function consistentListing(
  context: RefreshContext,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<Listing> {
  for (let attempt = 1; attempt <= MAX_LISTINGS; attempt++) {
    const before = context.contents.changes;
    const listing = await listed(context.api, onProgress, signal);
    if (context.contents.changes === before) return listing;
  }
  throw new OwnerError("conflict", "the vault changed all the time while it was listed");
}

async function listed(
  api: Api,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<Listing> {
  let done = 0;
  const counted = (rows: number) => onProgress({ phase: "rows", done: done += rows, total: 0 });
  const [folders, files, grants] = await Promise.all([
    pages(api, "folders", folderRow, counted, signal),
    pages(api, "files", fileRow, counted, signal),
    api.call("GET", "/grants", undefined, signal),
  ]);
  const bins = grants.list("grants").map((grant) => grant.idOrNull("trashFolderId"));
  return { folders, files, connectionBins: new Set(bins.filter((id) => id !== null)) };
}

/** All pages of one kind of row. */
async function pages<R extends Row>(
  api: Api,
  kind: "folders" | "files",
  read: (answer: Answer) => R,
  counted: (rows: number) => void,
  signal: AbortSignal | undefined,
): Promise<Map<string, R>> {
  const rows = new Map<string, R>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const answer = await api.call("GET", `/${kind}?limit=${PAGE}${query}`, undefined, signal);
    const entries = answer.list(kind);
    for (const entry of entries) {
      const row = read(entry);
      rows.set(row.id, row);
    }
    counted(entries.length);
    after = answer.textOrNull("next");
    if (after === null) return rows;
  }
  throw new OwnerError("too_large", "the server's listing does not end");
}

/** The keys of all folders that hang together, and the folders' order from the top down. */
async function openFolderKeys(
  rootKey: Uint8Array,
  folders: ReadonlyMap<string, FolderRow>,
): Promise<{ keys: Map<string, Uint8Array>; order: (string | null)[] }> {
  const children = Map.groupBy(folders.values(), ({ parentId }) => parentId);
  const keys = new Map<string, Uint8Array>();
  const order: (string | null)[] = [];
  let level: (string | null)[] = [null];
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth++) {
    order.push(...level);
    const next = level.flatMap((id) => children.get(id) ?? []);
    await Promise.all(next.map(async (row) => {
      const parent = row.parentId === null ? rootKey : keys.get(row.parentId);
      const key = parent && await openedOrNone(parent, row);
      if (key !== undefined) keys.set(row.id, key);
    }));
    level = next.map(({ id }) => id);
  }
  return { keys, order };
}

async function openedOrNone(parent: Uint8Array, row: FolderRow): Promise<Uint8Array | undefined> {
  try {
    return await unwrapChainKey(parent, row.key);
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    return undefined; // the branch stays unreadable, and is shown so
  }
}

/** Opens the names that are new or changed: those of the folder that is shown, then from the top down. */
async function openNames(
  { contents, keyring, api }: RefreshContext,
  order: readonly (string | null)[],
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const rows = namesToOpen(contents, order);
  const until = api.until(signal);
  let done = 0;
  let shown = performance.now();
  const report = () => {
    shown = performance.now();
    onProgress({ phase: "names", done, total: rows.length, tree: contents.tree });
  };
  report();
  await inTurn(shownFirst(contents, rows), keyring.kdf.concurrency, async (row) => {
    const parentId = parentOf(row);
    const key = keyring.keyOf(parentId);
    const name = await openName(keyring, { raw: row.name, rowId: row.id, key }, until);
    contents.named(row.id, { raw: row.name, parentId, name });
    done++;
    if (performance.now() - shown > PICTURE_MS) report();
  });
  report();
}

/** The rows in their order, but first those that lie in the folder that is shown at the moment. */
function* shownFirst(contents: Contents, rows: readonly Row[]): Generator<Row> {
  const waiting = new Set(rows);
  const byFolder = Map.groupBy(rows, parentOf);
  while (waiting.size > 0) {
    const shown = byFolder.get(contents.shownFolderId)?.find((row) => waiting.has(row));
    const [next] = shown === undefined ? waiting : [shown];
    waiting.delete(next);
    yield next;
  }
}

/** The rows whose name can be tried and was not yet, sorted from the top down. */
function namesToOpen(contents: Contents, order: readonly (string | null)[]): Row[] {
  const place = new Map(order.map((id, index) => [id, index]));
  return [...contents.folders.values(), ...contents.files.values()]
    .filter((row) => contents.isPending(row))
    .map((row) => ({ row, at: place.get(parentOf(row)) ?? order.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ row }) => row);
}
