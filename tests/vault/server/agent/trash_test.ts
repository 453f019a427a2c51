// Trash, and what is fixed in its place.

import assert from "node:assert/strict";
import { refused, setUp, trash } from "./organizing.ts";
import { pqWraps, sealedFile, sealedFolder, sealedName } from "./vault.ts";

Deno.test("scope roots and the trash folder stay as they are", async () => {
  const { vault, granted, inner, as } = setUp();
  using _ = vault;
  const nestedRoot = vault.addFolder(inner);
  vault.rows.addGrantRoot(as.id, nestedRoot);
  for (const id of [granted, as.trash, nestedRoot]) {
    const before = vault.rows.folder(id!);
    const attempts = [{ name: sealedName() }, { parentId: inner, ...sealedFolder() }];
    for (const body of attempts) {
      refused(await vault.call("PATCH", `/folders/${id}`, { as, body }), 404, "not_found");
    }
    const items = [{ kind: "folder", id, ...sealedFolder() }];
    const got = await vault.call("POST", "/trash", { as, body: { items } });
    assert.equal(got.body.results[0].code, "not_found");
    assert.deepEqual(vault.rows.folder(id!), before);
  }
});

Deno.test("at the top of a whole vault nothing is renamed, but can be moved down or trashed", async () => {
  const { vault, granted, outside } = setUp();
  using _ = vault;
  const as = vault.addGrant(["read", "organize"], "all");
  const [kept, thrown] = [vault.addFile(null), vault.addFile(null)];
  refused(
    await vault.call("PATCH", `/files/${kept}`, { as, body: { name: sealedName() } }),
    404,
    "not_found",
  );
  refused(
    await vault.call("PATCH", `/folders/${outside}`, { as, body: { name: sealedName() } }),
    404,
    "not_found",
  );
  const moves: [string, unknown][] = [
    [`/files/${kept}`, { folderId: granted, ...sealedFile() }],
    [`/folders/${outside}`, { parentId: granted, ...sealedFolder() }],
  ];
  for (const [path, body] of moves) {
    assert.equal((await vault.call("PATCH", path, { as, body })).status, 200);
  }
  for (
    const [path, body] of [[`/files/${kept}`, { folderId: null, ...sealedFile() }], [
      `/folders/${outside}`,
      { parentId: null, ...sealedFolder() },
    ]] as const
  ) {
    refused(
      await vault.call("PATCH", path, { as, body }),
      400,
      "bad_request",
      "nothing moves to the top",
    );
  }
  const items = [
    { kind: "file", id: thrown, ...sealedFile() },
    { kind: "folder", id: granted, ...sealedFolder() },
  ];
  const got = await vault.call("POST", "/trash", { as, body: { items } });
  assert.deepEqual(got.body.results.map(({ ok }: { ok: boolean }) => ok), [true, true]);
  assert.equal(vault.rows.file(thrown)!.folderId, as.trash);
});

Deno.test("what is in the trash can be renamed there, and nothing moves in, out or is made there", async () => {
  const { vault, granted, inner, as, file } = setUp();
  using _ = vault;
  const trashed = vault.addFile(as.trash);
  const folder = vault.addFolder(as.trash);
  assert.equal(
    (await vault.call("PATCH", `/files/${trashed}`, { as, body: { name: sealedName() } })).status,
    200,
  );
  const refusals: [string, string, unknown][] = [
    ["PATCH", `/files/${trashed}`, { folderId: granted, ...sealedFile() }],
    ["PATCH", `/folders/${folder}`, { parentId: granted, ...sealedFolder() }],
    ["PATCH", `/files/${file}`, { folderId: as.trash, ...sealedFile() }],
    ["PATCH", `/folders/${inner}`, { parentId: folder, ...sealedFolder() }],
    ["POST", "/folders", { id: vault.id(), parentId: as.trash, ...sealedFolder() }],
    ["POST", "/folders", { id: vault.id(), parentId: folder, ...sealedFolder() }],
  ];
  for (const [method, path, body] of refusals) {
    refused(await vault.call(method, path, { as, body }), 404, "not_found", path);
  }
});

Deno.test("trash takes each item for itself and remembers where it lay", async () => {
  const { vault, granted, inner, as, file } = setUp();
  using _ = vault;
  const second = vault.addFile(granted);
  const missing = vault.id();
  const sealed = { ...sealedFile(), ...pqWraps() };
  const got = await trash(vault, as, [
    { kind: "file", id: second, ...sealed },
    { kind: "file", id: missing, ...sealedFile() },
    { kind: "folder", id: inner, ...sealedFolder() },
    { kind: "file", id: second, ...sealedFile() },
    { kind: "file", id: file, ...sealedFile() },
  ]);
  assert.deepEqual([got.status, got.body.trashFolderId], [200, as.trash]);
  const { results } = got.body;
  assert.deepEqual(
    results.map(({ id, kind, ok, code }: Record<string, unknown>) => [id, kind, ok, code]),
    [
      [second, "file", true, undefined],
      [missing, "file", false, "not_found"],
      [inner, "folder", true, undefined],
      [second, "file", false, "already_trashed"],
      [file, "file", false, "already_trashed"],
    ],
    "the file in the trashed folder went along",
  );
  const row = vault.rows.file(second)!;
  assert.deepEqual(
    [row.folderId, row.originId, row.binnedAt, row.name, row.pqkFkIv],
    [as.trash, granted, vault.now, sealed.name, sealed.pqkFkIv],
  );
  const folder = vault.rows.folder(inner)!;
  assert.deepEqual([folder.parentId, folder.originId, folder.binnedAt], [
    as.trash,
    granted,
    vault.now,
  ]);
  assert.equal(vault.rows.file(file)!.folderId, inner);
  assert.deepEqual(
    vault.audits().map(({ action, result, code }) => [action, result, code]).sort(),
    [
      ["trash_file", "ok", null],
      ["trash_file", "refused", "already_trashed"],
      ["trash_file", "refused", "already_trashed"],
      ["trash_file", "refused", "not_found"],
      ["trash_folder", "ok", null],
    ],
  );
});

Deno.test("50 items go, 51 are too many, and none is a malformed request", async () => {
  const { vault, granted, as } = setUp();
  using _ = vault;
  const items = Array.from({ length: 51 }, () => ({
    kind: "file",
    id: vault.addFile(granted),
    ...sealedFile(),
  }));
  const tooMany = await trash(vault, as, items);
  assert.deepEqual([tooMany.status, tooMany.body], [400, { code: "too_many_items", max: 50 }]);
  assert.equal(vault.rows.filesIn(as.trash).length, 0);
  assert.equal((await trash(vault, as, items.slice(1))).status, 200);
  assert.equal(vault.rows.filesIn(as.trash).length, 50);
  refused(await trash(vault, as, []), 400, "bad_request");
});

Deno.test("a connection that has lost its trash folder is told so", async () => {
  const { vault, as, file } = setUp();
  using _ = vault;
  vault.rows.updateGrant(as.id, { trashFolderId: null });
  refused(await trash(vault, as, [{ kind: "file", id: file, ...sealedFile() }]), 409, "no_trash");
});
