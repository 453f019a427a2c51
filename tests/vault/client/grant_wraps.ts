// The wraps that an owner's client makes for a connection: keys of what it covers, and of the names that stand
// outside (crypto spec, 13).

import {
  deriveNameKeyForEnvelope,
  type GrantCredential,
  parseNameEnvelope,
  unwrapChainKey,
} from "@shieldfive/crypto/vault";
import type { FileRow } from "../../../vault/server/rows/row_types.ts";
import { BIN } from "../server/rows_support.ts";
import { nameKeys } from "./quick_kdf.ts";
import type { World } from "./world.ts";

/** Makes all wraps of a connection. */
export async function addWraps(
  world: World,
  credential: GrantCredential,
  { roots, trashId }: { roots: string[] | "all"; trashId: string | null },
): Promise<void> {
  const all = { limit: 100_000, after: null };
  const [folders, files] = [world.rows.folders(all), world.rows.files(all)];
  const tops = folders.filter(({ id, parentId }) =>
    roots === "all" ? parentId === null && id !== BIN : roots.includes(id)
  );
  if (trashId !== null) await world.addKey(credential, "folder", trashId, world.keyOf(trashId));
  for (const folder of tops) {
    await world.addKey(credential, "folder", folder.id, world.keyOf(folder.id));
    await addNameKey(world, credential, folder, folder.parentId);
  }
  for (const file of files) {
    if (roots === "all" && file.folderId === null) await addFileKeys(world, credential, file);
  }
}

async function addFileKeys(
  world: World,
  credential: GrantCredential,
  file: FileRow,
): Promise<void> {
  const { cskWrapped: wrapped, cskIv: iv, pqkFkWrapped, pqkFkIv } = file;
  const csk = await unwrapChainKey(world.rootKey, { wrapped, iv });
  await world.addKey(credential, "file", file.id, csk);
  if (pqkFkWrapped !== null) {
    const wrap = { wrapped: pqkFkWrapped, iv: pqkFkIv! };
    await world.addKey(credential, "file_pq", file.id, await unwrapChainKey(world.rootKey, wrap));
  }
  await addNameKey(world, credential, file, null);
}

async function addNameKey(
  world: World,
  credential: GrantCredential,
  { id, name }: { id: string; name: string },
  parentId: string | null,
): Promise<void> {
  const envelope = parseNameEnvelope(name)!;
  const given = { envelope, parentKey: world.keyOf(parentId), rowId: id };
  await world.addKey(credential, "name", id, await deriveNameKeyForEnvelope(given, nameKeys));
}
