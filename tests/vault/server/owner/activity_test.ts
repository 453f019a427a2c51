// What was done, page by page, and taking it back.

import assert from "node:assert/strict";
import { binItem, type Kind } from "./binning.ts";
import { type Answered, anyFileFields, anyFolderFields, anyName, anyWrap } from "./owned_vault.ts";
import { change, contentOf, entryOf, notUndone, shared, undone } from "./undoing.ts";

Deno.test("a rename, a move and a trashing by a connection are taken back to the byte", async () => {
  const { vault, a, b, agent, file, inner } = await shared();
  using _ = vault;
  const { cskWrapped, cskIv, name } = anyFileFields();
  const changes: [string, string, string, unknown][] = [
    [file, "PATCH", `/files/${file}`, { name: anyName() }],
    [file, "PATCH", `/files/${file}`, { folderId: b, ...anyFileFields() }],
    [file, "PATCH", `/files/${file}`, { folderId: b, name, cskWrapped, cskIv }],
    [file, "POST", "/trash", { items: [binItem("file", file)] }],
    [inner, "PATCH", `/folders/${inner}`, { name: anyName() }],
    [inner, "PATCH", `/folders/${inner}`, { parentId: b, ...anyFolderFields() }],
    [inner, "POST", "/trash", { items: [binItem("folder", inner)] }],
  ];
  for (const [id, method, path, body] of changes) {
    const before = contentOf(vault, id);
    const version = (vault.rows.file(id) ?? vault.rows.folder(id))!.version;
    const auditId = await change(vault, agent, method, path, body);
    assert.notDeepEqual(contentOf(vault, id), before);
    const answer = await undone(vault, auditId);
    assert.deepEqual(contentOf(vault, id), before, `${method} ${path}`);
    assert.equal(answer.version, version + 2, "undoing is a change as well");
  }
  assert.equal(vault.rows.file(file)!.folderId, a);
});

Deno.test("the owner's own changes are taken back too, restoring among them", async () => {
  const { vault, b, file, inner } = await shared();
  using _ = vault;
  const rename = await vault.ok("PATCH", `/files/${file}`, { name: anyName() });
  await undone(vault, rename.auditId);
  const move = await vault.ok("PATCH", `/folders/${inner}`, { parentId: b, ...anyFolderFields() });
  await undone(vault, move.auditId);
  const binned = await vault.ok("POST", "/bin", { items: [binItem("file", file)] });
  const inBin = contentOf(vault, file);
  const restored = await vault.ok("POST", "/restore", {
    items: [{ ...binItem("file", file), parentId: b }],
  });
  await undone(vault, restored.results[0].auditId);
  assert.deepEqual(
    contentOf(vault, file),
    inBin,
    "back in the Bin, with what it was sealed for it",
  );
  await undone(vault, binned.results[0].auditId);
  assert.notEqual(vault.rows.file(file)!.folderId, vault.bin, "and out of it, as before all that");
});

Deno.test("what a connection made or uploaded goes to the Bin, sealed for it", async () => {
  const { vault, a, agent } = await shared();
  using _ = vault;
  const folder = vault.id();
  const fields = { id: folder, parentId: a, ...anyFolderFields() };
  const created = await change(vault, agent, "POST", "/folders", fields);
  const file = await vault.addFile(a, 100, agent);
  const [upload] = await vault.activity("upload_file");
  assert.deepEqual([upload.grantId, upload.objectId], [agent.id, file]);
  for (const [kind, id, auditId] of [["folder", folder, created], ["file", file, upload.id]]) {
    const item = binItem(kind as Kind, id);
    const path = `/activity/${auditId}/undo`;
    await vault.refused(400, "item_required", "POST", path, {});
    await vault.refused(400, "item_required", "POST", path, { item: binItem("file", vault.id()) });
    await vault.refused(400, "bad_request", "POST", path, { item: { ...item, name: "x" } });
    await vault.refused(400, "bad_request", "POST", path, { items: [item] });
    const answer = await undone(vault, auditId, { item });
    assert.deepEqual([answer.kind, answer.id], [kind, id]);
    const row = vault.rows.file(id) ?? vault.rows.folder(id)!;
    const parentId = "folderId" in row ? row.folderId : row.parentId;
    assert.deepEqual([parentId, row.originId, row.binnedAt], [vault.bin, a, vault.now]);
    assert.deepEqual({ ...row, ...item, kind: undefined }, { ...row, kind: undefined });
  }
});

Deno.test("a folder that was made takes along what was put into it since", async () => {
  const { vault, a, agent } = await shared();
  using _ = vault;
  const folder = vault.id();
  const fields = { id: folder, parentId: a, ...anyFolderFields() };
  const created = await change(vault, agent, "POST", "/folders", fields);
  const file = await vault.addFile(folder, 100, agent);
  await undone(vault, created, { item: binItem("folder", folder) });
  assert.equal(vault.rows.file(file)!.folderId, folder);
  await vault.refused(
    409,
    "already_trashed",
    "POST",
    `/activity/${(await vault.activity("upload_file"))[0].id}/undo`,
    { item: binItem("file", file) },
  );
});

Deno.test("after any later change of the same row there is no undoing", async () => {
  const { vault, a, b, agent, file, inner } = await shared();
  using _ = vault;
  const later: [string, string, unknown][] = [
    ["PATCH", `/files/${file}`, { name: anyName() }],
    ["PATCH", `/files/${file}`, { folderId: b, ...anyFileFields() }],
    ["POST", "/trash", { items: [binItem("file", file)] }],
  ];
  const first = await change(vault, agent, "PATCH", `/files/${file}`, { name: anyName() });
  let previous = first;
  for (const [method, path, body] of later) {
    const next = await change(vault, agent, method, path, body);
    await notUndone(vault, previous, "conflict");
    previous = next;
  }
  await undone(vault, previous);
  await notUndone(vault, first, "conflict");
  const created = vault.id();
  const fields = { id: created, parentId: a, ...anyFolderFields() };
  const creation = await change(vault, agent, "POST", "/folders", fields);
  await change(vault, agent, "PATCH", `/folders/${created}`, { name: anyName() });
  await notUndone(vault, creation, "conflict");
  const moved = await change(vault, agent, "PATCH", `/folders/${inner}`, { name: anyName() });
  await change(vault, agent, "PATCH", `/files/${file}`, { name: anyName() });
  await undone(vault, moved);
});

Deno.test("changes of one row are undone one by one, from the last to the first", async () => {
  const { vault, a, b, agent } = await shared();
  using _ = vault;
  const created = vault.id();
  const path = `/folders/${created}`;
  const fields = { id: created, parentId: a, ...anyFolderFields() };
  const states = [];
  const changes = [await change(vault, agent, "POST", "/folders", fields)];
  for (
    const body of [{ name: anyName() }, { name: anyName() }, { parentId: b, ...anyFolderFields() }]
  ) {
    states.push(contentOf(vault, created));
    changes.push(await change(vault, agent, "PATCH", path, body));
  }
  // One that was undone in between does not break the chain, and is not undone again with it.
  const between = await change(vault, agent, "PATCH", path, { name: anyName() });
  await undone(vault, between);
  while (states.length > 0) {
    for (const earlier of changes.slice(0, -1)) await notUndone(vault, earlier, "conflict");
    await undone(vault, changes.pop()!);
    assert.deepEqual(contentOf(vault, created), states.pop());
    await notUndone(vault, between, "already_undone");
  }
  await undone(vault, changes[0], { item: binItem("folder", created) });
  assert.equal(vault.rows.folder(created)!.parentId, vault.bin);
});

Deno.test("what was undone is not undone again, and the undoing neither", async () => {
  const { vault, agent, file } = await shared();
  using _ = vault;
  const renamed = await change(vault, agent, "PATCH", `/files/${file}`, { name: anyName() });
  const { auditId } = await undone(vault, renamed);
  await notUndone(vault, renamed, "already_undone");
  await notUndone(vault, auditId, "not_undoable");
  const { action, grantId, objectId } = await entryOf(vault, auditId);
  assert.deepEqual([action, grantId, objectId], ["undo", null, file]);
});

Deno.test("what is no change, was refused or is unknown is not undone", async () => {
  const { vault, a, b, agent, file } = await shared();
  using _ = vault;
  await vault.agent(agent, "GET", "/files");
  await vault.agent(agent, "POST", `/files/${file}/download`);
  const refused = { name: anyName(), ifUpdatedAt: new Date(0).toISOString() };
  assert.equal((await vault.agent(agent, "PATCH", `/files/${file}`, refused)).status, 409);
  await vault.ok("POST", "/bin", { items: [binItem("folder", b)] });
  await vault.ok("POST", "/purge", { items: [{ kind: "folder", id: b }] });
  vault.rows.changeFile(file, { pqkFkWrapped: null, pqkFkIv: null });
  const { wrapped: pqkFkWrapped, iv: pqkFkIv } = anyWrap();
  await vault.ok("PATCH", `/files/${file}`, { pqkFkWrapped, pqkFkIv });
  const id = vault.id();
  await vault.agent(agent, "POST", "/files", {
    id,
    folderId: a,
    ...anyFileFields(),
    cipherVersion: 3,
    sizeBytes: 5000,
  });
  const { entries } = await vault.ok("GET", "/activity");
  const offered = (entry: Answered) => entry.undoable;
  const idle = entries.filter(({ action, result }: Answered) =>
    result === "refused" || ["list", "download", "reserve_upload", "purge_folder", "setup"]
      .concat("create_grant", "complete_file").includes(action)
  );
  assert.deepEqual(idle.filter(offered), []);
  const actions = new Set(idle.map(({ action }: Answered) => action));
  assert.equal(actions.size, 8, [...actions].join());
  for (const entry of idle) await notUndone(vault, entry.id, "not_undoable");
  await vault.refused(404, "not_found", "POST", `/activity/${vault.id()}/undo`, {});
});

Deno.test("undoing is all or nothing", async () => {
  const { vault, agent, file } = await shared();
  using _ = vault;
  const renamed = await change(vault, agent, "PATCH", `/files/${file}`, { name: anyName() });
  const before = [vault.rows.file(file), vault.rows.audit(renamed)];
  const { context, rows } = vault;
  const failing = new Proxy(rows, {
    get: (_, name) => {
      const member = Reflect.get(rows, name, rows);
      if (name === "markUndone") return () => assert.fail("the disk is full");
      return typeof member === "function" ? member.bind(rows) : member;
    },
  });
  vault.serve({ ...context, rows: failing });
  assert.equal((await vault.own("POST", `/activity/${renamed}/undo`, {})).status, 500);
  assert.equal(vault.faults.splice(0).length, 1);
  assert.deepEqual([vault.rows.file(file), vault.rows.audit(renamed)], before);
});

Deno.test("the activity comes in pages, the newest first and none twice", async () => {
  const { vault, agent, file } = await shared();
  using _ = vault;
  for (let count = 0; count < 12; count++) {
    // Several in one moment, too.
    vault.now += count % 3;
    await vault.agent(agent, "PATCH", `/files/${file}`, { name: anyName() });
  }
  vault.now += 1;
  const all: Answered[] = (await vault.ok("GET", "/activity")).entries;
  const seen: Answered[] = [];
  for (let after = ""; after !== "end";) {
    const page = await vault.ok("GET", `/activity?limit=5${after}`);
    assert.ok(page.entries.length <= 5);
    seen.push(...page.entries);
    after = page.next === null ? "end" : `&after=${page.next}`;
  }
  assert.deepEqual(seen, all);
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  const times = seen.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().reverse());
  assert.equal(seen.filter(({ action }) => action === "rename_file").length, 12);
  assert.equal(seen.filter(({ undoable }) => undoable).length > 0, true);
});

Deno.test("a record says who, what, when and how it ended, and no name or wrap", async () => {
  const { vault, agent, file } = await shared();
  using _ = vault;
  const name = anyName();
  const renamed = await change(vault, agent, "PATCH", `/files/${file}`, { name });
  vault.now -= 1000;
  const at = new Date(vault.now).toISOString();
  assert.deepEqual(await entryOf(vault, renamed), {
    id: renamed,
    grantId: agent.id,
    action: "rename_file",
    objectKind: "file",
    objectId: file,
    result: "ok",
    code: null,
    at,
    undoable: true,
    undoneAt: null,
  });
  assert.ok(!JSON.stringify(await vault.ok("GET", "/activity")).includes(JSON.parse(name).ct));
});
