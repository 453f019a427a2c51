// Into the Bin and out of it.

import assert from "node:assert/strict";
import { binItem, type Kind, outcome, toBin } from "./binning.ts";
import { OwnedVault } from "./owned_vault.ts";

Deno.test("what goes to the Bin is sealed for it and remembers where it lay", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const [inside, atTop] = [await vault.addFile(folder), await vault.addFile(null)];
  const items = [binItem("file", inside), binItem("file", atTop), binItem("folder", folder)];
  vault.now += 5;
  const answer = await vault.ok("POST", "/bin", { items });
  assert.equal(answer.binFolderId, vault.bin);
  const file = vault.rows.file(inside)!;
  assert.deepEqual(
    { ...file, ...items[0], kind: undefined },
    { ...file, kind: undefined },
    "name and wraps are the new ones",
  );
  assert.deepEqual([file.folderId, file.originId, file.binnedAt], [vault.bin, folder, vault.now]);
  assert.equal(vault.rows.file(atTop)!.originId, null);
  assert.equal(vault.rows.folder(folder)!.parentId, vault.bin);
  for (const { ok, updatedAt, version, auditId } of answer.results) {
    assert.deepEqual([ok, updatedAt, version], [true, new Date(vault.now).toISOString(), 2]);
    assert.match(vault.rows.audit(auditId)!.action, /^trash_/);
  }
});

Deno.test("each item for the Bin stands for itself", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const { trash } = await vault.addGrant({ rootIds: [folder] });
  const [good, binned, stale] = [
    await vault.addFile(folder),
    await vault.addFile(folder),
    await vault.addFile(folder),
  ];
  await toBin(vault, ["file", binned]);
  const items = [
    binItem("file", binned),
    binItem("file", vault.id()),
    binItem("folder", vault.bin),
    binItem("folder", vault.media),
    binItem("folder", trash!),
    binItem("file", stale, { ifUpdatedAt: new Date(vault.now - 1).toISOString() }),
    binItem("file", good),
  ];
  assert.deepEqual(await outcome(vault, "/bin", items), [
    "already_trashed",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "conflict",
    "ok",
  ]);
});

Deno.test("one to fifty items a request, each of its one shape", async () => {
  using vault = await OwnedVault.open();
  const restoring = (kind: Kind, id: string) => ({ ...binItem(kind, id), parentId: null });
  const purging = (kind: Kind, id: string) => ({ kind, id });
  const routes = [["/bin", binItem], ["/restore", restoring], ["/purge", purging]] as const;
  for (const [path, item] of routes) {
    const many = (count: number) => Array.from({ length: count }, () => item("file", vault.id()));
    const got = await vault.refused(400, "too_many_items", "POST", path, { items: many(51) });
    assert.equal(got.body.max, 50);
    assert.equal((await outcome(vault, path, many(50))).length, 50);
    const good = item("file", vault.id());
    const bad = [
      { items: [] },
      { items: good },
      {},
      { items: [null] },
      { items: [{ ...good, kind: "bin" }] },
      { items: [{ ...good, id: undefined }] },
      { items: [{ ...good, extra: 1 }] },
      { items: [good], extra: 1 },
    ];
    for (const body of bad) await vault.refused(400, "bad_request", "POST", path, body);
  }
});

Deno.test("what is restored goes to its old place, another one or the top", async () => {
  using vault = await OwnedVault.open();
  const [a, b] = [await vault.addFolder(), await vault.addFolder()];
  const inner = await vault.addFolder(a);
  const files = [await vault.addFile(a), await vault.addFile(a), await vault.addFile(inner)];
  await toBin(vault, ["file", files[0]], ["file", files[1]], ["folder", inner]);
  const items = [
    { ...binItem("file", files[0]), parentId: a },
    { ...binItem("folder", inner), parentId: null },
    { ...binItem("file", files[1]), parentId: b },
  ];
  assert.deepEqual(await outcome(vault, "/restore", items), ["ok", "ok", "ok"]);
  const placeOf = (id: string) => {
    const row = vault.rows.file(id) ?? vault.rows.folder(id)!;
    return ["folderId" in row ? row.folderId : row.parentId, row.originId, row.binnedAt];
  };
  assert.deepEqual(placeOf(files[0]), [a, null, null]);
  assert.deepEqual(placeOf(files[1]), [b, null, null]);
  assert.deepEqual(placeOf(inner), [null, null, null]);
  assert.equal(vault.rows.file(files[0])!.name, items[0].name);
});

Deno.test("what lies deeper in the Bin, or in a connection's trash, can be restored by itself", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const inner = await vault.addFolder(folder);
  const file = await vault.addFile(inner);
  const other = await vault.addFile(folder);
  const agent = await vault.addGrant({ rootIds: [folder] });
  const trashed = await vault.agent(agent, "POST", "/trash", { items: [binItem("file", other)] });
  assert.equal(trashed.body.results[0].ok, true);
  await toBin(vault, ["folder", folder]);
  const items = [file, other].map((id) => ({ ...binItem("file", id), parentId: null }));
  assert.deepEqual(await outcome(vault, "/restore", items), ["ok", "ok"]);
  assert.equal(vault.rows.file(other)!.originId, null);
});

Deno.test("only what lies in the Bin is restored, and never back into it", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const [file, binned] = [await vault.addFile(folder), await vault.addFile(folder)];
  const { trash } = await vault.addGrant({ rootIds: [folder] });
  await toBin(vault, ["file", binned]);
  const into = (kind: Kind, id: string, parentId: string | null) => ({
    ...binItem(kind, id),
    parentId,
  });
  const items = [
    into("file", file, null),
    into("folder", folder, null),
    into("file", binned, vault.bin),
    into("file", binned, trash),
    into("file", binned, vault.id()),
    into("folder", trash!, null),
    into("folder", vault.bin, null),
    { ...into("file", binned, null), ifUpdatedAt: new Date(vault.now - 1).toISOString() },
  ];
  assert.deepEqual(await outcome(vault, "/restore", items), [
    "not_in_bin",
    "not_in_bin",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "conflict",
  ]);
});
