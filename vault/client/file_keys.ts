// The keys of one file: sealed under its folder's key, or handed out with the connection for what lies at
// the top (crypto spec, 5, 11 and 13).

import { ToolError } from "../../containment/error.ts";
import { unwrapChainKey, type WrappedKey } from "@shieldfive/crypto/vault";
import { openedOrNone } from "./grant.ts";
import type { ViewKeys } from "./load.ts";
import type { FileRow } from "./rows.ts";

/** Which of a file's two keys. */
type Which = "csk" | "pqk";

/**
 * A key of a file, which the caller wipes; null where there is none yet, undefined where it does not open.
 */
export async function fileKey(
  { folders, granted }: ViewKeys,
  row: FileRow,
  which: Which,
): Promise<Uint8Array | null | undefined> {
  if (row.parentId === null) {
    // The view's own stays as it is.
    return granted[which === "pqk" ? "file_pq" : "file"].get(row.id)?.slice() ?? null;
  }
  const folderKey = folders.get(row.parentId);
  const wrapped: WrappedKey | undefined = row[which];
  if (folderKey === undefined || wrapped === undefined) return null;
  return await openedOrNone(unwrapChainKey(folderKey, wrapped));
}

/**
 * What opens a file's content, which the caller wipes.
 *
 * @throws ToolError `pending_owner_unlock`, `decrypt_failed`
 */
export async function contentKey(keys: ViewKeys, row: FileRow): Promise<Uint8Array> {
  const key = await fileKey(keys, row, row.cipherVersion === 3 ? "pqk" : "csk");
  if (key === null) {
    throw new ToolError(
      "pending_owner_unlock",
      "the file's key has not come to this connection yet; it does when the owner opens ShieldFive in " +
        "the browser the next time",
    );
  }
  if (key !== undefined) return key;
  throw new ToolError(
    "decrypt_failed",
    "the file's key does not open over this connection; ask the owner to look at the file in ShieldFive",
  );
}
