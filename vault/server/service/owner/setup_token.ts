// What makes the first visitor the owner: a random token that `serve` prints as part of the address, kept
// as a hash and void once there is an owner.

import { randomKeyText, sameText } from "@shieldfive/crypto/extra/server_values.ts";
import { hashGrantToken } from "@shieldfive/crypto/vault";
import type { Rows } from "../../rows/rows.ts";
import { Refusal } from "../refusal.ts";

/**
 * A fresh set-up token, which takes the place of the one before; undefined once there is an owner.
 *
 * @param now milliseconds since 1970.
 */
export function issueSetupToken(rows: Rows, now: number): string | undefined {
  return rows.transaction(() => {
    if (rows.owner() !== undefined) return undefined;
    const token = randomKeyText();
    rows.putSetupToken({ tokenHash: hashGrantToken(token), createdAt: now });
    return token;
  });
}

/**
 * Uses the token up, in the transaction that makes the owner.
 *
 * @throws Refusal 409 `already_initialized` when there is an owner; 401 `setup_token_invalid`.
 */
export function spendSetupToken(rows: Rows, token: string): void {
  if (rows.owner() !== undefined) {
    throw new Refusal(409, "already_initialized", "this vault has an owner");
  }
  const kept = rows.setupToken();
  if (kept === undefined || !sameText(hashGrantToken(token), kept.tokenHash)) {
    throw new Refusal(401, "setup_token_invalid", "open the address that the server printed last");
  }
  rows.removeSetupToken();
}
