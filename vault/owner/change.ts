// What all changes of items have in common: what may be changed at all, what a change is based on, and how
// it is noted once the server confirmed it.

import type { Answer } from "./answer.ts";
import type { JsonBody } from "./api.ts";
import { OwnerError } from "./error.ts";
import { type FileRow, type FolderRow, parentOf, type Row } from "./rows.ts";
import {
  type Destination,
  type Sealed,
  sealedFile,
  sealedFolder,
  type Workplace,
} from "./sealing.ts";

/** @throws OwnerError `fixed_item` for what comes with the vault or belongs to a connection. */
export function requireMovable({ contents }: Workplace, id: string): void {
  const item = contents.tree.item(id);
  if (item === undefined) throw new OwnerError("not_found", "it is not there any more");
  if (item.kind === "file" || item.role === "normal") return;
  throw new OwnerError("fixed_item", "this folder belongs to the vault and stays as it is");
}

/** The row after a change that the server confirmed. */
export function changed<R extends Row>(row: R, answer: Answer): R {
  const version = answer.countOrNull("version") ?? row.version + 1;
  const at = answer.timeOrNull("updatedAt");
  return { ...row, version, updatedAt: at ?? new Date().toISOString(), unconfirmed: at === null };
}

/** What the change is based on; nothing where the server did not say when the row was changed last. */
export function precondition(row: Row): JsonBody {
  return row.unconfirmed ? {} : { ifUpdatedAt: row.updatedAt };
}

/** Seals an item for a destination, whatever it is. */
export async function sealedItem(
  place: Workplace,
  row: Row,
  destination: Destination,
): Promise<Sealed<FileRow | FolderRow>> {
  return row.kind === "folder"
    ? await sealedFolder(place, row, destination)
    : await sealedFile(place, row, destination);
}

/** Notes that an item was moved; its name is known, since it was sealed again. */
export function moved(
  { contents }: Workplace,
  before: Row,
  after: Row,
  answer: Answer,
): void {
  const name = contents.nameOf(before);
  if (name !== undefined) {
    contents.named(after.id, { raw: after.name, parentId: parentOf(after), name });
  }
  contents.put(changed(after, answer));
}

/** @throws OwnerError `invalid_destination` for a folder that would lie in itself. */
export function requireOutsideItself({ contents }: Workplace, id: string, to: string | null): void {
  if (to === null) return;
  const target = contents.tree.folders.get(to);
  const above = target === undefined ? [] : [...contents.tree.ancestors(target), target];
  if (!above.some((folder) => folder.id === id)) return;
  throw new OwnerError("invalid_destination", "a folder cannot be moved into itself");
}
