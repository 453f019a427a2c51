// What the HTTP side of the server lets through to the service, what it refuses by itself, and what it says
// in its log.

import assert from "node:assert/strict";
import type { ServiceRequest } from "../../../../vault/server/service/message.ts";
import { allOf, exchange, head, json, statusOf, withServer } from "./support.ts";

const PAGE = {
  "index.html": "<!doctype html>",
  "assets/0123/main.js": "start()",
  "assets/0123/styles.css": "p {}",
  "assets/0123/notes.unknown": "not served",
};

Deno.test("the page's addresses give the document, its files may be kept for ever", () =>
  withServer({ page: PAGE }, async ({ origin }) => {
    for (const path of ["/", "/files", "/files?settings=agents&connect=abc"]) {
      const answer = await fetch(origin + path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(await answer.text(), "<!doctype html>");
    }
    const script = await fetch(`${origin}/assets/0123/main.js`);
    assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(script.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(await script.text(), "start()");
  }));

Deno.test("what is no file of the page is not there, and the page's files can only be read", () =>
  withServer({ page: PAGE }, async ({ origin, port }) => {
    const paths = ["/index.html", "/assets/0123/", "/assets/0123/notes.unknown", "/favicon.ico"];
    for (
      const path of [...paths, "/assets/../index.html", "/assets/0123/%6dain.js", "//", "/api"]
    ) {
      assert.equal(statusOf(await exchange(port, head(port, `GET ${path}`))), 404, path);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await fetch(`${origin}/files`, { method });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.get("allow"), "GET, HEAD");
      assert.deepEqual(await answer.json(), { code: "method_not_allowed" });
    }
    const answer = await exchange(port, head(port, "HEAD /"));
    assert.match(answer, /^HTTP\/1\.1 200 [^]*content-length: 15\r\n[^]*\r\n\r\n$/);
  }));

Deno.test("every answer says what a browser may do with it, refusals and the service's own included", () =>
  withServer({ page: PAGE, service: () => json({ ok: true }) }, async ({ origin }) => {
    for (const path of ["/", "/nothing", "/api/thing/1", "/healthz"]) {
      const { headers, body } = await fetch(origin + path);
      await body?.cancel();
      assert.equal(
        headers.get("content-security-policy"),
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
          "connect-src 'self'; img-src 'self' data: blob:; " +
          "form-action 'self' http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'",
        path,
      );
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
      assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
      assert.equal(headers.get("strict-transport-security"), null);
      assert.equal(headers.get("server"), null);
    }
    assert.equal((await fetch(`${origin}/api/thing/1`)).headers.get("cache-control"), "no-store");
  }));

Deno.test("a server with a public https address says that it is reached over TLS only", () =>
  withServer({ page: PAGE, publicUrl: "https://vault.example" }, async ({ port }) => {
    const answer = await exchange(
      port,
      "GET / HTTP/1.1\r\nHost: Vault.Example\r\nConnection: close\r\n\r\n",
    );
    assert.match(answer, /^HTTP\/1\.1 200 [^]*\r\nstrict-transport-security: max-age=31536000\r\n/);
  }));

Deno.test("a request for another name is refused before anybody sees it, so no site can rebind its own", async () => {
  const seen: string[] = [];
  const service = ({ path }: ServiceRequest) => {
    seen.push(path);
    return json({});
  };
  await withServer({ page: PAGE, service }, async ({ port }) => {
    const foreign = [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `[::1]:${port}`,
      "",
    ];
    for (const host of foreign) {
      for (const path of ["/", "/api/thing/1"]) {
        const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const answer = await exchange(port, text);
        assert.equal(statusOf(answer), 421, host);
        assert.match(answer, /\r\n\r\n\{"code":"wrong_host"\}$/);
      }
    }
    const own = `Host: 127.0.0.1:${port}`;
    for (
      const [headers, status] of [
        [`${own}\r\n${own}`, 421],
        [`${own}\r\nHost: evil.example`, 421],
        [`Host: evil.example\r\n${own}`, 421],
        [`${own}\r\nX-Forwarded-Host: evil.example`, 200],
        [`Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1:${port}`, 421],
        [`Host: LOCALHOST:${port}`, 200],
      ] as const
    ) {
      const text = `GET / HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`;
      assert.equal(statusOf(await exchange(port, text)), status, headers);
    }
  });
  assert.deepEqual(seen, []);
});

Deno.test("a target that is no path is refused", () =>
  withServer({ page: PAGE }, async ({ port }) => {
    for (
      const [line, status] of [
        ["GET http://evil.example/", 400],
        [`GET http://127.0.0.1:${port}/`, 400],
        ["OPTIONS *", 400],
        ["GET /#fragment", 400],
        [`GET /?${"x".repeat(5000)}`, 414],
      ] as const
    ) {
      assert.equal(statusOf(await exchange(port, head(port, line))), status, line.slice(0, 40));
    }
    const huge = head(port, "GET /", `X: ${"x".repeat(20_000)}`);
    assert.equal(statusOf(await exchange(port, huge)), 431);
  }));

Deno.test("the service is given the method, the path, the query as sent, and the headers that it knows", async () => {
  const seen: ServiceRequest[] = [];
  const service = (request: ServiceRequest) => {
    seen.push(request);
    return json({});
  };
  await withServer({ service }, async ({ origin }) => {
    await (await fetch(`${origin}/api/a%2Fb/../c?limit=10&after=a%20b`, {
      headers: {
        authorization: "Bearer token",
        "content-type": "application/json",
        "idempotency-key": "key",
        range: "bytes=0-9",
        cookie: "session=1",
        "x-forwarded-for": "1.2.3.4",
        "user-agent": "somebody",
      },
    })).body?.cancel();
    await (await fetch(`${origin}/storage/v1/key`, { method: "PUT", body: "" })).body?.cancel();
  });
  const [first, second] = seen;
  assert.deepEqual(first, {
    method: "GET",
    path: "/api/c",
    query: "limit=10&after=a%20b",
    headers: {
      authorization: "Bearer token",
      "content-type": "application/json",
      "idempotency-key": "key",
      range: "bytes=0-9",
    },
    body: null,
  });
  assert.equal(second.method, "PUT");
  assert.equal(second.body, null, "an empty body is none");
});

Deno.test("bodies reach the service byte for byte, whether their length is known or not", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const sent = Array.from({ length: 20 }, () => bytes);
  const whole = new Uint8Array(await new Blob(sent).arrayBuffer());
  const service = async ({ body, headers }: ServiceRequest) => {
    assert.deepEqual(await allOf(body), whole);
    return json({ length: headers["content-length"] ?? null });
  };
  await withServer({ service }, async ({ origin }) => {
    const known = await fetch(`${origin}/storage/v1/key`, { method: "PUT", body: whole });
    assert.deepEqual(await known.json(), { length: String(whole.length) });
    const stream = ReadableStream.from(sent);
    const unknown = await fetch(`${origin}/storage/v1/key`, { method: "PUT", body: stream });
    assert.deepEqual(await unknown.json(), { length: null });
  });
});

Deno.test("the service's answers go out as they are: status, headers, JSON, nothing, or a stream of bytes", async () => {
  const bytes = Uint8Array.from({ length: 700_000 }, (_, i) => i * 31 >> 3);
  const answers = {
    "/api/json": json({ name: "ü" }, 201),
    "/api/nothing": { status: 200, headers: {}, body: null, route: "/" },
    "/api/none": { status: 204, headers: {}, body: null, route: "/" },
    "/api/stream": {
      status: 206,
      headers: { "content-length": "700000", "content-range": "bytes 0-699999/900000" },
      body: ReadableStream.from([bytes.slice(0, 1), bytes.slice(1, 400_000), bytes.slice(400_000)]),
      route: "/",
    },
  };
  const service = ({ path }: ServiceRequest) => answers[path as keyof typeof answers];
  await withServer({ service }, async ({ origin }) => {
    const created = await fetch(`${origin}/api/json`);
    assert.equal(created.status, 201);
    assert.deepEqual(await created.json(), { name: "ü" });
    const nothing = await fetch(`${origin}/api/nothing`);
    assert.deepEqual([nothing.status, await nothing.text()], [200, ""]);
    assert.equal(nothing.headers.get("content-length"), "0");
    const none = await fetch(`${origin}/api/none`);
    assert.deepEqual([none.status, none.headers.get("content-length")], [204, null]);
    const part = await fetch(`${origin}/api/stream`);
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), "bytes 0-699999/900000");
    assert.deepEqual(await part.bytes(), bytes);
  });
});

Deno.test("the log has one line for each answer, with the route and nothing that a request carried", () =>
  withServer({ page: PAGE, service: () => json({}, 404) }, async ({ origin, port, lines }) => {
    const headers = { authorization: "Bearer secret-token" };
    for (const path of ["/api/secret-id?secret=query", "/files?connect=secret", "/secret-path"]) {
      await (await fetch(origin + path, { headers })).body?.cancel();
    }
    await (await fetch(`${origin}/assets/0123/main.js`)).body?.cancel();
    await exchange(
      port,
      "GET /secret HTTP/1.1\r\nHost: secret.example\r\nConnection: close\r\n\r\n",
    );
    const stripped = lines.map((line) => {
      const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*) \d+ms$/.exec(line);
      assert.ok(match, line);
      return match[1];
    });
    assert.deepEqual(stripped, [
      "GET /api/thing/:id 404",
      "GET /files 200",
      "GET (no route) 404",
      "GET /assets/:name 200",
      "GET (refused) 421",
    ]);
  }));

Deno.test("/healthz says whether the vault's room is there", async () => {
  let ready = true;
  await withServer({ isReady: () => ready }, async ({ origin }) => {
    const well = await fetch(`${origin}/healthz`);
    assert.deepEqual([well.status, await well.json()], [200, { ok: true }]);
    ready = false;
    const ill = await fetch(`${origin}/healthz`);
    assert.deepEqual([ill.status, await ill.json()], [503, { code: "unavailable" }]);
  });
});
