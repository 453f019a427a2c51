// Requests whose beginning and end can be read in two ways, and paths that lead out of where they seem to
// lead. Behind a proxy that reads them the other way they would become a second request of somebody
// else's; here each gets one answer, or none, and the connection is not used again.

import assert from "node:assert/strict";
import { rawAnswer, RawConnection, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

const STATUS = "GET /api/owner/v1/status HTTP/1.1";
const LOGIN = "POST /api/owner/v1/login/start HTTP/1.1";

/** Sends what hides a second request; gives the statuses of all answers until the server closes. */
async function answersTo(text: string): Promise<number[]> {
  using connection = await RawConnection.open(target.origin);
  await connection.send(text);
  const statuses: number[] = [];
  for (;;) {
    const answer = await connection.answer();
    if (answer === undefined) return statuses;
    statuses.push(answer.status);
  }
}

Deno.test("a request with two ideas of its own length is refused and the connection closed", async () => {
  const { origin } = target;
  const hidden = requestText(origin, STATUS);
  const type = "Content-Type: application/json";
  const chunked = "Transfer-Encoding: chunked";
  const shapes: Record<string, string[]> = {
    "length, then chunked": ["Content-Length: 5", chunked],
    "chunked, then length": [chunked, "Content-Length: 5"],
    "two lengths": ["Content-Length: 5", "Content-Length: 6"],
    "two lengths in one": ["Content-Length: 5, 6"],
    "chunked twice": [chunked, chunked],
    "chunked and another": ["Transfer-Encoding: chunked, identity"],
    "another alone": ["Transfer-Encoding: xchunked"],
    "a space before the colon": ["Transfer-Encoding : chunked"],
    "a vertical tab": ["Transfer-Encoding:\vchunked"],
    "a folded line": ["Transfer-Encoding:", " chunked"],
    "a negative length": ["Content-Length: -5"],
    "a signed length": ["Content-Length: +5"],
    "a hexadecimal length": ["Content-Length: 0x5"],
    "a length with a comma": ["Content-Length: 5,"],
    "an endless length": ["Content-Length: 99999999999999999999999"],
  };
  for (const [shape, headers] of Object.entries(shapes)) {
    const text = requestText(origin, LOGIN, [type, ...headers], { body: `0\r\n\r\n${hidden}` });
    const statuses = await answersTo(text);
    assert.ok(statuses.length <= 1, `${shape}: ${statuses}`);
    for (const status of statuses) assert.ok(status >= 400 && status < 500, `${shape}: ${status}`);
  }
});

Deno.test("chunks that are none end the connection", async () => {
  const { origin } = target;
  const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
  const hidden = requestText(origin, STATUS);
  for (
    const body of [
      `zz\r\n{}\r\n0\r\n\r\n${hidden}`,
      `ffffffffffffffffff\r\n{}${hidden}`,
      `-2\r\n{}\r\n0\r\n\r\n${hidden}`,
      `0x2\r\n{}\r\n0\r\n\r\n${hidden}`,
      `2\n{}\n0\n\n${hidden}`,
      `2\r\n{}x\r\n0\r\n\r\n${hidden}`,
    ]
  ) {
    const statuses = await answersTo(requestText(origin, LOGIN, headers, { body }));
    assert.ok(statuses.length <= 1, `${JSON.stringify(body.slice(0, 12))}: ${statuses}`);
    for (const status of statuses) assert.ok(status >= 400, `${status}`);
  }
});

Deno.test("heads that are not HTTP/1.1 as it is written get one refusal or none", async () => {
  const { origin } = target;
  const { host } = new URL(origin);
  const heads = [
    `${STATUS}\nHost: ${host}\n\n`,
    `${STATUS}\r\nHost: ${host}\r\n Folded: x\r\n\r\n`,
    `${STATUS}\r\nHost : ${host}\r\n\r\n`,
    `${STATUS}\r\nHost: ${host}\r\nNo colon\r\n\r\n`,
    `${STATUS}\r\nHost: ${host}\r\nX: a\0b\r\n\r\n`,
    `${STATUS}\r\nHost: ${host}\r\nX: a\rb\r\n\r\n`,
    `${STATUS}\r\nHost: ${host}\r\n: empty\r\n\r\n`,
    `${STATUS}\r\nHost: ${host}\r\nHost: other.example\r\n\r\n`,
    `${STATUS}\r\n\r\n`,
    `GET /api/owner/v1/status\r\n\r\n`,
    `GET  /api/owner/v1/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET /api/owner/v1/status HTTP/1.2\r\nHost: ${host}\r\n\r\n`,
    `GET /api/owner/v1/status HTTP/9.9\r\nHost: ${host}\r\n\r\n`,
    `GET\t/api/owner/v1/status\tHTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `G\u00c9T / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`.padEnd(600, "\0"),
    `${"A".repeat(100_000)}\r\n\r\n`,
    "\r\n".repeat(2000),
  ];
  for (const head of heads) {
    using connection = await RawConnection.open(origin);
    await connection.send(head);
    await connection.closeWriting();
    const answer = await connection.answer();
    const what = JSON.stringify(head.slice(0, 60));
    assert.ok(answer === undefined || answer.status >= 400, `${what}: ${answer?.status}`);
    assert.ok(await connection.closes(5000), `${what}: closed`);
  }
});

Deno.test("too many and too large headers are refused", async () => {
  const { origin } = target;
  const floods = {
    "many": Array.from({ length: 50_000 }, (_, index) => `X-${index}: a`),
    "long": [`X: ${"a".repeat(1024 * 1024)}`],
    "a long name": [`${"X".repeat(200_000)}: a`],
    "a long cookie": [`Cookie: ${"a=b; ".repeat(100_000)}`],
  };
  for (const [what, headers] of Object.entries(floods)) {
    const answer = await rawAnswer(origin, requestText(origin, STATUS, headers));
    assert.ok(
      answer === undefined || [400, 413, 431].includes(answer.status),
      `${what}: ${answer?.status}`,
    );
  }
  const long = await rawAnswer(origin, requestText(origin, `GET /${"a".repeat(200_000)} HTTP/1.1`));
  assert.ok(long === undefined || [400, 414, 431].includes(long.status), `${long?.status}`);
});

Deno.test("a target in another form reaches nothing that its path would not", async () => {
  const { origin } = target;
  for (
    const [line, expected] of [
      ["GET http://other.example/api/owner/v1/status HTTP/1.1", [400, 403, 404, 421]],
      ["OPTIONS * HTTP/1.1", [400, 403, 404, 405]],
      ["GET //other.example/api/owner/v1/status HTTP/1.1", [400, 403, 404]],
      ["GET /\\other.example HTTP/1.1", [400, 403, 404]],
      ["TRACE /api/owner/v1/status HTTP/1.1", [400, 404, 405, 501]],
    ] as const
  ) {
    const answer = await rawAnswer(origin, requestText(origin, line));
    assert.ok(
      answer !== undefined && (expected as readonly number[]).includes(answer.status),
      `${line}: ${answer?.status}`,
    );
    assert.ok(!new TextDecoder().decode(answer.body).includes("initialized"), line);
  }
});

Deno.test("no spelling of a path leads out of the assets", async () => {
  const { origin, serving } = target;
  const up = [
    "..",
    "%2e%2e",
    "%2E%2E",
    ".%2e",
    "..%2f",
    "..%5c",
    "%252e%252e",
    "..;",
    "%c0%ae%c0%ae",
    "....//",
  ];
  const targets = up.flatMap((step) => [
    `/assets/${`${step}/`.repeat(8)}etc/passwd`,
    `/assets/${step}/api/owner/v1/status`,
    `/${step}/${step}/etc/passwd`,
  ]);
  targets.push(
    "/assets//etc/passwd",
    "/assets/%00",
    "/assets/app.js%00.css",
    "/assets/%",
    "/assets/%zz",
    "/assets/vault.db",
    "/vault.db",
    "/.env",
    "/assets/constructor",
    "/assets/__proto__",
    "/constructor",
  );
  for (const path of targets) {
    const answer = await rawAnswer(origin, requestText(origin, `GET ${path} HTTP/1.1`));
    assert.ok(answer !== undefined, path);
    const text = new TextDecoder().decode(answer.body);
    assert.doesNotMatch(text, /root:|SQLite format|initialized/, path);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
  }
  assert.doesNotMatch(serving.log, /passwd/, "no path is logged");
});

Deno.test("an upgrade and an expectation change nothing", async () => {
  const { origin } = target;
  const upgrade = await rawAnswer(
    origin,
    requestText(origin, STATUS, [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Version: 13",
    ]),
  );
  assert.equal(upgrade?.status, 200);
  const h2c = await rawAnswer(
    origin,
    requestText(origin, STATUS, [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAAA",
    ]),
  );
  assert.equal(h2c?.status, 200);
});

Deno.test("requests one behind the other are answered in their order", async () => {
  const { origin, agent } = target;
  using connection = await RawConnection.open(origin);
  const authorized = [`Authorization: Bearer ${agent.token}`];
  await connection.send(
    requestText(origin, "GET /api/agent/v1/grant HTTP/1.1", authorized) +
      requestText(origin, "GET /api/agent/v1/grant HTTP/1.1") +
      requestText(origin, STATUS),
  );
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await connection.answer())?.status);
  // The second has no credential of its own and gets none from the first.
  assert.deepEqual(statuses, [200, 401, 200]);
});
