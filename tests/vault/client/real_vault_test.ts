// The whole of it: the program serving a vault in a process of its own, its owner's library, and a
// connection's client with nothing replaced: real requests, real names, real storage.

import assert from "node:assert/strict";
import { argon2id } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { parseConnectionString } from "@shieldfive/crypto/vault";
import { VaultClient } from "../../../vault/client/mod.ts";
import { type Item, OwnerVault } from "../../../vault/owner/mod.ts";
import { inTempDir, testAlone } from "../../support.ts";
import { startServing } from "../server/serving.ts";
import { bytesOf, codeOf, drained, sha256, textOf } from "./world.ts";

const MIB = 1024 * 1024;
const PASSPHRASE = "correct horse battery staple";

function clientFor(origin: string, connectionString: string): VaultClient {
  return new VaultClient({
    origin,
    credential: parseConnectionString(connectionString),
    kdf: { concurrency: 2, derive: argon2id },
    log: () => {},
  });
}

function ownerItem(vault: OwnerVault, path: string): Item {
  const { tree } = vault;
  const found = [...tree.folders.values(), ...tree.files.values()]
    .find((item) => tree.path(item) === path);
  assert.ok(found, `the owner sees nothing at ${path}`);
  return found;
}

/** Bytes that are made as they are read. */
function long(size: number): ReadableStream<Uint8Array> {
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  let left = size;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const next = piece.slice(0, Math.min(piece.length, left));
      left -= next.length;
      controller.enqueue(next);
    },
  }, { highWaterMark: 0 });
}

testAlone(
  import.meta.url,
  "an owner and a connection work on one vault, and each opens what the other made",
  async () => {
    await inTempDir(async (dir) => {
      const serving = await startServing(`${dir}/data`);
      try {
        const { origin, setupToken = "" } = serving;
        const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
        await vault.refresh();
        const work = await vault.createFolder(null, "Work");
        const done = await vault.createFolder(work.id, "Done");
        const content = new Blob([bytesOf("by the owner")]);
        await vault.upload(work.id, { name: "owner.txt", size: content.size, content });
        await vault.createFolder(null, "Private");
        const { grant, connectionString } = await vault.createGrant({
          label: "test",
          clientHint: "other",
          scopes: ["read", "organize", "write"],
          folderIds: [work.id],
          expiresInMs: 3_600_000,
          writeBudgetBytes: 400 * MIB,
        });
        const client = clientFor(origin, connectionString);

        let view = await client.view();
        assert.deepEqual([...view.folders.values()].map((each) => view.path(each)).sort(), [
          "/ShieldFive Bin (this connection)",
          "/Work",
          "/Work/Done",
        ]);
        const [file] = view.resolve("/Work/owner.txt");
        assert.ok(file.kind === "file");
        assert.equal(
          await textOf(await client.content(view, file, { maxBytes: 100 })),
          "by the owner",
        );
        assert.deepEqual(await client.contentRange(view, file, 3, 9), bytesOf("the owner"));

        await client.rename(view, file, "renamed – é.txt");
        view = await client.view();
        await client.move(view, view.item(file.id)!, view.folders.get(done.id)!);
        const made = await client.createFolder(view, view.folders.get(work.id)!, "Made");
        view = await client.view();
        const text = bytesOf("by the connection");
        const uploaded = await client.upload(view, view.folders.get(made.id)!, {
          name: "connection.txt",
          size: text.length,
          source: new Blob([text]).stream(),
        });
        assert.deepEqual([uploaded.sha256, uploaded.path], [
          await sha256(text),
          "/Work/Made/connection.txt",
        ]);

        const size = 24 * MIB + 12_345;
        view = await client.view();
        const large = await client.upload(view, view.folders.get(work.id)!, {
          name: "large.bin",
          size,
          source: long(size),
        });

        await vault.refresh();
        const paths = [
          "/Work/Done/renamed – é.txt",
          "/Work/Made/connection.txt",
          "/Work/large.bin",
        ];
        const sums = [];
        for (const path of paths) {
          const { content } = await vault.download(ownerItem(vault, path).id);
          sums.push(await sha256(await drained(content)));
        }
        assert.deepEqual(sums, [
          await sha256(bytesOf("by the owner")),
          uploaded.sha256,
          large.sha256,
        ]);

        view = await client.view();
        const trashed = await client.trash(view, [view.item(file.id)!, view.item(made.id)!]);
        assert.deepEqual(trashed.map(({ ok }) => ok), [true, true]);
        await vault.refresh();
        const inBin = [file.id, made.id].map((id) =>
          vault.tree.files.get(id) ?? vault.tree.folders.get(id)!
        );
        assert.ok(inBin.every((item) => item.inBin));
        await vault.restore(inBin);
        assert.equal(ownerItem(vault, "/Work/Done/renamed – é.txt").id, file.id);

        await vault.revokeGrant(grant.id);
        assert.equal(await codeOf(client.view()), "grant_invalid");
        await vault.lock();
        client.close();
        const { log } = serving;
        for (const secret of [connectionString.slice(12), "renamed", "connection.txt", file.id]) {
          assert.ok(!log.includes(secret), "the server's log says nothing of it");
        }
      } finally {
        await serving.stop();
      }
    });
  },
);
