// The owner's own uploads and downloads.

import assert from "node:assert/strict";
import { anyCiphertext } from "../keyless/shapes.ts";
import { anyFileFields, HOUR, MINUTE, OwnedVault } from "./owned_vault.ts";

function announced(id: string, folderId: string | null, sizeBytes: number) {
  return { id, folderId, ...anyFileFields(), cipherVersion: 3, sizeBytes };
}

Deno.test("what was uploaded comes back byte for byte, whole and in ranges", async () => {
  using vault = await OwnedVault.open();
  const id = vault.id();
  const bytes = anyCiphertext(id, 300_000);
  const reserved = await vault.ok("POST", "/files", announced(id, null, bytes.length));
  assert.equal(reserved.budgetRemainingBytes, null, "the owner has no allowance");
  assert.equal((await vault.put(reserved.uploadUrl, bytes)).status, 200);
  const finalization = await vault.finalization(bytes, reserved.proofKey);
  const stored = await vault.ok("POST", `/files/${id}/finalize`, finalization);
  assert.equal(stored.status, "stored");
  assert.deepEqual(await vault.ok("POST", `/files/${id}/finalize`, finalization), stored);
  const content = (headers?: Record<string, string>) =>
    vault.ask("GET", `/api/owner/v1/files/${id}/content`, { token: vault.session, headers });
  const whole = await content();
  assert.equal(whole.status, 200);
  assert.deepEqual(await new Response(whole.body).bytes(), bytes);
  const part = await content({ range: "bytes=1000-1999" });
  assert.deepEqual([part.status, part.headers["content-range"]], [
    206,
    `bytes 1000-1999/${bytes.length}`,
  ]);
  assert.deepEqual(await new Response(part.body).bytes(), bytes.slice(1000, 2000));
  assert.equal((await content({ range: `bytes=${bytes.length}-` })).status, 416);
});

Deno.test("an upload goes to the top or a folder, not into the Bin and not over another row", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const file = await vault.addFile(folder);
  for (const to of [vault.bin, vault.id()]) {
    await vault.refused(404, "not_found", "POST", "/files", announced(vault.id(), to, 5000));
  }
  for (const id of [file, folder]) {
    await vault.refused(409, "conflict", "POST", "/files", announced(id, null, 5000));
  }
  const bad = [
    { ...announced(vault.id(), null, 0) },
    { ...announced(vault.id(), null, 2 ** 40) },
    { ...announced(vault.id(), null, 5000), cipherVersion: 2 },
    { ...announced(vault.id(), null, 5000), pqkFkIv: undefined },
    { ...announced(vault.id(), null, 5000), contentType: "text/plain\n" },
    { ...announced(vault.id(), null, 5000), ifUpdatedAt: "2026-01-15T12:00:00.000Z" },
  ];
  for (const body of bad) await vault.refused(400, "bad_request", "POST", "/files", body);
});

Deno.test("an upload whose folder went to the Bin meanwhile does not become a file", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const id = vault.id();
  const bytes = anyCiphertext(id, 100);
  const reserved = await vault.ok("POST", "/files", announced(id, folder, bytes.length));
  await vault.put(reserved.uploadUrl, bytes);
  const { name, fkWrapped, fkIv } = vault.rows.folder(folder)!;
  const items = [{ kind: "folder", id: folder, name, fkWrapped, fkIv }];
  await vault.ok("POST", "/bin", { items });
  const finalization = await vault.finalization(bytes, reserved.proofKey);
  await vault.refused(404, "not_found", "POST", `/files/${id}/finalize`, finalization);
  assert.equal(vault.rows.file(id), undefined);
});

Deno.test("an upload can be given up, and its bytes go with it", async () => {
  using vault = await OwnedVault.open();
  const id = vault.id();
  const bytes = anyCiphertext(id, 100);
  const reserved = await vault.ok("POST", "/files", announced(id, null, bytes.length));
  await vault.put(reserved.uploadUrl, bytes);
  assert.equal([...vault.objects.list()].length, 1);
  await vault.ok("POST", `/uploads/${id}/abort`);
  assert.equal([...vault.objects.list()].length, 0);
  await vault.refused(404, "not_found", "POST", `/uploads/${id}/abort`);
  const file = await vault.addFile(null);
  await vault.refused(409, "conflict", "POST", `/uploads/${file}/abort`);
});

Deno.test("a connection's upload is not the owner's to finish, nor the other way round", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const agent = await vault.addGrant({ rootIds: [folder] });
  const id = vault.id();
  const bytes = anyCiphertext(id, 100);
  const { body } = await vault.agent(agent, "POST", "/files", announced(id, folder, bytes.length));
  const finalization = await vault.finalization(bytes, body.proofKey);
  await vault.refused(404, "not_found", "POST", `/files/${id}/finalize`, finalization);
  await vault.refused(404, "not_found", "POST", `/uploads/${id}/abort`);
  const own = vault.id();
  const reserved = await vault.ok("POST", "/files", announced(own, folder, bytes.length));
  const taken = await vault.finalization(bytes, reserved.proofKey);
  assert.equal((await vault.agent(agent, "POST", `/files/${own}/finalize`, taken)).status, 404);
});

Deno.test("a long download keeps the session alive and ends when the owner signs out", async () => {
  using vault = await OwnedVault.open();
  const mebibyte = 1024 * 1024;
  const id = await vault.addFile(null, 50 * mebibyte);
  const content = () =>
    vault.ask("GET", `/api/owner/v1/files/${id}/content`, { token: vault.session });
  const reader = ((await content()).body as ReadableStream<Uint8Array>).getReader();
  let read = 0;
  const readTo = async (size: number) => {
    while (read < size) read += (await reader.read()).value!.length;
  };
  // The session is looked at every 16 MiB.
  vault.now += HOUR - MINUTE;
  await readTo(17 * mebibyte);
  vault.now += HOUR - MINUTE;
  await readTo(33 * mebibyte);
  await vault.ok("POST", "/logout");
  await assert.rejects(readTo(50 * mebibyte));
  assert.ok(read < 50 * mebibyte);
});

Deno.test("content that is not there is not found, and an egress limit is the owner's too", async () => {
  using vault = await OwnedVault.open({ egressPerDay: 3000 });
  const id = await vault.addFile(null, 100);
  const { ciphertextSize } = vault.rows.file(id)!;
  await vault.refused(404, "not_found", "GET", `/files/${vault.id()}/content`);
  const path = `/api/owner/v1/files/${id}/content`;
  const first = await vault.ask("GET", path, { token: vault.session });
  assert.equal((await new Response(first.body).bytes()).length, ciphertextSize);
  await vault.refused(429, "egress_cap", "GET", `/files/${id}/content`);
});
