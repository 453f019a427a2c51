// The vault's server without HTTP: a request goes in, an answer comes out, and everything that the two
// interfaces promise is kept in between.

import { ToolError } from "../../../containment/error.ts";
import type { Json } from "../rows/rows.ts";
import { agentRoutes, storageRoutes } from "./agent/routes.ts";
import type { Context } from "./context.ts";
import { KEPT_FOR } from "./idempotency.ts";
import type { ServiceAnswer, ServiceRequest } from "./message.ts";
import { ownerRoutes } from "./owner/routes.ts";
import { sweepSessions } from "./owner/sessions.ts";
import { conflict, Refusal } from "./refusal.ts";
import { type Reply, Router } from "./router.ts";
import { newState, type State } from "./state.ts";
import { dropExpired, removePurged } from "./uploads/drop.ts";

const HOUR = 3_600_000;
/** Objects that one sweep removes at most: each costs two disk flushes, and others wait. */
const PURGED_AT_ONCE = 200;

/** What a failure of ours is turned into, once it was reported. */
function faultOf(error: unknown): Refusal {
  if (error instanceof ToolError && error.code === "duplicate") return conflict("the id is taken");
  return isFull(error) ? new Refusal(507, "storage_full") : new Refusal(500, "internal");
}

const SQLITE_FULL = 13;

function isFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === "ENOSPC" || code === "EDQUOT" || errcode === SQLITE_FULL;
}

function refusalAnswer(refusal: Refusal, route: string): ServiceAnswer {
  const { status, code, message, options } = refusal;
  const body: Record<string, Json> = { code, ...options.fields };
  if (message !== code) body.message = message;
  return answer({ status, headers: options.headers, body }, route);
}

function answer({ status = 200, headers, body }: Reply, route: string): ServiceAnswer {
  const common = { "cache-control": "no-store", ...headers };
  if (body === null || body instanceof ReadableStream) {
    return { status, headers: common, body, route };
  }
  return {
    status,
    headers: { "content-type": "application/json", ...common },
    body: JSON.stringify(body),
    route,
  };
}

/** The service on one set of rows and objects. */
export class Service {
  readonly #context: Context;
  readonly #state: State;
  readonly #router: Router;
  readonly #onFault: (error: unknown, route: string) => void;

  /** @param onFault hears of every failure that is no refusal; the answer says nothing of it. */
  constructor(
    context: Context,
    onFault: (error: unknown, route: string) => void = (error, route) =>
      console.error(route, error),
  ) {
    this.#context = context;
    this.#state = newState(context);
    this.#router = new Router([...agentRoutes, ...ownerRoutes, ...storageRoutes]);
    this.#onFault = onFault;
  }

  /** Answers a request; never throws. */
  async handle(request: ServiceRequest): Promise<ServiceAnswer> {
    const route = this.#router.patternOf(request.path);
    try {
      return answer(await this.#reply(request), route);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error, route);
      this.#onFault(error, route);
      return refusalAnswer(faultOf(error), route);
    } finally {
      dismiss(request.body);
    }
  }

  /** Clears away what is over; to be called at the start and every minute. */
  sweep(): void {
    const { rows, objects } = this.#context;
    const now = this.#context.now();
    rows.transaction(() => {
      dropExpired(this.#context, this.#state);
      sweepSessions(rows, now);
      rows.removeIdempotencyBefore(now - KEPT_FOR);
    });
    removePurged(rows, objects, PURGED_AT_ONCE);
    objects.sweep(HOUR);
    this.#state.rate.sweep(now);
  }

  async #reply(request: ServiceRequest): Promise<Reply> {
    const { route, parameters } = this.#router.find(request.method, request.path);
    return await route.handle({
      request,
      context: this.#context,
      state: this.#state,
      parameters,
    });
  }
}

/** Tells the sender of a body that nobody reads any more that it may stop; the answer does not wait. */
function dismiss(body: ServiceRequest["body"]): void {
  if (body === null || body.locked) return;
  body.cancel().catch(() => {
    // It broke off before; there is nothing left to stop.
  });
}
