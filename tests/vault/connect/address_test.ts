// The address of the page: what is in it, that its own reader understands it, and that no other address
// would be opened.

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  CLIENT_HINTS,
  hintFor,
  isPageAddress,
  labelFrom,
  pageAddress,
} from "../../../vault/connect/mod.ts";
import { readHandoff } from "../../../web/handoff/request.ts";

const STATE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP-";
const ASKING = { origin: "https://vault.example", client: "claude-code" as const };
const DEADLINE = 1_800_000_000_999;

Deno.test("the address has the state, the port, the hint, the label and the deadline in whole seconds", () => {
  assert.equal(
    pageAddress({ ...ASKING, label: "My laptop" }, { state: STATE, port: 40123 }, DEADLINE),
    `https://vault.example/files?settings=agents&connect=${STATE}&port=40123&client=claude-code` +
      "&label=My+laptop&exp=1800000000",
  );
  const plain = pageAddress(ASKING, { state: STATE, port: 40123 }, DEADLINE);
  assert.ok(!plain.includes("label"));
});

Deno.test("the page reads from it what was put in, whatever the label is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...CLIENT_HINTS),
      fc.integer({ min: 1024, max: 65535 }),
      (text, client, port) => {
        const label = labelFrom(text);
        const address = pageAddress({ ...ASKING, client, label }, { state: STATE, port }, DEADLINE);
        assert.ok(isPageAddress(address), address);
        const read = readHandoff(new URL(address).search, DEADLINE - 600_000);
        assert.deepEqual(read, {
          request: {
            state: STATE,
            port,
            client,
            label: label ?? null,
            deadline: Math.floor(DEADLINE / 1000) * 1000,
          },
        });
      },
    ),
    { seed: 9, numRuns: 300 },
  );
});

Deno.test("a label is printable ASCII with single spaces, of 2 to 48 characters, or none", () => {
  assert.equal(labelFrom("  Claude \t at\n home "), "Claude at home");
  assert.equal(labelFrom("Büro\u202e\u0007"), "Bro");
  assert.equal(labelFrom("x"), undefined);
  assert.equal(labelFrom("\u4e2d\u6587"), undefined);
  assert.equal(labelFrom("ab ".repeat(40)), "ab ".repeat(16).trim());
});

Deno.test("a client is known by its own name, and else it is another one", () => {
  const names = {
    "Claude-Code": "claude-code",
    "claude code 2": "claude-code",
    "claude-ai": "claude-desktop",
    Cursor: "cursor",
    "ChatGPT": "chatgpt",
    "openai-mcp": "chatgpt",
    "Zed": "other",
    "": "other",
  };
  for (const [name, hint] of Object.entries(names)) assert.equal(hintFor(name), hint, name);
});

Deno.test("an address of a server that is not encrypted and not here is not made", () => {
  for (
    const origin of ["http://vault.example", "ftp://vault.example", "https://a:b@vault.example"]
  ) {
    assert.throws(
      () => pageAddress({ ...ASKING, origin }, { state: STATE, port: 40123 }, DEADLINE),
      { code: "invalid_origin" },
    );
  }
  const here = { ...ASKING, origin: "http://127.0.0.1:8443/somewhere?x=1" };
  const address = pageAddress(here, { state: STATE, port: 40123 }, DEADLINE);
  assert.match(address, /^http:\/\/127\.0\.0\.1:8443\/files\?settings=agents&/);
  assert.ok(isPageAddress(address));
});

Deno.test("nothing but such an address is opened", () => {
  const good = pageAddress({ ...ASKING, label: "A b" }, { state: STATE, port: 40123 }, DEADLINE);
  assert.ok(isPageAddress(good));
  const bad = [
    "",
    "--version",
    "file:///etc/passwd",
    "calc:",
    "javascript:alert(1)",
    "https://vault.example/",
    good.replace("https:", "file:"),
    good.replace("https:", "http:"),
    good.replace("https:", "HTTPS:"),
    good.replace("vault.example", "user:word@vault.example"),
    good.replace("vault.example", "vault.example$(id)"),
    good.replace("/files", "/files/../x"),
    good.replace("settings=agents", "settings=other"),
    `${good}&x=$(id)`,
    `${good}&x=\`id\``,
    `${good}&x=a;id`,
    `${good}&x=a|id`,
    `${good}&x=a^b`,
    `${good}&x="a"`,
    `${good}\n--flag`,
    ` ${good}`,
    `${good} more`,
    `${good}#fragment`,
    `-${good}`,
  ];
  for (const address of bad) assert.equal(isPageAddress(address), false, address);
});
