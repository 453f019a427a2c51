// The owner's rows: made, renamed, moved, and completed with the wrap that they lack.

import assert from "node:assert/strict";
import {
  type Answered,
  anyFileFields,
  anyFolderFields,
  anyName,
  anyWrap,
  OwnedVault,
} from "./owned_vault.ts";

async function rowOf(vault: OwnedVault, what: "folders" | "files", id: string): Promise<Answered> {
  const rows = (await vault.ok("GET", `/${what}`))[what];
  return rows.find((row: Answered) => row.id === id);
}

function pqWrap() {
  const { wrapped: pqkFkWrapped, iv: pqkFkIv } = anyWrap();
  return { pqkFkWrapped, pqkFkIv };
}

/** A file that came without a post-quantum wrap, as from a phone. */
async function incompleteFile(vault: OwnedVault, folderId: string | null): Promise<string> {
  const id = await vault.addFile(folderId);
  vault.rows.changeFile(id, { pqkFkWrapped: null, pqkFkIv: null });
  return id;
}

Deno.test("a new folder can lie at the top or in another, and says how to change it next", async () => {
  using vault = await OwnedVault.open();
  const fields = { id: vault.id(), parentId: null, ...anyFolderFields() };
  const got = await vault.own("POST", "/folders", fields);
  const { auditId, ...rest } = got.body;
  assert.equal(got.status, 201);
  const at = new Date(vault.now).toISOString();
  assert.deepEqual(rest, { ok: true, id: fields.id, updatedAt: at, version: 1 });
  assert.equal(vault.rows.audit(auditId)?.action, "create_folder");
  const inner = await vault.addFolder(fields.id);
  assert.deepEqual(await rowOf(vault, "folders", inner), {
    ...await rowOf(vault, "folders", inner),
    parentId: fields.id,
    kind: "normal",
    inTrash: false,
    version: 1,
    originId: null,
    binnedAt: null,
    createdAt: at,
    updatedAt: at,
  });
  assert.deepEqual(await rowOf(vault, "folders", fields.id), {
    ...await rowOf(vault, "folders", fields.id),
    ...fields,
  });
});

Deno.test("a folder is refused whose id is taken, whose parent is missing or in the Bin", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await vault.addFile(folder);
  const at = (parentId: string | null, id = vault.id()) => ({ id, parentId, ...anyFolderFields() });
  for (const id of [folder, file, vault.bin]) {
    await vault.refused(409, "conflict", "POST", "/folders", at(null, id));
  }
  for (const parent of [vault.id(), vault.bin, file]) {
    await vault.refused(404, "not_found", "POST", "/folders", at(parent));
  }
  const { id: _, ...withoutId } = at(null);
  const bad = [
    withoutId,
    { ...at(null), name: "Plain name" },
    { ...at(null), name: 7 },
    { ...at(null), fkWrapped: anyWrap().iv },
    { ...at(null), fkIv: anyWrap().wrapped },
    { ...at(null), parentId: "" },
    { ...at(null), id: vault.id().toUpperCase() },
    { ...at(null), kind: "bin" },
    [],
    null,
  ];
  for (const body of bad) await vault.refused(400, "bad_request", "POST", "/folders", body);
});

Deno.test("names change anywhere but on the folders that belong to the vault", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await vault.addFile(null);
  const { trash } = await vault.addGrant({ rootIds: [folder] });
  for (const [what, id] of [["folders", folder], ["files", file]] as const) {
    const name = anyName();
    vault.now += 10;
    const answer = await vault.ok("PATCH", `/${what}/${id}`, { name });
    const row = await rowOf(vault, what, id);
    assert.deepEqual([row.name, row.version, row.updatedAt], [name, 2, answer.updatedAt]);
    assert.equal(answer.version, 2);
  }
  for (const id of [vault.bin, vault.media, trash]) {
    await vault.refused(404, "not_found", "PATCH", `/folders/${id}`, { name: anyName() });
  }
  for (const path of [`/files/${folder}`, `/folders/${file}`, `/files/${vault.id()}`]) {
    await vault.refused(404, "not_found", "PATCH", path, { name: anyName() });
  }
});

Deno.test("a move takes name and keys sealed for the new place, and the top is a place", async () => {
  using vault = await OwnedVault.open();
  const [a, b] = [await vault.addFolder(), await vault.addFolder()];
  const file = await vault.addFile(a);
  const sealed = anyFileFields();
  await vault.ok("PATCH", `/files/${file}`, { folderId: b, ...sealed });
  const row = await rowOf(vault, "files", file);
  assert.deepEqual({ ...row, folderId: b, ...sealed }, row);
  const { pqkFkWrapped: _, pqkFkIv: __, ...withoutPq } = anyFileFields();
  await vault.ok("PATCH", `/files/${file}`, { folderId: null, ...withoutPq });
  const atTop = await rowOf(vault, "files", file);
  assert.deepEqual([atTop.folderId, atTop.pqkFkWrapped, atTop.pqkFkIv], [null, null, null]);
  const fields = anyFolderFields();
  await vault.ok("PATCH", `/folders/${b}`, { parentId: a, ...fields });
  const moved = await rowOf(vault, "folders", b);
  assert.deepEqual({ ...moved, parentId: a, ...fields }, moved);
  await vault.ok("PATCH", `/folders/${b}`, { parentId: null, ...anyFolderFields() });
});

Deno.test("no move leads into the Bin, nowhere, into itself, or half sealed", async () => {
  using vault = await OwnedVault.open();
  const outer = await vault.addFolder();
  const inner = await vault.addFolder(outer);
  const file = await vault.addFile(outer);
  const into = (parentId: string | null) => ({ parentId, ...anyFolderFields() });
  for (const parent of [outer, inner]) {
    await vault.refused(400, "invalid_destination", "PATCH", `/folders/${outer}`, into(parent));
  }
  for (const parent of [vault.bin, vault.id()]) {
    await vault.refused(404, "not_found", "PATCH", `/folders/${inner}`, into(parent));
    const body = { folderId: parent, ...anyFileFields() };
    await vault.refused(404, "not_found", "PATCH", `/files/${file}`, body);
  }
  for (const id of [vault.bin, vault.media]) {
    await vault.refused(404, "not_found", "PATCH", `/folders/${id}`, into(outer));
  }
  const { cskIv: _, ...withoutIv } = anyFileFields();
  const { pqkFkIv: __, ...halfPq } = anyFileFields();
  const bad = [
    { folderId: null },
    { folderId: null, ...withoutIv },
    { folderId: null, ...halfPq },
    { folderId: 1, ...anyFileFields() },
    { name: anyName(), folder: null },
    { name: anyName(), ...pqWrap() },
    { pqkFkWrapped: anyWrap().wrapped },
    { pqkFkIv: anyWrap().iv },
    {},
    "text",
  ];
  for (const body of bad) {
    await vault.refused(400, "bad_request", "PATCH", `/files/${file}`, body);
  }
  for (const body of [{ parentId: null }, { parentId: null, name: anyName() }, {}, []]) {
    await vault.refused(400, "bad_request", "PATCH", `/folders/${inner}`, body);
  }
});

Deno.test("a change of a row that was changed since is refused and changes nothing", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await incompleteFile(vault, folder);
  const stale = {
    folder: (await rowOf(vault, "folders", folder)).updatedAt,
    file: (await rowOf(vault, "files", file)).updatedAt,
  };
  await vault.ok("PATCH", `/folders/${folder}`, { name: anyName(), ifUpdatedAt: stale.folder });
  await vault.ok("PATCH", `/files/${file}`, { name: anyName(), ifUpdatedAt: stale.file });
  const before = [vault.rows.folder(folder), vault.rows.file(file)];
  const ofFolder = { ifUpdatedAt: stale.folder };
  for (
    const body of [{ name: anyName(), ...ofFolder }, {
      parentId: null,
      ...anyFolderFields(),
      ...ofFolder,
    }]
  ) {
    await vault.refused(409, "conflict", "PATCH", `/folders/${folder}`, body);
  }
  const ofFile = { ifUpdatedAt: stale.file };
  for (
    const body of [
      { name: anyName(), ...ofFile },
      { folderId: null, ...anyFileFields(), ...ofFile },
      { ...pqWrap(), ...ofFile },
    ]
  ) {
    await vault.refused(409, "conflict", "PATCH", `/files/${file}`, body);
  }
  assert.deepEqual([vault.rows.folder(folder), vault.rows.file(file)], before);
  for (const ifUpdatedAt of ["yesterday", 1, null, "2026-01-15T12:00:00Z"]) {
    const body = { name: anyName(), ifUpdatedAt };
    await vault.refused(400, "bad_request", "PATCH", `/files/${file}`, body);
  }
});

Deno.test("the missing wrap of a file is added once, and only where there can be one", async () => {
  using vault = await OwnedVault.open();
  const file = await incompleteFile(vault, null);
  const { updatedAt, version } = await rowOf(vault, "files", file);
  const wrap = pqWrap();
  const answer = await vault.ok("PATCH", `/files/${file}`, { ...wrap, ifUpdatedAt: updatedAt });
  const row = await rowOf(vault, "files", file);
  assert.deepEqual([row.pqkFkWrapped, row.pqkFkIv], [wrap.pqkFkWrapped, wrap.pqkFkIv]);
  assert.ok(row.updatedAt > updatedAt, "who holds the old row is told");
  assert.deepEqual([answer.updatedAt, row.version], [row.updatedAt, version]);
  await vault.refused(409, "conflict", "PATCH", `/files/${file}`, pqWrap());
  const old = await incompleteFile(vault, null);
  vault.rows.changeFile(old, { cipherVersion: 2 });
  await vault.refused(400, "bad_request", "PATCH", `/files/${old}`, pqWrap());
});
