// Changes to the vault's order: rename, move, new folder, trash. Each says what it believes to be changing,
// so what was changed since it was listed is refused and not overwritten, and comes with a key by which the
// server acts once. Once a change is on its way it is seen through, whoever wants to cancel.

import { createChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { zeroize } from "@shieldfive/crypto";
import { auditIdIn } from "./answers.ts";
import type { JsonCall } from "./api.ts";
import type { Loaded, Workplace } from "./load.ts";
import { fatesOf, notDone, outcomeUnknown, type Seen } from "./read_back.ts";
import { Lost } from "./refusals.ts";
import { checkCreateFolder, checkMove, checkRename } from "./rules.ts";
import { keyOf, requireTrusted, sealedFor } from "./seal.ts";
import { throwIfCancelled } from "./timing.ts";
import type { CallOptions, Changed, VaultFolder, VaultItem } from "./types.ts";

/** A change as it is sent, and how the vault shows that it was made. */
interface Change {
  call: Pick<JsonCall, "method" | "path" | "body">;
  /** What a look at the vault says of it. */
  look(now: Loaded): Seen;
  /** What was tried, for a message, as in "the file was renamed". */
  what: string;
}

/** Sends a change, and finds out what became of it. @throws ToolError `outcome_unknown` */
async function made(
  place: Workplace,
  { call, look, what }: Change,
  { signal }: CallOptions,
): Promise<Changed> {
  throwIfCancelled(signal);
  try {
    const { value } = await place.api.json({
      ...call,
      idempotencyKey: crypto.randomUUID(),
      acts: true,
      signal,
    });
    return { ...auditIdIn(value), outcome: "done" };
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    const [fate] = await fatesOf(place, error, (now) => [look(now)]);
    if (fate === "done") return { outcome: "done_after_read_back" };
    throw fate === "not done" ? notDone(error, what) : outcomeUnknown(error, what);
  }
}

/** What the vault says of an item that was to get another envelope, in a folder. */
export function seenAt(
  now: Loaded,
  item: VaultItem,
  sealed: { name: string; parentId: string | null },
): Seen {
  const row = now.rows.folders.get(item.id) ?? now.rows.files.get(item.id);
  if (row?.name === sealed.name && row.parentId === sealed.parentId) return "done";
  return row?.name === item.envelope && row.parentId === item.parentId ? "not done" : "neither";
}

function pathOf({ kind, id }: VaultItem): string {
  return `/${kind}s/${id}`;
}

/** @throws ToolError as `VaultClient.rename` */
export async function rename(
  place: Workplace,
  loaded: Loaded,
  item: VaultItem,
  name: string,
  options: CallOptions,
): Promise<Changed> {
  const { view } = loaded;
  const { signal } = options;
  checkRename(view, item, name);
  const parent = view.folders.get(item.parentId!)!;
  await requireTrusted(loaded, place.names, parent, signal);
  const folderKey = keyOf(loaded, parent);
  const sealed = await place.names.seal(name, { rowId: item.id, folderKey, signal });
  const body = { name: sealed, ifUpdatedAt: item.updatedAt };
  return await made(place, {
    call: { method: "PATCH", path: pathOf(item), body },
    look: (now) => seenAt(now, item, { name: sealed, parentId: parent.id }),
    what: `the ${item.kind} was renamed`,
  }, options);
}

/** @throws ToolError as `VaultClient.move` */
export async function move(
  place: Workplace,
  loaded: Loaded,
  { item, destination }: { item: VaultItem; destination: VaultFolder },
  options: CallOptions,
): Promise<Changed> {
  const { signal } = options;
  checkMove(loaded.view, item, destination);
  await requireTrusted(loaded, place.names, destination, signal);
  if (item.kind === "folder") await requireTrusted(loaded, place.names, item, signal);
  const sealed = await sealedFor(loaded, place.names, { item, destination, signal });
  const into = item.kind === "folder" ? "parentId" : "folderId";
  const body = { [into]: destination.id, ...sealed, ifUpdatedAt: item.updatedAt };
  return await made(place, {
    call: { method: "PATCH", path: pathOf(item), body },
    look: (now) => seenAt(now, item, { name: sealed.name, parentId: destination.id }),
    what: `the ${item.kind} was moved`,
  }, options);
}

/** @throws ToolError as `VaultClient.createFolder` */
export async function createFolder(
  place: Workplace,
  loaded: Loaded,
  { parent, name }: { parent: VaultFolder; name: string },
  options: CallOptions,
): Promise<Changed & { id: string }> {
  const { signal } = options;
  checkCreateFolder(loaded.view, parent, name);
  await requireTrusted(loaded, place.names, parent, signal);
  const parentKey = keyOf(loaded, parent);
  const id = uuidV7(place.now());
  const { key, wrapped } = await createChildKey(parentKey);
  zeroize(key); // the next view opens it again
  const sealed = await place.names.seal(name, { rowId: id, folderKey: parentKey, signal });
  const changed = await made(place, {
    call: {
      method: "POST",
      path: "/folders",
      body: {
        id,
        parentId: parent.id,
        name: sealed,
        fkWrapped: wrapped.wrapped,
        fkIv: wrapped.iv,
      },
    },
    look: ({ rows }) => rows.folders.has(id) ? "done" : "not done",
    what: "the folder was made",
  }, options);
  return { ...changed, id };
}
