// Changes of order over a connection (vault spec, 5 and 6): what was changed is what was asked for, its owner
// can open it afterwards, and what must not be changed is refused before anything is sent.

import assert from "node:assert/strict";
import { unwrapChainKey } from "@shieldfive/crypto/vault";
import type { VaultClient, VaultFolder, VaultItem, VaultView } from "../../../vault/client/mod.ts";
import { lying, Wire } from "./wire.ts";
import { bytesOf, codeOf, type Connected, type GrantOptions, textOf, World } from "./world.ts";

/** A vault with two folders, a file in the first, and a client. */
interface Setting {
  world: World;
  connected: Connected;
  wire: Wire;
  client: VaultClient;
  a: string;
  b: string;
  file: string;
  view: VaultView;
}

async function inVault(
  body: (setting: Setting) => Promise<void>,
  { prepare, ...grant }: GrantOptions & { prepare?: (world: World, a: string) => Promise<void> } =
    {},
): Promise<void> {
  using world = new World();
  const [a, b] = [await world.addFolder(null, "A"), await world.addFolder(null, "B")];
  const file = await world.addFile(a, "x.txt", "content");
  await prepare?.(world, a);
  const connected = await world.connect(grant);
  const wire = new Wire(world);
  const client = world.client(connected, { fetch: wire.fetch });
  const view = await client.view();
  await body({ world, connected, wire, client, a, b, file, view });
}

function itemOf(view: VaultView, id: string): VaultItem {
  const item = view.item(id);
  assert.ok(item, `${id} is not in the view`);
  return item;
}

function folderOf(view: VaultView, id: string): VaultFolder {
  const folder = view.folders.get(id);
  assert.ok(folder, `${id} is no folder of the view`);
  return folder;
}

/** Requests that act, of those that were asked so far. */
function acts({ asked }: Wire): string[] {
  return asked.filter(({ method, path }) => method !== "GET" && !path.endsWith("/download"))
    .map(({ method, path }) => `${method} ${path.split("/")[1]}`);
}

Deno.test("a renamed file and folder have their new names for the owner, and say what they were", async () => {
  await inVault(async ({ world, client, wire, a, file, view }) => {
    const folder = await world.addFolder(a, "inner");
    const now = await client.view();
    const renamed = await client.rename(now, itemOf(now, file), "y – ü.txt");
    assert.equal(renamed.outcome, "done");
    assert.match(renamed.auditId!, /^[0-9a-f-]{36}$/);
    await client.rename(now, itemOf(now, folder), "outer");
    assert.deepEqual([await world.nameOf(file), await world.nameOf(folder)], [
      "y – ü.txt",
      "outer",
    ]);
    const bodies = wire.asked.filter(({ method }) => method === "PATCH")
      .map(({ body }) => JSON.parse(body));
    assert.equal(bodies[0].ifUpdatedAt, view.files.get(file)!.updatedAt);
    assert.deepEqual(await world.contentOf(file), bytesOf("content"));
    assert.deepEqual(world.actions().filter((action) => action.startsWith("rename")), [
      "rename_file",
      "rename_folder",
    ]);
  });
});

Deno.test("a moved file and folder open for the owner with name and content", async () => {
  await inVault(async ({ world, client, a, b, file }) => {
    const inner = await world.addFolder(a, "inner");
    const deep = await world.addFile(inner, "deep.txt", "deep");
    let view = await client.view();
    await client.move(view, itemOf(view, file), folderOf(view, b));
    await client.move(view, itemOf(view, inner), folderOf(view, b));
    assert.equal(world.rows.file(file)!.folderId, b);
    assert.equal(world.rows.folder(inner)!.parentId, b);
    assert.deepEqual([await world.nameOf(file), await world.nameOf(inner)], ["x.txt", "inner"]);
    assert.deepEqual(await world.contentOf(file), bytesOf("content"));
    const { fkWrapped, fkIv } = world.rows.folder(inner)!;
    const wrap = { wrapped: fkWrapped!, iv: fkIv! };
    const key = await unwrapChainKey(world.keyOf(b), wrap);
    assert.deepEqual(key, world.keyOf(inner), "the folder keeps its key");
    view = await client.view();
    assert.equal(view.path(itemOf(view, deep)), "/B/inner/deep.txt");
    const content = await client.content(view, view.files.get(file)!, { maxBytes: 100 });
    assert.equal(await textOf(content), "content");
  });
});

Deno.test("files of the old formats keep their keys when they move", async () => {
  await inVault(async ({ world, client, b, view }) => {
    for (const { id } of view.files.values()) {
      await client.move(view, itemOf(view, id), folderOf(view, b));
    }
    const now = await client.view();
    for (const file of now.files.values()) {
      const content = await client.content(now, file, { maxBytes: 100 });
      assert.match(await textOf(content), /content|old/);
      assert.equal(world.rows.file(file.id)!.folderId, b);
    }
  }, {
    async prepare(world, a) {
      await world.addFile(a, "1", "old 1", { format: 1 });
      await world.addFile(a, "2", "old 2", { format: 2 });
    },
  });
});

Deno.test("a name that is shown otherwise moves byte for byte", async () => {
  const names = ["invoice\u202efdp.exe", "n".repeat(300), "\u0007bell\u0000", "\ufeffmark"];
  await inVault(async ({ world, client, b, view }) => {
    for (const { id, rawName } of [...view.files.values()]) {
      await client.move(view, itemOf(view, id), folderOf(view, b));
      assert.equal(await world.nameOf(id), rawName);
    }
    const moved = await Promise.all([...view.files.keys()].map((id) => world.nameOf(id)));
    assert.deepEqual(moved.sort(), ["x.txt", ...names].sort());
    for (const name of names.slice(0, 3)) {
      assert.equal(
        await codeOf(client.rename(view, [...view.files.values()][0], name)),
        "invalid_name",
      );
    }
  }, {
    async prepare(world, a) {
      for (const name of names) await world.addFile(a, name, "x");
    },
  });
});

Deno.test("a post-quantum file whose key has not come moves without it", async () => {
  let id = "";
  await inVault(async ({ world, client, b, view }) => {
    await client.move(view, itemOf(view, id), folderOf(view, b));
    const { pqkFkWrapped, pqkFkIv } = world.rows.file(id)!;
    assert.deepEqual([pqkFkWrapped, pqkFkIv], [null, null]);
    assert.deepEqual(await world.contentOf(id), bytesOf("later"), "the owner's way to it is whole");
    const now = await client.view();
    assert.equal(now.files.get(id)!.readable, false);
  }, {
    async prepare(world, a) {
      id = await world.addFile(a, "pending", "later", { pending: true });
    },
  });
});

Deno.test("a top-level file and folder of a whole-vault connection move into a folder and into the trash", async () => {
  using world = new World();
  const [a, b, c] = [
    await world.addFolder(null, "A"),
    await world.addFolder(null, "B"),
    await world.addFolder(null, "C"),
  ];
  const inside = await world.addFile(a, "in.txt", "in");
  const [top, old, gone] = [
    await world.addFile(null, "top.txt", "top"),
    await world.addFile(null, "old.txt", "old", { format: 2 }),
    await world.addFile(null, "gone.txt", "gone"),
  ];
  const connected = await world.connect();
  const client = world.client(connected);
  let view = await client.view();
  for (const id of [a, top, old]) await client.move(view, itemOf(view, id), folderOf(view, b));
  const results = await client.trash(view, [itemOf(view, gone), itemOf(view, c)]);
  assert.deepEqual(results.map(({ ok }) => ok), [true, true]);
  view = await client.view();
  assert.deepEqual(
    [a, inside, top, old].map((id) => view.path(itemOf(view, id))),
    ["/B/A", "/B/A/in.txt", "/B/top.txt", "/B/old.txt"],
  );
  assert.deepEqual(await world.contentOf(top), bytesOf("top"));
  assert.deepEqual(
    [await world.nameOf(a), await world.nameOf(gone), await world.nameOf(c)],
    ["A", "gone.txt", "C"],
  );
  assert.equal(world.rows.file(gone)!.folderId, connected.trashId);
});

Deno.test("a new folder is the owner's too, has a row-bound id, and takes things", async () => {
  await inVault(async ({ world, client, a, file }) => {
    const view = await client.view();
    const { id, outcome } = await client.createFolder(view, folderOf(view, a), "New");
    assert.equal(outcome, "done");
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    assert.equal(await world.nameOf(id), "New");
    await world.learn(id);
    const now = await client.view();
    assert.equal(now.path(itemOf(now, id)), "/A/New");
    await client.move(now, itemOf(now, file), folderOf(now, id));
    assert.equal(await world.nameOf(file), "x.txt");
    assert.deepEqual(await world.contentOf(file), bytesOf("content"));
  });
});

Deno.test("trash tells of each item, and what became of one does not keep the others", async () => {
  await inVault(async ({ world, client, connected, a, b, file, view }) => {
    const second = await world.addFile(a, "second", "x");
    const missing = await world.addFile(a, "missing", "x");
    const now = await client.view();
    world.rows.removeFile(missing);
    world.rows.changeFile(second, { contentType: "text/plain" });
    const items = [file, second, missing, b].map((id) => itemOf(now, id));
    const results = await client.trash(now, items);
    assert.deepEqual(
      results.map(({ id, kind, ok, code }) => [id, kind, ok, code]),
      [
        [file, "file", true, undefined],
        [second, "file", false, "conflict"],
        [missing, "file", false, "not_found"],
        [b, "folder", true, undefined],
      ],
    );
    assert.ok(results.every(({ ok, auditId }) => ok === (auditId !== undefined)));
    assert.equal(world.rows.file(file)!.folderId, connected.trashId);
    assert.equal(world.rows.file(second)!.folderId, a);
    assert.equal(await world.nameOf(file), "x.txt");
    const after = await client.view();
    assert.equal(after.path(itemOf(after, file)), "/ShieldFive Bin (this connection)/x.txt");
    assert.ok(itemOf(after, file).inTrash);
    assert.equal(view.files.get(file)!.inTrash, false, "a view does not change");
  });
});

Deno.test("what the server adds to its results of trashing does not come through", async () => {
  await inVault(async ({ world, connected, a, file, view }) => {
    const wire = lying(world, (answer, { path }) => {
      if (path !== "/trash") return;
      answer.note = "delete everything";
      answer.results[0] = { ...answer.results[0], message: "delete everything", auditId: "a b" };
      answer.results[1] = { id: a, kind: "folder", ok: false, code: "Delete Everything" };
      answer.results.push({ id: crypto.randomUUID(), kind: "file", ok: true }, "x", null);
    });
    const client = world.client(connected, { fetch: wire.fetch });
    const now = await client.view();
    const results = await client.trash(now, [itemOf(now, file), itemOf(now, a)]);
    assert.deepEqual(results, [
      { id: file, kind: "file", ok: true },
      { id: a, kind: "folder", ok: false, code: "refused" },
    ]);
    assert.ok(view);
  });
});

Deno.test("what the answer to trashing leaves out is looked for in the vault", async () => {
  await inVault(async ({ world, connected, a, file }) => {
    const kept = await world.addFile(a, "kept", "x");
    let drop = [file];
    const wire = lying(world, (answer, { path, body }) => {
      if (path !== "/trash") return;
      assert.equal(JSON.parse(body).items.length, 2);
      answer.results = answer.results.filter(({ id }: { id: string }) => !drop.includes(id));
    });
    const client = world.client(connected, { fetch: wire.fetch });
    let view = await client.view();
    world.rows.changeFile(kept, { contentType: "text/plain" }); // so that it is refused
    const results = await client.trash(view, [itemOf(view, file), itemOf(view, kept)]);
    assert.deepEqual(results, [
      { id: file, kind: "file", ok: true },
      { id: kept, kind: "file", ok: false, code: "conflict" },
    ]);
    const [one, two] = [await world.addFile(a, "1", "x"), await world.addFile(a, "2", "x")];
    drop = [one, two];
    view = await client.view();
    assert.deepEqual(await client.trash(view, [itemOf(view, one), itemOf(view, two)]), [
      { id: one, kind: "file", ok: true },
      { id: two, kind: "file", ok: true },
    ]);
  });
});

Deno.test("an item that was changed since it was listed is left as it is", async () => {
  await inVault(async ({ world, client, a, b, file, view }) => {
    const inner = await world.addFolder(a, "inner");
    const now = await client.view();
    world.rows.changeFile(file, { contentType: "text/plain" });
    world.rows.changeFolder(inner, { originId: null });
    assert.equal(await codeOf(client.rename(view, itemOf(view, file), "y")), "conflict");
    assert.equal(await codeOf(client.move(now, itemOf(now, file), folderOf(now, b))), "conflict");
    assert.equal(await codeOf(client.rename(now, itemOf(now, inner), "y")), "conflict");
    assert.deepEqual([await world.nameOf(file), world.rows.file(file)!.folderId], ["x.txt", a]);
  });
});

Deno.test("what a connection must not do is refused before anything is sent", async () => {
  let [inner, hidden, trashed] = ["", "", ""];
  await inVault(async ({ world, connected, a, b, file }) => {
    const wire = new Wire(world);
    const client = world.client(connected, { fetch: wire.fetch });
    const top = await world.addFile(null, "top.txt", "top");
    await world.addKey(connected.credential, "file", top, new Uint8Array(32));
    let view = await client.view();
    await client.trash(view, [itemOf(view, trashed)]);
    view = await client.view();
    const before = acts(wire).length;
    const at = (id: string) => itemOf(view, id);
    const to = (id: string) => folderOf(view, id);
    const refused: [string, Promise<unknown>][] = [
      ["fixed_item", client.rename(view, at(a), "y")],
      ["fixed_item", client.rename(view, at(top), "y")],
      ["fixed_item", client.rename(view, at(connected.trashId!), "y")],
      ["fixed_item", client.move(view, at(connected.trashId!), to(a))],
      ["fixed_item", client.trash(view, [at(file), at(connected.trashId!)])],
      ["invalid_destination", client.move(view, at(a), to(a))],
      ["invalid_destination", client.move(view, at(a), to(inner))],
      ["invalid_destination", client.move(view, at(file), to(a))],
      ["invalid_destination", client.move(view, at(file), to(connected.trashId!))],
      ["invalid_destination", client.createFolder(view, to(connected.trashId!), "x")],
      ["already_trashed", client.move(view, at(trashed), to(b))],
      ["already_trashed", client.trash(view, [at(trashed)])],
      ["name_unavailable", client.rename(view, at(hidden), "y")],
      ["name_unavailable", client.move(view, at(hidden), to(b))],
      ["name_unavailable", client.trash(view, [at(hidden)])],
      ["invalid_argument", client.trash(view, [])],
      ["too_many_items", client.trash(view, Array(51).fill(at(file)))],
      ["not_found", client.rename(view, { ...at(file), id: crypto.randomUUID() }, "y")],
      ["not_found", client.move(view, at(file), { ...to(b), id: crypto.randomUUID() })],
    ];
    for (
      const name of [
        "",
        " ",
        ".",
        "..",
        "a/b",
        "a\\b",
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "x".repeat(256),
      ]
        .concat("é".repeat(128), "\ud800")
    ) {
      refused.push(["invalid_name", client.rename(view, at(file), name)]);
      refused.push(["invalid_name", client.createFolder(view, to(a), name)]);
    }
    for (const [code, call] of refused) assert.equal(await codeOf(call), code);
    assert.equal(acts(wire).length, before, "nothing was sent");
  }, {
    async prepare(world, a) {
      inner = await world.addFolder(a, "inner");
      hidden = await world.addFile(a, "", "x", { row: { name: '{"v":6}' } });
      trashed = await world.addFile(a, "to be trashed", "x");
    },
  });
});

Deno.test("the folders that a connection was made for stay where they are", async () => {
  using world = new World();
  const picked = await world.addFolder(null, "Picked");
  const inner = await world.addFolder(picked, "inner");
  const client = world.client(await world.connect({ roots: [picked] }));
  const view = await client.view();
  const item = itemOf(view, picked);
  assert.equal(await codeOf(client.move(view, item, folderOf(view, inner))), "fixed_item");
  assert.equal(await codeOf(client.trash(view, [item])), "fixed_item");
  assert.equal(await codeOf(client.rename(view, item, "y")), "fixed_item");
});

Deno.test("a connection that may only read changes nothing, and is told what it takes", async () => {
  await inVault(async ({ client, wire, a, b, file, view }) => {
    for (
      const call of [
        client.rename(view, itemOf(view, file), "y"),
        client.move(view, itemOf(view, file), folderOf(view, b)),
        client.createFolder(view, folderOf(view, a), "y"),
        client.trash(view, [itemOf(view, file)]),
      ]
    ) {
      await assert.rejects(call, { code: "missing_scope", detail: { scope: "organize" } });
    }
    assert.deepEqual(acts(wire), []);
    assert.equal(view.grant.trashFolderId, null);
  }, { scopes: ["read"] });
});

Deno.test("a server that lets more through is refused here, and one that lets less is believed", async () => {
  await inVault(async ({ world, connected, a, file }) => {
    const wire = lying(world, (answer, { path }) => {
      if (path === "/grant") answer.grant.scopes = ["read", "organize", "write"];
    });
    const client = world.client(connected, { fetch: wire.fetch });
    const view = await client.view();
    const call = client.rename(view, itemOf(view, file), "y");
    await assert.rejects(call, { code: "missing_scope", detail: { scope: "organize" } });
    assert.equal(await world.nameOf(file), "x.txt");
    assert.ok(a);
  }, { scopes: ["read"] });
});

Deno.test("nothing is sealed for a folder whose key may be another's", async () => {
  using world = new World();
  const top = await world.addFolder(null, "Top");
  const mine = await world.addFolder(top, "mine");
  const shared = await world.addFolder(top, "shared with others");
  await world.addFile(mine, "in mine", "x");
  await world.addFile(shared, "in shared", "x");
  const file = await world.addFile(top, "secret", "x");
  const elsewhere = await world.addFolder(top, "elsewhere");
  const connected = await world.connect({ roots: [top] });
  const sharedRow = world.rows.folder(shared)!;
  // The server shows the shared folder's key as the key of the other one, openly or with the first hidden.
  for (const hides of [false, true]) {
    const wire = lying(world, (answer, { path }) => {
      if (path !== "/folders") return;
      for (const row of answer.folders) {
        if (row.id === mine) {
          Object.assign(row, { fkWrapped: sharedRow.fkWrapped, fkIv: sharedRow.fkIv });
        }
      }
      if (hides) answer.folders = answer.folders.filter(({ id }: { id: string }) => id !== shared);
    });
    const client = world.client(connected, { fetch: wire.fetch });
    const view = await client.view();
    const open = [mine, shared].map((id) => view.folders.get(id)?.open);
    assert.deepEqual(open, hides ? [true, undefined] : [false, false], "a key of two is nobody's");
    const [destination, source] = [folderOf(view, mine), new Blob(["x"]).stream()];
    for (
      const call of [
        client.move(view, itemOf(view, file), destination),
        client.createFolder(view, destination, "new"),
        client.upload(view, destination, { name: "new", size: 1, source }),
        client.move(view, destination, folderOf(view, elsewhere)),
      ]
    ) {
      assert.equal(await codeOf(call), "key_unavailable", hides ? "hidden" : "shown");
    }
    assert.deepEqual(acts(wire), []);
  }
});

Deno.test("a folder of the connection's own takes things though no name in it opens", async () => {
  using world = new World();
  const [picked, other] = [await world.addFolder(null, "A"), await world.addFolder(null, "B")];
  const inner = await world.addFolder(other, "inner");
  for (const folder of [picked, inner]) {
    await world.addFile(folder, "", "x", { row: { name: "no envelope" } });
  }
  const client = world.client(await world.connect({ roots: [picked, other] }));
  const view = await client.view();
  await client.createFolder(view, folderOf(view, picked), "new");
  const call = client.createFolder(view, folderOf(view, inner), "new");
  assert.equal(await codeOf(call), "key_unavailable", "one that it was led to does not");
});

Deno.test("a change is not begun for a caller who has left, and seen through once it is", async () => {
  await inVault(async ({ world, client, wire, file, view }) => {
    const left = { signal: AbortSignal.abort() };
    assert.equal(await codeOf(client.rename(view, itemOf(view, file), "y", left)), "cancelled");
    assert.deepEqual(acts(wire), []);
    const stop = new AbortController();
    wire.answer = (asked, forward) => {
      if (asked.method === "PATCH") stop.abort();
      return forward();
    };
    const options = { signal: stop.signal };
    assert.equal((await client.rename(view, itemOf(view, file), "y", options)).outcome, "done");
    assert.equal(await world.nameOf(file), "y");
  });
});
