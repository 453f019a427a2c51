// The one socket that takes anything in: it waits on 127.0.0.1 for ShieldFive's page to deliver a connection,
// for ten minutes at most, and takes one. Whatever any other page, program or machine sends is turned away,
// and the waiting goes on (vault spec, 9).
//
// It is the runtime's `node:http` and not `Deno.serve`, which waits for ever for the rest of a request.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { ToolError } from "../../containment/error.ts";
import { randomKeyText, sameText } from "@shieldfive/crypto/extra/server_values.ts";
import { parseConnectionString, VaultCryptoError } from "@shieldfive/crypto/vault";
import { systemAlarm } from "../client/timing.ts";
import type { Alarm } from "../client/types.ts";
import { bodyOf } from "./request_body.ts";
import { PAGE_HEADERS, pageFor, type Verdict, VERDICTS } from "./pages.ts";

/** This machine, by a number: a name could be made to mean another. */
const HOST = "127.0.0.1";
const PATH = "/callback";
/** Connections at a time; a browser opens a few. */
const CONNECTIONS = 32;

/** Milliseconds and bytes that are waited for and taken. */
export interface HandoffLimits {
  /** Until a request's head is there. */
  headMs: number;
  /** Until all of a request is there. */
  requestMs: number;
  /** Until nobody listens any more. */
  flowMs: number;
  bodyBytes: number;
}

export const HANDOFF_LIMITS: HandoffLimits = {
  headMs: 10_000,
  requestMs: 15_000,
  flowMs: 600_000,
  bodyBytes: 16 * 1024,
};

/** Milliseconds for a browser to take its answer. */
const LINGER_MS = 2_000;

/** How the waiting ended. */
export type Delivery =
  | { ended: "delivered"; connection: string }
  | { ended: "denied" | "timeout" | "stopped" };

export interface ListenerOptions {
  /** The origin of the page that may deliver. */
  origin: string;
  /** Absent: one that the system chooses. */
  port?: number;
  limits?: HandoffLimits;
  /** Keeps the time by a clock that nobody can set. */
  alarm?: Alarm;
}

export class HandoffListener {
  /** What the page has to send back: 43 characters that nobody else knows. */
  readonly state = randomKeyText();
  readonly delivery: Promise<Delivery>;
  readonly #delivery = Promise.withResolvers<Delivery>();
  readonly #origin: string;
  readonly #limits: HandoffLimits;
  readonly #alarm: Alarm;
  readonly #server: Server;
  readonly #closed = Promise.withResolvers<void>();
  #port = 0;
  #over = false;
  #endTimeout = () => {};

  private constructor(options: ListenerOptions) {
    const { origin, limits = HANDOFF_LIMITS, alarm = systemAlarm } = options;
    this.#origin = origin;
    this.#limits = limits;
    this.#alarm = alarm;
    this.delivery = this.#delivery.promise;
    this.#server = createServer({
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.headMs, 1_000),
    }, (request, response) => void this.#take(request, response));
    this.#server.maxConnections = CONNECTIONS;
  }

  /**
   * Begins to listen.
   *
   * @throws ToolError `connect_failed`
   */
  static async open(options: ListenerOptions): Promise<HandoffListener> {
    const listener = new HandoffListener(options);
    await listener.#listen(options.port ?? 0);
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** Settles when the port is free again. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Ends the waiting. */
  stop(): void {
    this.#end({ ended: "stopped" });
    this.#close();
  }

  async #listen(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen({ host: HOST, port }, resolve);
    try {
      await promise;
    } catch (error) {
      throw new ToolError(
        "connect_failed",
        `nothing can listen on ${HOST} for the browser's answer (${(error as Error).message}); ` +
          "a connection string can be pasted instead: `shieldfive login --paste`",
        { cause: error },
      );
    }
    this.#server.off("error", reject);
    this.#server.on("error", () => {}); // of a connection that could not be taken; the next can be
    this.#port = (this.#server.address() as { port: number }).port;
    this.#endTimeout = this.#alarm(this.#limits.flowMs, () => {
      this.#end({ ended: "timeout" });
      this.#close();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = await this.#judge(request);
    if (verdict === undefined) return void request.socket.destroy();
    answer(request, response, verdict);
    if (verdict === VERDICTS.connected || verdict === VERDICTS.denied) this.#closeGently(response);
  }

  /** What becomes of a request, in the order of the spec's table; undefined: it gets no answer. */
  async #judge(request: IncomingMessage): Promise<Verdict | undefined> {
    if (!isAddressed(request, `${HOST}:${this.#port}`)) return VERDICTS.wrongHost;
    if (request.url !== PATH || request.method !== "POST") return VERDICTS.notHere;
    const { origin } = request.headers;
    if (origin !== undefined && origin !== "null" && origin !== this.#origin) {
      return VERDICTS.foreign;
    }
    if (this.#over) return VERDICTS.used;
    const { bodyBytes, requestMs } = this.#limits;
    const body = await bodyOf(request, { most: bodyBytes, ms: requestMs, alarm: this.#alarm });
    if (body === undefined) return undefined;
    return this.#over ? VERDICTS.used : this.#accept(new URLSearchParams(body));
  }

  #accept(fields: URLSearchParams): Verdict {
    if (!sameText(fields.get("state") ?? "", this.state)) return VERDICTS.wrongState;
    if (fields.has("error")) {
      this.#end({ ended: "denied" });
      return VERDICTS.denied;
    }
    const connection = (fields.get("connection_string") ?? "").trim();
    if (!isConnection(connection)) return VERDICTS.malformed;
    this.#end({ ended: "delivered", connection });
    return VERDICTS.connected;
  }

  #end(delivery: Delivery): void {
    this.#over = true;
    this.#endTimeout();
    this.#delivery.resolve(delivery);
  }

  /** Takes no more connections once the answer is out; what others are sending is told that it is late. */
  #closeGently(response: ServerResponse): void {
    response.once("close", () => {
      this.#server.close(() => this.#closed.resolve());
      this.#server.closeIdleConnections();
    });
    const timer = setTimeout(() => this.#close(), LINGER_MS);
    this.closed.then(() => clearTimeout(timer));
  }

  #close(): void {
    this.#server.close(() => this.#closed.resolve());
    this.#server.closeAllConnections();
  }
}

/** Whether a request names this listener, once: a foreign name may have been made to lead here. */
function isAddressed({ rawHeaders }: IncomingMessage, host: string): boolean {
  const named = rawHeaders.filter((_, i) =>
    i % 2 === 1 && rawHeaders[i - 1].toLowerCase() === "host"
  );
  return named.length === 1 && named[0] === host;
}

function isConnection(text: string): boolean {
  try {
    parseConnectionString(text);
    return true;
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    return false;
  }
}

/** Answers, and lets go of the connection; what still comes of the request is thrown away. */
function answer(request: IncomingMessage, response: ServerResponse, verdict: Verdict): void {
  const page = pageFor(verdict);
  const length = String(new TextEncoder().encode(page).length);
  response.writeHead(verdict.status, {
    ...PAGE_HEADERS,
    "content-length": length,
    connection: "close",
  });
  response.end(page);
  if (request.complete) return;
  // Ended at once, a client that is sending would lose the answer along with it.
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(timer));
  request.resume();
}
