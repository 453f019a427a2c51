// The vault's server without a socket: `fetch` and the storage's PUT over `Service.handle`, on a real data
// folder. What the front would refuse (sizes, methods, hosts) is not here; see the tests over HTTP.

import type { OwnerTransport } from "../../../vault/owner/mod.ts";
import { FileObjects } from "../../../vault/server/objects/files.ts";
import { openDataFolder } from "../../../vault/server/rows/data_folder.ts";
import type { Rows } from "../../../vault/server/rows/rows.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { type Context, LIMITS, type Limits } from "../../../vault/server/service/context.ts";
import {
  KNOWN_HEADERS,
  type ServiceAnswer,
  type ServiceRequest,
} from "../../../vault/server/service/message.ts";
import { issueSetupToken } from "../../../vault/server/service/owner/setup_token.ts";
import { Service } from "../../../vault/server/service/service.ts";

export const ORIGIN = "https://vault.test";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A server in this process. */
export interface InProcessServer {
  origin: string;
  /** For the first visitor; undefined when the vault has an owner. */
  setupToken: string | undefined;
  service: Service;
  context: Context;
  rows: Rows;
  objects: FileObjects;
  /** The clock; tests turn it by setting it to another function. */
  clock: { now(): number };
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** The same for an owner's client. */
  transport: OwnerTransport;
  close(): void;
}

/** The headers that a front passes on. */
function knownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    KNOWN_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function responseOf({ status, headers, body }: ServiceAnswer): Response {
  return new Response(body, { status, headers });
}

/** Opens a data folder and the service on it; the test closes it. */
export function openInProcess(
  dataFolder: string,
  options: { limits?: Partial<Limits> } = {},
): InProcessServer {
  const clock = { now: Date.now };
  const now = () => clock.now();
  const folder = openDataFolder(dataFolder);
  const rows = openRows(dataFolder, now);
  const objects = new FileObjects(dataFolder, now);
  const context: Context = {
    rows,
    objects,
    now,
    limits: { ...LIMITS, ...options.limits },
    version: "0.0.0-test",
    origin: ORIGIN,
  };
  const service = new Service(context);
  const ask = async (request: ServiceRequest) => responseOf(await service.handle(request));
  const fetch: InProcessServer["fetch"] = async (input, init) => {
    const request = input instanceof Request && init === undefined
      ? input
      : new Request(input, init);
    request.signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const headers = knownHeaders(request.headers);
    // What fetch adds on the wire.
    const sent = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    if (sent !== null) headers["content-length"] = String(sent.length);
    const body = sent === null ? null : new Blob([sent]).stream();
    const { method } = request;
    const response = ask({ method, path: pathname, query: search.slice(1), headers, body });
    return await orAborted(response, request.signal);
  };
  return {
    origin: ORIGIN,
    setupToken: issueSetupToken(rows, now()),
    service,
    context,
    rows,
    objects,
    clock,
    fetch,
    transport: { fetch, put: putOver(ask) },
    close() {
      rows.close();
      folder.close();
    },
  };
}

/** The storage's PUT; the body streams through. */
function putOver(ask: (request: ServiceRequest) => Promise<Response>): OwnerTransport["put"] {
  return async (url, headers, body, size, onSent, signal) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    let sent = 0;
    const stream = (body instanceof Blob ? body.stream() : body) as Body;
    const counted = stream.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(piece, controller) {
          onSent(sent += piece.length);
          controller.enqueue(piece);
        },
      }),
      { signal },
    );
    const known = knownHeaders(new Headers({ ...headers, "content-length": String(size) }));
    const request = { method: "PUT", path: pathname, query: search.slice(1), headers: known };
    const { status } = await ask({ ...request, body: counted });
    signal?.throwIfAborted();
    return { status };
  };
}

/** The answer, unless it is not wanted any more. */
function orAborted(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  return Promise.race([response, promise]).finally(() =>
    signal.removeEventListener("abort", abort)
  );
}
