// What lies on the server's disk is opened for good: files of the formats before, and everything by the
// recovery key and the published cryptography alone.

import assert from "node:assert/strict";
import { bytesToBase64, randomBytes } from "@shieldfive/crypto";
import { encryptBytes as encryptV2 } from "@shieldfive/crypto/aes-gcm-v1";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import {
  openRootKey,
  passphraseLogin,
  recoveryLogin,
} from "@shieldfive/crypto/extra/owner_keys.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { decryptToBytes, deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import {
  decryptName,
  encryptNameV6,
  parseNameEnvelope,
  unwrapChainKey,
  wrapChainKey,
} from "@shieldfive/crypto/vault";
import { newStorageKey } from "../../../vault/server/objects/objects.ts";
import type { FileRow } from "../../../vault/server/rows/rows.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { damage, objectPath, read } from "./stored.ts";
import { at, contentOf, inVault, type Owned, PASSPHRASE, readText, uploadText } from "./support.ts";

/** A content in an old format: its ciphertext, its key, and what its row says of it. */
type OldFile = { ciphertext: Uint8Array; key: Uint8Array; columns: Partial<FileRow> };

async function inVersion2(text: string, id: string): Promise<OldFile> {
  const { blob, contentKey } = await encryptV2(contentOf(text), { fileId: fileIdOfRow(id) });
  const ciphertext = new Uint8Array(await blob.arrayBuffer());
  return { ciphertext, key: contentKey, columns: { cipherVersion: 2 } };
}

/** In chunks of 8 bytes. */
async function inVersion1(text: string): Promise<OldFile> {
  const key = randomBytes(32);
  const prefix = randomBytes(4);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const chunks: Uint8Array[] = [];
  const bytes = contentOf(text);
  for (let i = 0; i * 8 < bytes.length; i++) {
    const iv = new Uint8Array([...prefix, ...new Uint8Array(7), i]);
    const chunk = bytes.slice(i * 8, i * 8 + 8);
    chunks.push(new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, chunk)));
  }
  const columns = { cipherVersion: 1, cipherChunkSize: 8, cipherNoncePrefix: prefix.toBase64() };
  return {
    ciphertext: new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer()),
    key,
    columns,
  };
}

/** Puts a file of an old format into a folder, as a program of that time did. */
async function plantOld(
  owned: Owned,
  folderId: string,
  { name, text, make }: {
    name: string;
    text: string;
    make(text: string, id: string): Promise<OldFile>;
  },
): Promise<string> {
  const { vault, server: { rows, objects }, recoveryKey } = owned;
  const id = uuidV7();
  const rootKey = await rootKeyOf(owned, recoveryKey);
  const { fkWrapped, fkIv } = rows.folder(folderId)!;
  const folderKey = await unwrapChainKey(rootKey, { wrapped: fkWrapped!, iv: fkIv! });
  const { ciphertext, key, columns } = await make(text, id);
  const csk = await wrapChainKey(folderKey, key);
  const storageKey = newStorageKey();
  const writer = objects.create(storageKey);
  writer.write(ciphertext);
  const { size, sha1, sha256 } = writer.commit();
  const envelope = await encryptNameV6({ name, folderKey, rowId: id });
  rows.transaction(() =>
    rows.insertFile({
      ...NO_FILE,
      id,
      ownerId: vault.ownerId,
      folderId,
      name: JSON.stringify(envelope),
      size: contentOf(text).length,
      ciphertextSize: size,
      storageKey,
      cipherPartsSha1: sha1,
      sha256,
      cipherVersion: 0,
      cskWrapped: csk.wrapped,
      cskIv: csk.iv,
      ...columns,
    })
  );
  return id;
}

const NO_FILE = {
  contentType: null,
  cipherChunkSize: null,
  cipherNoncePrefix: null,
  pqkFkWrapped: null,
  pqkFkIv: null,
  originId: null,
  binnedAt: null,
  createdAt: 1,
  updatedAt: 1,
  version: 1,
};

/** The root key by the recovery key and what the server keeps, with the cryptography alone. */
async function rootKeyOf({ server: { rows } }: Owned, recoveryKey: string): Promise<Uint8Array> {
  const { id, recoveryRootKey } = rows.owner()!;
  const login = await recoveryLogin({ ownerId: id, recoveryKey });
  return await openRootKey({ login, record: recoveryRootKey });
}

Deno.test("files of both formats before are read, and moved with their keys", async () => {
  await inVault(async (owned) => {
    const { vault, server: { rows } } = owned;
    const { id: folderId } = await vault.createFolder(null, "Old");
    for (const [name, make] of Object.entries({ "2.txt": inVersion2, "1.txt": inVersion1 })) {
      const text = `from long ago: ${name}`;
      const id = await plantOld(owned, folderId, { name, text, make });
      await vault.refresh();
      assert.equal(await readText(vault, id), text);
      assert.deepEqual((await vault.move([at(vault, `/Old/${name}`)], null)).failed, []);
      assert.equal(await readText(vault, at(vault, `/${name}`).id), text);
    }
    const id = at(vault, "/1.txt").id;
    // A chunk that is gone shows by the size that was recorded, which is all that the oldest format has.
    damage(owned, (bytes) => bytes.subarray(0, -24), rows.file(id)!.storageKey);
    assert.equal(await read(owned, id), "object_damaged");
    const ciphertextSize = rows.file(id)!.ciphertextSize - 24;
    rows.transaction(() => rows.changeFile(id, { ciphertextSize }));
    await vault.refresh();
    assert.equal(await read(owned, id), "decrypt_failed");
  });
});

Deno.test("with the recovery key, what lies on the disk is opened by the cryptography alone", async () => {
  await inVault(async ({ vault, recoveryKey, dir, server }) => {
    const folder = await vault.createFolder(null, "Papers");
    const inner = await vault.createFolder(folder.id, "Will");
    const { id } = await uploadText(vault, inner.id, "last will.txt", "to whom it may concern");
    await vault.lock();
    // From here on there is a data folder and a sheet of paper.
    const rows = openRows(dir);
    try {
      const owner = rows.owner()!;
      const login = await recoveryLogin({ ownerId: owner.id, recoveryKey });
      const rootKey = await openRootKey({ login, record: owner.recoveryRootKey });
      const stored = rows.file(id)!;
      const chain = [];
      for (let at = stored.folderId; at !== null; at = rows.folder(at)!.parentId) chain.unshift(at);
      let key = rootKey;
      const names = [];
      for (const folderId of chain) {
        const { name, fkWrapped, fkIv } = rows.folder(folderId)!;
        names.push(
          await decryptName({
            envelope: parseNameEnvelope(name)!,
            folderKey: key,
            rowId: folderId,
          }),
        );
        key = await unwrapChainKey(key, { wrapped: fkWrapped!, iv: fkIv! });
      }
      const envelope = parseNameEnvelope(stored.name)!;
      names.push(await decryptName({ envelope, folderKey: key, rowId: id }));
      assert.deepEqual(names, ["Papers", "Will", "last will.txt"]);
      const envelopeKey = await unwrapChainKey(key, {
        wrapped: stored.cskWrapped,
        iv: stored.cskIv,
      });
      const ciphertext = Deno.readFileSync(objectPath(dir, stored.storageKey));
      const { secretKey } = await deriveMlKemKeypair(rootKey);
      const plaintext = await decryptToBytes({
        blob: new Blob([ciphertext]),
        recipientSecretKey: secretKey,
        envelopeKey,
      });
      assert.equal(new TextDecoder().decode(plaintext), "to whom it may concern");
      // The passphrase leads to the same key.
      const byPassphrase = await passphraseLogin({
        ownerId: owner.id,
        passphrase: PASSPHRASE,
        salt: owner.kdfSalt,
      });
      const same = await openRootKey({ login: byPassphrase, record: owner.rootKey });
      assert.equal(bytesToBase64(same), bytesToBase64(rootKey));
    } finally {
      rows.close();
    }
    assert.ok(server.rows.owner());
  });
});
