// How the server ends: whatever goes first, it follows at once, quietly, with nothing left behind and
// nothing cut off. Times are what a loaded machine may take; the work that is stopped takes far longer.

import assert from "node:assert/strict";
import { inTempDir, plant } from "../support.ts";
import { ENTRY, INITIALIZE, plantHuge, RawServer, startHashing } from "./mcp_process.ts";

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_local", arguments: { limit: 10_000 } },
};

/** Runs the body and says how many milliseconds it took. */
async function timed(body: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

Deno.test("an input that is empty from the start ends the server with code 0", async () => {
  await inTempDir(async (dir) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ENTRY, "mcp", dir],
      stdin: "null",
    });
    const { code, stdout } = await child.output();
    assert.deepEqual([code, stdout.length], [0, 0]);
  });
});

Deno.test("requests that are piped in and followed by the end of input are all answered", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "x" });
    await using server = new RawServer([dir]);
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const text = [INITIALIZE, list, CALL].map((m) => JSON.stringify(m)).join("\n");
    await server.send(text); // the last line has no end
    await server.closeInput();
    assert.equal(await server.ended(), 0);
    assert.deepEqual(server.waiting.map((m) => m.id), ["init", 2, 1]);
    assert.equal(server.waiting[2].result.structuredContent.total_files, 1);
  });
});

Deno.test("a large answer arrives whole at a slow reader although the input has ended", async () => {
  await inTempDir(async (dir) => {
    for (let i = 0; i < 4000; i++) plant(dir, { [`${i}${"-long".repeat(30)}`]: "" });
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ENTRY, "mcp", dir],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(
      new TextEncoder().encode(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(CALL)}\n`),
    );
    await input.close();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const output = await new Response(child.stdout).text();
    assert.ok(output.length > 2_000_000, `only ${output.length} characters`);
    const [, last] = output.trimEnd().split("\n");
    assert.equal(JSON.parse(last).result.structuredContent.files.length, 4000);
    assert.equal((await child.status).code, 0);
  });
});

Deno.test("the end of input stops a long comparison soon", async () => {
  await inTempDir(async (dir) => {
    plantHuge(dir);
    await using server = new RawServer([dir]);
    await startHashing(server);
    const took = await timed(async () => {
      await server.closeInput();
      assert.equal(await server.ended(), 0);
    });
    assert.ok(took < 4000, `${took} ms`);
  });
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} stops a long comparison and ends the server with code 0`, async () => {
    await inTempDir(async (dir) => {
      plantHuge(dir);
      await using server = new RawServer([dir]);
      await startHashing(server);
      const took = await timed(async () => {
        server.process.kill(signal);
        assert.equal(await server.ended(), 0);
      });
      assert.ok(took < 3000, `${took} ms`);
    });
  });
}

Deno.test("a client that stops reading ends the server without a complaint", async () => {
  await inTempDir(async (dir) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ENTRY, "mcp", dir],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const input = child.stdin.getWriter();
    await child.stdout.cancel();
    await input.write(new TextEncoder().encode(`${JSON.stringify(INITIALIZE)}\n`));
    assert.equal((await child.status).code, 0);
    const stderr = await new Response(child.stderr).text();
    assert.doesNotMatch(stderr, /error|^ +at /im);
    await input.close().catch(() => {}); // the pipe may be gone already
  });
});

Deno.test("a client that is killed takes the server with it", async () => {
  await inTempDir(async (dir) => {
    plantHuge(dir);
    const script = `
      const server = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", ${JSON.stringify(ENTRY)}, "mcp", ${JSON.stringify(dir)}],
        stdin: "piped", stdout: "piped", stderr: "null",
      }).spawn();
      const call = { name: "find_duplicates", arguments: {} };
      const requests = [${JSON.stringify(INITIALIZE)},
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }];
      const text = requests.map((each) => JSON.stringify(each) + "\\n").join("");
      await server.stdin.getWriter().write(new TextEncoder().encode(text));
      await server.stdout.getReader().read();
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const client = new Deno.Command(Deno.execPath(), {
      args: ["eval", script],
      stdout: "piped",
    }).spawn();
    const reader = client.stdout.getReader();
    const { value } = await reader.read();
    const server = Number(new TextDecoder().decode(value));
    client.kill("SIGKILL");
    await client.status;
    await reader.cancel();
    const took = await timed(async () => {
      while (isAlive(server)) await new Promise((resolve) => setTimeout(resolve, 20));
    });
    assert.ok(took < 4000, `${took} ms`);
  });
});

/** Whether the process still runs; one that ended and was not collected yet does not. */
function isAlive(pid: number): boolean {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "stat=", "-p", `${pid}`] }).outputSync();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}
