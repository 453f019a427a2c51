// What was asked for on the command line of `serve`, checked: every combination that could not work, or
// that would put a vault on a network without TLS, is refused before anything is opened.

import { isIP } from "node:net";
import { quote } from "../../../containment/mod.ts";
import type { Whereabouts } from "../../../vault/server/http/names.ts";
import { LIMITS, type Limits } from "../../../vault/server/service/context.ts";
import type { Environment } from "../../environment.ts";
import { parseWords } from "../../parse.ts";
import { placesOf } from "../../places.ts";
import { absolute } from "../../roots.ts";
import { UsageError } from "../../usage.ts";
import { DEFAULT_HOST, DEFAULT_PORT, SERVE_COMMON, SERVE_OPTIONS } from "./options.ts";

/** What is to be done. */
export interface ServeRequest extends Whereabouts {
  does: "serve" | "check";
  /** Only say what it would be allowed. */
  showPermissions: boolean;
  json: boolean;
  /** The data folder, absolute; it need not be there yet. */
  data: string;
  /** The files of the certificate and its key, absolute. */
  tlsFiles?: { cert: string; key: string };
  limits: Limits;
}

/** @throws UsageError */
export function readRequest(args: string[], environment: Environment): ServeRequest {
  const { values, operands } = parseWords(args, [...SERVE_OPTIONS, ...SERVE_COMMON]);
  if (operands.length > 0) {
    throw new UsageError(`serve takes no operands, but got ${quote(operands[0], 60)}`);
  }
  const text = (name: string) => values.get(name) as string | undefined;
  const number = (name: string) => values.get(name) as number | undefined;
  const given = (name: string) => values.get(name) === true;
  const tlsFiles = tlsFilesOf(text("tls-cert"), text("tls-key"), environment);
  const host = hostOf(text("host") ?? DEFAULT_HOST);
  const publicUrl = publicUrlOf(text("public-url"));
  const port = portOf(number("port") ?? DEFAULT_PORT);
  const request = { host, port, tls: tlsFiles !== undefined, publicUrl };
  requireTls(request, given("behind-proxy"));
  return {
    ...request,
    does: given("check") ? "check" : "serve",
    showPermissions: given("show-permissions"),
    json: given("json"),
    data: dataOf(text("data"), environment),
    tlsFiles,
    limits: {
      ...LIMITS,
      egressPerDay: number("egress-per-day") ?? LIMITS.egressPerDay,
      egressPerMonth: number("egress-per-month") ?? LIMITS.egressPerMonth,
    },
  };
}

function dataOf(typed: string | undefined, environment: Environment): string {
  if (typed !== undefined) return absolute(typed, environment);
  const places = placesOf(environment.variables, environment.home);
  if (places !== undefined) return places.vault;
  throw new UsageError(
    "there is no home folder in the environment to keep the vault in",
    "--data DIR names a folder for it",
  );
}

function portOf(port: number): number {
  if (port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not ${port}`);
}

function hostOf(typed: string): string {
  const host = typed === "localhost" ? DEFAULT_HOST : typed.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) {
    return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
  }
  throw new UsageError(
    `--host takes an IP address of this machine, not ${quote(typed, 60)}`,
    "names under which it is reached go into --public-url",
  );
}

function publicUrlOf(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  if (url?.protocol === "https:" && `${url.origin}/` === url.href) return url.origin;
  throw new UsageError(
    `--public-url takes an address such as https://vault.example, not ${quote(typed, 80)}`,
    "it begins with https://, and nothing follows the name and its port",
  );
}

function tlsFilesOf(
  cert: string | undefined,
  key: string | undefined,
  environment: Environment,
): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [there, missing] = cert === undefined ? ["key", "cert"] : ["cert", "key"];
    throw new UsageError(`--tls-${there} needs --tls-${missing} beside it`);
  }
  return { cert: absolute(cert, environment), key: absolute(key, environment) };
}

/** Whether only programs of this machine can reach an address. */
function isLoopback(host: string): boolean {
  return host === "::1" || /^127\./.test(host);
}

/** @throws UsageError where keys or ciphertext could cross a network in the open. */
function requireTls({ host, tls, publicUrl }: Whereabouts, behindProxy: boolean): void {
  if (behindProxy && tls) {
    throw new UsageError(
      "--behind-proxy and --tls-cert exclude each other: one of the two does TLS",
    );
  }
  if (behindProxy && publicUrl === undefined) {
    throw new UsageError("--behind-proxy needs --public-url, the address that the proxy serves");
  }
  if (publicUrl !== undefined && !behindProxy && !tls) {
    throw new UsageError(
      "--public-url is an https address, so it needs --behind-proxy, or --tls-cert and --tls-key",
    );
  }
  if (!isLoopback(host) && !tls && !behindProxy) {
    throw new UsageError(
      `others can reach ${host}, so it is served over TLS only`,
      "give --tls-cert and --tls-key; or --behind-proxy and --public-url when a proxy does TLS",
    );
  }
  if (/^(0\.0\.0\.0|::)$/.test(host) && publicUrl === undefined) {
    throw new UsageError(
      `${host} stands for every address of this machine, so --public-url must say which one people open`,
    );
  }
}

/** The address as the runtime's permissions have it. */
export function listenAddress({ host, port }: Whereabouts): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
