// What hostile clients are let loose on: the real program with a vault in it, an owner, a folder and a
// grant for it. After every attack it must be well: the process lives and serves the next request.

import assert from "node:assert/strict";
import type { KeylessAgent, KeylessOwner } from "../keyless/parties.ts";
import { KeylessOwner as Owner } from "../keyless/parties.ts";
import { type Serving, startServing } from "../serving.ts";

export interface Target {
  readonly origin: string;
  readonly serving: Serving;
  readonly owner: KeylessOwner;
  readonly folderId: string;
  readonly agent: KeylessAgent;
  /** The server runs, and serves. */
  requireWell(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the program with a vault of its own. */
export async function openTarget(words: string[] = []): Promise<Target> {
  const data = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-hostile-" }));
  const serving = await startServing(data, words);
  const { origin } = serving;
  const owner = await Owner.setUp(origin, serving.setupToken!);
  const folderId = await owner.createFolder();
  const agent = await owner.grant({ rootIds: [folderId] });
  return {
    origin,
    serving,
    owner,
    folderId,
    agent,
    async requireWell() {
      assert.ok(serving.running, `the server ended\n${serving.log}`);
      const probe = await owner.grant({
        scopes: ["read"],
        rootIds: [folderId],
        expiresInMs: 3_700_000,
      });
      assert.equal((await probe.call("GET", "/folders")).status, 200);
      await owner.ok("POST", `/grants/${probe.grantId}/revoke`, { body: {} });
      // Whatever a client sends, it is never the server that has failed.
      assert.doesNotMatch(serving.log, / 5(?!03)\d\d \d+ms|panicked|uncaught|^ {4}at /im);
    },
    async close() {
      await serving.stop();
      Deno.removeSync(data, { recursive: true });
    },
  };
}
