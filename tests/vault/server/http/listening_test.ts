// Where a server listens and under which names it answers, with TLS and without.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { ToolError } from "../../../../containment/mod.ts";
import { assetsOf, pagesOf } from "../../../../vault/server/http/assets.ts";
import { HTTP_LIMITS } from "../../../../vault/server/http/limits.ts";
import { acceptedHosts, acceptedOrigins, originOf } from "../../../../vault/server/http/names.ts";
import { securityHeaders } from "../../../../vault/server/http/security_headers.ts";
import { HttpServer, type Tls } from "../../../../vault/server/http/server.ts";
import { inTempDir } from "../../../support.ts";
import { certificate, statusOf, Wire, withServer } from "./support.ts";

Deno.test("a server answers to the address it listens on, and to localhost where that is the same", () => {
  const hosts = (
    host: string,
    port: number,
    tls = false,
    publicUrl?: string,
  ) => [...acceptedHosts({ host, port, tls, publicUrl })];
  assert.deepEqual(hosts("127.0.0.1", 8443), ["127.0.0.1:8443", "localhost:8443"]);
  assert.deepEqual(hosts("::1", 8443), ["[::1]:8443", "localhost:8443"]);
  assert.deepEqual(hosts("127.0.0.2", 8443), ["127.0.0.2:8443"]);
  assert.deepEqual(hosts("192.0.2.7", 8443, true), ["192.0.2.7:8443"]);
  assert.deepEqual(hosts("192.0.2.7", 443, true), ["192.0.2.7", "192.0.2.7:443"]);
  assert.deepEqual(hosts("127.0.0.1", 80), [
    "127.0.0.1",
    "127.0.0.1:80",
    "localhost",
    "localhost:80",
  ]);
});

Deno.test("a server answers to its public name; every address of the machine is no name", () => {
  const proxied = { host: "127.0.0.1", port: 8443, tls: false, publicUrl: "https://vault.example" };
  assert.deepEqual([...acceptedHosts(proxied)].slice(2), ["vault.example", "vault.example:443"]);
  const everywhere = { host: "0.0.0.0", port: 8443, tls: true };
  assert.deepEqual([...acceptedHosts({ ...everywhere, publicUrl: "https://v.example:8443" })], [
    "v.example:8443",
  ]);
  assert.deepEqual([...acceptedHosts({ ...everywhere, host: "::" })], []);
});

Deno.test("the page's own origins are those of the server's names, the public one with its own scheme", () => {
  const local = { host: "127.0.0.1", port: 8443, tls: false };
  assert.deepEqual([...acceptedOrigins(local)], ["http://127.0.0.1:8443", "http://localhost:8443"]);
  const proxied = { ...local, port: 80, publicUrl: "https://vault.example" };
  assert.deepEqual([...acceptedOrigins(proxied)], [
    "http://127.0.0.1",
    "http://localhost",
    "https://vault.example",
  ]);
  const everywhere = { host: "::", port: 443, tls: true, publicUrl: "https://v.example:8443" };
  assert.deepEqual([...acceptedOrigins(everywhere)], ["https://v.example:8443"]);
});

Deno.test("the address that people open is the public one, else the one that is listened on", () => {
  const origin = (host: string, port: number, tls = false, publicUrl?: string) =>
    originOf({ host, port, tls, publicUrl });
  assert.equal(origin("127.0.0.1", 8443), "http://127.0.0.1:8443");
  assert.equal(origin("127.0.0.1", 80), "http://127.0.0.1");
  assert.equal(origin("::1", 443, true), "https://[::1]");
  assert.equal(origin("0.0.0.0", 1, true, "https://vault.example"), "https://vault.example");
});

Deno.test("a browser is told to insist on TLS where there is TLS, but not for all of localhost", () => {
  const insists = (origin: string) => "strict-transport-security" in securityHeaders(origin);
  assert.deepEqual(
    ["https://vault.example", "http://127.0.0.1:1", "https://localhost:8443"].map(insists),
    [true, false, false],
  );
});

Deno.test("only files of known types are handed out, and none without a page", () => {
  const bytes = new Uint8Array();
  const assets = assetsOf(new Map([["index.html", bytes], ["a/b.map", bytes], ["x.css", bytes]]));
  assert.deepEqual(assets.map(({ path }) => path), ["/index.html", "/x.css"]);
  assert.deepEqual([...pagesOf(assets).keys()], ["/x.css", "/", "/files"]);
  assert.deepEqual([...pagesOf([]).keys()], []);
});

Deno.test("over TLS the same is served, and a client that does not speak it is soon rid of", () =>
  inTempDir(async (dir) => {
    const tls = await certificate(dir);
    if (tls === undefined) return;
    const limits = { handshakeMs: 400 };
    await withServer({ tls, limits, page: { "index.html": "hello" } }, async ({ origin, port }) => {
      const client = Deno.createHttpClient({ caCerts: [tls.cert] });
      const answer = await fetch(`${origin}/`, { client });
      assert.equal(await answer.text(), "hello");
      assert.match(answer.headers.get("strict-transport-security") ?? "", /^max-age=\d+$/);
      client.close();
      using silent = await Wire.open(port);
      const start = performance.now();
      assert.equal(await silent.rest(), "");
      assert.ok(performance.now() - start < 3000);
      using plain = await Wire.open(port);
      await plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.ok(Number.isNaN(statusOf(await plain.rest())));
    });
  }));

function server(tls?: Tls): HttpServer {
  return new HttpServer({
    service: { handle: () => Promise.reject(new Error("not asked")) },
    isReady: () => true,
    pages: new Map(),
    hosts: new Set(),
    origins: new Set(),
    limits: HTTP_LIMITS,
    tls,
    headers: {},
    log: () => {},
  });
}

function code(expected: string) {
  return (error: unknown) => error instanceof ToolError && error.code === expected;
}

Deno.test("a certificate that cannot be used is refused before anything listens", () =>
  inTempDir(async (dir) => {
    const [one, two] = [await certificate(dir), await certificate(dir)];
    if (one === undefined || two === undefined) return;
    for (
      const tls of [
        { cert: one.cert, key: two.key },
        { cert: one.cert, key: "no key" },
        { cert: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key: one.key },
      ]
    ) {
      await assert.rejects(server(tls).listen("127.0.0.1", 0), code("tls_unusable"));
    }
  }));

Deno.test("an address that is taken, or not this machine's, is said to be so", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  await assert.rejects(server().listen("127.0.0.1", port), code("address_in_use"));
  await assert.rejects(server().listen("192.0.2.1", 0), code("address_refused"));
  await new Promise((resolve) => other.close(resolve));
});
