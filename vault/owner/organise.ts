// Changes to the vault's order: folders made, items renamed and moved. Each change says what it believes to
// be changing, so what somebody else changed since the last refresh is refused and not overwritten.

import { createChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { restoreTo } from "./bin.ts";
import {
  changed,
  moved,
  precondition,
  requireMovable,
  requireOutsideItself,
  sealedItem,
} from "./change.ts";
import { OwnerError } from "./error.ts";
import { sealName } from "./names.ts";
import { Outcome } from "./outcome.ts";
import { type FolderRow, parentOf } from "./rows.ts";
import { nameFault } from "./rules.ts";
import { requireTrusted, type Workplace } from "./sealing.ts";
import type { BulkResult, Folder, Item } from "./types.ts";

/** @throws OwnerError `invalid_name` */
export function requireName(name: string): void {
  const fault = nameFault(name);
  if (fault !== undefined) throw new OwnerError("invalid_name", fault);
}

/** @throws OwnerError `invalid_destination` for the Bin and what lies in it. */
export function requireOutsideBin({ contents }: Workplace, folderId: string | null): void {
  if (folderId === null) return;
  const folder = contents.tree.folders.get(folderId);
  if (folder === undefined) throw new OwnerError("not_found", "the folder is not there any more");
  if (!folder.inBin && folder.role !== "bin") return;
  throw new OwnerError("invalid_destination", "nothing can be put there: it is the Bin");
}

/** @throws OwnerError `invalid_name`, `invalid_destination`, `key_unavailable` */
export async function createFolder(
  place: Workplace,
  parentId: string | null,
  name: string,
): Promise<Folder> {
  const { api, keyring, contents } = place;
  requireName(name);
  requireOutsideBin(place, parentId);
  await requireTrusted(place, parentId);
  const parent = keyring.keyOf(parentId);
  const id = uuidV7();
  const { key, wrapped } = await createChildKey(parent);
  const sealed = await sealName(keyring, { name, rowId: id, key: parent });
  const body = { id, parentId, name: sealed, fkWrapped: wrapped.wrapped, fkIv: wrapped.iv };
  const answer = await api.call("POST", "/folders", body);
  keyring.add(id, key);
  const row = newFolder(id, parentId, { name: sealed, key: wrapped });
  contents.named(id, { raw: sealed, parentId, name });
  contents.put(changed(row, answer));
  return contents.tree.folders.get(id)!;
}

/** The row of a folder that does not exist yet. */
export function newFolder(
  id: string,
  parentId: string | null,
  sealed: Pick<FolderRow, "name" | "key">,
): FolderRow {
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now, unconfirmed: true };
  return { kind: "folder", id, parentId, ...sealed, originId: undefined, ...times, version: 0 };
}

/** @throws OwnerError `invalid_name`, `fixed_item`, `conflict` */
export async function rename(place: Workplace, { id }: Item, name: string): Promise<Item> {
  const { api, keyring, contents } = place;
  requireName(name);
  requireMovable(place, id);
  const row = contents.row(id);
  const parentId = parentOf(row);
  const sealed = await sealName(keyring, { name, rowId: id, key: keyring.keyOf(parentId) });
  const body = { name: sealed, ...precondition(row) };
  const answer = await api.call("PATCH", `/${row.kind}s/${id}`, body);
  contents.named(id, { raw: sealed, parentId, name });
  contents.put(changed({ ...row, name: sealed }, answer));
  return contents.tree.item(id)!;
}

async function moveOne(place: Workplace, id: string, folderId: string | null): Promise<void> {
  requireMovable(place, id);
  requireOutsideItself(place, id, folderId);
  const { api, contents } = place;
  const row = contents.row(id);
  if (parentOf(row) === folderId) return;
  const { fields, row: after } = await sealedItem(place, row, { folderId, proven: true });
  const into = row.kind === "folder" ? { parentId: folderId } : { folderId };
  const body = { ...into, ...fields, ...precondition(row) };
  const answer = await api.call("PATCH", `/${row.kind}s/${id}`, body);
  moved(place, row, after, answer);
}

/** Moves items one by one; what lies in the Bin is restored to the folder. */
export async function move(
  place: Workplace,
  items: readonly Item[],
  folderId: string | null,
): Promise<BulkResult> {
  requireOutsideBin(place, folderId);
  await requireTrusted(place, folderId);
  const inBin = (item: Item) => place.contents.tree.item(item.id)?.inBin ?? false;
  const fromBin = items.filter(inBin);
  const outcome = new Outcome(place);
  for (const item of items.filter((each) => !inBin(each))) {
    await outcome.of(item, () => moveOne(place, item.id, folderId));
  }
  await restoreTo(place, fromBin, () => folderId, outcome);
  return outcome.result;
}
