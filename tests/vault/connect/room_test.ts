// The room of the hand-off as a real worker: what it can do, and that it can do nothing else.

import assert from "node:assert/strict";
import { createGrantCredential, formatConnectionString } from "@shieldfive/crypto/vault";
import { misfits } from "../../../containment/rooms/proof.ts";
import { connectGrants, Handoff, type Opener } from "../../../vault/connect/mod.ts";
import { inTempDir } from "../../support.ts";

const POSIX = { ignore: Deno.build.os === "windows" };
const CONNECTION = formatConnectionString(createGrantCredential({
  grantId: "01890a5d-ac96-774b-bcce-b302099a8057",
  mlKemPublicKey: new Uint8Array(1568),
}));

async function inRoom(
  opener: Opener | undefined,
  body: (handoff: Handoff) => Promise<void>,
): Promise<void> {
  const handoff = new Handoff(opener, (line) => assert.fail(line));
  try {
    await handoff.ready;
    await body(handoff);
  } finally {
    handoff.close();
  }
}

const ASKING = { origin: "https://vault.example", client: "other" as const };

function deliver(address: string, fields: Record<string, string>): Promise<Response> {
  const { searchParams } = new URL(address);
  const body = new URLSearchParams({ state: searchParams.get("connect")!, ...fields });
  return fetch(`http://127.0.0.1:${searchParams.get("port")}/callback`, { method: "POST", body });
}

Deno.test("it takes a delivery, and the next hand-off has another state; what waited before has ended", () =>
  inRoom(undefined, async (handoff) => {
    const before = Date.now();
    const first = await handoff.begin(ASKING);
    assert.ok(Math.abs(first.deadline - before - 600_000) < 5_000);
    const firstDelivery = handoff.delivery();
    const second = await handoff.begin({ ...ASKING, label: "Laptop" });
    assert.deepEqual(await firstDelivery, { ended: "stopped" });
    const state = (address: string) => new URL(address).searchParams.get("connect");
    assert.notEqual(state(first.address), state(second.address));
    const delivery = handoff.delivery();
    const answer = await deliver(second.address, { connection_string: CONNECTION });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    assert.deepEqual(await delivery, { ended: "delivered", connection: CONNECTION });
    await assert.rejects(deliver(first.address, { connection_string: CONNECTION }), TypeError);
    assert.deepEqual(await handoff.openBrowser(second.address), {
      opened: false,
      why: "nothing here opens a browser",
    });
  }));

Deno.test(
  "a browser that it opened goes on when the room is closed",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const program = `${dir}/opener`;
      const text = `#!/bin/sh\necho "$1" > ${dir}/begun\nsleep 1\necho "$1" > ${dir}/done\n`;
      Deno.writeTextFileSync(program, text, { mode: 0o755 });
      let address = "";
      await inRoom({ program, words: [] }, async (handoff) => {
        ({ address } = await handoff.begin(ASKING));
        void handoff.openBrowser(address).catch(() => {}); // the room is closed meanwhile
        await exists(`${dir}/begun`);
      });
      await exists(`${dir}/done`);
      assert.equal(Deno.readTextFileSync(`${dir}/done`), `${address}\n`);
    }),
);

async function exists(file: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      if (Deno.readTextFileSync(file) !== "") return;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${file} was not written`);
}

Deno.test("it has 127.0.0.1 and the one program, and nothing else", POSIX, async () => {
  const opener = { program: "/usr/bin/env", words: [] };
  for (const each of [undefined, opener]) {
    await inRoom(each, async (handoff) => {
      const trials = await handoff.prove({ inside: [], outside: "/" });
      assert.deepEqual(misfits("connect", connectGrants(each), trials), []);
      const allowed = trials.filter(({ allowed }) => allowed)
        .map(({ what, address, file }) => `${what} ${address ?? file}`);
      assert.deepEqual(allowed, ["net 127.0.0.1", ...each ? ["run /usr/bin/env"] : []]);
      // A room that could run what it was not given is noticed.
      const faults = misfits("connect", [], trials).map(({ fault }) => fault);
      assert.deepEqual(faults, each === undefined ? [] : ["too much"]);
    });
  }
});
