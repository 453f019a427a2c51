// What becomes of a server one of whose rooms is lost: nobody is left waiting, and whatever watches the
// process sees it end and can start it again.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { start } from "../cli/program.ts";
import { inTempDir } from "../support.ts";
import { contentOf, type PlantedVault, plantVault } from "./served_vault.ts";

const ENTRY = fileURLToPath(new URL("./lost_serve_program.ts", import.meta.url));

/** A server that loses a room. */
interface Losing {
  origin: string;
  vault: PlantedVault;
  dir: string;
  /** How it ended, and what it said on stderr. */
  ended: Promise<{ code: number; stderr: string }>;
}

async function losing(room: string, body: (losing: Losing) => Promise<void>): Promise<void> {
  await inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, 64 * 1024 * 1024);
    const child = start(["serve", "--data", `${dir}/v`, "--port", "0"], {
      entry: ENTRY,
      env: { SHIELDFIVE_TEST_LOST: room },
    });
    const stderr = new Response(child.stderr).text();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const origin = (await reader.read()).value!.trim().replace(/\/$/, "");
    const ended = child.status.then(async ({ code }) => ({ code, stderr: await stderr }));
    try {
      await body({ origin, vault, dir: `${dir}/v`, ended });
    } finally {
      await ended;
      await Promise.all([reader.cancel(), child.stdin.close()]);
    }
  });
}

Deno.test("without its vault it cuts downloads, answers 503 to what waits, and ends with exit code 1", () =>
  losing("serve-store", async ({ origin, vault, dir, ended }) => {
    const download = await fetch(contentOf(origin, vault));
    const reader = download.body!.getReader();
    await reader.read();
    // A request whose answer cannot have come before the room is gone: its body does not end.
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"')),
    });
    const waiting = fetch(`${origin}/api/owner/v1/login`, { method: "POST", body });
    await new Promise((done) => setTimeout(done, 300));
    const began = performance.now();
    Deno.writeTextFileSync(`${dir}/lost`, "");
    const answer = await waiting;
    assert.deepEqual([answer.status, await answer.json()], [503, { code: "unavailable" }]);
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    });
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.ok(performance.now() - began < 10_000);
    assert.match(stderr, /^shieldfive: the serve-store room stopped: its thread ended$/m);
    assert.match(
      stderr,
      /^shieldfive: error: the serve-store room stopped before it had finished/m,
    );
    assert.match(stderr, / GET \/api\/owner\/v1\/files\/:id\/content 200 \d+ms cut$/m);
  }));

Deno.test("without the room that speaks HTTP it ends with exit code 1", () =>
  losing("serve-front", async ({ origin, ended }) => {
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^shieldfive: error: the serve-front room stopped before it had finished/m,
    );
    await assert.rejects(fetch(origin));
  }));
