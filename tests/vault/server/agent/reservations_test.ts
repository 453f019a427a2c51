// What is held for an upload, and when it is free again.

import assert from "node:assert/strict";
import {
  LARGEST_AGENT_FILE,
  largestCiphertext,
} from "../../../../vault/server/service/uploads/reserve.ts";
import { finalize, money, reserve, sent, setUp } from "./uploading.ts";
import { announced, BIN, TestVault } from "./vault.ts";

Deno.test("an announcement is checked before anything is held", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 1e12 });
  using _ = vault;
  const most = LARGEST_AGENT_FILE + 1741 + 20 * 128;
  assert.equal(largestCiphertext(LARGEST_AGENT_FILE), most, "512 MiB, header, 128 chunks");
  const good = () => announced(vault.id(), folder, 2000);
  const without = (name: string) => {
    const { [name]: _, ...rest } = good() as Record<string, unknown>;
    return rest;
  };
  const refused: Record<string, unknown> = {
    "no byte": { ...good(), sizeBytes: 0 },
    "less than no byte": { ...good(), sizeBytes: -1 },
    "half a byte": { ...good(), sizeBytes: 1.5 },
    "a byte too many": { ...good(), sizeBytes: most + 1 },
    "a size as text": { ...good(), sizeBytes: "2000" },
    "another format": { ...good(), cipherVersion: 2 },
    "the root": { ...good(), folderId: null },
    "no id": { ...good(), id: "x" },
    "an id in capitals": { ...good(), id: vault.id().toUpperCase() },
    "a name in the clear": { ...good(), name: "report.pdf" },
    "a name of version 4": { ...good(), name: good().name.replace('"v":6', '"v":4') },
    "a wrap too short": { ...good(), cskWrapped: "AAAA" },
    "a type with a line break": { ...good(), contentType: "text/plain\nx" },
    "a type that is too long": { ...good(), contentType: "a".repeat(128) },
    "an empty type": { ...good(), contentType: "" },
    "an unknown field": { ...good(), storageKey: "0".repeat(32) },
    "no post-quantum wrap": without("pqkFkWrapped"),
    "a list": [good()],
    "nothing": null,
  };
  for (const [name, body] of Object.entries(refused)) {
    const got = await vault.call("POST", "/files", { as, body });
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], name);
  }
  for (const destination of [BIN, vault.addFolder(null), as.trash!, vault.id()]) {
    const body = announced(vault.id(), destination, 2000);
    assert.equal((await vault.call("POST", "/files", { as, body })).status, 404);
  }
  assert.deepEqual(money(vault, as), { held: 0, used: 0 });
  const largest = { ...good(), sizeBytes: most };
  assert.equal((await vault.call("POST", "/files", { as, body: largest })).status, 200);
  assert.deepEqual(money(vault, as), { held: most, used: 0 });
  for (const taken of [folder, largest.id, vault.addFile(folder), BIN]) {
    const body = announced(taken, folder, 2000);
    assert.equal((await vault.call("POST", "/files", { as, body })).body.code, "conflict");
  }
});

Deno.test("two reservations at once cannot pass the allowance together", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 5000 });
  using _ = vault;
  const ask = (size: number) =>
    vault.call("POST", "/files", { as, body: announced(vault.id(), folder, size) });
  const answers = await Promise.all([ask(3000), ask(3000), ask(2001), ask(2000)]);
  assert.deepEqual(answers.map(({ status }) => status), [200, 429, 429, 200]);
  assert.equal(answers[1].body.code, "write_budget_exhausted");
  assert.equal(answers[1].headers["retry-after"], undefined, "waiting does not help");
  assert.deepEqual(money(vault, as), { held: 5000, used: 0 });
  assert.equal((await ask(1)).body.code, "write_budget_exhausted");
});

Deno.test("an allowance that its owner raised or lowered counts at once", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 1000 });
  using _ = vault;
  const ask = async (size: number) =>
    (await vault.call("POST", "/files", { as, body: announced(vault.id(), folder, size) })).status;
  assert.equal(await ask(2000), 429);
  vault.rows.updateGrant(as.id, { writeBudgetBytes: 3000 });
  assert.equal(await ask(2000), 200);
  vault.rows.updateGrant(as.id, { writeBudgetBytes: 500 });
  assert.equal(await ask(1), 429);
  vault.rows.updateGrant(as.id, { writeBudgetBytes: null });
  assert.equal(await ask(1_000_000), 200);
});

Deno.test("an abort frees the hold and the object, and the id can be reserved again", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 10_000 });
  using _ = vault;
  const { id, bytes, finish } = await sent(vault, as, folder, new Uint8Array(100));
  assert.equal([...vault.objects.list()].length, 1);
  const got = await vault.call("POST", `/uploads/${id}/abort`, { as });
  assert.deepEqual([got.status, got.body], [200, { ok: true }]);
  assert.deepEqual(money(vault, as), { held: 0, used: 0 });
  assert.deepEqual([...vault.objects.list()], []);
  assert.equal((await finalize(vault, as, id, finish)).status, 404);
  assert.equal((await vault.call("POST", `/uploads/${id}/abort`, { as })).status, 404);
  await reserve(vault, as, folder, id, bytes.length);
});

Deno.test("a finished upload cannot be aborted", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(100));
  await finalize(vault, as, id, finish);
  const got = await vault.call("POST", `/uploads/${id}/abort`, { as });
  assert.deepEqual([got.status, got.body.code], [409, "conflict"]);
  assert.equal([...vault.objects.list()].length, 1);
});

Deno.test("a reservation whose time is over cannot be finished, and frees hold and object", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 10_000 });
  using _ = vault;
  const { id, finish, bytes } = await sent(vault, as, folder, new Uint8Array(100));
  vault.now += 899_999;
  vault.service.sweep();
  assert.deepEqual(money(vault, as), { held: bytes.length, used: 0 });
  vault.now += 1;
  assert.equal((await finalize(vault, as, id, finish)).status, 404);
  vault.service.sweep();
  assert.deepEqual(money(vault, as), { held: 0, used: 0 });
  assert.deepEqual([...vault.objects.list()], []);
  assert.deepEqual(vault.rows.purgedObjects(), []);
  assert.equal(vault.rows.idTaken(id), false);
});

Deno.test("what expired makes room for the next reservation without a sweep", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 3000 });
  using _ = vault;
  await reserve(vault, as, folder, vault.id(), 3000);
  vault.now += 900_000;
  await reserve(vault, as, folder, vault.id(), 3000);
  assert.deepEqual(money(vault, as), { held: 3000, used: 0 });
});

Deno.test("so many uploads may be open at a time, and the next is told to wait", async () => {
  using vault = new TestVault({ concurrentUploads: 2 });
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["write"], [folder]);
  const ask = () => vault.call("POST", "/files", { as, body: announced(vault.id(), folder, 2000) });
  assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
  const third = await ask();
  assert.deepEqual([third.status, third.body.code], [429, "too_many_uploads"]);
  assert.match(third.headers["retry-after"], /^\d+$/);
});
