// The one place that speaks to the server: addresses, the session's token, time limits, and what a
// refusal means. Paths, queries and bodies get ids, sealed names and wrapped keys from the callers.

import { Answer } from "./answer.ts";
import { OwnerError } from "./error.ts";
import { bytesOf } from "./pieces.ts";
import { defaultTransport } from "./transport.ts";
import type { OwnerTransport } from "./types.ts";

const BASE = "/api/owner/v1";
/** For a call whose answer is JSON; content may take as long as it takes. */
const CALL_MS = 30_000;
/** Bytes of JSON that no answer reaches: a page of a listing has a thousand rows of at most 10 KiB. */
const MAX_ANSWER = 64 * 2 ** 20;

export type JsonBody = Record<string, unknown>;

/** What a person is told; codes that are missing here are told as they are. */
const MESSAGES: Record<string, string> = {
  login_failed: "the passphrase or recovery key is not this vault's",
  rate_limited: "there were too many attempts; wait and try again",
  session_ended: "the session ended; unlock the vault again",
  setup_token_invalid: "this address is not the one that the server printed last",
  already_initialized: "this server has a vault already",
  not_initialized: "this server has no vault yet",
  not_found: "it is not there any more",
  conflict: "it was changed since it was listed; refresh and try again",
  already_trashed: "it lies in the Bin already",
  not_in_bin: "it does not lie in the Bin",
  in_use: "a connection puts its trash there; revoke the connection first",
  invalid_destination: "it cannot go there",
  too_many_grants: "there are too many connections; revoke one first",
  grant_revoked: "the connection was revoked for good",
  not_undoable: "there is nothing to undo",
  already_undone: "it was undone before",
  place_gone: "the folder that it came from is gone or in the Bin",
  gone: "it is gone for good",
  too_many_uploads: "too many uploads are under way; wait for one to end",
  egress_cap: "the server's limit of downloads for today is reached",
  transfer_limit: "the server's limit of downloads for this month is reached",
  storage_full: "the server has no room left",
  object_damaged: "the server lost the file or a part of it",
};

/** An origin that requests may go to: encrypted, or this machine itself. */
function checkedOrigin(origin: string): string {
  const url = URL.parse(origin);
  const loopback = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url === null || !(url.protocol === "https:" || url.protocol === "http:" && loopback)) {
    throw new OwnerError(
      "invalid_argument",
      "the server's address has to begin with https:// (http:// only on this machine)",
    );
  }
  return url.origin;
}

/** Requests to one server. */
export class Api {
  readonly origin: string;
  readonly transport: OwnerTransport;
  /** Stops whatever is under way when the vault is locked. */
  readonly #closed = new AbortController();
  /** The session's; undefined before the login and after the end. */
  #token: string | undefined;

  constructor(origin: string, transport: OwnerTransport = defaultTransport()) {
    this.origin = checkedOrigin(origin);
    this.transport = transport;
  }

  /** From now on requests are the owner's. */
  signIn(token: string): void {
    this.#token = token;
  }

  /** Ends everything that is under way, and lets no request out any more. */
  close(): void {
    this.#token = undefined;
    this.#closed.abort(new OwnerError("locked", "the vault is locked"));
  }

  /** A signal that also tells of the vault being locked. */
  until(signal: AbortSignal | undefined): AbortSignal {
    const closed = this.#closed.signal;
    return signal === undefined ? closed : AbortSignal.any([closed, signal]);
  }

  /**
   * Asks for JSON.
   *
   * @throws OwnerError with the server's code, `session_ended`, `network_error` or `bad_answer`; the
   * signal's reason.
   */
  async call(
    method: "GET" | "POST" | "PUT" | "PATCH",
    path: string,
    body?: JsonBody,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const overdue = new AbortController();
    const timer = setTimeout(
      () => overdue.abort(new OwnerError("network_error", "the server did not answer in time")),
      CALL_MS,
    );
    try {
      const until = AbortSignal.any([this.until(signal), overdue.signal]);
      const response = await this.#request(method, path, body, until);
      const bytes = await orNetworkError(bytesOf(response.body, MAX_ANSWER), until);
      return new Answer(bytes.length === 0 ? {} : parsed(bytes));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Asks for content.
   *
   * @param options.range the first byte and the last; a server may send more all the same.
   * @throws as {@link call}
   */
  async content(
    path: string,
    options: { range?: [number, number]; signal?: AbortSignal } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { range, signal } = options;
    const headers: Record<string, string> = range === undefined
      ? {}
      : { range: `bytes=${range[0]}-${range[1]}` };
    const response = await this.#request("GET", path, undefined, this.until(signal), headers);
    return response.body ?? new Blob().stream();
  }

  async #request(
    method: string,
    path: string,
    body: JsonBody | undefined,
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    signal.throwIfAborted();
    const token = this.#token;
    const request = new Request(`${this.origin}${BASE}${path}`, {
      method,
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal,
    });
    const response = await orNetworkError(this.transport.fetch(request), signal);
    if (!response.ok) throw await refusalOf(response, token !== undefined);
    return response;
  }
}

/** What a broken connection is called; a reason to stop goes through as it is. */
async function orNetworkError<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof OwnerError) throw cause;
    throw new OwnerError("network_error", "the server could not be reached", { cause });
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new OwnerError("bad_answer", "the server's answer is not JSON", { cause });
  }
}

/** What a refusal means; the server's own words are not repeated. */
async function refusalOf(response: Response, signedIn: boolean): Promise<OwnerError> {
  const code = await codeOf(response);
  const after = Number(response.headers.get("retry-after") ?? NaN);
  // With a session, a refused proof is the passphrase's fault and any other refusal the session's.
  const ended = response.status === 401 && signedIn && code !== "login_failed";
  const meaning = ended ? "session_ended" : code;
  return new OwnerError(
    meaning,
    MESSAGES[meaning] ?? `the server refused (${meaning})`,
    Number.isFinite(after) ? { retryAfterSeconds: Math.max(0, after) } : {},
  );
}

/** The code of a refusal, or one made of the status when there is none. */
async function codeOf(response: Response): Promise<string> {
  const fallback = `http_${response.status}`;
  try {
    const { code } = parsed(await bytesOf(response.body, MAX_ANSWER)) as { code?: unknown };
    return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : fallback;
  } catch {
    return fallback; // something else than the vault's server answered
  }
}
