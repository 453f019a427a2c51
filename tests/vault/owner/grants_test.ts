// Connections made by the owner and used by an assistant's client that has nothing but its connection
// string and the published cryptography; and what a lying server gets out of it.

import assert from "node:assert/strict";
import { parseConnectionString } from "@shieldfive/crypto/vault";
import type { GrantRequest, OwnerVault } from "../../../vault/owner/mod.ts";
import { Agent } from "./agent.ts";
import {
  at,
  codeOf,
  folderAt,
  inVault as inAnyVault,
  type Owned,
  paths,
  QUICK_KDF,
  QUICK_NAME_KEYS,
  readText,
  uploadText,
} from "./support.ts";

const HOUR = 3_600_000;

/** Where names are not derived for real; one test below, and those over HTTP, have them so. */
function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

async function connect(
  { server }: Owned,
  vault: OwnerVault,
  request: Partial<GrantRequest> = {},
  names?: "Argon2id",
): Promise<Agent> {
  const { connectionString } = await vault.createGrant({
    label: "Claude",
    clientHint: "claude-code",
    scopes: ["read", "organize", "write"],
    folderIds: "all",
    expiresInMs: HOUR,
    ...request,
  });
  const nameKeys = names === undefined ? QUICK_NAME_KEYS : undefined;
  return await new Agent(server, connectionString, nameKeys).load();
}

/** `/A/`, `/A/B/`, `/A/B/note.txt`, `/C/`, `/C/other.txt`, `/top.txt`, and something in Media. */
async function furnish({ vault }: Owned): Promise<void> {
  const a = await vault.createFolder(null, "A");
  const b = await vault.createFolder(a.id, "B");
  const c = await vault.createFolder(null, "C");
  await uploadText(vault, b.id, "note.txt", "a note");
  await uploadText(vault, c.id, "other.txt", "something else");
  await uploadText(vault, null, "top.txt", "at the top");
  await uploadText(vault, folderAt(vault, "/Media").id, "photo.jpg", "a photo");
}

Deno.test("a connection to one folder opens that folder and nothing else", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault, { folderIds: [folderAt(vault, "/A").id] });
    assert.deepEqual(agent.paths(), ["/A", "/A/B", "/A/B/note.txt", "/null"]);
    assert.equal(await agent.text("/A/B/note.txt"), "a note");
    // Keys of the root's folder and name, and of its own bin; the others come by way of these.
    const { id: a } = agent.at("/A");
    const { id: b } = agent.at("/A/B");
    const bin = agent.grant.trashFolderId;
    assert.deepEqual(
      [...agent.keys.keys()].sort(),
      [`folder ${a}`, `folder ${b}`, `folder ${bin}`, `name ${a}`].sort(),
    );
    const other = at(vault, "/C/other.txt").id;
    assert.equal((await agent.call("POST", `/files/${other}/download`)).status, 404);
  });
});

Deno.test("a connection to the whole vault opens all of it but the Bin and Media", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault);
    const seen = ["/A", "/A/B", "/A/B/note.txt", "/C", "/C/other.txt", "/null", "/top.txt"];
    assert.deepEqual(agent.paths(), seen);
    assert.equal(await agent.text("/top.txt"), "at the top");
    assert.equal(await agent.text("/C/other.txt"), "something else");
    for (const path of ["/Bin", "/Media"]) {
      const { id } = folderAt(vault, path);
      assert.equal(agent.key("folder", id), undefined);
      assert.equal(agent.key("name", id), undefined);
    }
    const withMedia = await connect(owned, vault, { includeMedia: true, label: "With Media" });
    assert.deepEqual(
      withMedia.paths().filter((path) => !seen.includes(path)),
      ["/Media", "/Media/photo.jpg"],
    );
    assert.equal(await withMedia.text("/Media/photo.jpg"), "a photo");
  });
});

Deno.test("a connection that may only read has no bin, and none of the keys to write", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault, {
      scopes: ["read"],
      folderIds: [folderAt(vault, "/A").id],
    });
    assert.equal(agent.grant.trashFolderId, null);
    assert.equal(agent.grant.mlKemPublicKey, undefined);
    assert.equal(await agent.text("/A/B/note.txt"), "a note");
    await assert.rejects(agent.rename("/A/B", "D"), /403 .*missing_scope/);
    const [grant] = await vault.grants();
    assert.deepEqual([grant.scopes, grant.trashFolderId, grant.state], [["read"], null, "live"]);
  });
});

Deno.test("what a connection changes is opened by the owner, and the other way round", async () => {
  await inAnyVault(async (owned) => {
    await furnish(owned);
    const { vault, second } = owned;
    const folderIds = [folderAt(vault, "/A").id];
    const agent = await connect(owned, vault, { folderIds }, "Argon2id");
    await agent.createFolder("/A", "Made by it");
    await agent.rename("/A/B", "Renamed");
    await agent.load();
    await agent.upload("/A/Made by it", "new.txt", "written by it");
    await agent.move("/A/Renamed/note.txt", "/A/Made by it", { withPq: false });
    await agent.load();
    await vault.refresh();
    assert.deepEqual(paths(vault).filter((path) => path.startsWith("/A/")), [
      "/A/",
      "/A/Made by it/",
      "/A/Made by it/new.txt",
      "/A/Made by it/note.txt",
      "/A/Renamed/",
    ]);
    assert.equal(await readText(vault, at(vault, "/A/Made by it/new.txt").id), "written by it");
    // The move left the file without the wrap by which the connection reads it; the owner completes it.
    const moved = at(vault, "/A/Made by it/note.txt");
    assert.ok(moved.kind === "file" && moved.incomplete);
    assert.equal(await vault.completeFiles(), 1);
    await agent.load();
    assert.equal(await agent.text("/A/Made by it/note.txt"), "a note");
    // And what the owner does inside is seen by the connection.
    await vault.rename(at(vault, "/A/Renamed"), "Once more");
    await vault.move([at(vault, "/top.txt")], folderAt(vault, "/A/Once more").id);
    await uploadText(vault, folderAt(vault, "/A").id, "from the owner.txt", "hello");
    await agent.load();
    assert.equal(await agent.text("/A/Once more/top.txt"), "at the top");
    assert.equal(await agent.text("/A/from the owner.txt"), "hello");
    const other = await second();
    assert.deepEqual(paths(other), paths(vault));
  });
});

Deno.test("what a connection throws away lies in its own bin, and comes back to where it was", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault, {
      label: "Tidy/er",
      folderIds: [folderAt(vault, "/A").id],
    });
    await agent.trash("/A/B/note.txt");
    await vault.refresh();
    // A label that is no name does not become one.
    const bin = folderAt(vault, "/Bin/Connection");
    assert.equal(bin.role, "connection-bin");
    const trashed = at(vault, "/Bin/Connection/note.txt");
    assert.ok(trashed.inBin);
    assert.equal(trashed.originId, folderAt(vault, "/A/B").id);
    assert.equal(await codeOf(vault.rename(bin, "x")), "fixed_item");
    assert.deepEqual((await vault.purge([bin])).failed.map(({ code }) => code), ["in_use"]);
    await vault.restore([trashed]);
    assert.equal(await readText(vault, at(vault, "/A/B/note.txt").id), "a note");
    await agent.load();
    assert.equal(await agent.text("/A/B/note.txt"), "a note");
    // With the connection its bin can go.
    const [grant] = await vault.grants();
    await vault.revokeGrant(grant.id);
    assert.deepEqual((await vault.purge([bin])).failed, []);
  });
});

Deno.test("what a connection did is undone by the owner", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault, { folderIds: [folderAt(vault, "/A").id] });
    const before = paths(vault);
    await agent.rename("/A/B", "Renamed");
    await agent.load();
    await agent.trash("/A/Renamed");
    const { entries } = await vault.activity();
    const [grant] = await vault.grants();
    const mine = entries.filter(({ grantId, undoable }) => grantId === grant.id && undoable);
    assert.deepEqual(mine.map(({ action }) => action), ["trash_folder"]);
    await vault.undo(mine[0].id);
    const next = (await vault.activity()).entries
      .find(({ action, undoneAt }) => action === "rename_folder" && undoneAt === null);
    // With that undone, the change before it is the last one again.
    await vault.undo(next!.id);
    await vault.refresh();
    assert.deepEqual(
      paths(vault).filter((path) => !path.startsWith("/Bin/")),
      before.filter((path) => !path.startsWith("/Bin/")),
    );
  });
});

Deno.test("a renamed or moved folder keeps its name for the connections that were given it", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const one = await connect(owned, vault, { folderIds: [folderAt(vault, "/A/B").id] });
    const all = await connect(owned, vault, { label: "All" });
    assert.deepEqual(one.paths(), ["/B", "/B/note.txt", "/null"]);
    await vault.rename(at(vault, "/A/B"), "Bee");
    await vault.rename(at(vault, "/top.txt"), "summit.txt");
    await vault.rename(at(vault, "/C"), "Sea");
    await one.load();
    await all.load();
    assert.deepEqual(one.paths(), ["/Bee", "/Bee/note.txt", "/null"]);
    assert.ok(all.paths().includes("/Sea/other.txt") && all.paths().includes("/summit.txt"));
    await vault.move([at(vault, "/A/Bee")], folderAt(vault, "/Sea").id);
    await one.load();
    assert.deepEqual(one.paths(), ["/Bee", "/Bee/note.txt", "/null"]);
    assert.equal(await one.text("/Bee/note.txt"), "a note");
  });
});

Deno.test("a whole-vault connection gets new folders at the top when it is extended, and never the Bin", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const agent = await connect(owned, vault);
    const made = await vault.createFolder(null, "New");
    await uploadText(vault, made.id, "inside.txt", "inside");
    await uploadText(vault, null, "new.txt", "new at the top");
    await agent.load();
    assert.equal(agent.key("folder", made.id), undefined);
    const [{ id }] = await vault.grants();
    await vault.extendGrant(id, { addFolders: true });
    await agent.load();
    assert.equal(await agent.text("/New/inside.txt"), "inside");
    assert.equal(await agent.text("/new.txt"), "new at the top");
    for (const path of ["/Bin", "/Media"]) {
      assert.equal(agent.key("folder", folderAt(vault, path).id), undefined);
    }
  });
});

Deno.test("a connection is extended in time and allowance, and revoked for good", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const folderIds = [folderAt(vault, "/A").id];
    const agent = await connect(owned, vault, { folderIds, writeBudgetBytes: 1000 });
    const [{ id, expiresAt, writeBudgetBytes }] = await vault.grants();
    assert.equal(writeBudgetBytes, 1000);
    const extended = await vault.extendGrant(id, { expiresInMs: 5 * HOUR, writeBudgetBytes: null });
    assert.equal(extended.writeBudgetBytes, null);
    assert.ok(Date.parse(extended.expiresAt) > Date.parse(expiresAt) + 3 * HOUR);
    assert.equal(await codeOf(vault.extendGrant(id, { addFolders: true })), "invalid_argument");
    assert.equal(await codeOf(vault.extendGrant(crypto.randomUUID(), {})), "not_found");
    await vault.revokeGrant(id);
    assert.equal((await agent.call("GET", "/grant")).status, 401);
    const [revoked] = await vault.grants();
    assert.equal(revoked.state, "revoked");
    assert.equal(await codeOf(vault.extendGrant(id, { expiresInMs: HOUR })), "grant_revoked");
  });
});

Deno.test("what cannot be a connection is refused", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const refused = (request: Partial<GrantRequest>) => codeOf(connect(owned, vault, request));
    const a = folderAt(vault, "/A").id;
    assert.equal(await refused({ label: " " }), "invalid_argument");
    assert.equal(await refused({ clientHint: "hal" }), "invalid_argument");
    assert.equal(await refused({ folderIds: [] }), "invalid_argument");
    assert.equal(await refused({ folderIds: [a], includeMedia: true }), "invalid_argument");
    assert.equal(await refused({ expiresInMs: HOUR - 1 }), "invalid_argument");
    assert.equal(await refused({ expiresInMs: 90 * 24 * HOUR + 1 }), "invalid_argument");
    assert.equal(await refused({ writeBudgetBytes: -1 }), "invalid_argument");
    assert.equal(await refused({ folderIds: [folderAt(vault, "/Bin").id] }), "invalid_argument");
    assert.equal(await refused({ folderIds: [crypto.randomUUID()] }), "not_found");
    await vault.toBin([at(vault, "/A")]);
    assert.equal(await refused({ folderIds: [a] }), "invalid_argument");
    assert.deepEqual(await vault.grants(), []);
  });
});

Deno.test("of folders inside each other the outer one is enough", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const [a, b] = [folderAt(vault, "/A").id, folderAt(vault, "/A/B").id];
    const agent = await connect(owned, vault, { folderIds: [b, a] });
    assert.deepEqual(agent.paths(), ["/A", "/A/B", "/A/B/note.txt", "/null"]);
    const [{ rootIds, label }] = await vault.grants();
    assert.deepEqual([rootIds, label], [[a], "Claude"]);
  });
});

Deno.test("a vault with very much at its top is connected in several requests", async () => {
  await inVault(async (owned) => {
    const { vault, server } = owned;
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => vault.createFolder(null, `folder ${i}`)),
    );
    const { grant } = await vault.createGrant({
      label: "All",
      clientHint: "other",
      scopes: ["read"],
      folderIds: "all",
      expiresInMs: HOUR,
    });
    assert.equal(server.rows.grantKeys(grant.id).length, 600);
  });
});

Deno.test("a connection whose keys could not all be sent is not left behind", async () => {
  await inVault(async (owned) => {
    const { vault, server } = owned;
    await Promise.all(
      Array.from({ length: 260 }, (_, i) => vault.createFolder(null, `folder ${i}`)),
    );
    const failing = await owned.second({
      ...server.transport,
      fetch: (request) =>
        request.url.endsWith("/keys")
          ? Promise.reject(new TypeError("the connection broke"))
          : server.transport.fetch(request),
    });
    const created = failing.createGrant({
      label: "All",
      clientHint: "other",
      scopes: ["read"],
      folderIds: "all",
      expiresInMs: HOUR,
    });
    assert.equal(await codeOf(created), "network_error");
    assert.deepEqual((await vault.grants()).map(({ state }) => state), ["revoked"]);
  });
});

Deno.test("a connection string is what its client takes, and differs each time", async () => {
  await inVault(async (owned) => {
    const { vault } = owned;
    const request: GrantRequest = {
      label: "Claude",
      clientHint: "claude-desktop",
      scopes: [],
      folderIds: "all",
      expiresInMs: HOUR,
    };
    const first = await vault.createGrant(request);
    const second = await vault.createGrant(request);
    const [one, other] = [first, second].map(({ connectionString }) =>
      parseConnectionString(connectionString)
    );
    assert.equal(one.grantId, first.grant.id);
    assert.notDeepEqual(one.token, other.token);
    assert.notDeepEqual(one.secret, other.secret);
    assert.deepEqual(first.grant.scopes, ["read"]);
  });
});
