// Content, keys and names that a server damaged or exchanged are found out by the owner's client.

import assert from "node:assert/strict";
import { randomBytes } from "@shieldfive/crypto";
import { openRootKey, recoveryLogin } from "@shieldfive/crypto/extra/owner_keys.ts";
import { decryptName, parseNameEnvelope } from "@shieldfive/crypto/vault";
import type { OwnerTransport } from "../../../vault/owner/mod.ts";
import type { FileRow } from "../../../vault/server/rows/rows.ts";
import { damage, numbers, objectPath, read, swapObjects } from "./stored.ts";
import {
  at,
  codeOf,
  contentOf,
  inVault as inAnyVault,
  type Owned,
  QUICK_KDF,
  QUICK_NAME_KEYS,
  readText,
  uploadText,
} from "./support.ts";

const MEBIBYTE = 2 ** 20;

function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

Deno.test("a file that is damaged after it was stored is found out when it is compared", async () => {
  await inVault(async (owned) => {
    const { server, second } = owned;
    const damaging: OwnerTransport = {
      ...server.transport,
      async fetch(request) {
        const response = await server.transport.fetch(request);
        if (request.url.endsWith("/finalize")) {
          damage(owned, (bytes) => {
            bytes[1741 + 100] ^= 1;
            return bytes;
          });
        }
        return response;
      },
    };
    const vault = await second(damaging);
    const content = new Blob([randomBytes(1000)]);
    const uploaded = vault.upload(null, { name: "x", size: 1000, content, verify: true });
    assert.equal(await codeOf(uploaded), "verify_failed");
  });
});

Deno.test("content that was cut, changed or made longer fails at the latest at its end", async () => {
  const changes: [string, (bytes: Uint8Array) => Uint8Array][] = [
    ["a flipped bit", (bytes) => {
      bytes[bytes.length - 1] ^= 1;
      return bytes;
    }],
    ["a flipped bit of the header", (bytes) => {
      bytes[40] ^= 1;
      return bytes;
    }],
    ["a cut", (bytes) => bytes.subarray(0, bytes.length - 1)],
    ["a cut at a chunk", (bytes) => bytes.subarray(0, 1741 + 4 * MEBIBYTE + 20)],
    ["a byte more", (bytes) => new Uint8Array([...bytes, 0])],
  ];
  await inVault(async (owned) => {
    const { vault, server, dir } = owned;
    const size = 5 * MEBIBYTE;
    const { id } = await vault.upload(null, { name: "x", size, content: () => numbers(size) });
    const [{ key }] = [...server.objects.list()];
    const whole = Deno.readFileSync(objectPath(dir, key));
    for (const [what, change] of changes) {
      damage(owned, () => change(whole.slice()));
      // A server that lies says the size that the object has.
      const ciphertextSize = change(whole.slice()).length;
      server.rows.transaction(() => server.rows.changeFile(id, { ciphertextSize }));
      assert.equal(await read(owned, id), "decrypt_failed", what);
    }
  });
});

Deno.test("another file's content in a row's place is found out, with its keys too", async () => {
  await inVault(async (owned) => {
    const { vault, server: { rows }, dir } = owned;
    const folder = await vault.createFolder(null, "F");
    const a = await uploadText(vault, folder.id, "a.txt", "the one");
    const b = await uploadText(vault, folder.id, "b.txt", "the two");
    const [rowA, rowB] = [rows.file(a.id)!, rows.file(b.id)!];
    const swap = (names: (keyof FileRow)[]) =>
      rows.transaction(() => {
        const of = (row: FileRow) => Object.fromEntries(names.map((name) => [name, row[name]]));
        rows.changeFile(a.id, of(rowB));
        rows.changeFile(b.id, of(rowA));
      });
    const keys = ["cskWrapped", "cskIv", "pqkFkWrapped", "pqkFkIv"] as const;
    swapObjects(dir, rowA, rowB);
    swap([...keys]);
    await vault.refresh();
    assert.equal(await read(owned, a.id), "row_mismatch");
    // Neither are such keys sealed for another folder.
    const moved = await vault.move([at(vault, "/F/a.txt")], null);
    assert.deepEqual(moved.failed.map(({ code }) => code), ["row_mismatch"]);
    rows.transaction(() => {
      rows.changeFile(a.id, Object.fromEntries(keys.map((name) => [name, rowA[name]])));
    });
    await vault.refresh();
    assert.equal(await read(owned, a.id), "decrypt_failed");
  });
});

Deno.test("a key that its file's header does not prove is sealed for nobody", async () => {
  await inVault(async (owned) => {
    const { vault, server: { rows } } = owned;
    const { id } = await uploadText(vault, null, "a.txt", "a");
    await vault.createFolder(null, "F");
    rows.transaction(() => rows.changeFile(id, { pqkFkWrapped: null, pqkFkIv: null }));
    // Another ciphertext of ML-KEM decapsulates to another key, and says nothing.
    damage(owned, (bytes) => {
      bytes[45 + 700] ^= 1;
      return bytes;
    });
    await vault.refresh();
    assert.equal(await vault.completeFiles(), 0);
    const moved = await vault.move([at(vault, "/a.txt")], at(vault, "/F").id);
    assert.deepEqual(moved.failed.map(({ code }) => code), ["decrypt_failed"]);
    // It can still be thrown away: the Bin's key is nobody else's.
    assert.deepEqual((await vault.toBin([at(vault, "/a.txt")])).failed, []);
  });
});

Deno.test("a server that sends more than was asked for is not listened to", async () => {
  await inVault(async ({ vault, server, second }) => {
    const size = 4 * MEBIBYTE;
    await vault.upload(null, { name: "x", size, content: () => numbers(size) });
    await vault.createFolder(null, "F");
    const other = await second({
      ...server.transport,
      fetch(request) {
        const headers = new Headers(request.headers);
        headers.delete("range");
        return server.transport.fetch(new Request(request, { headers }));
      },
    });
    const { failed } = await other.move([at(other, "/x")], at(other, "/F").id);
    assert.deepEqual(failed.map(({ code }) => code), ["bad_answer"]);
  });
});

Deno.test("a name that is bound to no row does not open in a row that takes bound names", async () => {
  await inVault(async ({ vault, server: { rows }, recoveryKey }) => {
    const { id } = await vault.createFolder(null, "A");
    const owner = rows.owner()!;
    const login = await recoveryLogin({ ownerId: owner.id, recoveryKey });
    const rootKey = await openRootKey({ login, record: owner.recoveryRootKey });
    const salt = randomBytes(16);
    const iv = randomBytes(12);
    const nameKey = await QUICK_NAME_KEYS(rootKey, salt, "interactive");
    const key = await crypto.subtle.importKey(
      "raw",
      new Uint8Array(nameKey),
      "AES-GCM",
      false,
      ["encrypt"],
    );
    const sealed = new Uint8Array(
      await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, contentOf("unbound")),
    );
    const name = JSON.stringify({
      v: 4,
      ct: sealed.subarray(0, -16).toBase64(),
      tag: sealed.subarray(-16).toBase64(),
      iv: iv.toBase64(),
      salt: salt.toBase64(),
      kdf: "interactive",
    });
    const envelope = parseNameEnvelope(name)!;
    assert.equal(await decryptName({ envelope, folderKey: rootKey }, QUICK_NAME_KEYS), "unbound");
    rows.transaction(() => rows.changeFolder(id, { name }));
    await vault.refresh();
    assert.equal(vault.tree.folders.get(id)!.name, null);
  });
});

Deno.test("another row's name in a row's place does not open", async () => {
  await inVault(async ({ vault, server: { rows } }) => {
    const a = await uploadText(vault, null, "a.txt", "a");
    const b = await uploadText(vault, null, "b.txt", "b");
    rows.transaction(() => rows.changeFile(a.id, { name: rows.file(b.id)!.name }));
    await vault.refresh();
    const item = vault.tree.files.get(a.id)!;
    assert.deepEqual([item.name, item.pending], [null, false]);
    const code = codeOf(vault.rename(item, "back again"));
    // The owner may give it a new name, and nothing of the old one is carried on.
    await assert.rejects(code, /was not refused/);
    const moved = async () => {
      rows.transaction(() => rows.changeFile(a.id, { name: rows.file(b.id)!.name }));
      await vault.refresh();
      return await vault.toBin([vault.tree.files.get(a.id)!]);
    };
    assert.deepEqual((await moved()).failed.map((each) => each.code), ["name_unavailable"]);
  });
});

Deno.test("files without the wrap that connections read are completed out of their headers", async () => {
  await inVault(async (owned) => {
    const { vault, server: { rows }, second } = owned;
    const folder = await vault.createFolder(null, "Phone");
    const file = await uploadText(vault, folder.id, "photo.jpg", "a photo");
    const before = rows.file(file.id)!;
    rows.transaction(() => rows.changeFile(file.id, { pqkFkWrapped: null, pqkFkIv: null }));
    await vault.refresh();
    assert.equal(vault.tree.files.get(file.id)!.incomplete, true);
    assert.equal(await readText(vault, file.id), "a photo");
    assert.equal(await vault.completeFiles(), 1);
    assert.equal(vault.tree.files.get(file.id)!.incomplete, false);
    assert.equal(await vault.completeFiles(), 0);
    const { pqkFkWrapped, pqkFkIv } = rows.file(file.id)!;
    assert.ok(pqkFkWrapped && pqkFkIv && pqkFkWrapped !== before.pqkFkWrapped);
    // And it can be changed at once, by whoever completed it and by others.
    await vault.rename(at(vault, "/Phone/photo.jpg"), "beach.jpg");
    const other = await second();
    assert.equal(await readText(other, at(other, "/Phone/beach.jpg").id), "a photo");
  });
});

Deno.test("a file whose keys are another's is not completed", async () => {
  await inVault(async ({ vault, server: { rows }, dir }) => {
    const a = await uploadText(vault, null, "a", "a");
    const b = await uploadText(vault, null, "b", "b");
    const { cskWrapped, cskIv } = rows.file(b.id)!;
    swapObjects(dir, rows.file(a.id)!, rows.file(b.id)!);
    rows.transaction(() => {
      const none = { pqkFkWrapped: null, pqkFkIv: null };
      rows.changeFile(a.id, { ...none, cskWrapped, cskIv });
    });
    await vault.refresh();
    assert.equal(await vault.completeFiles(), 0);
    assert.equal(rows.file(a.id)!.pqkFkWrapped, null);
  });
});
