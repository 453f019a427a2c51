// What a connection may ask for, looked at before anything is sent: the server decides, this says it in
// better words and in time for a plan (vault spec, 5, 6 and 10). All of it works on a view alone.

import { ToolError } from "../../containment/error.ts";
import { ciphertextLength } from "@shieldfive/crypto/extra/ciphertext_length.ts";
import { MAX_FILE_BYTES, nameFault } from "../owner/rules.ts";
import { missingScope, notFound } from "./refusals.ts";
import type { GrantInfo, Scope, VaultFolder, VaultItem, VaultView } from "./types.ts";

export { MAX_FILE_BYTES };
/** Items of one call. */
export const MAX_ITEMS = 50;

/** @throws ToolError `missing_scope` */
export function requireScope({ scopes }: GrantInfo, scope: Scope): void {
  if (!scopes.includes(scope)) throw missingScope(scope);
}

/** The item of an id within reach. @throws ToolError `not_found` */
export function requireItem(view: VaultView, id: string): VaultItem {
  const item = view.item(id);
  if (item === undefined) throw notFound();
  return item;
}

/** @throws ToolError `not_found`, also for a file */
export function requireFolder(view: VaultView, id: string): VaultFolder {
  const folder = view.folders.get(id);
  if (folder === undefined) throw notFound();
  return folder;
}

/** @throws ToolError `invalid_name` */
export function checkName(name: string): void {
  const fault = nameFault(name);
  if (fault === undefined) return;
  throw new ToolError("invalid_name", `${fault}; give another name`);
}

/** @throws ToolError `name_unavailable`: what cannot be read cannot be sealed again. */
function requireName({ rawName }: VaultItem): string {
  if (rawName !== null) return rawName;
  throw new ToolError(
    "name_unavailable",
    "its name does not open over this connection, and changing it would destroy the name; rename it " +
      "in ShieldFive, or try again when the names were loaded",
  );
}

/** @throws ToolError `key_unavailable` */
function requireOpen({ open }: VaultFolder): void {
  if (open) return;
  throw new ToolError(
    "key_unavailable",
    "the folder's key does not open over this connection, so nothing can be sealed for it; ask the " +
      "owner to open ShieldFive, or to make a new connection",
  );
}

function fixedItem(what: string): ToolError {
  return new ToolError("fixed_item", `${what}; only the owner changes that, in ShieldFive`);
}

/** Refuses what the owner picked for the connection, and its trash. @throws ToolError `fixed_item` */
function requireLoose({ grant }: VaultView, item: VaultItem): void {
  if (item.kind !== "folder") return;
  if (item.trash) throw fixedItem("the connection's trash stays as it is");
  // Those of a connection to the whole vault are just folders at its top.
  if (!item.scopeRoot || grant.wholeVault) return;
  throw fixedItem("this folder is one that the connection was made for, so it stays as it is");
}

/** @throws ToolError `already_trashed` */
function requireUntrashed({ inTrash }: VaultItem): void {
  if (!inTrash) return;
  throw new ToolError(
    "already_trashed",
    "it is in the trash already; only the owner takes things out of it, in ShieldFive",
  );
}

function invalidDestination(why: string): ToolError {
  return new ToolError("invalid_destination", `${why}; choose another folder`);
}

/** @throws ToolError `invalid_destination`, `key_unavailable` */
function requireDestination(folder: VaultFolder): void {
  if (folder.inTrash) {
    throw invalidDestination(
      "nothing is put into the trash this way: trashing is a call of its own",
    );
  }
  requireOpen(folder);
}

/**
 * @throws ToolError `missing_scope`, `fixed_item`, `invalid_name`, `name_unavailable`,
 * `key_unavailable`
 */
export function checkRename(view: VaultView, item: VaultItem, name: string): void {
  requireScope(view.grant, "organize");
  requireLoose(view, item);
  if (item.parentId === null) {
    throw fixedItem("what lies at the connection's top keeps its name, which is sealed elsewhere");
  }
  checkName(name);
  requireName(item);
  requireOpen(requireFolder(view, item.parentId));
}

/**
 * @throws ToolError `missing_scope`, `fixed_item`, `already_trashed`, `invalid_destination`,
 * `name_unavailable`, `key_unavailable`
 */
export function checkMove(view: VaultView, item: VaultItem, destination: VaultFolder): void {
  requireScope(view.grant, "organize");
  requireLoose(view, item);
  requireUntrashed(item);
  if (item.parentId === destination.id) throw invalidDestination("it lies in that folder already");
  const above = [destination, ...view.ancestors(destination)];
  if (above.some(({ id }) => id === item.id)) {
    throw invalidDestination("a folder cannot be put into itself or below");
  }
  requireDestination(destination);
  requireName(item);
  if (item.kind === "folder") requireOpen(item);
}

/** @throws ToolError `missing_scope`, `invalid_destination`, `invalid_name`, `key_unavailable` */
export function checkCreateFolder(view: VaultView, parent: VaultFolder, name: string): void {
  requireScope(view.grant, "organize");
  checkName(name);
  requireDestination(parent);
}

/**
 * @throws ToolError `missing_scope`, `no_trash`, `too_many_items`, `fixed_item`, `already_trashed`,
 * `name_unavailable`, `key_unavailable`
 */
export function checkTrash(view: VaultView, items: readonly VaultItem[]): VaultFolder {
  requireScope(view.grant, "organize");
  const { trashFolderId } = view.grant;
  const trash = trashFolderId === null ? undefined : view.folders.get(trashFolderId);
  if (trash === undefined) {
    throw new ToolError(
      "no_trash",
      "this connection has no trash, so nothing can be trashed over it; make a new connection",
    );
  }
  if (items.length === 0) {
    throw new ToolError("invalid_argument", "nothing was named to be put into the trash");
  }
  if (items.length > MAX_ITEMS) {
    throw new ToolError(
      "too_many_items",
      `one call takes at most ${MAX_ITEMS} items; split them over several calls`,
      { detail: { max: MAX_ITEMS } },
    );
  }
  requireOpen(trash);
  for (const item of items) {
    requireLoose(view, item);
    requireUntrashed(item);
    requireName(item);
    if (item.kind === "folder") requireOpen(item);
  }
  return trash;
}

const CONTENT_TYPE = /^[\x20-\x7e]{1,127}$/;

/** Bytes of ciphertext that may still be uploaded; undefined without a limit. */
export function allowanceLeft({ writeBudget }: GrantInfo): number | undefined {
  return writeBudget && Math.max(0, writeBudget.bytes - writeBudget.usedBytes);
}

/** Bytes of ciphertext that a file will have. */
export function storedBytes(size: number): number {
  return ciphertextLength(size);
}

/**
 * @throws ToolError `missing_scope`, `not_found` for the trash, `key_unavailable`, `invalid_name`,
 * `invalid_argument`, `empty_file`, `too_large`, `write_budget_exhausted`
 */
export function checkUpload(
  view: VaultView,
  destination: VaultFolder,
  { name, size, contentType }: { name: string; size: number; contentType?: string },
): void {
  requireScope(view.grant, "write");
  if (destination.inTrash) throw notFound();
  requireOpen(destination);
  checkName(name);
  if (contentType !== undefined && !CONTENT_TYPE.test(contentType)) {
    throw new ToolError(
      "invalid_argument",
      "a content type has 1 to 127 characters of printable ASCII, such as image/png",
    );
  }
  checkSize(size);
  const left = allowanceLeft(view.grant);
  if (left === undefined || storedBytes(size) <= left) return;
  throw new ToolError(
    "write_budget_exhausted",
    `the connection's upload allowance has ${left} bytes left, which is less than the file takes; only ` +
      "the owner can raise it, in ShieldFive → Settings → AI assistants",
  );
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ToolError("invalid_argument", "a file's size is a whole number of bytes");
  }
  if (size === 0) throw new ToolError("empty_file", "an empty file cannot be stored in the vault");
  if (size <= MAX_FILE_BYTES) return;
  throw new ToolError(
    "too_large",
    `a file of more than ${
      MAX_FILE_BYTES / 2 ** 20
    } MiB cannot be uploaded over a connection; add it ` +
      "in ShieldFive",
  );
}
