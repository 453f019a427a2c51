// What an item takes along to another folder: its name sealed again, byte for byte, and its keys wrapped
// again, all under the key of the folder that it goes to. Nothing is sealed for a folder whose key may be
// another's.

import { ToolError } from "../../containment/error.ts";
import { zeroize } from "@shieldfive/crypto";
import { wrapChainKey } from "@shieldfive/crypto/vault";
import { fileKey } from "./file_keys.ts";
import type { Loaded } from "./load.ts";
import { envelopeOf, type Names } from "./names.ts";
import type { FileRow, FolderRow } from "./rows.ts";
import type { VaultFolder, VaultItem } from "./types.ts";

/** How many names of a folder are tried before its key is not believed. */
const NAMES_TRIED = 8;

/** The wire fields of an item that is sealed for a folder. */
export type SealedFields = { name: string } & Record<string, string>;

function keyUnavailable(why: string): ToolError {
  return new ToolError(
    "key_unavailable",
    `${why}; nothing was changed. Ask the owner to look at it in ShieldFive`,
  );
}

/** The key of a folder that something is sealed for. @throws ToolError `key_unavailable` */
export function keyOf({ keys }: Loaded, { id }: VaultFolder): Uint8Array {
  const key = keys.folders.get(id);
  if (key === undefined) throw keyUnavailable("the folder's key does not open");
  return key;
}

/**
 * Refuses a folder whose key may be another's: that a row-bound name in it opens under its key is the
 * only proof that there is (crypto spec, 21). What came with the connection is bound to its folder, and an
 * empty folder has nothing that could be given away.
 *
 * @throws ToolError `key_unavailable`, `cancelled`
 */
export async function requireTrusted(
  { view, keys, rows }: Loaded,
  names: Names,
  folder: VaultFolder,
  signal?: AbortSignal,
): Promise<void> {
  const folderKey = keys.folders.get(folder.id);
  if (folderKey === undefined) throw keyUnavailable("the folder's key does not open");
  if (keys.granted.folder.has(folder.id)) return;
  const inside = view.children(folder.id)
    .map(({ id }) => rows.folders.get(id) ?? rows.files.get(id)!)
    .map(({ id, name }) => ({ rowId: id, raw: name, by: { folderKey } }));
  const bound = inside.filter(({ raw, rowId }) => envelopeOf(raw, rowId)?.v === 6);
  const candidates = bound.length > 0 ? bound : inside;
  for (const name of candidates.slice(0, NAMES_TRIED)) {
    if (typeof await names.openOne(name, signal) === "string") return;
  }
  if (candidates.length === 0) return;
  throw keyUnavailable("no name in the folder opens, so its key may be another folder's");
}

/**
 * The fields of an item for another folder. A post-quantum file whose key has not come to this connection
 * goes without it, and the owner's page adds it again.
 *
 * @throws ToolError `key_unavailable`, `cancelled`; what hinders derivations.
 */
export async function sealedFor(
  loaded: Loaded,
  names: Names,
  { item, destination, signal }: {
    item: VaultItem;
    destination: VaultFolder;
    signal?: AbortSignal;
  },
): Promise<SealedFields> {
  const to = keyOf(loaded, destination);
  const row = loaded.rows.folders.get(item.id) ?? loaded.rows.files.get(item.id)!;
  const keys = row.kind === "folder"
    ? await folderWrap(loaded, row, to)
    : await fileWraps(loaded, row, to);
  const name = await names.seal(item.rawName!, { rowId: item.id, folderKey: to, signal });
  return { name, ...keys };
}

async function folderWrap({ keys }: Loaded, { id }: FolderRow, to: Uint8Array) {
  const key = keys.folders.get(id);
  if (key === undefined) throw keyUnavailable("the folder's key does not open");
  const { wrapped, iv } = await wrapChainKey(to, key);
  return { fkWrapped: wrapped, fkIv: iv };
}

async function fileWraps({ keys }: Loaded, row: FileRow, to: Uint8Array) {
  const csk = await rewrapped(await fileKey(keys, row, "csk"), to);
  if (csk === undefined) throw keyUnavailable("the file's key does not open");
  const pqk = await rewrapped(await fileKey(keys, row, "pqk"), to);
  return {
    cskWrapped: csk.wrapped,
    cskIv: csk.iv,
    ...(pqk === undefined ? {} : { pqkFkWrapped: pqk.wrapped, pqkFkIv: pqk.iv }),
  };
}

/** A key under another one; the key itself is wiped. */
async function rewrapped(key: Uint8Array | null | undefined, to: Uint8Array) {
  if (key === null || key === undefined) return undefined;
  try {
    return await wrapChainKey(to, key);
  } finally {
    zeroize(key);
  }
}
