// What a connection may still upload. Bytes are held when an upload is reserved, so that uploads side by
// side cannot pass the allowance together, and become used when it is stored.

import type { GrantRow, Rows } from "../../rows/rows.ts";
import { Refusal } from "../refusal.ts";

/** Bytes that may still be reserved; null without a limit. */
export function budgetLeft(grant: GrantRow): number | null {
  const { writeBudgetBytes, writeUsedBytes, writeReservedBytes } = grant;
  if (writeBudgetBytes === null) return null;
  return Math.max(0, writeBudgetBytes - writeUsedBytes - writeReservedBytes);
}

/**
 * Holds bytes for an upload, in the caller's transaction.
 *
 * @throws Refusal 429 `write_budget_exhausted`.
 */
export function hold(rows: Rows, grant: GrantRow, bytes: number): GrantRow {
  const left = budgetLeft(grant);
  if (left !== null && bytes > left) throw new Refusal(429, "write_budget_exhausted");
  return rows.updateGrant(grant.id, { writeReservedBytes: grant.writeReservedBytes + bytes });
}

/** Gives held bytes back. */
export function release(rows: Rows, grantId: string, bytes: number): void {
  const grant = rows.grant(grantId);
  if (grant === undefined) return;
  rows.updateGrant(grantId, { writeReservedBytes: grant.writeReservedBytes - bytes });
}

/** Turns held bytes into used ones. */
export function use(rows: Rows, grantId: string, bytes: number): void {
  const grant = rows.grant(grantId);
  if (grant === undefined) return;
  rows.updateGrant(grantId, {
    writeReservedBytes: grant.writeReservedBytes - bytes,
    writeUsedBytes: grant.writeUsedBytes + bytes,
  });
}
