// Web pages that are not the vault's own: on another origin, or on a name that was made to point here. A
// browser on the owner's computer can reach the server for them, so the server must not answer them.

import assert from "node:assert/strict";
import { rawAnswer, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

const PATHS = ["/", "/api/owner/v1/status", "/api/agent/v1/grant", "/storage/v1/00", "/files"];

Deno.test("a request under another host's name is refused on every path", async () => {
  const { origin } = target;
  const { port } = new URL(origin);
  const hosts = [
    "attacker.example",
    `attacker.example:${port}`,
    `127.0.0.1.attacker.example:${port}`,
    `127.0.0.1:${Number(port) + 1}`,
    `127.1:${port}`,
    `0:${port}`,
    `2130706433:${port}`,
    `127.0.0.1:${port}@attacker.example`,
    `127.0.0.1:${port}/`,
    `127.0.0.1:${port}, attacker.example`,
    `[::ffff:127.0.0.1]:${port}`,
    "",
    " ",
  ];
  for (const host of hosts) {
    for (const path of PATHS) {
      const answer = await rawAnswer(
        origin,
        requestText(origin, `GET ${path} HTTP/1.1`, [], { host }),
      );
      assert.ok(
        answer === undefined || [400, 403, 421].includes(answer.status),
        `${JSON.stringify(host)} ${path}: ${answer?.status}`,
      );
    }
  }
  const absent = await rawAnswer(origin, requestText(origin, "GET / HTTP/1.1", [], { host: null }));
  assert.ok(absent === undefined || [400, 403, 421].includes(absent.status), `${absent?.status}`);
});

Deno.test("a request from another origin is refused, and no answer lets another origin read it", async () => {
  const { origin, agent } = target;
  const { port } = new URL(origin);
  const foreign = [
    "https://attacker.example",
    `http://attacker.example:${port}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    `https://127.0.0.1:${port}`,
    `http://localhost.attacker.example:${port}`,
    "null",
    "file://",
  ];
  for (const from of foreign) {
    for (
      const [method, path] of [
        ["GET", "/api/owner/v1/status"],
        ["POST", "/api/owner/v1/login/start"],
        ["GET", "/api/agent/v1/grant"],
        ["OPTIONS", "/api/owner/v1/login"],
      ]
    ) {
      const answer = await rawAnswer(
        origin,
        requestText(origin, `${method} ${path} HTTP/1.1`, [
          `Origin: ${from}`,
          `Authorization: Bearer ${agent.token}`,
          "Content-Length: 0",
          "Access-Control-Request-Method: POST",
          "Access-Control-Request-Headers: authorization",
        ]),
      );
      assert.equal(answer?.status, 403, `${from} ${method} ${path}`);
      for (const [name] of answer.headers) assert.doesNotMatch(name, /^access-control-/);
    }
  }
  const own = await rawAnswer(
    origin,
    requestText(origin, "GET /api/owner/v1/status HTTP/1.1", [`Origin: ${origin}`]),
  );
  assert.equal(own?.status, 200);
});

Deno.test("every answer carries the headers that keep a browser from guessing and framing", async () => {
  const { origin, agent } = target;
  const answers = [
    await fetch(`${origin}/`),
    await fetch(`${origin}/files?settings=agents&connect=x&port=1`),
    await fetch(`${origin}/nothing-here`),
    await fetch(`${origin}/api/owner/v1/status`),
    await fetch(`${origin}/api/owner/v1/folders`),
    await agent.raw("GET", "/grant"),
    await agent.raw("GET", "/nothing-here"),
  ];
  for (const answer of answers) {
    const { headers, url } = answer;
    await answer.body?.cancel();
    assert.equal(headers.get("x-content-type-options"), "nosniff", url);
    assert.equal(headers.get("referrer-policy"), "no-referrer", url);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/, url);
    assert.match(policy, /frame-ancestors 'none'/, url);
    assert.doesNotMatch(policy, /'unsafe-(eval|inline|hashes)'/, url);
    // The one address beside its own: where the hand-off is delivered, on this machine.
    const sources = policy.split(/[;\s]+/).filter((part) => /\*|^https?:|^wss?:/.test(part));
    assert.deepEqual(sources, ["http://127.0.0.1:*"], url);
    assert.equal(headers.get("access-control-allow-origin"), null, url);
    assert.equal(headers.get("set-cookie"), null, url);
  }
});

Deno.test("what was fetched with a credential is stored by no cache", async () => {
  const { agent, owner, folderId } = target;
  const file = await agent.upload(folderId, 5000);
  for (
    const answer of [
      await agent.raw("GET", "/grant"),
      await agent.download(file.id),
      await owner.raw("GET", "/folders"),
      await owner.content(file.id),
    ]
  ) {
    await answer.body?.cancel();
    assert.equal(answer.headers.get("cache-control"), "no-store", answer.url);
  }
});
