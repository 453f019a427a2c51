// What lies between a client and its server, for tests: it keeps what was asked, and may answer in the
// server's place, change what it says, or lose it.

import type { World } from "./world.ts";

const BASE = "/api/agent/v1";

/** A request as it left. */
export interface Asked {
  method: string;
  /** Behind `/api/agent/v1` for the API's own. */
  path: string;
  query: string;
  headers: Headers;
  body: string;
  url: string;
}

/** Answers a request, by way of the server or without it. */
export type Answerer = (
  asked: Asked,
  forward: () => Promise<Response>,
) => Promise<Response> | Response;

/** JSON that a test changes; it knows the shapes. */
// deno-lint-ignore no-explicit-any
export type Loose = any;

export class Wire {
  readonly asked: Asked[] = [];
  readonly #world: Pick<World, "server">;
  /** May be replaced while a client uses the wire. */
  answer: Answerer;

  constructor(
    world: Pick<World, "server">,
    answer: Answerer = (_asked, forward) => forward(),
  ) {
    this.#world = world;
    this.answer = answer;
  }

  readonly fetch = async (
    input: Request | string | URL,
    init: RequestInit = {},
  ): Promise<Response> => {
    const { pathname, search, href } = new URL(String(input));
    const asked = {
      method: init.method ?? "GET",
      path: pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname,
      query: search.slice(1),
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? init.body : "",
      url: href,
    };
    this.asked.push(asked);
    // A server may act on what its caller no longer waits for.
    const { signal: _, ...rest } = init;
    return await this.answer(asked, () => this.#world.server.fetch(input, rest));
  };

  /** What was asked, as `GET /grant`; ids are cut out. */
  get lines(): string[] {
    return this.asked.map(({ method, path }) =>
      `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id")}`
    );
  }
}

/** A wire whose JSON answers a test may change: what a lying server would say. */
export function lying(
  world: Pick<World, "server">,
  change: (answer: Loose, asked: Asked) => Loose | void,
): Wire {
  return new Wire(world, async (asked, forward) => {
    const response = await forward();
    if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
    const answer = await response.json();
    const changed = change(answer, asked) ?? answer;
    return Response.json(changed, { status: response.status, headers: retryOf(response) });
  });
}

function retryOf({ headers }: Response): Record<string, string> {
  const after = headers.get("retry-after");
  return after === null ? {} : { "retry-after": after };
}

/** What a connection that breaks looks like. */
export function broken(): TypeError {
  return new TypeError("error sending request");
}
