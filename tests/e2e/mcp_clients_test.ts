// The server as the two generations of the official client see it: what it lists, what calls give,
// and that the results are what the published schemas promise.

import assert from "node:assert/strict";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { inTempDir, plant } from "../support.ts";
import { ENTRY } from "./mcp_process.ts";

const INFO = { name: "test", version: "0" };

function launch(words: string[]) {
  const { SHIELDFIVE_MCP_ROOTS: _roots, ...env } = Deno.env.toObject();
  return {
    command: Deno.execPath(),
    args: ["run", "-A", ENTRY, "mcp", ...words],
    env: { ...env, SHIELDFIVE_GRANT: "none" },
    stderr: "ignore" as const,
  };
}

interface Listed {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: Record<string, unknown>;
}

interface JsonObject {
  type?: unknown;
  required?: unknown;
  additionalProperties?: unknown;
  properties?: Record<string, unknown>;
}

interface Result {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** What the clients of both generations can do. */
interface Client {
  listTools(): Promise<{ tools: Listed[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Result>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** A connected client of the 1.x SDK. */
async function client1(words: string[]): Promise<Client> {
  const client = new Client1(INFO);
  await client.connect(new Stdio1(launch(words)));
  return client as unknown as Client;
}

/** A connected client of the 2.x SDK that speaks the stateless protocol. */
async function client2(words: string[]): Promise<Client> {
  const client = new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new Stdio2(launch(words)));
  return client as unknown as Client;
}

/** Runs the body with a client of each generation, on a folder with two files. */
function withEach(
  name: string,
  words: string[],
  body: (client: Client, dir: string, test: Deno.TestContext) => Promise<void>,
): void {
  for (const [generation, connect] of [["1.x", client1], ["2.x", client2]] as const) {
    Deno.test(`${name} (client ${generation})`, async (test) => {
      await inTempDir(async (dir) => {
        plant(dir, { "a.txt": "hello", "b/c.bin": new Uint8Array(2000) });
        const client = await connect([dir, ...words]);
        try {
          await body(client, dir, test);
        } finally {
          await client.close();
        }
      });
    });
  }
}

const READING = [
  "find_duplicates",
  "find_large_files",
  "find_old_files",
  "list_local",
  "list_trash",
  "storage_summary",
];
const CHANGING = [
  "create_local_folder",
  "move_local",
  "rename_local",
  "restore_local",
  "trash_local",
];

withEach(
  "--read-only leaves the tools that change nothing",
  ["--read-only"],
  async (client) => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), READING);
    await assert.rejects(
      client.callTool({ name: "trash_local", arguments: { paths: ["/x"] } }),
      (error: { code?: number }) => error.code === -32602,
    );
  },
);

/** The part of JSON Schema that hosts understand. */
const KEYWORDS = [
  "additionalProperties",
  "anyOf",
  "default",
  "description",
  "enum",
  "items",
  "maximum",
  "maxItems",
  "maxLength",
  "minimum",
  "minItems",
  "minLength",
  "pattern",
  "properties",
  "required",
  "type",
];

function keywordsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "properties") return [keyword, ...Object.values(value).flatMap(keywordsOf)];
    if (keyword === "items") return [keyword, ...keywordsOf(value)];
    if (keyword === "anyOf") return [keyword, ...value.flatMap(keywordsOf)];
    return [keyword];
  });
}

/** What a client of either generation sees of one server. */
const CASES: Record<string, (client: Client, dir: string) => Promise<void> | void> = {
  "the tools are the nine of old and the two for the trash": async (client) => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), [...READING, ...CHANGING].sort());
  },

  "every tool says what it takes, gives and does": async (client) => {
    const { tools } = await client.listTools();
    for (const tool of tools) {
      const { inputSchema, outputSchema, annotations } = tool;
      assert.ok(tool.title && tool.description, tool.name);
      assert.equal(inputSchema.additionalProperties, false);
      assert.equal(outputSchema?.type, "object");
      assert.equal(outputSchema?.required, undefined);
      assert.ok(outputSchema?.properties?.error);
      const changes = CHANGING.includes(tool.name);
      assert.equal("confirm" in (inputSchema.properties ?? {}), changes);
      assert.equal("plan_token" in (outputSchema.properties ?? {}), changes);
      assert.equal(annotations?.readOnlyHint, !changes);
      assert.equal(annotations?.openWorldHint, false);
      for (const keyword of [...keywordsOf(inputSchema), ...keywordsOf(outputSchema)]) {
        assert.ok(KEYWORDS.includes(keyword), `${tool.name}: ${keyword}`);
      }
    }
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    for (const name of READING) assert.equal(hints[name]?.idempotentHint, true);
    for (const name of ["move_local", "trash_local"]) {
      assert.deepEqual([hints[name]?.destructiveHint, hints[name]?.idempotentHint], [true, false]);
    }
    for (const name of ["rename_local", "restore_local"]) {
      assert.deepEqual([hints[name]?.destructiveHint, hints[name]?.idempotentHint], [false, false]);
    }
    const folder = hints.create_local_folder;
    assert.deepEqual([folder?.destructiveHint, folder?.idempotentHint], [false, true]);
  },

  "the instructions state the token rule, and that nothing is known to be backed up": (client) => {
    const instructions = client.getInstructions() ?? "";
    for (
      const part of [/plan_token/, /backed up/, /no network/, /data/, /frees no space/, /provider/]
    ) {
      assert.match(instructions, part);
    }
  },

  // Both clients check structured content against the published schema themselves, once they know it.
  "a result is a summary, the payload as text, and the same payload as data": async (
    client,
    dir,
  ) => {
    await client.listTools();
    const call = (name: string, args: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: args });
    for (const name of READING) {
      const { content, structuredContent, isError } = await call(name);
      assert.ok(!isError, content[0].text);
      assert.equal(content.length, 2);
      assert.ok(!content[0].text.includes("\n"));
      assert.deepEqual(JSON.parse(content[1].text), structuredContent);
    }
    const preview = await call("rename_local", { path: `${dir}/a.txt`, new_name: "z.txt" });
    assert.match(preview.content[0].text, /Planned \(nothing changed\)/);
    assert.match(preview.content[0].text, /plan_token/);
    assert.match(String(preview.structuredContent?.plan_token), /^plan_[0-9a-f]{32}$/);
    assert.deepEqual(JSON.parse(preview.content[1].text), preview.structuredContent);
    const refused = await call("list_local", { path: `${dir}/missing` });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /^\[not_found\] /);
  },
};

withEach("the server as its clients see it:", [], async (client, dir, test) => {
  for (const [name, body] of Object.entries(CASES)) {
    await test.step(name, () => body(client, dir));
  }
});

Deno.test("a client of the 2.x SDK that negotiates by itself is served in the stateless protocol", async () => {
  await inTempDir(async (dir) => {
    const client = new Client2(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new Stdio2(launch([dir])));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
  });
});

Deno.test("a client of the 2.x SDK is served in the handshake protocol as well", async () => {
  await inTempDir(async (dir) => {
    const client = new Client2(INFO);
    await client.connect(new Stdio2(launch([dir])));
    assert.equal(client.getNegotiatedProtocolVersion(), "2025-11-25");
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
  });
});

Deno.test("without roots every tool is listed and refuses with no_roots", async () => {
  const client = await client1([]);
  assert.ok((await client.listTools()).tools.length > 0);
  for (
    const [name, args] of [
      ["list_local", {}],
      ["create_local_folder", { path: "/tmp/x" }],
    ] as const
  ) {
    const { structuredContent } = await client.callTool({ name, arguments: args });
    assert.equal((structuredContent?.error as { code: string }).code, "no_roots");
  }
  await client.close();
});
