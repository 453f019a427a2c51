// Files that came without the wrap that connections read them by, as those from a phone or a command line
// do: the owner's keys find the file's key out of its header, and the wrap is written for it.

import { zeroize } from "@shieldfive/crypto";
import { wrapChainKey } from "@shieldfive/crypto/vault";
import { OwnerError } from "./error.ts";
import { provenKeys } from "./file_keys.ts";
import type { FileRow } from "./rows.ts";
import type { Workplace } from "./sealing.ts";

/** Completes what can be completed; says how many that were. */
export async function completeFiles(place: Workplace, signal?: AbortSignal): Promise<number> {
  let completed = 0;
  for (const row of [...place.contents.files.values()]) {
    if (row.cipherVersion !== 3 || row.pqk !== null || !place.keyring.holds(row.folderId)) continue;
    if (await wasCompleted(place, row, signal)) completed++;
  }
  return completed;
}

/** What keeps one file from being completed, and no other. */
const OF_ONE_FILE = new Set([
  "key_unavailable",
  "row_mismatch",
  "decrypt_failed",
  "not_found",
  "conflict",
]);

async function wasCompleted(
  place: Workplace,
  row: FileRow,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { csk, combined } = await provenKeys(place, row, signal);
    zeroize(csk);
    if (combined === undefined) return false;
    const pqk = await wrapChainKey(place.keyring.keyOf(row.folderId), combined);
    zeroize(combined);
    const body = { pqkFkWrapped: pqk.wrapped, pqkFkIv: pqk.iv, ifUpdatedAt: row.updatedAt };
    const answer = await place.api.call("PATCH", `/files/${row.id}`, body, signal);
    const updatedAt = answer.timeOrNull("updatedAt") ?? row.updatedAt;
    place.contents.put({ ...row, pqk, updatedAt, version: answer.count("version") });
    return true;
  } catch (error) {
    if (error instanceof OwnerError && OF_ONE_FILE.has(error.code)) return false;
    throw error;
  }
}
