// An upload from its reservation to the file: what is checked, what is stored, what is answered.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { encryptBytes as encryptV2 } from "@shieldfive/crypto/aes-gcm-v2";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { finalize, money, put, reserve, sent, setUp, sha1 } from "./uploading.ts";
import {
  announced,
  BIN,
  bytesOf,
  type Connection,
  encrypted,
  HOUR,
  ORIGIN,
  sealedFile,
  type TestVault,
} from "./vault.ts";

Deno.test("a file goes in byte for byte and comes out again, with the sizes and hashes of what was stored", async () => {
  const { vault, folder, as } = setUp({ writeBudgetBytes: 5_000_000 });
  using _ = vault;
  const plaintext = crypto.getRandomValues(new Uint8Array(60_000));
  const id = vault.id();
  const bytes = await encrypted(id, plaintext);
  const body = announced(id, folder, bytes.length, { contentType: "text/plain" });
  const offer = (await vault.call("POST", "/files", { as, body })).body;
  assert.deepEqual(Object.keys(offer), [
    "fileId",
    "uploadUrl",
    "expiresInSeconds",
    "proofKey",
    "budgetRemainingBytes",
  ]);
  assert.equal(offer.fileId, id);
  assert.equal(offer.expiresInSeconds, 900);
  assert.match(offer.proofKey, /^[0-9a-f]{64}$/);
  assert.equal(offer.budgetRemainingBytes, 5_000_000 - bytes.length);
  assert.deepEqual(money(vault, as), { held: bytes.length, used: 0 });
  const stored = await vault.ask("PUT", offer.uploadUrl.slice(ORIGIN.length), {
    raw: bytes,
    headers: { "content-length": String(bytes.length), "content-type": "text/plain" },
  });
  assert.deepEqual([stored.status, stored.body], [200, null]);
  const proof = await buildUploadProofV3({ proofKeyHex: offer.proofKey, ciphertext: bytes });
  vault.now += 500;
  const got = await finalize(vault, as, id, { proof, ciphertextHash: sha1(bytes) });
  assert.equal(got.status, 200, JSON.stringify(got.body));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const { auditId } = got.body;
  assert.deepEqual(got.body, {
    fileId: id,
    sizeBytes: bytes.length,
    sha256,
    auditId,
    status: "stored",
  });
  assert.deepEqual(money(vault, as), { held: 0, used: bytes.length });
  const row = vault.rows.file(id)!;
  assert.deepEqual(
    [row.size, row.ciphertextSize, row.sha256, row.cipherPartsSha1, row.contentType, row.name],
    [60_000, bytes.length, sha256, sha1(bytes), "text/plain", body.name],
  );
  assert.deepEqual([row.cskWrapped, row.pqkFkIv, row.cipherVersion], [
    body.cskWrapped,
    body.pqkFkIv,
    3,
  ]);
  const download = await vault.ask("POST", `/api/agent/v1/files/${id}/download`, { as });
  assert.deepEqual(await bytesOf(download.body), bytes);
  assert.deepEqual(
    vault.audits().map(({ action, objectId, result }) => [action, objectId, result]).sort(),
    [["download", id, "ok"], ["reserve_upload", id, "ok"], ["upload_file", id, "ok"]],
  );
  const upload = vault.rows.upload(id)!;
  assert.deepEqual([upload.row, upload.proofKey], [null, ""], "nothing is kept twice");
});

Deno.test("a repeated finalize answers the same and changes nothing more", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(100));
  const first = await finalize(vault, as, id, finish);
  const after = [vault.rows.file(id), money(vault, as), vault.audits().length];
  vault.restarted();
  vault.now += HOUR;
  assert.deepEqual(await finalize(vault, as, id, finish), first);
  assert.deepEqual([vault.rows.file(id), money(vault, as), vault.audits().length], after);
});

Deno.test("two finalizes at once make one file and use the allowance once", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, bytes, finish } = await sent(vault, as, folder, new Uint8Array(900_000));
  const both = await Promise.all([1, 2].map(() => finalize(vault, as, id, finish)));
  assert.deepEqual(both[0], both[1]);
  assert.equal(both[0].status, 200);
  assert.deepEqual(money(vault, as), { held: 0, used: bytes.length });
});

Deno.test("wrong hash, wrong proof and missing bytes have their codes, and a right one still succeeds", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, finish, bytes } = await sent(vault, as, folder, new Uint8Array(100));
  const otherKey = await buildUploadProofV3({ proofKeyHex: "ab".repeat(32), ciphertext: bytes });
  const cases: [Record<string, string>, string][] = [
    [{ ...finish, ciphertextHash: "0".repeat(40) }, "bad_request"],
    [{ ...finish, proof: otherKey }, "finalize_failed"],
    [{ ...finish, proof: "A".repeat(48) }, "finalize_failed"],
    [{ ...finish, proof: finish.proof.slice(4) }, "finalize_failed"],
    [{ ...finish, proof: "not base64" }, "finalize_failed"],
    [{ ...finish, ciphertextHash: finish.ciphertextHash.toUpperCase() }, "bad_request"],
  ];
  for (const [body, code] of cases) {
    const got = await finalize(vault, as, id, body);
    assert.deepEqual([got.status, got.body.code], [400, code]);
    assert.equal(vault.rows.file(id), undefined);
  }
  const empty = vault.id();
  await reserve(vault, as, folder, empty, bytes.length);
  assert.equal((await finalize(vault, as, empty, finish)).body.code, "finalize_failed");
  assert.equal((await finalize(vault, as, vault.id(), finish)).status, 404);
  assert.equal((await finalize(vault, as, id, finish)).status, 200);
});

Deno.test("an upload is its connection's own", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(100));
  const other = vault.addGrant(["read", "organize", "write"], [folder]);
  assert.equal((await finalize(vault, other, id, finish)).status, 404);
  assert.equal((await vault.call("POST", `/uploads/${id}/abort`, { as: other })).status, 404);
  assert.equal((await finalize(vault, as, id, finish)).status, 200);
  assert.equal((await finalize(vault, other, id, finish)).status, 404);
});

/** Sends bytes as an upload's and finishes it with a proof that is right for them. */
async function offered(
  vault: TestVault,
  as: Connection,
  folder: string,
  id: string,
  bytes: Uint8Array,
) {
  const offer = await reserve(vault, as, folder, id, bytes.length);
  assert.equal((await put(vault, offer.uploadUrl, bytes)).status, 200);
  const proof = await buildUploadProofV3({ proofKeyHex: offer.proofKey, ciphertext: bytes })
    .catch(() => "A".repeat(48));
  return await finalize(vault, as, id, { proof, ciphertextHash: sha1(bytes) });
}

Deno.test("a header of another row, another suite or another size is refused though its proof is right", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const plaintext = new Uint8Array(5000).fill(7);
  const ids = Array.from({ length: 6 }, () => vault.id());
  const right = await Promise.all(ids.map((id) => encrypted(id, plaintext)));
  const contentKey = new Uint8Array(32);
  const { blob } = await encryptV2(plaintext, { contentKey, fileId: fileIdOfRow(ids[1]) });
  const cases: [string, string, Uint8Array][] = [
    ["another row's", ids[0], right[1]],
    ["another suite", ids[1], new Uint8Array(await blob.arrayBuffer())],
    ["cut behind its first bytes", ids[2], right[2].slice(0, 4000)],
    ["longer than its header says", ids[3], Uint8Array.of(...right[3], 0)],
    ["no container at all", ids[4], new Uint8Array(3000)],
    ["shorter than a header", ids[5], new Uint8Array(1)],
  ];
  for (const [name, id, bytes] of cases) {
    const got = await offered(vault, as, folder, id, bytes);
    assert.deepEqual([got.status, got.body.code], [400, "finalize_failed"], name);
    assert.equal(vault.rows.file(id), undefined, name);
  }
  const id = vault.id();
  assert.equal((await offered(vault, as, folder, id, await encrypted(id, plaintext))).status, 200);
});

Deno.test("a destination that was trashed or taken away while the bytes came refuses the file", async () => {
  const { vault, as, folder } = setUp();
  using _ = vault;
  const inner = vault.addFolder(folder);
  const { id, finish } = await sent(vault, as, inner, new Uint8Array(100));
  for (const parentId of [as.trash, BIN, null]) {
    vault.rows.changeFolder(inner, { parentId });
    assert.equal((await finalize(vault, as, id, finish)).status, 404);
    assert.equal(vault.rows.file(id), undefined);
  }
  vault.rows.changeFolder(inner, { parentId: folder });
  assert.equal((await finalize(vault, as, id, finish)).status, 200);
});

Deno.test("revoked while its object is read, a connection stores nothing", async () => {
  const { vault, as, folder } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(900_000));
  const answer = finalize(vault, as, id, finish);
  while (vault.rows.grant(as.id)!.lastUsedAt !== vault.now) await Promise.resolve();
  vault.rows.updateGrant(as.id, { revokedAt: vault.now });
  assert.equal((await answer).status, 401);
  assert.equal(vault.rows.file(id), undefined);
});

Deno.test("an upload that was given up and reserved anew while it was read is not stored unread", async () => {
  const { vault, as, folder } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(900_000));
  const slow = vault.objects.open.bind(vault.objects);
  const opened = Promise.withResolvers<void>();
  vault.objects.open = (key) => {
    opened.resolve();
    return slow(key);
  };
  const answer = finalize(vault, as, id, finish);
  await opened.promise;
  assert.equal((await vault.call("POST", `/uploads/${id}/abort`, { as })).status, 200);
  const hollow = new Uint8Array(2000);
  const offer = await reserve(vault, as, folder, id, hollow.length);
  assert.equal((await put(vault, offer.uploadUrl, hollow)).status, 200);
  assert.equal((await answer).status, 404);
  assert.equal(vault.rows.file(id), undefined);
});

Deno.test("an uploaded file can be renamed, moved and trashed like any other", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, finish } = await sent(vault, as, folder, new Uint8Array(100));
  await finalize(vault, as, id, finish);
  const items = [{ kind: "file", id, ...sealedFile() }];
  const got = await vault.call("POST", "/trash", { as, body: { items } });
  assert.equal(got.body.results[0].ok, true);
});
