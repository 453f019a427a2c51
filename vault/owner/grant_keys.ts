// The keys that go into a connection, each sealed for one object. The server lists the rows, so nothing of
// a row decides alone: names have to open under the folder's key that they lie in, content has to be its
// row's, and a key that the connection must never get is known by its fingerprint under whatever row it
// comes.

import { zeroize } from "@shieldfive/crypto";
import {
  type GrantKey,
  requireNotExcluded,
  sealKeyForGrant,
  sealNameForGrant,
} from "@shieldfive/crypto/extra/grant_keys.ts";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import type { GrantScope } from "@shieldfive/crypto/vault";
import { OwnerError } from "./error.ts";
import { provenKeys } from "./file_keys.ts";
import { sealable } from "./names.ts";
import { type FileRow, type FolderRow, parentOf, type Row } from "./rows.ts";
import { requireTrusted, type Workplace } from "./sealing.ts";

/** Keys of one request, whose body the server limits to 256 KiB. */
const AT_ONCE = 500;

/** What seals keys for one connection. */
export interface Sealer {
  place: Workplace;
  scope: GrantScope;
  grantWrapKey: Uint8Array;
}

/** What the connection is refused, in words of this library. */
function meaning(cause: unknown): unknown {
  if (!(cause instanceof CryptoError)) return cause;
  if (cause.code === "key_excluded") {
    return new OwnerError("key_excluded", "a folder has the key of one that is to be left out", {
      cause,
    });
  }
  return new OwnerError("name_unavailable", "a name does not open", { cause });
}

async function named<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw meaning(error);
  }
}

function sealing({ scope, grantWrapKey }: Sealer) {
  const { grantId, excludedKeyFingerprints } = scope;
  return { grantId, grantWrapKey, excludedKeyFingerprints };
}

/** The key of one name, for a connection that does not have the key of the folder above. */
export async function nameKey(sealer: Sealer, row: Row): Promise<GrantKey> {
  const { keyring } = sealer.place;
  const object = {
    envelope: sealable(row.name, row.id),
    parentKey: keyring.keyOf(parentOf(row)),
    rowId: row.id,
  };
  return await named(sealNameForGrant(sealing(sealer), object, keyring.nameKeys()));
}

async function folderKeys(sealer: Sealer, row: FolderRow): Promise<GrantKey[]> {
  const { place } = sealer;
  await requireTrusted(place, row.id);
  const object = { kind: "folder", objectId: row.id, key: place.keyring.keyOf(row.id) } as const;
  return [await named(sealKeyForGrant(sealing(sealer), object)), await nameKey(sealer, row)];
}

/** The keys of a file at the top; its name comes first, so that a row that is none gives nothing. */
async function fileKeys(sealer: Sealer, row: FileRow): Promise<GrantKey[]> {
  const name = await nameKey(sealer, row);
  const { csk, combined } = await provenKeys(sealer.place, row);
  try {
    const grant = sealing(sealer);
    const objectId = row.id;
    const file = await named(sealKeyForGrant(grant, { kind: "file", objectId, key: csk }));
    if (combined === undefined) return [file, name];
    const pq = await named(sealKeyForGrant(grant, { kind: "file_pq", objectId, key: combined }));
    return [file, pq, name];
  } finally {
    zeroize(csk);
    if (combined !== undefined) zeroize(combined);
  }
}

/** The rows whose keys a connection gets by itself: all else is below them. */
function* coveredRows({ place, scope }: Sealer): Generator<Row> {
  const { contents } = place;
  if (!scope.scopeAll) {
    for (const id of scope.rootIds) yield contents.row(id);
    return;
  }
  for (const row of [...contents.folders.values(), ...contents.files.values()]) {
    if (parentOf(row) === null && !scope.excludedIds.includes(row.id)) yield row;
  }
}

/**
 * Whether a row can be covered. One that does not open at all is passed over, since it gives nothing away,
 * and would keep the whole vault from being connected; one with an excluded key is not.
 */
function canCover({ place, scope }: Sealer, row: Row): boolean {
  if (row.kind === "file") return place.contents.nameOf(row) !== null;
  if (!place.keyring.holds(row.id)) return false;
  requireNotExcluded(place.keyring.keyOf(row.id), scope.excludedKeyFingerprints);
  return place.contents.nameOf(row) !== null;
}

/** All keys of a connection, the first of them for its creation. */
export interface KeyList {
  first: GrantKey[];
  rest: GrantKey[][];
}

/**
 * Seals all keys that a connection gets by its scope.
 *
 * @param bin its own bin, and the key of that.
 * @throws OwnerError `key_excluded`, `key_unavailable`, `name_unavailable`, `row_mismatch`,
 * `decrypt_failed`
 */
export async function keyList(
  sealer: Sealer,
  bin?: { id: string; key: Uint8Array },
): Promise<KeyList> {
  const keys: GrantKey[] = [];
  if (bin !== undefined) {
    const object = { kind: "folder", objectId: bin.id, key: bin.key } as const;
    keys.push(await named(sealKeyForGrant(sealing(sealer), object)));
  }
  for (const row of coveredRows(sealer)) {
    if (sealer.scope.scopeAll && !await named(Promise.try(() => canCover(sealer, row)))) continue;
    keys.push(
      ...row.kind === "folder" ? await folderKeys(sealer, row) : await fileKeys(sealer, row),
    );
  }
  const batches = Array.from(
    { length: Math.ceil(keys.length / AT_ONCE) },
    (_, i) => keys.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
  );
  const [first = [], ...rest] = batches;
  return { first, rest };
}

/** Adds keys to a connection that exists. */
export async function sendKeys(
  { api }: Workplace,
  grantId: string,
  keys: GrantKey[],
): Promise<void> {
  await api.call("POST", `/grants/${grantId}/keys`, { keys });
}
