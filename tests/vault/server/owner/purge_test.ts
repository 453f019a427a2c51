// Away for good: only from the Bin, with everything below, and whole or not at all.

import assert from "node:assert/strict";
import { assertClean, binItem, outcome, toBin } from "./binning.ts";
import { Crash, Life } from "./crash.ts";
import { DAY, OwnedVault } from "./owned_vault.ts";

Deno.test("a purged folder goes with everything below it, rows and objects", async () => {
  using vault = await OwnedVault.open();
  const [folder, kept] = [await vault.addFolder(), await vault.addFolder()];
  const inner = await vault.addFolder(folder);
  const gone = [
    await vault.addFile(folder),
    await vault.addFile(inner),
    await vault.addFile(inner),
  ];
  const stays = await vault.addFile(kept);
  await toBin(vault, ["folder", folder]);
  assert.deepEqual(
    await vault.ok("POST", "/purge", { items: [{ kind: "folder", id: folder }] }).then((body) => [
      body.results[0].ok,
      body.objectsPending,
    ]),
    [true, 0],
  );
  for (const id of gone) {
    assert.equal(vault.rows.file(id), undefined);
    await vault.refused(404, "not_found", "GET", `/files/${id}/content`);
  }
  assert.deepEqual([folder, inner].map((id) => vault.rows.folder(id)), [undefined, undefined]);
  assert.deepEqual([...vault.objects.list()].map(({ key }) => key), [
    vault.rows.file(stays)!.storageKey,
  ]);
  assertClean(vault);
});

Deno.test("nothing outside the Bin can be purged, nor the Bin itself", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await vault.addFile(folder);
  const binned = await vault.addFile(folder);
  await toBin(vault, ["file", binned]);
  const items = [
    { kind: "file", id: file },
    { kind: "folder", id: folder },
    { kind: "folder", id: vault.media },
    { kind: "folder", id: vault.bin },
    { kind: "file", id: folder },
    { kind: "file", id: vault.id() },
    { kind: "file", id: binned },
    { kind: "file", id: binned },
  ];
  assert.deepEqual(await outcome(vault, "/purge", items), [
    "not_in_bin",
    "not_in_bin",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "ok",
    "not_found",
  ]);
  assert.ok(vault.rows.file(file) !== undefined && vault.rows.folder(vault.bin) !== undefined);
  assertClean(vault);
});

Deno.test("the trash of a live connection stays, what is in it can go, and all of it once it ended", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  const expiring = await vault.addGrant({ rootIds: [folder] });
  const files = [await vault.addFile(folder), await vault.addFile(folder)];
  await vault.agent(agent, "POST", "/trash", { items: files.map((id) => binItem("file", id)) });
  const trashes = [agent, expiring].map(({ trash }) => ({ kind: "folder", id: trash }));
  assert.deepEqual(await outcome(vault, "/purge", trashes), ["in_use", "in_use"]);
  assert.deepEqual(await outcome(vault, "/purge", [{ kind: "file", id: files[0] }]), ["ok"]);
  await vault.ok("POST", `/grants/${agent.id}/revoke`);
  assert.deepEqual(await outcome(vault, "/purge", trashes), ["ok", "in_use"]);
  assert.equal(vault.rows.file(files[1]), undefined);
  assert.equal(vault.rows.grant(agent.id)!.trashFolderId, null);
  vault.now += DAY;
  await vault.signIn();
  assert.deepEqual(await outcome(vault, "/purge", [trashes[1]]), ["ok"]);
});

Deno.test("a connection whose folder was purged sees the rest", async () => {
  using vault = await OwnedVault.open();
  const [gone, kept] = [await vault.addFolder(), await vault.addFolder()];
  const agent = await vault.addGrant({ rootIds: [gone, kept] });
  await toBin(vault, ["folder", gone]);
  await outcome(vault, "/purge", [{ kind: "folder", id: gone }]);
  const { status, body } = await vault.agent(agent, "GET", "/grant");
  assert.deepEqual([status, body.grant.scopeFolderIds], [200, [kept]]);
});

Deno.test("an upload that became a file which was purged does not say that it is stored", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  const file = await vault.addFile(folder, 100, agent);
  await toBin(vault, ["file", file]);
  await outcome(vault, "/purge", [{ kind: "file", id: file }]);
  const again = await vault.agent(agent, "POST", `/files/${file}/finalize`, {
    proof: "A",
    ciphertextHash: "0".repeat(40),
  });
  assert.equal(again.status, 404);
});

/** A vault with a folder in the Bin: two levels, three files. */
async function withBinned() {
  const vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const inner = await vault.addFolder(folder);
  const files = [
    await vault.addFile(folder),
    await vault.addFile(inner),
    await vault.addFile(inner),
  ];
  await toBin(vault, ["folder", folder]);
  return { vault, folder, files };
}

Deno.test("killed at any moment of a purge, all of it is there or all of it is gone", async () => {
  const { vault: template, folder, files } = await withBinned();
  using _ = template;
  /** Purges a copy that dies at a moment; says whether it was told that it went well. */
  const purge = async (vault: OwnedVault, life: Life) => {
    const { context, rows, objects } = vault;
    vault.serve({ ...context, rows: life.watch(rows), objects: life.watch(objects) });
    life.begin();
    const items = [{ kind: "folder", id: folder }];
    return (await vault.own("POST", "/purge", { items })).status === 200;
  };
  const whole = new Life();
  using first = template.copy();
  assert.ok(await purge(first, whole));
  const [left, pending] = [new Set<number>(), new Set<number>()];
  for (let moment = 1; moment <= whole.moments; moment++) {
    using vault = template.copy();
    assert.ok(!await purge(vault, new Life(moment)));
    vault.faults.splice(0).forEach((fault) => assert.ok(fault instanceof Crash, String(fault)));
    pending.add(vault.rows.purgedObjects().length);
    vault.restart();
    const rows = [...files.map((id) => vault.rows.file(id)), vault.rows.folder(folder)];
    const there = rows.filter((row) => row !== undefined).length;
    assert.ok(there === 0 || there === rows.length, `moment ${moment}: ${there} rows are left`);
    left.add(there);
    assertClean(vault);
  }
  assert.deepEqual([left.size, pending], [2, new Set([0, files.length])], "each state was seen");
});

Deno.test("an object that cannot be removed is said to be pending, and goes later", async () => {
  const { vault, folder, files } = await withBinned();
  using _ = vault;
  const { storageKey } = vault.rows.file(files[1])!;
  const { context, objects } = vault;
  const stuck = new Proxy(objects, {
    get: (_, name) => {
      const member = Reflect.get(objects, name, objects);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (name === "remove" && given[0] === storageKey) throw new Error("the disk is not well");
        return member.apply(objects, given);
      };
    },
  });
  const service = vault.serve({ ...context, objects: stuck });
  const body = await vault.ok("POST", "/purge", { items: [{ kind: "folder", id: folder }] });
  assert.equal(body.results[0].ok, true);
  assert.ok(body.objectsPending >= 1);
  assert.equal(vault.rows.file(files[1]), undefined);
  assert.throws(() => service.sweep(), /not well/);
  vault.serve(context).sweep();
  assertClean(vault);
});

Deno.test("a folder of many files is purged while others are served", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const model = vault.rows.file(await vault.addFile(folder))!;
  vault.rows.transaction(() => {
    for (let count = 0; count < 450; count++) {
      const storageKey = count.toString(16).padStart(32, "0");
      vault.rows.insertFile({ ...model, id: vault.id(), storageKey });
    }
  });
  await toBin(vault, ["folder", folder]);
  let done = false;
  const purge = outcome(vault, "/purge", [{ kind: "folder", id: folder }])
    .finally(() => done = true);
  let served = 0;
  while (!done) {
    assert.equal((await vault.visit("GET", "/status")).status, 200);
    served++;
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.deepEqual(await purge, ["ok"]);
  assert.ok(served >= 3, `others were served ${served} times`);
  assertClean(vault);
});
