// The one place where requests leave: the token in its one header and to its one origin, time limits,
// patience with a server that asks for it, and answers held to a size. Paths and bodies get ids, sealed
// names and wrapped keys from the callers.

import type { ToolError } from "../../containment/error.ts";
import { boundedBytes, meaningOf, parsedJson } from "./bodies.ts";
import { incoming } from "./incoming.ts";
import { RateLimited, refusalOf } from "./refusals.ts";
import { CALL_MS, IDLE_MS, orAborted, pause, throwIfCancelled, Watch } from "./timing.ts";
import type { Alarm } from "./types.ts";

const BASE = "/api/agent/v1";
/** Bytes of an answer about one thing. */
const SMALL_ANSWER = 1024 * 1024;
/** Bytes of a refusal. */
const REFUSAL = 64 * 1024;
/** How often a request is sent again that came too early (vault spec, 2). */
const MAX_RETRIES = 3;
const LONGEST_WAIT_MS = 60_000;
const STEP_MS = 15_000;

/** A request as it leaves. */
export interface Outgoing {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  signal: AbortSignal;
}

/** Sends requests: nothing of ours goes along but what is in them, and no redirect is followed. */
export type Send = (request: Outgoing) => Promise<Response>;

/** @param through sends them in place of the runtime's own `fetch`. */
export function sender(through: typeof fetch = globalThis.fetch): Send {
  return ({ url, ...request }) =>
    through(url, {
      ...request,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
}

/** A request whose answer is JSON. */
export interface JsonCall {
  method: "GET" | "POST" | "PATCH";
  /** Behind `/api/agent/v1`, with its query. */
  path: string;
  body?: Record<string, unknown>;
  /** Makes the server act once, however often the request comes. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** A request that acts: once it is on its way, the signal is not looked at any more. */
  acts?: boolean;
  /** Bytes that the answer may have. */
  most?: number;
  /** Milliseconds that it may take. */
  limitMs?: number;
}

/** A part of a file's ciphertext. */
export interface Part {
  start: number;
  /** Behind the last byte; what lies behind the end of the file is left out. */
  end: number;
}

export interface ApiOptions {
  /** From `checkedOrigin`. */
  origin: string;
  /** The connection's, as it is sent. */
  token: string;
  send: Send;
  alarm: Alarm;
}

/** The agent API of one server, for one connection. */
export class Api {
  readonly origin: string;
  readonly alarm: Alarm;
  readonly #token: string;
  readonly #send: Send;

  constructor({ origin, token, send, alarm }: ApiOptions) {
    this.origin = origin;
    this.alarm = alarm;
    this.#token = token;
    this.#send = send;
  }

  /**
   * Asks for JSON.
   *
   * @returns the value, and how many bytes it came in.
   * @throws ToolError with the codes of vault spec, 2; `bad_answer`; `cancelled`.
   */
  json(call: JsonCall): Promise<{ value: unknown; size: number }> {
    return this.#patiently(call.signal, async () => {
      const watch = new Watch(this.alarm);
      watch.arm(call.limitMs ?? CALL_MS);
      const until = call.signal === undefined || call.acts
        ? watch.signal
        : AbortSignal.any([call.signal, watch.signal]);
      try {
        const response = await this.#request(call, until);
        const bytes = await boundedBytes(response, call.most ?? SMALL_ANSWER, until);
        return { value: parsedJson(bytes), size: bytes.length };
      } finally {
        watch.disarm();
      }
    });
  }

  /**
   * Asks for a file's ciphertext, or for a part of it.
   *
   * @param options.most bytes above which it is refused.
   * @throws ToolError as {@link json}, and in the stream; `too_large`.
   */
  ciphertext(
    id: string,
    options: { part?: Part; most: number; signal?: AbortSignal },
  ): Promise<ReadableStream<Uint8Array>> {
    const { part, most, signal } = options;
    return this.#patiently(signal, async () => {
      const watch = new Watch(this.alarm);
      watch.arm(IDLE_MS);
      const until = signal === undefined ? watch.signal : AbortSignal.any([signal, watch.signal]);
      const headers = part && { range: `bytes=${part.start}-${part.end - 1}` };
      const path = `/files/${id}/download`;
      try {
        const response = await this.#request({ method: "POST", path, headers }, until);
        return await incoming(response, { part, most, watch, until });
      } finally {
        watch.disarm();
      }
    });
  }

  /** One attempt; a refusal is thrown. */
  async #request(
    { method, path, body, idempotencyKey, headers }:
      & Pick<
        JsonCall,
        "method" | "path" | "body" | "idempotencyKey"
      >
      & { headers?: Record<string, string> },
    until: AbortSignal,
  ): Promise<Response> {
    const sent = this.#send({
      method,
      url: `${this.origin}${BASE}${path}`,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: until,
    });
    const response = await orLost(sent, until);
    if (response.ok) return response;
    throw await refusalIn(response, until);
  }

  /** Makes attempts until one is not too early. */
  async #patiently<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let retries = 0;; retries++) {
      try {
        throwIfCancelled(signal);
        return await attempt();
      } catch (error) {
        throwUnlessEarly(error, retries);
        const wait = error.retryAfterSeconds === undefined
          ? STEP_MS * (retries + 1)
          : error.retryAfterSeconds * 1000;
        await pause(this.alarm, Math.min(wait, LONGEST_WAIT_MS), signal);
      }
    }
  }
}

function throwUnlessEarly(error: unknown, retries: number): asserts error is RateLimited {
  if (!(error instanceof RateLimited) || retries === MAX_RETRIES) throw error;
}

async function orLost(sent: Promise<Response>, until: AbortSignal): Promise<Response> {
  try {
    return await orAborted(sent, until);
  } catch (error) {
    throw meaningOf(error, until);
  }
}

/** What a refusal means. One whose body is no JSON of a bounded size is known by its status. */
async function refusalIn(response: Response, until: AbortSignal): Promise<ToolError> {
  const retryAfter = response.headers.get("retry-after");
  try {
    const body = parsedJson(await boundedBytes(response, REFUSAL, until));
    return refusalOf(response.status, retryAfter, body);
  } catch (error) {
    if (until.aborted) throw error;
    return refusalOf(response.status, retryAfter, undefined);
  }
}
