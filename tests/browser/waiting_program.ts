// A program that waits on this computer for a connection, as the hand-off has it (vault spec, 9): one port of
// 127.0.0.1, one delivery, and all of the checks that a real one makes before it believes what comes in.

import assert from "node:assert/strict";
import { parseConnectionString } from "@shieldfive/crypto/vault";
import { randomKeyText } from "@shieldfive/crypto/extra/server_values.ts";

export interface WaitingProgram {
  port: number;
  origin: string;
  state: string;
  /** The address of the page that it opens. */
  url: string;
  /** What was delivered: the connection string, or the error. */
  delivered: Promise<string>;
  /** How many requests came in, whatever they were. */
  readonly requests: number;
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** Milliseconds within which a delivery has to come. */
const PATIENCE = 90_000;
const MAX_BODY = 16 * 1024;

export interface Asking {
  /** The vault's origin. */
  vault: string;
  client?: string;
  label?: string;
  /** How long it says that it waits, in milliseconds. */
  patience?: number;
}

/** The address that a program opens. */
export function handoffUrl(
  { vault, client = "claude-code", label, patience = 600_000 }: Asking,
  { state, port }: { state: string; port: number | string },
): string {
  const parameters = new URLSearchParams({ settings: "agents", connect: state, port: `${port}` });
  parameters.set("client", client);
  if (label !== undefined) parameters.set("label", label);
  parameters.set("exp", String(Math.floor((Date.now() + patience) / 1000)));
  return `${vault}/files?${parameters}`;
}

/** What a delivery says, or the status that refuses it. */
async function judged(
  request: Request,
  { port, state, vault }: { port: number; state: string; vault: string },
): Promise<string | number> {
  const { pathname, search } = new URL(request.url);
  if (request.headers.get("host") !== `127.0.0.1:${port}`) return 400;
  if (pathname !== "/callback" || search !== "" || request.method !== "POST") return 404;
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== "null" && origin !== vault) return 403;
  if (request.headers.get("content-type") !== "application/x-www-form-urlencoded") return 400;
  const body = await request.text();
  if (body.length > MAX_BODY) return 413;
  const fields = new URLSearchParams(body);
  if (fields.get("state") !== state) return 403;
  const error = fields.get("error");
  const names = [...fields.keys()].sort();
  if (error !== null) {
    assert.deepEqual(names, ["error", "state"]);
    return error;
  }
  assert.deepEqual(names, ["connection_string", "state"]);
  const string = fields.get("connection_string")!;
  parseConnectionString(string);
  return string;
}

/** Runs the body beside a program that waits. */
export async function withProgram(
  asking: Asking,
  body: (program: WaitingProgram) => Promise<void>,
): Promise<void> {
  const state = randomKeyText();
  const delivery = Promise.withResolvers<string>();
  delivery.promise.catch(() => {}); // not every test waits for it
  let last = "nothing came";
  const timer = setTimeout(
    () => delivery.reject(new Error(`nothing was delivered: ${last}`)),
    PATIENCE,
  );
  let requests = 0;
  let used = false;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      if (new URL(request.url).pathname === "/favicon.ico") {
        return new Response(null, { status: 404 });
      }
      requests++;
      if (used) return new Response("used", { status: 409, headers: HEADERS });
      const verdict = await judged(request, { port, state, vault: asking.vault });
      if (typeof verdict === "number") {
        last = `a request was refused with ${verdict}`;
        return new Response("refused", { status: verdict, headers: HEADERS });
      }
      used = true;
      delivery.resolve(verdict);
      const answer = verdict.startsWith("sf-grant") ? "Connected" : "Request denied";
      return new Response(`<!doctype html><title>${answer}</title><h1>${answer}</h1>`, {
        headers: HEADERS,
      });
    },
  );
  const { port } = server.addr;
  try {
    await body({
      port,
      state,
      origin: `http://127.0.0.1:${port}`,
      url: handoffUrl(asking, { state, port }),
      delivered: delivery.promise,
      get requests() {
        return requests;
      },
    });
  } finally {
    clearTimeout(timer);
    await server.shutdown();
  }
}
