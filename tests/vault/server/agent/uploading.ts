// The steps of an upload as a client takes them, for tests that care about one of them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { announced, type Connection, encrypted, ORIGIN, TestVault } from "./vault.ts";

export function setUp(given: { writeBudgetBytes?: number } = {}) {
  const vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize", "write"], [folder], given);
  return { vault, folder, as };
}

export async function put(vault: TestVault, url: string, bytes: Uint8Array) {
  assert.ok(url.startsWith(`${ORIGIN}/storage/v1/`));
  return await vault.ask("PUT", url.slice(ORIGIN.length), {
    raw: bytes,
    headers: {
      "content-length": String(bytes.length),
      "content-type": "application/octet-stream",
    },
  });
}

export function sha1(bytes: Uint8Array): string {
  return createHash("sha1").update(bytes).digest("hex");
}

export async function reserve(
  vault: TestVault,
  as: Connection,
  folder: string,
  id: string,
  size: number,
) {
  const got = await vault.call("POST", "/files", { as, body: announced(id, folder, size) });
  assert.equal(got.status, 200, JSON.stringify(got.body));
  return got.body as { fileId: string; uploadUrl: string; proofKey: string };
}

/** An upload whose bytes have come, and what finishes it. */
export async function sent(
  vault: TestVault,
  as: Connection,
  folder: string,
  plaintext: Uint8Array,
) {
  const id = vault.id();
  const bytes = await encrypted(id, plaintext);
  const offer = await reserve(vault, as, folder, id, bytes.length);
  assert.equal((await put(vault, offer.uploadUrl, bytes)).status, 200);
  const proof = await buildUploadProofV3({ proofKeyHex: offer.proofKey, ciphertext: bytes });
  return { id, bytes, ...offer, finish: { proof, ciphertextHash: sha1(bytes) } };
}

export async function finalize(vault: TestVault, as: Connection, id: string, body: unknown) {
  return await vault.call("POST", `/files/${id}/finalize`, { as, body });
}

export function money(vault: TestVault, { id }: Connection) {
  const { writeReservedBytes, writeUsedBytes } = vault.rows.grant(id)!;
  return { held: writeReservedBytes, used: writeUsedBytes };
}
