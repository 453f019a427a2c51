// What every route of a connection does around its own work: admission, rate, body, transaction, and a
// record of what is refused (vault spec, 13). The record of what was done is the work's own.

import type { GrantRow, Json, Scope } from "../../rows/rows.ts";
import { type AuditAction, record } from "../audit.ts";
import { type JsonBody, jsonBody } from "../body.ts";
import { type Field, isObject, uuid } from "../fields.ts";
import { actOnce, onceOf, type Outcome } from "../idempotency.ts";
import { Refusal } from "../refusal.ts";
import type { Call, Reply, Route } from "../router.ts";
import {
  enter,
  grantInvalid,
  isLive,
  presentedGrant,
  requireScope,
  type Work,
} from "./admission.ts";

const BASE = "/api/agent/v1";

/** What a route is, apart from its work. */
export interface Spec {
  method: string;
  /** Behind `/api/agent/v1`; `:id` is the object's id. */
  path: string;
  /** The scope that it takes; left out where any connection may ask. */
  scope?: Scope;
  /** What a refusal is recorded as; the body is undefined where it could not be parsed. */
  action: AuditAction | ((body: unknown) => AuditAction);
  /** What `:id`, or the body's `id`, is the id of. */
  kind?: "file" | "folder";
}

function patternOf({ path }: Spec): string {
  return BASE + path;
}

function isUuid(value: unknown): value is string {
  try {
    uuid(value, "id");
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** The object that a request is about, where it says so with something that can be an id. */
function objectOf(spec: Spec, call: Call, body: unknown) {
  const id = call.parameters.id ?? (isObject(body) ? body.id : undefined);
  return spec.kind !== undefined && isUuid(id) ? { kind: spec.kind, id } : undefined;
}

function recordRefusal(spec: Spec, call: Call, grant: GrantRow, code: string, body: unknown) {
  const { rows } = call.context;
  const action = typeof spec.action === "string" ? spec.action : spec.action(body);
  const actor = { ownerId: grant.ownerId, grantId: grant.id };
  const object = objectOf(spec, call, body);
  rows.transaction(() =>
    record({ rows, actor, now: call.context.now() }, { action, object, refused: code })
  );
}

function tooFast(waitMs: number): Refusal {
  return new Refusal(429, "rate_limited", undefined, {
    headers: { "retry-after": String(Math.ceil(waitMs / 1000)) },
  });
}

/** Lets a connection in for the time being. What it asks for too fast is not recorded one by one. */
function admitted(spec: Spec, call: Call): GrantRow {
  const { context, state } = call;
  const grant = presentedGrant(call);
  if (grant === undefined) throw grantInvalid();
  const wait = state.rate.take(grant.id, context.now());
  if (isLive(grant, context.now())) {
    if (wait > 0) throw tooFast(wait);
  } else {
    if (wait === 0) recordRefusal(spec, call, grant, "grant_invalid", undefined);
    throw grantInvalid();
  }
  return grant;
}

/** A request on its way through a route: what is known of it, for the record of a refusal. */
export interface Passing {
  grant: GrantRow;
  body: JsonBody | undefined;
}

/** A route whose work may wait; it enters transactions with {@link inTransaction}. */
export function longRoute(
  spec: Spec,
  work: (call: Call, passing: Passing) => Promise<Reply>,
): Route {
  return {
    method: spec.method,
    pattern: patternOf(spec),
    handle: async (call) => {
      const passing: Passing = { grant: admitted(spec, call), body: undefined };
      try {
        requireScope(passing.grant, spec.scope);
        return await work(call, passing);
      } catch (error) {
        if (error instanceof Refusal) {
          recordRefusal(spec, call, passing.grant, error.code, passing.body?.value);
        }
        throw error;
      }
    },
  };
}

/** Authorises and acts in one transaction. */
export function inTransaction<T>(
  spec: Spec,
  call: Call,
  { grant }: Passing,
  act: (work: Work) => T,
): T {
  return call.context.rows.transaction(() => act(enter(call, grant.id, spec.scope)));
}

/** A route without a body. */
export function plainRoute(spec: Spec, act: (work: Work) => Json): Route {
  return longRoute(spec, (call, passing) => {
    return Promise.resolve({ body: inTransaction(spec, call, passing, act) });
  });
}

/** The checked body of a request. */
export async function bodyOf<Input>(
  call: Call,
  passing: Passing,
  input: Field<Input>,
): Promise<Input> {
  passing.body = await jsonBody(call);
  return input(passing.body.value, "");
}

/** A route with a JSON body, that acts once for each `Idempotency-Key`. */
export function changeRoute<Input>(
  spec: Spec,
  input: Field<Input>,
  act: (work: Work, input: Input) => Outcome,
): Route {
  return longRoute(spec, async (call, passing) => {
    const checked = await bodyOf(call, passing, input);
    const once = onceOf(call.request, passing.body?.text ?? "");
    return inTransaction(
      spec,
      call,
      passing,
      (work) => actOnce(work, once, () => act(work, checked)),
    );
  });
}
