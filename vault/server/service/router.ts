// From a method and a path to the one function that answers. Routes are tables of patterns such as
// `/api/agent/v1/files/:id`; a pattern is also all that a log may say of a request.

import type { Json } from "../rows/row_types.ts";
import type { Context } from "./context.ts";
import type { ServiceRequest } from "./message.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";

/** A request on its way to its handler. */
export interface Call {
  request: ServiceRequest;
  context: Context;
  /** What the service keeps in memory between requests. */
  state: State;
  /** What the `:names` of the pattern stand for; not checked. */
  parameters: Readonly<Record<string, string>>;
}

/** What a handler answers; a refusal is thrown. */
export interface Reply {
  /** 200 when it is left out. */
  status?: number;
  headers?: Record<string, string>;
  /** A value goes out as JSON; a stream as its bytes; null as no body. */
  body: Json | ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface Route {
  /** Upper-case. */
  method: string;
  pattern: string;
  handle(call: Call): Reply | Promise<Reply>;
}

/** A route and what its pattern's names stand for. */
export interface FoundRoute {
  route: Route;
  parameters: Record<string, string>;
}

/** What a request is called in a log when no pattern fits it. */
export const NO_ROUTE = "(no route)";

interface Entry {
  pattern: string;
  segments: string[];
  byMethod: Map<string, Route>;
}

/** Percent-encoding is left as it is: no id that exists needs it. */
function match(segments: string[], path: string[]): Record<string, string> | undefined {
  if (segments.length !== path.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith(":") && path[index] !== "") parameters[segment.slice(1)] = path[index];
    else if (segment !== path[index]) return undefined;
  }
  return parameters;
}

/** A table of routes. */
export class Router {
  readonly #entries: Entry[] = [];

  /** @throws Error when two routes have one method and pattern. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const byMethod = this.#entryOf(route.pattern).byMethod;
      if (byMethod.has(route.method)) {
        throw new Error(`${route.method} ${route.pattern} is there twice`);
      }
      byMethod.set(route.method, route);
    }
  }

  /** The pattern that a path belongs to, whatever the method. */
  patternOf(path: string): string {
    return this.#find(path)?.entry.pattern ?? NO_ROUTE;
  }

  /** @throws Refusal 404 `no_route` for an unknown path, 405 `method_not_allowed` for a known one. */
  find(method: string, path: string): FoundRoute {
    const found = this.#find(path);
    if (found === undefined) throw new Refusal(404, "no_route");
    const route = found.entry.byMethod.get(method);
    if (route === undefined) {
      throw new Refusal(405, "method_not_allowed", undefined, {
        headers: { allow: [...found.entry.byMethod.keys()].join(", ") },
      });
    }
    return { route, parameters: found.parameters };
  }

  #find(path: string): { entry: Entry; parameters: Record<string, string> } | undefined {
    const segments = path.split("/", 16);
    for (const entry of this.#entries) {
      const parameters = match(entry.segments, segments);
      if (parameters !== undefined) return { entry, parameters };
    }
    return undefined;
  }

  #entryOf(pattern: string): Entry {
    let entry = this.#entries.find((known) => known.pattern === pattern);
    if (entry === undefined) {
      entry = { pattern, segments: pattern.split("/"), byMethod: new Map() };
      this.#entries.push(entry);
    }
    return entry;
  }
}
