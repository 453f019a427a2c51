// The HTTP server: connections and their limits, one answer for each request with the headers that all
// answers have, one line in the log for each, and an end that lets what has begun finish.
//
// It is the runtime's `node:http` and not `Deno.serve`, which waits for ever for the rest of a request's
// head and on connections that say nothing, so that anybody could use all of them up.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Server } from "node:net";
import { errnoOf, ToolError } from "../../../containment/error.ts";
import { PIECE } from "../../../containment/rooms/bodies/protocol.ts";
import { answerTo, type Handling, refused } from "./handler.ts";
import { type Outcome, respond } from "./respond.ts";

/** A certificate and its key, as PEM texts. */
export interface Tls {
  cert: string;
  key: string;
}

export interface HttpServerOptions extends Handling {
  tls?: Tls;
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>;
  /** Told of every answer, in one line without names, addresses, tokens or query strings. */
  log(line: string): void;
}

/** The parts of `node:http`'s server that both kinds have. */
type NodeServer = Server & {
  closeIdleConnections(): void;
  closeAllConnections(): void;
};

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: NodeServer;
  #active = 0;
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#server = makeServer(
      options,
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = options.limits.connections;
  }

  /**
   * Begins to listen; gives the port, which the system chooses for 0.
   *
   * @throws ToolError `address_in_use`, `address_refused`; `tls_unusable` for a certificate or key that
   * cannot be used.
   */
  async listen(host: string, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    try {
      if (this.#options.tls !== undefined) tryTls(host, port, this.#options.tls);
      this.#server.listen({ host, port }, resolve);
      await promise;
    } catch (error) {
      throw cannotListen(error, host, port);
    }
    this.#server.off("error", reject);
    this.#server.on("error", (error) => this.#options.log(error.stack ?? error.message));
    return (this.#server.address() as { port: number }).port;
  }

  /** Takes no more connections, lets answers that have begun finish, and cuts them off after a time. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { limits, headers, log } = this.#options;
    const began = performance.now();
    this.#active++;
    try {
      const busy = this.#active > limits.requests;
      const answer = busy
        ? refused(503, "busy", { "retry-after": "1" })
        : await answerTo(request, this.#options);
      const ending: Record<string, string> = this.#stopping ? { connection: "close" } : {};
      const all = { ...answer, headers: { ...answer.headers, ...headers, ...ending } };
      const outcome = await respond(response, all, limits.stallMs);
      log(logLine(request.method, answer, performance.now() - began, outcome));
      if (!request.complete) linger(request, limits.lingerMs);
    } catch (error) {
      log((error as Error).stack ?? String(error));
      response.destroy();
    } finally {
      this.#active--;
      if (this.#stopping) this.#server.closeIdleConnections();
    }
  }
}

function makeServer(
  { tls, limits }: HttpServerOptions,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): NodeServer {
  const options = {
    headersTimeout: limits.headMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Bodies have limits of their own.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(limits.headMs, 5000),
    maxHeaderSize: limits.headBytes,
    highWaterMark: PIECE,
  };
  if (tls === undefined) return createServer(options, serve);
  return createTlsServer({ ...options, ...tls, handshakeTimeout: limits.handshakeMs }, serve);
}

/** `node:https` takes any text for a certificate and then fails every handshake. This looks at it. */
function tryTls(hostname: string, port: number, tls: Tls): void {
  try {
    Deno.listenTls({ hostname, port, ...tls }).close();
  } catch (error) {
    if (errnoOf(error) !== undefined) throw error;
    const { message } = error as Error;
    throw new ToolError("tls_unusable", `the certificate or its key cannot be used: ${message}`);
  }
}

/** `2026-01-31T12:00:00.000Z POST /api/agent/v1/files/:id/finalize 200 12ms`, and `cut` if it was. */
function logLine(
  method: string | undefined,
  { route, status }: { route: string; status: number },
  milliseconds: number,
  outcome: Outcome,
): string {
  const cut = outcome === "cut" ? " cut" : "";
  const took = Math.round(milliseconds);
  return `${new Date().toISOString()} ${method} ${route} ${status} ${took}ms${cut}`;
}

/**
 * Throws away what still comes of a request that was answered before it was whole, and ends the connection
 * when that goes on for long. Ended at once, a client that is sending would lose the answer along with it.
 */
function linger(request: IncomingMessage, milliseconds: number): void {
  const timer = setTimeout(() => request.socket.destroy(), milliseconds);
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  // With a listener that reads for itself, it would not flow by itself.
  request.removeAllListeners("readable").resume();
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === "EADDRINUSE") {
    return new ToolError("address_in_use", `another program already listens on ${host}:${port}`);
  }
  if (error instanceof ToolError || errnoOf(error) === undefined) return error;
  return new ToolError("address_refused", `nobody can listen on ${host}:${port} here: ${message}`);
}
