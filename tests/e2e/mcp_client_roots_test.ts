// `--client-roots narrow`: what the client works in limits what it may reach, and never adds to it.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inTempDir, plant } from "../support.ts";
import { ENTRY, type Message, RawServer } from "./mcp_process.ts";

const NARROW = ["--client-roots", "narrow"];

/** Starts a server on `dir/granted` that narrows, and does the handshake. */
async function narrowing(dir: string): Promise<RawServer> {
  plant(dir, {
    "granted/one/a.txt": "1",
    "granted/two/b.txt": "2",
    "granted/My Project/100%/c.txt": "3",
    "elsewhere/d.txt": "4",
  });
  const server = new RawServer([`${dir}/granted`, ...NARROW]);
  await server.open({ roots: { listChanged: true } });
  return server;
}

/** Waits to be asked for the client's roots and answers with these URIs. */
async function answerRoots(server: RawServer, uris: string[]): Promise<void> {
  const { id } = await server.take((m) => m.method === "roots/list", "the question");
  await server.send({ jsonrpc: "2.0", id, result: { roots: uris.map((uri) => ({ uri })) } });
}

/** The paths that a list of everything gives. */
async function listed(server: RawServer): Promise<string[]> {
  const { structuredContent } = await server.call("list_local");
  return structuredContent.files.map((file: Message) => file.path);
}

const codeOf = (result: Message): string => result.structuredContent.error?.code;

Deno.test("a folder of the client inside a granted one is all that can be reached", async () => {
  await inTempDir(async (dir) => {
    await using server = await narrowing(dir);
    await answerRoots(server, [`file://${dir}/granted/one`]);
    assert.deepEqual(await listed(server), [`${dir}/granted/one/a.txt`]);
    const outside = { path: `${dir}/granted/two/b.txt` };
    assert.equal(codeOf(await server.call("list_local", outside)), "outside_roots");
    assert.equal(
      codeOf(await server.call("rename_local", { ...outside, new_name: "x" })),
      "outside_roots",
    );
    const move = { source: `${dir}/granted/one/a.txt`, destination: `${dir}/granted/two/a.txt` };
    assert.equal(codeOf(await server.call("move_local", move)), "outside_roots");
    const inside = await server.call("create_local_folder", { path: `${dir}/granted/one/new` });
    assert.ok(inside.structuredContent.plan_token);
  });
});

Deno.test("a change of the client's list holds from the next call on", async () => {
  await inTempDir(async (dir) => {
    await using server = await narrowing(dir);
    await answerRoots(server, [`file://${dir}/granted/one`]);
    assert.deepEqual(await listed(server), [`${dir}/granted/one/a.txt`]);
    await server.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    await answerRoots(server, [`file://${dir}/granted/two`, "file:///"]);
    assert.equal((await listed(server)).length, 3); // file:/// holds the granted folder, and is no more
    await server.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    await answerRoots(server, [`file://${dir}/granted/two`]);
    assert.deepEqual(await listed(server), [`${dir}/granted/two/b.txt`]);
  });
});

Deno.test("folders of the client that overlap nothing allow nothing, and that is said", async () => {
  await inTempDir(async (dir) => {
    await using server = await narrowing(dir);
    await answerRoots(server, [
      `file://${dir}/elsewhere`,
      `file://${dir}/granted/missing`,
      `file://${dir}/granted/one/a.txt`,
    ]);
    const result = await server.call("list_local");
    assert.equal(codeOf(result), "no_roots");
    assert.match(result.content[0].text, /overlaps/);
    const folder = { path: `${dir}/granted/one/new` };
    assert.equal(codeOf(await server.call("create_local_folder", folder)), "no_roots");
    assert.equal(codeOf(await server.call("list_local", { path: `${dir}/elsewhere` })), "no_roots");
    await server.said("only what lies in the client's folders is allowed");
  });
});

Deno.test("URIs are decoded once; other schemes and hosts are left out with a note", async () => {
  await inTempDir(async (dir) => {
    await using server = await narrowing(dir);
    await answerRoots(server, [
      "https://example.com/granted",
      `file://elsewhere.example${dir}/granted`,
      `file://localhost${dir}/granted/My%20Project/100%25`,
    ]);
    assert.deepEqual(await listed(server), [`${dir}/granted/My Project/100%/c.txt`]);
    await server.said('"https://example.com/granted" is left out');
    await server.said("it names another computer");
  });
});

Deno.test("a link of the client that leads out of the granted folder allows nothing", async () => {
  await inTempDir(async (dir) => {
    await using server = await narrowing(dir);
    Deno.symlinkSync(`${dir}/elsewhere`, `${dir}/granted/out`);
    await answerRoots(server, [`file://${dir}/granted/out`]);
    assert.equal(codeOf(await server.call("list_local")), "no_roots");
  });
});

Deno.test("a client that refuses to answer, or never does, blocks nothing and narrows nothing", async () => {
  await inTempDir(async (dir) => {
    await using refusing = await narrowing(dir);
    const { id } = await refusing.take((m) => m.method === "roots/list");
    await refusing.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
    assert.equal((await listed(refusing)).length, 3);

    await using silent = await narrowing(dir);
    const start = performance.now();
    assert.equal((await listed(silent)).length, 3);
    assert.ok(performance.now() - start < 6000);
    await silent.said("did not say which folders it works in");
  });
});

Deno.test("a client without a list of folders, and every client by default, is never asked", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "1" });
    await using without = new RawServer([dir, ...NARROW]);
    await without.open();
    assert.equal((await listed(without)).length, 1);
    await using ignoring = new RawServer([dir]);
    await ignoring.open({ roots: { listChanged: true } });
    assert.equal((await listed(ignoring)).length, 1);
    assert.deepEqual([...without.waiting, ...ignoring.waiting], []);
  });
});

Deno.test("a client of the stateless protocol is asked within the call", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "one/a.txt": "1", "two/b.txt": "2" });
    const { SHIELDFIVE_MCP_ROOTS: _roots, ...env } = Deno.env.toObject();
    const client = new Client(
      { name: "test", version: "0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities: { roots: {} } },
    );
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${dir}/two` }] }));
    await client.connect(
      new StdioClientTransport({
        command: Deno.execPath(),
        args: ["run", "-A", ENTRY, "mcp", dir, ...NARROW],
        env,
        stderr: "ignore",
      }),
    );
    const all = await client.callTool({ name: "list_local", arguments: {} }) as Message;
    assert.deepEqual(
      all.structuredContent.files.map((file: Message) => file.path),
      [`${dir}/two/b.txt`],
    );
    const outside = { name: "list_local", arguments: { path: `${dir}/one` } };
    assert.equal(codeOf(await client.callTool(outside)), "outside_roots");
    await client.close();
  });
});
