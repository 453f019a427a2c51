// The two rooms of a server can do what their row of the table says, and nothing else: the one that anybody
// can talk to reaches no file, the one with the data reaches no network.

import assert from "node:assert/strict";
import { openServingRooms } from "../../../cli/commands/serve/rooms.ts";
import { misfits, PROVE, type Trial, tryNet } from "../../../containment/rooms/proof.ts";
import { inTempDir, plant } from "../../support.ts";

const ADDRESS = "127.0.0.1:8443";

/** What both rooms say of their walls. */
async function proofs(dir: string): Promise<{ front: Trial[]; store: Trial[] }> {
  const rooms = openServingRooms(ADDRESS, `${dir}/data`, () => {});
  try {
    const request = { inside: [`${dir}/data`], outside: dir };
    return {
      front: await rooms.front.call(PROVE, { inside: [], outside: dir }) as Trial[],
      store: await rooms.store.call(PROVE, request) as Trial[],
    };
  } finally {
    rooms.front.close();
    rooms.store.close();
  }
}

function allowed(trials: Trial[]): string[] {
  return trials.filter((trial) => trial.allowed)
    .map(({ what, folder, address }) => `${what} ${folder ?? address ?? "anything"}`);
}

Deno.test("the room that speaks HTTP may use its one address, the other one its one folder", () =>
  inTempDir(async (dir) => {
    plant(dir, { "data/vault.db": "", "neighbour": "" });
    const { front, store } = await proofs(dir);
    assert.deepEqual(misfits("serve-front", [ADDRESS], front), []);
    assert.deepEqual(allowed(front), [`net ${ADDRESS}`]);
    assert.deepEqual(misfits("serve-store", [`${dir}/data`], store), []);
    assert.deepEqual(allowed(store), [`read ${dir}/data`, `write ${dir}/data`]);
    assert.ok(front.some(({ address }) => address !== undefined && address !== ADDRESS));
    assert.ok(store.some(({ what, allowed }) => what === "net" && !allowed));
  }));

Deno.test("a room that could reach more of the network than its address is noticed", () => {
  const told = misfits("serve-front", [ADDRESS], tryNet([ADDRESS])); // this thread may do everything
  assert.deepEqual(told.map(({ fault, trial }) => [fault, trial.what]), [["too much", "net"]]);
  const none = { what: "net", address: ADDRESS, allowed: false } as const;
  assert.deepEqual(misfits("serve-front", [ADDRESS], [none]).map(({ fault }) => fault), [
    "too little",
  ]);
});
