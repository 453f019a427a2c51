// Rename, move, new folder: what a connection may change, and what it leaves behind.

import assert from "node:assert/strict";
import { refused, setUp, trash } from "./organizing.ts";
import { BIN, MEDIA, pqWraps, sealedFile, sealedFolder, sealedName } from "./vault.ts";

Deno.test("a rename writes the name alone, and says under which record", async () => {
  const { vault, inner, as, file } = setUp();
  using _ = vault;
  for (
    const [path, id, read] of [
      ["files", file, () => vault.rows.file(file)],
      ["folders", inner, () => vault.rows.folder(inner)],
    ] as const
  ) {
    const before = read()!;
    const name = sealedName();
    const got = await vault.call("PATCH", `/${path}/${id}`, { as, body: { name } });
    assert.equal(got.status, 200);
    const { version } = before;
    assert.deepEqual(read(), { ...before, name, version: version + 1, updatedAt: vault.now });
    const entry = vault.rows.audit(got.body.auditId)!;
    assert.equal(entry.action, path === "files" ? "rename_file" : "rename_folder");
    assert.deepEqual(
      [entry.grantId, entry.objectId, entry.before, entry.after, entry.version, entry.result],
      [as.id, id, { name: before.name }, { name }, version + 1, "ok"],
    );
    assert.deepEqual(Object.keys(got.body), ["ok", "auditId"]);
  }
});

Deno.test("a move writes place, name and keys; post-quantum wraps that are not given are gone", async () => {
  const { vault, granted, as, file } = setUp();
  using _ = vault;
  const before = vault.rows.file(file)!;
  const first = { folderId: granted, ...sealedFile(), ...pqWraps() };
  const got = await vault.call("PATCH", `/files/${file}`, { as, body: first });
  assert.equal(got.status, 200);
  const moved = { ...before, ...first, version: 2, updatedAt: vault.now };
  assert.deepEqual(vault.rows.file(file), moved);
  const entry = vault.rows.audit(got.body.auditId)!;
  const replaced = Object.keys(entry.before as object);
  assert.deepEqual(
    entry.before,
    Object.fromEntries(replaced.map((name) => [name, before[name as keyof typeof before]])),
  );
  for (const name of Object.keys(first)) assert.ok(replaced.includes(name), name);
  const second = { folderId: granted, ...sealedFile() };
  await vault.call("PATCH", `/files/${file}`, { as, body: second });
  const { pqkFkWrapped, pqkFkIv, cskWrapped } = vault.rows.file(file)!;
  assert.deepEqual([pqkFkWrapped, pqkFkIv, cskWrapped], [null, null, second.cskWrapped]);
});

Deno.test("a folder moves with all that is in it", async () => {
  const { vault, granted, inner, as, file } = setUp();
  using _ = vault;
  const target = vault.addFolder(granted);
  const body = { parentId: target, ...sealedFolder() };
  const got = await vault.call("PATCH", `/folders/${inner}`, { as, body });
  assert.equal(got.status, 200);
  const { parentId, name, fkWrapped, fkIv } = vault.rows.folder(inner)!;
  assert.deepEqual({ parentId, name, fkWrapped, fkIv }, body);
  assert.equal(vault.rows.file(file)!.folderId, inner);
  assert.equal(vault.rows.audit(got.body.auditId)!.action, "move_folder");
});

Deno.test("missing and out-of-reach ids get the very same answer on every route", async () => {
  const { vault, granted, inner, outside, as } = setUp();
  using _ = vault;
  const writer = vault.addGrant(["read", "organize", "write"], [granted]);
  const foreignTrash = vault.addGrant(["read", "organize"], [granted]).trash!;
  const file = vault.addFile(inner);
  const folders = [
    vault.id(),
    outside,
    BIN,
    MEDIA,
    foreignTrash,
    "x",
    "..",
    "%2e",
    inner.toUpperCase(),
  ];
  const files = [vault.id(), vault.addFile(outside), vault.addFile(null), vault.addFile(BIN), "x"];
  const answers = new Set<string>();
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await vault.ask(method, `/api/agent/v1${path}`, { as: writer, body });
    answers.add(JSON.stringify([answer.status, answer.headers, answer.body]));
  };
  for (const id of folders) {
    await ask("PATCH", `/folders/${id}`, { name: sealedName() });
    await ask("PATCH", `/folders/${id}`, { parentId: granted, ...sealedFolder() });
  }
  for (const id of folders.slice(0, 5)) {
    await ask("PATCH", `/folders/${inner}`, { parentId: id, ...sealedFolder() });
    await ask("PATCH", `/files/${file}`, { folderId: id, ...sealedFile() });
    await ask("POST", "/folders", { id: vault.id(), parentId: id, ...sealedFolder() });
  }
  for (const id of files) {
    await ask("PATCH", `/files/${id}`, { name: sealedName() });
    await ask("PATCH", `/files/${id}`, { folderId: granted, ...sealedFile() });
    await ask("POST", `/files/${id}/download`);
    await ask("POST", `/files/${id}/finalize`, { proof: "A", ciphertextHash: "0".repeat(40) });
    await ask("POST", `/uploads/${id}/abort`);
  }
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const one = JSON.stringify([404, headers, '{"code":"not_found"}']);
  assert.deepEqual([...answers], [one]);
  const items = [...folders.slice(0, 5), ...files.slice(0, 4)].map((id, index) =>
    index < 5 ? { kind: "folder", id, ...sealedFolder() } : { kind: "file", id, ...sealedFile() }
  );
  const { results } = (await vault.call("POST", "/trash", { as, body: { items } })).body;
  for (const [index, result] of results.entries()) {
    const { id, kind } = items[index];
    assert.deepEqual(result, { id, kind, ok: false, code: "not_found" });
  }
});

Deno.test("a folder does not move into itself or below itself", async () => {
  const { vault, inner, as } = setUp();
  using _ = vault;
  const below = vault.addFolder(vault.addFolder(inner));
  const before = vault.rows.folder(inner);
  for (const parentId of [inner, below]) {
    const body = { parentId, ...sealedFolder() };
    refused(
      await vault.call("PATCH", `/folders/${inner}`, { as, body }),
      400,
      "invalid_destination",
    );
  }
  assert.deepEqual(vault.rows.folder(inner), before);
});

Deno.test("a new folder has the id and key of its maker, and an id that exists is refused", async () => {
  const { vault, granted, outside, as, file } = setUp();
  using _ = vault;
  const body = { id: vault.id(), parentId: granted, ...sealedFolder() };
  const got = await vault.call("POST", "/folders", { as, body });
  assert.deepEqual([got.status, got.body.ok, got.body.id], [201, true, body.id]);
  const { id, parentId, name, fkWrapped, fkIv, kind, version } = vault.rows.folder(body.id)!;
  assert.deepEqual({ id, parentId, name, fkWrapped, fkIv }, body);
  assert.deepEqual([kind, version, vault.rows.audit(got.body.auditId)!.action], [
    "normal",
    1,
    "create_folder",
  ]);
  for (const taken of [body.id, file, outside, BIN]) {
    const again = { ...body, id: taken, ...sealedFolder() };
    refused(await vault.call("POST", "/folders", { as, body: again }), 409, "conflict");
  }
});

Deno.test("a folder that would lie too deep to be reached is not made, nor moved there", async () => {
  const { vault, granted, as } = setUp();
  using _ = vault;
  let deepest = granted;
  for (let level = 2; level <= 256; level++) deepest = vault.addFolder(deepest);
  const id = vault.id();
  const body = { id, parentId: deepest, ...sealedFolder() };
  refused(await vault.call("POST", "/folders", { as, body }), 400, "too_deep");
  assert.equal(vault.rows.folder(id), undefined);
  const shallow = vault.addFolder(granted);
  const move = { parentId: deepest, ...sealedFolder() };
  refused(await vault.call("PATCH", `/folders/${shallow}`, { as, body: move }), 400, "too_deep");
  assert.equal(vault.rows.folder(shallow)!.parentId, granted);
});

Deno.test("a change of something that was changed since it was listed is refused", async () => {
  const { vault, granted, inner, as, file } = setUp();
  using _ = vault;
  const listed = new Date(vault.rows.file(file)!.updatedAt).toISOString();
  const stale = new Date(vault.rows.file(file)!.updatedAt - 1).toISOString();
  const attempts: [string, unknown][] = [
    [`/files/${file}`, { name: sealedName() }],
    [`/files/${file}`, { folderId: granted, ...sealedFile() }],
    [`/folders/${inner}`, { name: sealedName() }],
    [`/folders/${inner}`, { parentId: granted, ...sealedFolder() }],
  ];
  const before = [vault.rows.file(file), vault.rows.folder(inner)];
  for (const [path, body] of attempts) {
    const got = await vault.call("PATCH", path, {
      as,
      body: { ...body as object, ifUpdatedAt: stale },
    });
    refused(got, 409, "conflict", path);
  }
  const items = [{ kind: "file", id: file, ...sealedFile(), ifUpdatedAt: stale }];
  assert.equal((await trash(vault, as, items)).body.results[0].code, "conflict");
  assert.deepEqual([vault.rows.file(file), vault.rows.folder(inner)], before);
  const body = { name: sealedName(), ifUpdatedAt: listed };
  assert.equal((await vault.call("PATCH", `/files/${file}`, { as, body })).status, 200);
  refused(
    await vault.call("PATCH", `/files/${file}`, { as, body }),
    409,
    "conflict",
    "now it is stale",
  );
});

Deno.test("the time of a row rises with every change, even when the clock stands still or goes back", async () => {
  const { vault, as, file } = setUp();
  using _ = vault;
  const times = [vault.rows.file(file)!.updatedAt];
  for (const step of [0, 0, -5000]) {
    vault.now += step;
    await vault.call("PATCH", `/files/${file}`, { as, body: { name: sealedName() } });
    times.push(vault.rows.file(file)!.updatedAt);
  }
  for (const [index, at] of times.slice(1).entries()) assert.ok(at > times[index]);
});
