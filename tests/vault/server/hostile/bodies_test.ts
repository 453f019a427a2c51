// JSON bodies and uploads that are not what they say: each is refused with its reason, nothing of it is
// kept, and the next request is served.

import assert from "node:assert/strict";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { anyFileFields, anyFolderFields, anyName } from "../keyless/shapes.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

/** Sends a body as it is to a route of the agent's that takes JSON. */
async function post(body: BodyInit) {
  const { agent, origin } = target;
  const response = await fetch(`${origin}/api/agent/v1/folders`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${agent.token}`,
      "content-type": "application/json",
    },
    body,
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("a JSON body of more than 256 KiB is refused, with and without a stated length", async () => {
  const fields = { id: uuidV7(), parentId: target.folderId, ...anyFolderFields() };
  const large = JSON.stringify({ ...fields, name: "x".repeat(256 * 1024) });
  const stated = await post(large);
  assert.deepEqual([stated.status, stated.body.code], [413, "too_large"]);
  const streamed = await post(new Blob([large]).stream());
  assert.deepEqual([streamed.status, streamed.body.code], [413, "too_large"]);
  // 50 items of a usual size fit.
  const items = Array.from(
    { length: 50 },
    () => ({ kind: "file", id: uuidV7(), ...anyFileFields() }),
  );
  const { status, json } = await target.agent.call("POST", "/trash", { body: { items } });
  assert.equal(status, 200);
  assert.ok(json.results.every((result: { code: string }) => result.code === "not_found"));
});

Deno.test("what is no JSON object in UTF-8 is refused", async () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
    "",
    "null",
    "[]",
    "42",
    '"text"',
    "{",
    '{"id":}',
    "{'id': 1}",
    '{"id": 1}x',
    deep,
    `{"id": ${deep}}`,
    Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
    Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
    new Uint8Array(1000),
  ];
  for (const body of bodies) {
    const { status, body: said } = await post(body);
    assert.deepEqual([status, said.code], [400, "bad_request"], String(body).slice(0, 40));
    assert.ok(JSON.stringify(said).length < 500, "an answer does not repeat what was sent");
  }
});

Deno.test("fields that do not belong, and those that only look right, are refused by name", async () => {
  const good = () => ({ id: uuidV7(), parentId: target.folderId, ...anyFolderFields() });
  const bad: [string, Record<string, unknown>][] = [
    ["isAdmin", { ...good(), isAdmin: true }],
    ["ownerId", { ...good(), ownerId: uuidV7() }],
    ["kind", { ...good(), kind: "bin" }],
    ["id", { ...good(), id: uuidV7().toUpperCase() }],
    ["id", { ...good(), id: `${uuidV7()} ` }],
    ["id", { ...good(), id: [uuidV7()] }],
    ["id", { ...good(), id: "../../../etc/passwd" }],
    ["id", { ...good(), id: "' OR 1=1 --" }],
    ["parentId", { ...good(), parentId: null }],
    ["parentId", { ...good(), parentId: { $ne: null } }],
    ["name", { ...good(), name: "Invoices" }],
    ["name", { ...good(), name: anyName().replace('"v":6', '"v":4') }],
    ["name", { ...good(), name: anyName().padEnd(8193) }],
    ["fkWrapped", { ...good(), fkWrapped: "A".repeat(63) + "=" }],
    ["fkWrapped", { ...good(), fkWrapped: "-".repeat(64) }],
    ["fkIv", { ...good(), fkIv: "A".repeat(17) }],
  ];
  for (const [field, body] of bad) {
    const { status, json } = await target.agent.call("POST", "/folders", { body });
    assert.deepEqual([status, json.code], [400, "bad_request"], JSON.stringify(body));
    assert.ok(json.message.includes(field), `${json.message} names ${field}`);
  }
  const prototype = await post(
    JSON.stringify(good()).replace("{", '{"__proto__": {"isAdmin": true}, '),
  );
  assert.deepEqual([prototype.status, prototype.body.code], [400, "bad_request"]);
});

Deno.test("51 items are too many for one call", async () => {
  const items = Array.from(
    { length: 51 },
    () => ({ kind: "file", id: uuidV7(), ...anyFileFields() }),
  );
  const { status, json } = await target.agent.call("POST", "/trash", { body: { items } });
  assert.deepEqual([status, json.code, json.max], [400, "too_many_items", 50]);
});
