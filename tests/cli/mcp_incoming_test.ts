// What a line from the client is, and what may come before an opening.

import assert from "node:assert/strict";
import fc from "fast-check";
import { Opening, readIncoming } from "../../cli/mcp/incoming.ts";

const read = (value: unknown) => readIncoming(new TextEncoder().encode(JSON.stringify(value)));

Deno.test("every JSON value is taken, refused with an error, or left alone; nothing throws", () => {
  const parts = fc.record({
    jsonrpc: fc.constantFrom("2.0", "1.0", 2, null),
    id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom("initialize", "ping", "tools/call"), fc.jsonValue()),
    params: fc.oneof(fc.object(), fc.jsonValue()),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(parts, fc.jsonValue()), (value) => {
      const incoming = read(value);
      if (incoming.kind === "refused") {
        assert.ok([-32700, -32600, -32602].includes(incoming.code));
        assert.ok(incoming.message.length < 300);
      }
      const asks = typeof value === "object" && value !== null && "method" in value &&
        Number.isSafeInteger((value as { id?: unknown }).id) && !("result" in value) &&
        !("error" in value);
      if (asks) assert.notEqual(incoming.kind, "ignored");
    }),
    { numRuns: 500, seed: 11 },
  );
});

Deno.test("a request keeps its id in the refusal, where it has a usable one", () => {
  const refused = read({ jsonrpc: "2.0", id: "q", method: "x", params: [] });
  assert.deepEqual([refused.kind, "id" in refused && refused.id], ["refused", "q"]);
  const nameless = read({ jsonrpc: "2.0", id: {}, method: "x" });
  assert.deepEqual([nameless.kind, "id" in nameless && nameless.id], ["refused", null]);
});

Deno.test("bytes that are not UTF-8 are refused instead of being replaced", () => {
  const bytes = new Uint8Array([0x22, 0xff, 0x22]);
  const refused = readIncoming(bytes);
  assert.equal("code" in refused && refused.code, -32700);
});

Deno.test("only a handshake, a ping or a marked request opens a connection", () => {
  const admit = (opening: Opening, value: unknown) => {
    const incoming = read(value);
    assert.ok(incoming.kind === "message");
    return opening.admit(incoming.message).kind;
  };
  const request = (method: string, params?: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
  const marked = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const notification = { jsonrpc: "2.0", method: "notifications/x" };

  const opening = new Opening();
  assert.equal(admit(opening, request("tools/list")), "refused");
  assert.equal(admit(opening, notification), "ignored");
  assert.equal(admit(opening, { ...notification, method: "initialize" }), "ignored");
  assert.equal(admit(opening, request("ping")), "message");
  assert.equal(admit(opening, request("tools/list")), "refused");
  assert.equal(admit(opening, request("initialize", {})), "message");
  assert.equal(admit(opening, request("tools/list")), "message");
  assert.equal(admit(opening, notification), "message");

  const stateless = new Opening();
  assert.equal(admit(stateless, request("tools/list", marked)), "message");
  assert.equal(admit(stateless, notification), "message");
  assert.equal(admit(stateless, request("tools/list")), "refused");
});
