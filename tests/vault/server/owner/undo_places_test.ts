// Undoing a change when the places around it are no longer what they were.

import assert from "node:assert/strict";
import { binItem } from "./binning.ts";
import { anyFileFields, anyFolderFields, anyName, anyWrap } from "./owned_vault.ts";
import { change, contentOf, notUndone, shared, undone } from "./undoing.ts";

Deno.test("a wrap that was added since does not stand in the way, and goes with the move", async () => {
  const { vault, b, agent, file } = await shared();
  using _ = vault;
  const before = contentOf(vault, file);
  const { name, cskWrapped, cskIv } = anyFileFields();
  const body = { folderId: b, name, cskWrapped, cskIv };
  const moved = await change(vault, agent, "PATCH", `/files/${file}`, body);
  const { wrapped: pqkFkWrapped, iv: pqkFkIv } = anyWrap();
  await vault.ok("PATCH", `/files/${file}`, { pqkFkWrapped, pqkFkIv });
  await undone(vault, moved);
  assert.deepEqual(contentOf(vault, file), before);
});

Deno.test("a move out of a folder that went to the Bin since is not undone into the Bin", async () => {
  const { vault, a, b, agent, file } = await shared();
  using _ = vault;
  const move = { folderId: b, ...anyFileFields() };
  const moved = await change(vault, agent, "PATCH", `/files/${file}`, move);
  await vault.ok("POST", "/bin", { items: [binItem("folder", a)] });
  await notUndone(vault, moved, "place_gone");
  await vault.ok("POST", "/restore", { items: [{ ...binItem("folder", a), parentId: null }] });
  await undone(vault, moved);
  assert.equal(vault.rows.file(file)!.folderId, a);
});

Deno.test("a move out of a folder that was purged since cannot be undone", async () => {
  const { vault, a, b, agent, file } = await shared();
  using _ = vault;
  const move = { folderId: b, ...anyFileFields() };
  const moved = await change(vault, agent, "PATCH", `/files/${file}`, move);
  await vault.ok("POST", "/bin", { items: [binItem("folder", a)] });
  await vault.ok("POST", "/purge", { items: [{ kind: "folder", id: a }] });
  await notUndone(vault, moved, "place_gone");
});

Deno.test("a change of what is gone for good cannot be undone", async () => {
  const { vault, agent, file } = await shared();
  using _ = vault;
  const trashed = await change(vault, agent, "POST", "/trash", { items: [binItem("file", file)] });
  await vault.ok("POST", "/purge", { items: [{ kind: "file", id: file }] });
  await notUndone(vault, trashed, "gone");
});

Deno.test("what moved into a folder that is in the Bin now comes back out of it", async () => {
  const { vault, a, b, agent, file } = await shared();
  using _ = vault;
  const move = { folderId: b, ...anyFileFields() };
  const moved = await change(vault, agent, "PATCH", `/files/${file}`, move);
  await vault.ok("POST", "/bin", { items: [binItem("folder", b)] });
  await undone(vault, moved);
  assert.equal(vault.rows.file(file)!.folderId, a);
});

Deno.test("a rename is undone wherever the thing lies now, if it lies there unchanged", async () => {
  const { vault, a, agent, file } = await shared();
  using _ = vault;
  const { name } = vault.rows.file(file)!;
  const renamed = await change(vault, agent, "PATCH", `/files/${file}`, { name: anyName() });
  await vault.ok("POST", "/bin", { items: [binItem("folder", a)] });
  await undone(vault, renamed);
  assert.equal(vault.rows.file(file)!.name, name);
});

Deno.test("undoing a move never closes a circle of folders", async () => {
  const { vault, a, b, agent, inner } = await shared();
  using _ = vault;
  const below = await vault.addFolder(a);
  // inner goes out of below's way, and then below's old parent goes into inner.
  const into = (parentId: string) => ({ parentId, ...anyFolderFields() });
  await vault.ok("PATCH", `/folders/${inner}`, into(below));
  const moved = await change(vault, agent, "PATCH", `/folders/${inner}`, into(b));
  await vault.ok("PATCH", `/folders/${below}`, into(inner));
  await notUndone(vault, moved, "place_gone");
  assert.equal(vault.rows.folder(inner)!.parentId, b);
});

Deno.test("undoing a restoring puts a thing back where it lay inside the Bin", async () => {
  const { vault, a, file } = await shared();
  using _ = vault;
  await vault.ok("POST", "/bin", { items: [binItem("folder", a)] });
  const restored = await vault.ok("POST", "/restore", {
    items: [{ ...binItem("file", file), parentId: null }],
  });
  await undone(vault, restored.results[0].auditId);
  assert.equal(vault.rows.file(file)!.folderId, a, "in its folder again, in the Bin");
});
