// The Bin: what goes in, what comes out again, and what goes for ever. A request names up to fifty items,
// and each stands for itself.

import type { Json } from "../../rows/rows.ts";
import { changeEach, type ItemResult, itemsInput } from "../changes/batch.ts";
import { trashItem } from "../changes/inputs.ts";
import { trashEach } from "../changes/trash.ts";
import type { Call, Reply, Route } from "../router.ts";
import { asOwner, type Owned, OWNER_API, ownerChange, ownerInput } from "./as_owner.ts";
import { rowFields } from "./items.ts";
import { purgeItem, purgeOne, removePurgedObjects } from "./purge.ts";
import { restoreItem, restoreOne } from "./restore.ts";

/** What became of items that are still there: how each row now is, where it was changed. */
function withRows({ rows }: Owned, results: ItemResult[]): Json {
  return results.map((result) => {
    const { kind, id, ok } = result;
    return ok ? { ...result, ...rowFields(rows, kind as "file" | "folder", id as string) } : result;
  });
}

const purgeInput = itemsInput(purgeItem);

async function purge(call: Call): Promise<Reply> {
  const { items } = await ownerInput(call, purgeInput);
  const results: Json = asOwner(
    call,
    (owned) => changeEach(owned, items, "purge", (item) => purgeOne(owned, item)),
  );
  const objectsPending = await removePurgedObjects(call.context);
  return { body: { results, objectsPending } };
}

export const binRoutes: Route[] = [
  ownerChange({ method: "POST", path: "/bin" }, itemsInput(trashItem), (owned, { items }) => {
    const { binFolderId } = owned.owner;
    return { binFolderId, results: withRows(owned, trashEach(owned, items, binFolderId)) };
  }),
  ownerChange({ method: "POST", path: "/restore" }, itemsInput(restoreItem), (owned, { items }) => {
    const results = changeEach(owned, items, "restore", (item) => restoreOne(owned, item));
    return { results: withRows(owned, results) };
  }),
  { method: "POST", pattern: `${OWNER_API}/purge`, handle: purge },
];
