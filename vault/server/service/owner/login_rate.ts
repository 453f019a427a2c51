// How fast the owner's secrets can be guessed: one count for the passphrase's and the recovery key's
// proof, wherever one is asked for. It is kept in the owner's row, so a restart forgets nothing, and it is
// looked at and raised in one transaction, so no two guesses pass as one.

import type { OwnerRow, Rows } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { Refusal } from "../refusal.ts";
import { type OwnerAction, requireOwner } from "./as_owner.ts";

/** Wrong proofs that cost no wait. */
const FREE = 5;
/** The longest wait, in milliseconds. */
const LONGEST_MS = 15 * 60 * 1000;

/** What a guess came to: thrown only after the transaction, which has to keep the count. */
type Guess<T> = { value: T } | { refusal: Refusal };

/** How long to wait after so many wrong proofs in a row: 2 s, 4 s, 8 s … 15 min. */
function waitAfter(failures: number): number {
  return failures < FREE ? 0 : Math.min(1000 * 2 ** (failures - FREE + 1), LONGEST_MS);
}

/** How long no proof is looked at. */
function remainingWait(owner: OwnerRow, now: number): number {
  const wait = owner.nextLoginAt - now;
  // No wait is that long: the clock was ahead and has been set back.
  return wait > LONGEST_MS ? 0 : wait;
}

/** A proof that was sent, and what follows from it; all of it in the one transaction. */
export interface ProofAttempt<T> {
  rows: Rows;
  /** Milliseconds since 1970. */
  now: number;
  /** What the record says was tried. */
  action: OwnerAction;
  matches(owner: OwnerRow): boolean;
  onSuccess(owner: OwnerRow): T;
}

function guess<T>({ rows, now, action, matches, onSuccess }: ProofAttempt<T>): Guess<T> {
  const owner = requireOwner(rows);
  const wait = remainingWait(owner, now);
  if (wait > 0) {
    const headers = { "retry-after": String(Math.ceil(wait / 1000)) };
    return { refusal: new Refusal(429, "rate_limited", "too many attempts; wait", { headers }) };
  }
  const acting = { rows, actor: { ownerId: owner.id, grantId: null }, now };
  if (!matches(owner)) {
    const failedLogins = owner.failedLogins + 1;
    rows.updateOwner({ failedLogins, nextLoginAt: now + waitAfter(failedLogins) });
    const refusal = new Refusal(401, "login_failed");
    record<OwnerAction>(acting, { action, refused: refusal.code });
    return { refusal };
  }
  rows.updateOwner({ failedLogins: 0, nextLoginAt: 0 });
  record<OwnerAction>(acting, { action });
  return { value: onSuccess(owner) };
}

/**
 * Looks at a proof, unless too many wrong ones came before.
 *
 * @throws Refusal 401 `login_failed`; 429 `rate_limited` with `Retry-After`; 409 `not_initialized`.
 */
export function tryProof<T>(attempt: ProofAttempt<T>): T {
  const guessed = attempt.rows.transaction(() => guess(attempt));
  if ("refusal" in guessed) throw guessed.refusal;
  return guessed.value;
}
