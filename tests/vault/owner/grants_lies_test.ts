// What a server that lies about connections and folders gets out of the owner's client: nothing is sealed
// for a connection that its owner did not agree to.

import assert from "node:assert/strict";
import type { OwnerVault } from "../../../vault/owner/mod.ts";
import {
  at,
  codeOf,
  folderAt,
  inVault,
  type Loose,
  lying,
  type Owned,
  QUICK_KDF,
  uploadText,
} from "./support.ts";

const HOUR = 3_600_000;

/** A second owner, whose server lies; the vault has one whole-vault connection that it lies about. */
async function deceived(
  owned: Owned,
  lie: (path: string, answer: Loose) => void,
): Promise<OwnerVault> {
  return await owned.second(lying(owned.server.transport, lie));
}

/** Makes a connection; gives its id and that of the vault's Bin. */
async function connected(owned: Owned): Promise<{ id: string; binId: string; mediaId: string }> {
  const { vault } = owned;
  await vault.createFolder(null, "A");
  const { grant } = await vault.createGrant({
    label: "All",
    clientHint: "other",
    scopes: ["read"],
    folderIds: "all",
    expiresInMs: HOUR,
  });
  return { id: grant.id, binId: vault.tree.binId, mediaId: vault.tree.mediaId! };
}

Deno.test("an altered scope of a connection is found out before anything is sealed for it", async () => {
  const lies: [string, (grant: Loose) => void][] = [
    ["media in the row", (grant) => grant.includeMedia = true],
    ["media in both", (grant) => {
      grant.includeMedia = true;
      grant.ownerCopy.scope.includeMedia = true;
    }],
    ["roots in both", (grant) => {
      grant.rootIds = [crypto.randomUUID()];
      grant.ownerCopy.scope.rootIds = grant.rootIds;
    }],
    ["nothing excluded", (grant) => {
      grant.ownerCopy.scope.excludedIds = [];
      grant.ownerCopy.scope.excludedKeyFingerprints = [];
    }],
    ["one fingerprint less", (grant) => grant.ownerCopy.scope.excludedKeyFingerprints.pop()],
    ["another copy", (grant) => grant.ownerCopy.iv = "AAAAAAAAAAAAAAAA"],
    ["another bin", (grant) => {
      grant.trashFolderId = crypto.randomUUID();
      grant.ownerCopy.scope.trashFolderId = grant.trashFolderId;
    }],
  ];
  await inVault(async (owned) => {
    const { id } = await connected(owned);
    const keysBefore = owned.server.rows.grantKeys(id).length;
    for (const [what, lie] of lies) {
      const vault = await deceived(owned, (path, answer) => {
        if (path.endsWith("/grants")) answer.grants.forEach(lie);
      });
      await vault.createFolder(null, what);
      assert.equal(
        await codeOf(vault.extendGrant(id, { addFolders: true })),
        "grant_altered",
        what,
      );
    }
    assert.equal(owned.server.rows.grantKeys(id).length, keysBefore);
  }, { kdf: QUICK_KDF });
});

Deno.test("a scope that was narrowed to a part of the vault is found out as well", async () => {
  await inVault(async (owned) => {
    const { id } = await connected(owned);
    const before = owned.server.rows.grantKeys(id);
    const vault = await deceived(owned, (path, answer) => {
      if (!path.endsWith("/grants")) return;
      for (const grant of answer.grants) {
        grant.scopeAll = false;
        grant.ownerCopy.scope.scopeAll = false;
      }
    });
    // The owner sees a connection that cannot be extended, and nothing is sealed.
    assert.match(
      await codeOf(vault.extendGrant(id, { addFolders: true })),
      /^invalid_argument$|^grant_altered$/,
    );
    await vault.rename(at(vault, "/A"), "AA");
    assert.deepEqual(owned.server.rows.grantKeys(id), before);
  }, { kdf: QUICK_KDF });
});

Deno.test("the Bin's key is not sealed for a connection, under whatever row it is shown", async () => {
  await inVault(async (owned) => {
    const { id, binId, mediaId } = await connected(owned);
    const { server } = owned;
    const before = server.rows.grantKeys(id).length;
    for (const hidden of [binId, mediaId]) {
      const { fkWrapped, fkIv } = server.rows.folder(hidden)!;
      /** What extending comes to when a folder is shown with the hidden one's key. */
      const extended = async (change: object, withoutTheOther: boolean) => {
        const vault = await deceived(owned, (path, answer) => {
          if (!path.endsWith("/folders") || !answer.folders) return;
          const a = answer.folders.find((folder: Loose) =>
            folder.parentId === null && folder.kind === "normal"
          );
          Object.assign(a, { fkWrapped, fkIv, ...change });
          if (withoutTheOther) {
            answer.folders = answer.folders.filter((folder: Loose) => folder.id !== hidden);
          }
        });
        await vault.extendGrant(id, { addFolders: true });
      };
      assert.equal(await codeOf(extended({}, true)), "key_excluded");
      const unnamed = { id: crypto.randomUUID() };
      assert.equal(await codeOf(extended(unnamed, true)), "key_excluded");
      // Beside the other one it is not believed in the first place.
      await extended({}, false);
      assert.equal(server.rows.grantKeys(id).length, before);
    }
  }, { kdf: QUICK_KDF });
});

Deno.test("two folders that would have one key are not believed, whichever of them it is", async () => {
  await inVault(async (owned) => {
    const { vault, server } = owned;
    const a = await vault.createFolder(null, "A");
    const b = await vault.createFolder(null, "B");
    const { fkWrapped, fkIv } = server.rows.folder(a.id)!;
    server.rows.transaction(() => server.rows.changeFolder(b.id, { fkWrapped, fkIv }));
    const other = await owned.second();
    for (const { id } of [a, b]) {
      assert.equal(other.tree.folders.get(id)!.readable, false);
      assert.equal(await codeOf(uploadText(other, id, "x", "x")), "key_unavailable");
    }
    // In a session that knew the folder's key before, another one is not taken.
    await vault.refresh();
    assert.equal(vault.tree.folders.get(b.id)!.readable, false);
  }, { kdf: QUICK_KDF });
});

Deno.test("a folder that was given another's key is found out by the names in it", async () => {
  await inVault(async (owned) => {
    const { vault, server: { rows } } = owned;
    const a = await vault.createFolder(null, "A");
    const b = await vault.createFolder(null, "B");
    await uploadText(vault, a.id, "in a", "x");
    await uploadText(vault, b.id, "in b", "x");
    await vault.toBin([await uploadText(vault, a.id, "from a", "x")]);
    const [rowA, rowB] = [rows.folder(a.id)!, rows.folder(b.id)!];
    rows.transaction(() => {
      rows.changeFolder(a.id, { fkWrapped: rowB.fkWrapped, fkIv: rowB.fkIv });
      rows.changeFolder(b.id, { fkWrapped: rowA.fkWrapped, fkIv: rowA.fkIv });
    });
    const other = await owned.second();
    const into = folderAt(other, "/A");
    assert.equal(await codeOf(uploadText(other, into.id, "x", "x")), "key_unavailable");
    assert.equal(await codeOf(other.createFolder(into.id, "x")), "key_unavailable");
    assert.equal(await codeOf(other.move([at(other, "/B")], into.id)), "key_unavailable");
    const moved = await other.move([at(other, "/B")], folderAt(other, "/Media").id);
    assert.deepEqual(moved.failed.map(({ code }) => code), ["key_unavailable"]);
    const restored = await other.restore([at(other, "/Bin/from a")]);
    assert.deepEqual(restored.failed.map(({ code }) => code), ["key_unavailable"]);
    const granted = other.createGrant({
      label: "x",
      clientHint: "other",
      scopes: ["read"],
      folderIds: [into.id],
      expiresInMs: HOUR,
    });
    assert.equal(await codeOf(granted), "key_unavailable");
  }, { kdf: QUICK_KDF });
});
