// A real server on a free port with a stand-in for the service, and clients that speak HTTP byte by byte.

import type { Answers } from "../../../../vault/server/bridge/protocol.ts";
import { assetsOf, pagesOf } from "../../../../vault/server/http/assets.ts";
import { HTTP_LIMITS, type HttpLimits } from "../../../../vault/server/http/limits.ts";
import { acceptedHosts, acceptedOrigins, originOf } from "../../../../vault/server/http/names.ts";
import { securityHeaders } from "../../../../vault/server/http/security_headers.ts";
import { HttpServer, type Tls } from "../../../../vault/server/http/server.ts";
import type { ServiceAnswer, ServiceRequest } from "../../../../vault/server/service/message.ts";

export interface Stand {
  server: HttpServer;
  port: number;
  origin: string;
  /** What the log was told. */
  lines: string[];
}

export interface StandOptions {
  service?: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>;
  limits?: Partial<HttpLimits>;
  page?: Record<string, string>;
  publicUrl?: string;
  tls?: Tls;
  isReady?: () => boolean;
}

/** An answer in JSON, as the service gives it. */
export function json(value: unknown, status = 200): ServiceAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
    route: "/api/thing/:id",
  };
}

/** All bytes of a stream. */
export async function allOf(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  return stream === null ? new Uint8Array() : await new Response(stream as BodyInit).bytes();
}

/** Runs the body against a server that is stopped at the end. */
export async function withServer(
  { service = () => json({}), limits, page = {}, publicUrl, tls, isReady }: StandOptions,
  body: (stand: Stand) => Promise<void>,
): Promise<void> {
  const lines: string[] = [];
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const where = { host: "127.0.0.1", tls: tls !== undefined, publicUrl };
  const answers: Answers = { handle: async (request) => await service(request) };
  const files = Object.entries(page).map(([path, text]): [string, Uint8Array] => [
    path,
    new TextEncoder().encode(text),
  ]);
  const server = new HttpServer({
    service: answers,
    isReady: isReady ?? (() => true),
    pages: pagesOf(assetsOf(new Map(files))),
    hosts,
    origins,
    limits: { ...HTTP_LIMITS, ...limits },
    tls,
    headers: securityHeaders(originOf({ ...where, port: 0 })),
    log: (line) => lines.push(line),
  });
  const port = await server.listen("127.0.0.1", 0);
  for (const host of acceptedHosts({ ...where, port })) hosts.add(host);
  for (const own of acceptedOrigins({ ...where, port })) origins.add(own);
  try {
    const scheme = tls === undefined ? "http" : "https";
    await body({ server, port, origin: `${scheme}://127.0.0.1:${port}`, lines });
  } finally {
    await server.stop(0);
  }
}

/** A connection on which a test writes what it likes. */
export class Wire implements Disposable {
  readonly #connection: Deno.Conn;

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(port: number): Promise<Wire> {
    return new Wire(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async write(text: string | Uint8Array): Promise<void> {
    let bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
  }

  /** What comes next, as text; undefined when the other side has closed the connection. */
  async read(): Promise<string | undefined> {
    const bytes = new Uint8Array(64 * 1024);
    try {
      const length = await this.#connection.read(bytes);
      return length === null ? undefined : new TextDecoder().decode(bytes.subarray(0, length));
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return undefined;
      throw error;
    }
  }

  /** Everything up to the end of the connection. */
  async rest(): Promise<string> {
    let all = "";
    for (;;) {
      const text = await this.read();
      if (text === undefined) return all;
      all += text;
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

/** Sends a request as it stands and gives everything that comes until the connection ends. */
export async function exchange(port: number, text: string): Promise<string> {
  using wire = await Wire.open(port);
  await wire.write(text);
  return await wire.rest();
}

/** A request's head for this server, with the connection to be closed after it. */
export function head(port: number, line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", ...headers, "", ""]
    .join("\r\n");
}

/** The status of a raw answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}

/** Waits until a condition holds, for a moment. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  if (!holds()) throw new Error("it did not come to hold");
}

/** A certificate for 127.0.0.1 and its key; undefined, after saying why, where openssl is missing. */
export async function certificate(dir: string): Promise<Tls | undefined> {
  const [cert, key] = ["cert", "key"].map((name) => `${dir}/${name}.pem`);
  try {
    const { success, stderr } = await new Deno.Command("openssl", {
      args: ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        .concat("-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=127.0.0.1")
        .concat("-addext", "subjectAltName=IP:127.0.0.1")
        .concat("-addext", "basicConstraints=critical,CA:FALSE"),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log("skipped: there is no openssl here to make a certificate with");
    return undefined;
  }
  return { cert: Deno.readTextFileSync(cert), key: Deno.readTextFileSync(key) };
}
