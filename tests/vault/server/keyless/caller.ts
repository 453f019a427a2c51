// One party that calls the server: an origin, a base path and a bearer token. It asks for exactly what it
// is told and gives back whatever was answered, refusals included.

import assert from "node:assert/strict";

/** What came out of JSON; tests look into it field by field. */
export type Answered = ReturnType<typeof JSON.parse>;

export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface CallAnswer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: Answered;
}

/** Milliseconds after which a call that hangs fails its test. */
const PATIENCE = 60_000;

function parsed(text: string): Answered {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export class Caller {
  constructor(
    readonly origin: string,
    readonly base: string,
    readonly token: string | undefined,
    readonly fetch: typeof globalThis.fetch = globalThis.fetch,
  ) {}

  /** The answer as it comes, its body unread. */
  async raw(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const { body, headers, signal = AbortSignal.timeout(PATIENCE) } = options;
    return await this.fetch(`${this.origin}${this.base}${path}`, {
      method,
      signal,
      headers: {
        ...this.token === undefined ? {} : { authorization: `Bearer ${this.token}` },
        ...body === undefined ? {} : { "content-type": "application/json" },
        ...headers,
      },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const response = await this.raw(method, path, options);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  /** A call that must be answered with 200 or 201; gives its JSON. */
  async ok(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
    const { status, text, json } = await this.call(method, path, options);
    assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
    return json;
  }

  /** All rows of a listing, page by page. */
  async all(what: "folders" | "files", limit = 1000): Promise<Answered[]> {
    const rows: Answered[] = [];
    for (let after: string | null = ""; after !== null;) {
      const place: string = after === "" ? "" : `&after=${after}`;
      const page: Answered = await this.ok("GET", `/${what}?limit=${limit}${place}`);
      rows.push(...page[what]);
      after = page.next;
    }
    return rows;
  }
}
