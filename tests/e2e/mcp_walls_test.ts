// What the server's own thread cannot do any more once it serves, and what never reaches its output.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { inTempDir, plant } from "../support.ts";
import { RawServer } from "./mcp_process.ts";

const PROBE = fileURLToPath(new URL("./mcp_probe.ts", import.meta.url));

Deno.test("the main thread has no right left while the tools go on working", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "hello", "code.ts": "export {};" });
    await using server = new RawServer([dir], { entry: PROBE });
    await server.open();
    await server.said("probe done");
    const outcomes = [...server.stderr.matchAll(/^probe (\w+): (\w+)$/gm)].map((
      [, r, o],
    ) => [r, o]);
    assert.deepEqual(Object.fromEntries(outcomes), {
      read: "NotCapable",
      write: "NotCapable",
      net: "NotCapable",
      env: "NotCapable",
      run: "NotCapable",
      ffi: "NotCapable",
      sys: "NotCapable",
      import: "TypeError",
      worker: "NotCapable",
    });
    assert.equal((await server.call("list_local")).structuredContent.total_files, 2);
    const preview = await server.call("create_local_folder", { path: `${dir}/new` });
    const done = await server.call("create_local_folder", {
      path: `${dir}/new`,
      confirm: true,
      plan_token: preview.structuredContent.plan_token,
    });
    assert.equal(done.structuredContent.performed, true);
    assert.ok(Deno.statSync(`${dir}/new`).isDirectory);
  });
});

Deno.test("nothing but protocol reaches stdout, whatever prints, fails or is ignored", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "hello" });
    // RawServer fails on any line of output that is not JSON-RPC.
    await using server = new RawServer([dir, "relative", `${dir}/missing`], {
      entry: PROBE,
      env: { DEBUG: "*", SHIELDFIVE_MCP_CONFIG_DIR: "/proc/nonexistent" },
    });
    await server.open();
    await server.said("probe done");
    await server.ask("tools/list");
    await server.closeInput();
    assert.equal(await server.ended(), 0);
    const ways = [
      "log",
      "info",
      "debug",
      "table",
      "dir",
      "group",
      "count",
      "time",
      "node",
      "direct",
    ];
    for (const way of [...ways, "asynchronous", "stream", "rejection", "exception"]) {
      assert.match(server.stderr, new RegExp(`noise.*${way}`), way);
    }
    assert.match(server.stderr, /"relative" is ignored: it is not an absolute path/);
    assert.match(server.stderr, /missing" is ignored: it does not exist/);
  });
});
