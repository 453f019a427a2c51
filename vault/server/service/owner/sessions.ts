// The owner's sessions: a random token that only the page holds, its hash in the rows, and two ends, one
// twelve hours after signing in and one an hour after the last request (vault spec, 13).

import { randomKeyText, sameText } from "@shieldfive/crypto/extra/server_values.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { hashGrantToken } from "@shieldfive/crypto/vault";
import type { Rows, SessionRow } from "../../rows/rows.ts";
import { bearerHash } from "../bearer.ts";
import type { ServiceRequest } from "../message.ts";
import { Refusal } from "../refusal.ts";

/** How long a session lasts at most, in milliseconds. */
export const SESSION_MS = 12 * 60 * 60 * 1000;
/** After how long without a request it ends, in milliseconds. */
export const SESSION_IDLE_MS = 60 * 60 * 1000;

/** The one answer for a session that never was, has ended or was ended. */
function invalid(): Refusal {
  return new Refusal(401, "session_invalid", "sign in again");
}

/**
 * The session of a request, as it is: for refusing what cannot be the owner's before its body is read.
 *
 * @throws Refusal 401 `session_invalid`.
 */
export function presentedSession(rows: Rows, request: ServiceRequest, now: number): SessionRow {
  const hash = bearerHash(request);
  const session = hash === undefined ? undefined : rows.sessionByTokenHash(hash);
  if (hash === undefined || session === undefined || !sameText(hash, session.tokenHash)) {
    throw invalid();
  }
  if (session.expiresAt <= now || now - session.lastUsedAt >= SESSION_IDLE_MS) throw invalid();
  return session;
}

/**
 * The session of a request, kept from going idle; in the transaction of what it is for.
 *
 * @throws Refusal 401 `session_invalid`.
 */
export function requireSession(rows: Rows, request: ServiceRequest, now: number): SessionRow {
  const session = presentedSession(rows, request, now);
  rows.touchSession(session.id, now);
  return session;
}

/** Begins a session in the caller's transaction; its token is shown here and never again. */
export function beginSession(
  rows: Rows,
  ownerId: string,
  now: number,
): { token: string; expiresAt: number } {
  const token = randomKeyText();
  const expiresAt = now + SESSION_MS;
  rows.insertSession({
    id: uuidV7(now),
    ownerId,
    tokenHash: hashGrantToken(token),
    createdAt: now,
    lastUsedAt: now,
    expiresAt,
  });
  return { token, expiresAt };
}

/** Removes the rows of sessions that have ended. */
export function sweepSessions(rows: Rows, now: number): void {
  rows.removeStaleSessions(now, now - SESSION_IDLE_MS + 1);
}
