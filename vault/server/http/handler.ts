// From a request to its answer: what is refused before anybody looks at it, what is a file of the page, and
// what goes to the service. It knows no state of the vault.

import type { IncomingMessage } from "node:http";
import type { Answers } from "../bridge/protocol.ts";
import { KNOWN_HEADERS, type ServiceAnswer } from "../service/message.ts";
import type { Page } from "./assets.ts";
import type { HttpLimits } from "./limits.ts";
import { RequestBody } from "./request_body.ts";
import { ServiceClock } from "./service_clock.ts";

/** What a server answers from. */
export interface Handling {
  service: Answers;
  /** Whether the service is there to answer. */
  isReady(): boolean;
  pages: ReadonlyMap<string, Page>;
  /** Host headers, in lower case. */
  hosts: ReadonlySet<string>;
  /** Origin headers of the server's own page. */
  origins: ReadonlySet<string>;
  limits: HttpLimits;
}

/** An answer of the service, or a file of the page. */
export type Answer = Omit<ServiceAnswer, "body"> & { body: ServiceAnswer["body"] | Uint8Array };

/** What a request that was refused before it was routed is called in the log. */
const REFUSED = "(refused)";
const NO_ROUTE = "(no route)";
/** What the service answers; all other paths are the page's. */
const SERVICE = /^\/(api|storage)\//;
/** Its bodies are files, and take as long as they go on coming. */
const STORAGE = /^\/storage\//;

/** A refusal of the HTTP side, in the form of the service's own. */
export function refused(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  route = REFUSED,
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: JSON.stringify({ code }),
    route,
  };
}

/** Answers a request; never rejects. */
export async function answerTo(request: IncomingMessage, handling: Handling): Promise<Answer> {
  const target = request.url ?? "";
  const [, path, query = ""] = /^(\/[^?#]*)(?:\?([^#]*))?$/.exec(target) ?? [];
  if (target.length > handling.limits.targetLength) return refused(414, "too_long");
  if (!isAddressed(request, handling.hosts)) return refused(421, "wrong_host");
  if (!isOwn(request, handling.origins)) return refused(403, "foreign_origin");
  if (path === undefined) return refused(400, "bad_request");
  if (SERVICE.test(path)) return await fromService(request, { path, query }, handling);
  return fromPage(request.method ?? "", path, handling);
}

/** Whether a request names this server, once. */
function isAddressed({ rawHeaders }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const named = rawHeaders.filter((_, i) =>
    i % 2 === 1 && rawHeaders[i - 1].toLowerCase() === "host"
  );
  return named.length === 1 && hosts.has(named[0].toLowerCase());
}

/** Whether a request comes from the server's own page, or from no page at all. */
function isOwn({ headers: { origin } }: IncomingMessage, origins: ReadonlySet<string>): boolean {
  return origin === undefined || origins.has(origin);
}

function fromPage(method: string, path: string, { pages, isReady }: Handling): Answer {
  const page = pages.get(path);
  const route = path === "/healthz" ? path : page?.route;
  if (route === undefined) return refused(404, "no_route", {}, NO_ROUTE);
  if (method !== "GET" && method !== "HEAD") {
    return refused(405, "method_not_allowed", { allow: "GET, HEAD" }, route);
  }
  if (page === undefined) return health(isReady(), route);
  const { bytes, contentType, cacheControl } = page;
  const headers = { "content-type": contentType, "cache-control": cacheControl };
  return { status: 200, headers, body: bytes, route };
}

function health(ready: boolean, route: string): Answer {
  if (!ready) return refused(503, "unavailable", {}, route);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status: 200, headers, body: JSON.stringify({ ok: true }), route };
}

async function fromService(
  request: IncomingMessage,
  { path, query }: { path: string; query: string },
  { service, limits }: Handling,
): Promise<Answer> {
  const { method = "", headers } = request;
  const clock = new ServiceClock(limits.answerMs);
  const { idleMs, bodyMs, uploadMs, uploadRate } = limits;
  const forAll = STORAGE.test(path) ? { uploadMs } : { totalMs: bodyMs };
  const patience = { idleMs, uploadRate, clock, ...forAll };
  const body = hasBody(request) ? new RequestBody(request, patience) : null;
  const answering = service.handle({
    method,
    path,
    query,
    headers: Object.fromEntries(
      KNOWN_HEADERS.flatMap((name) =>
        typeof headers[name] === "string" ? [[name, headers[name]]] : []
      ),
    ),
    body: body?.stream ?? null,
  });
  const answer = await Promise.race([answering, clock.ranOut]);
  clock.end();
  if (answer === undefined) {
    // Nobody will read it.
    answering.then(({ body }) => discard(body));
    return refused(503, "timeout");
  }
  if (body?.timedOut) return { ...refused(408, "timeout"), route: answer.route };
  return { ...answer, headers: { "cache-control": "no-store", ...answer.headers } };
}

/** Whether a body follows; an empty one is none. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function discard(body: ServiceAnswer["body"]): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {}); // it had failed already
}
