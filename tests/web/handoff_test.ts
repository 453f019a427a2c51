// What the page makes of the address that a program opened it with: whatever is in it, only a port, a state,
// a known hint, a plain label and a deadline come out.

import assert from "node:assert/strict";
import fc from "fast-check";
import { CLIENT_HINTS } from "../../web/connections/clients.ts";
import { type Handoff, type HandoffRequest, readHandoff } from "../../web/handoff/request.ts";

const NOW = Date.UTC(2026, 0, 1);
const STATE = "A-b_".repeat(10) + "xyz";

function addressWith(changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    settings: "agents",
    connect: STATE,
    port: "51234",
    client: "cursor",
    label: "Cursor at work",
    exp: String(NOW / 1000 + 300),
    ...changes,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams(given as [string, string][])}`;
}

function requestIn(handoff: Handoff | undefined): HandoffRequest {
  assert.ok(handoff !== undefined && "request" in handoff, JSON.stringify(handoff));
  return handoff.request;
}

function read(changes: Record<string, string | undefined>): HandoffRequest {
  return requestIn(readHandoff(addressWith(changes), NOW));
}

function isRefused(search: string): boolean {
  const handoff = readHandoff(search, NOW);
  return handoff !== undefined && "fault" in handoff;
}

Deno.test("a program's address gives its request", () => {
  assert.deepEqual(read({}), {
    state: STATE,
    port: 51234,
    client: "cursor",
    label: "Cursor at work",
    deadline: NOW + 300_000,
  });
});

Deno.test("an address without a state is no hand-off", () => {
  assert.equal(readHandoff("?settings=agents&port=51234", NOW), undefined);
  assert.equal(readHandoff("", NOW), undefined);
});

Deno.test("a port is a number from 1024 to 65535 and nothing else", () => {
  for (const port of ["1024", "65535"]) assert.equal(read({ port }).port, Number(port));
  const wrong = [
    "0",
    "80",
    "1023",
    "65536",
    "99999",
    "051234",
    "+51234",
    "51234.0",
    "5e4",
    " 51234",
  ]
    .concat(
      "51234\n",
      "0xc822",
      "51234@evil.example",
      "evil.example:51234",
      "51234/x",
      "５１２３４",
      "",
    );
  for (const port of wrong) assert.ok(isRefused(addressWith({ port })), JSON.stringify(port));
  assert.ok(isRefused(addressWith({ port: undefined })));
});

Deno.test("a state is 43 characters of base64url", () => {
  for (
    const connect of ["", STATE.slice(1), `${STATE}A`, `${STATE.slice(1)}=`, `${STATE.slice(1)} `]
  ) {
    assert.ok(isRefused(addressWith({ connect })), connect);
  }
});

Deno.test("what stands in the address twice counts as absent", () => {
  assert.ok(isRefused(`${addressWith()}&port=51235`));
  assert.ok(isRefused(`${addressWith()}&connect=${STATE}`));
  const twice = `${addressWith()}&client=chatgpt&label=Other`;
  assert.equal(requestIn(readHandoff(twice, NOW)).client, "other");
  assert.equal(requestIn(readHandoff(twice, NOW)).label, null);
});

Deno.test("a deadline is needed, and none is further away than programs wait", () => {
  for (const exp of ["", "soon", "-1", "1e9", "9".repeat(13), undefined]) {
    assert.ok(isRefused(addressWith({ exp })), exp);
  }
  assert.equal(read({ exp: "999999999999" }).deadline, NOW + 600_000);
  assert.equal(read({ exp: "1000" }).deadline, 1_000_000);
});

Deno.test("a label is 2 to 48 printable characters with single blanks", () => {
  assert.equal(read({ label: "  a \t\u202e b\n" }).label, "a b");
  assert.equal(read({ label: "x" }).label, null);
  assert.equal(read({ label: "日本語" }).label, null);
  assert.equal(read({ label: undefined }).label, null);
  assert.equal(read({ label: "ab ".repeat(40) }).label, "ab ".repeat(16).trim());
  assert.equal(read({ label: "<script>alert(1)</script>" }).label, "<script>alert(1)</script>");
});

Deno.test("whatever is in an address, only what is allowed comes out", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(text, text, fc.nat(70_000), text, (connect, client, port, label) => {
      const handoff = readHandoff(
        addressWith({
          connect: connect.length % 2 ? connect : STATE,
          client,
          label,
          port: `${port}`,
        }),
        NOW,
      );
      if (handoff === undefined || "fault" in handoff) return;
      const { request } = handoff;
      assert.match(request.state, /^[A-Za-z0-9_-]{43}$/);
      assert.ok(Number.isInteger(request.port) && request.port >= 1024 && request.port <= 65535);
      assert.ok(CLIENT_HINTS.includes(request.client));
      if (request.label !== null) {
        assert.match(request.label, /^[\x21-\x7e]+( [\x21-\x7e]+)*$/);
        assert.ok(request.label.length >= 2 && request.label.length <= 48);
      }
    }),
    { seed: 9, numRuns: 300 },
  );
});
