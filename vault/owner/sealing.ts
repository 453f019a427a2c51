// What an item takes along to another folder: its name sealed again and its keys wrapped again, all under
// the key of the folder that it goes to.

import { zeroize } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { resealName, rewrapChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import { wrapChainKey } from "@shieldfive/crypto/vault";
import type { Api } from "./api.ts";
import type { Contents } from "./contents.ts";
import { OwnerError } from "./error.ts";
import { provenKeys } from "./file_keys.ts";
import type { Keyring } from "./keyring.ts";
import { nameUnavailable, openName, sealable } from "./names.ts";
import { type FileRow, type FolderRow, parentOf, type Row } from "./rows.ts";

/** What changes work on. */
export interface Workplace {
  api: Api;
  keyring: Keyring;
  contents: Contents;
}

/** How many names of a folder are tried before its key is not believed. */
const NAMES_TRIED = 8;

/**
 * Refuses a folder whose key may be another's. Folder keys are wrapped without their row's id, so a server
 * could have something sealed under a key that others have; that a name in the folder opens under its key
 * tells (crypto spec, 21). An empty folder gives no proof, and holds nothing to be given away.
 *
 * @throws OwnerError `key_unavailable`
 */
export async function requireTrusted(
  { keyring, contents }: Workplace,
  folderId: string | null,
): Promise<void> {
  const key = keyring.keyOf(folderId);
  if (folderId === null) return;
  const inside = childrenOf(contents, folderId);
  for (const row of inside.slice(0, NAMES_TRIED)) {
    const known = contents.nameOf(row);
    const name = known === undefined
      ? await openName(keyring, { raw: row.name, rowId: row.id, key })
      : known;
    if (name !== null) return;
  }
  if (inside.length === 0) return;
  throw new OwnerError(
    "key_unavailable",
    "no name in the folder opens, so its key may be another's",
  );
}

function childrenOf(contents: Contents, folderId: string): Row[] {
  return contents.tree.children(folderId).map(({ id }) => contents.row(id));
}

/** The wire fields of a sealed item, and the same in its row. */
export interface Sealed<R extends Row> {
  fields: Record<string, string>;
  row: R;
}

/** Where something goes to. */
export interface Destination {
  folderId: string | null;
  /** Whether its keys go on to where others could read: then they are proven to be its own first. */
  proven: boolean;
}

async function resealedName(
  { keyring }: Workplace,
  row: Row,
  to: Uint8Array,
): Promise<string> {
  const envelope = sealable(row.name, row.id);
  const from = keyring.keyOf(parentOf(row));
  try {
    const sealed = await resealName({ envelope, rowId: row.id, from, to }, keyring.nameKeys());
    return JSON.stringify(sealed);
  } catch (cause) {
    throw cause instanceof CryptoError ? nameUnavailable() : cause;
  }
}

/**
 * A folder for another parent; it keeps its key.
 *
 * @throws OwnerError `name_unavailable`, `key_unavailable`
 */
export async function sealedFolder(
  place: Workplace,
  row: FolderRow,
  { folderId, proven }: Destination,
): Promise<Sealed<FolderRow>> {
  const { keyring } = place;
  if (proven) await requireTrusted(place, row.id);
  const to = keyring.keyOf(folderId);
  const name = await resealedName(place, row, to);
  const key = await wrapChainKey(to, keyring.keyOf(row.id));
  return {
    fields: { name, fkWrapped: key.wrapped, fkIv: key.iv },
    row: { ...row, parentId: folderId, name, key },
  };
}

/**
 * A file for another folder; it keeps its keys.
 *
 * @throws OwnerError `name_unavailable`, `key_unavailable`; where its keys are proven also
 * `row_mismatch`, `decrypt_failed`.
 */
export async function sealedFile(
  place: Workplace,
  row: FileRow,
  { folderId, proven }: Destination,
): Promise<Sealed<FileRow>> {
  const to = place.keyring.keyOf(folderId);
  const name = await resealedName(place, row, to);
  const { csk, pqk } = proven
    ? await provenWraps(place, row, to)
    : await movedWraps(place, row, to);
  return {
    fields: {
      name,
      cskWrapped: csk.wrapped,
      cskIv: csk.iv,
      ...(pqk === null ? {} : { pqkFkWrapped: pqk.wrapped, pqkFkIv: pqk.iv }),
    },
    row: { ...row, folderId, name, csk, pqk },
  };
}

type Wraps = Pick<FileRow, "csk" | "pqk">;

async function provenWraps(place: Workplace, row: FileRow, to: Uint8Array): Promise<Wraps> {
  const { csk, combined } = await provenKeys(place, row);
  try {
    const pqk = combined === undefined ? null : await wrapChainKey(to, combined);
    return { csk: await wrapChainKey(to, csk), pqk };
  } finally {
    zeroize(csk);
    if (combined !== undefined) zeroize(combined);
  }
}

/** The wraps as they are, under another key. A second one that does not open is left behind. */
async function movedWraps({ keyring }: Workplace, row: FileRow, to: Uint8Array): Promise<Wraps> {
  const from = keyring.keyOf(row.folderId);
  try {
    const csk = await rewrapChildKey({ wrapped: row.csk, from, to });
    const pqk = row.pqk && await rewrapChildKey({ wrapped: row.pqk, from, to }).catch(noneIfBroken);
    return { csk, pqk };
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new OwnerError("key_unavailable", "the file's key does not open", { cause });
  }
}

function noneIfBroken(error: unknown): null {
  if (error instanceof CryptoError) return null;
  throw error;
}
