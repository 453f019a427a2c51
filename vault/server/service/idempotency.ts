// A request that is sent twice acts once: its key stands for one request of one caller, and the answer of
// the first is the answer of all (vault spec, 14). Refusals are not kept: nothing was done.

import { sha256Hex } from "@shieldfive/crypto/extra/server_values.ts";
import type { Json } from "../rows/rows.ts";
import type { Acting } from "./audit.ts";
import type { ServiceRequest } from "./message.ts";
import { badRequest, Refusal } from "./refusal.ts";

/** For how long answers are kept, in milliseconds. */
export const KEPT_FOR = 24 * 3_600_000;

/** A request that is to act once. */
export interface Once {
  key: string;
  /** What tells it from another request. */
  requestHash: string;
}

const KEY = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The key of a request and what it stands for; undefined for a request without one.
 *
 * @param body the text of the request's body.
 * @throws Refusal 400 for a malformed key.
 */
export function onceOf({ method, path, headers }: ServiceRequest, body: string): Once | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (!KEY.test(key)) {
    throw badRequest("an Idempotency-Key has 1 to 64 of the characters A-Z a-z 0-9 _ -");
  }
  return { key, requestHash: sha256Hex(`${method}\n${path}\n${body}`) };
}

/** What was done, as it is answered. */
export interface Outcome {
  status: number;
  body: Json;
}

/**
 * Acts in the caller's transaction, or gives the answer of the first time.
 *
 * @throws Refusal 409 `idempotency_mismatch` when the key was another request's.
 */
export function actOnce(
  { rows, actor, now }: Acting,
  once: Once | undefined,
  act: () => Outcome,
): Outcome {
  if (once === undefined) return act();
  const actorId = actor.grantId ?? actor.ownerId;
  const earlier = rows.idempotency(actorId, once.key);
  if (earlier !== undefined) {
    if (earlier.requestHash === once.requestHash) {
      return { status: earlier.status, body: earlier.response };
    }
    throw new Refusal(409, "idempotency_mismatch", "the Idempotency-Key was another request's");
  }
  const outcome = act();
  const { status, body: response } = outcome;
  rows.insertIdempotency({ ...once, actorId, status, response, at: now });
  return outcome;
}
