// The vault put in order, as its owner sees it from two browsers; all against the real service.

import assert from "node:assert/strict";
import { type Item, type KdfBackend, OwnerVault } from "../../../vault/owner/mod.ts";
import {
  at,
  codeOf,
  folderAt,
  inVault as inAnyVault,
  type Owned,
  PASSPHRASE,
  paths,
  QUICK_KDF,
  readText,
  uploadText,
} from "./support.ts";

function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

/** `/A/`, `/A/B/`, `/A/B/note.txt`, `/A/plan.txt`, `/C/`, `/top.txt`. */
async function furnish({ vault }: Owned): Promise<void> {
  const a = await vault.createFolder(null, "A");
  const b = await vault.createFolder(a.id, "B");
  await vault.createFolder(null, "C");
  await uploadText(vault, b.id, "note.txt", "a note");
  await uploadText(vault, a.id, "plan.txt", "a plan");
  await uploadText(vault, null, "top.txt", "at the top");
}

/** The paths as another browser sees them, and that this one sees the same. */
async function agreed({ vault, second }: Owned): Promise<string[]> {
  const other = await second();
  assert.deepEqual(paths(vault), paths(other));
  return paths(other);
}

const FURNISHED = [
  "/A/",
  "/A/B/",
  "/A/B/note.txt",
  "/A/plan.txt",
  "/Bin/",
  "/C/",
  "/Media/",
  "/top.txt",
];

Deno.test("folders and files that were made are seen from another browser", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    assert.deepEqual(await agreed(owned), FURNISHED);
    const other = await owned.second();
    assert.equal(await readText(other, at(other, "/A/B/note.txt").id), "a note");
    assert.equal(await readText(other, at(other, "/top.txt").id), "at the top");
    assert.equal(folderAt(other, "/Bin").role, "bin");
    assert.equal(folderAt(other, "/Media").role, "media");
    assert.deepEqual(
      await owned.vault.stats().then(({ files, bytes, bin }) => ({ files, bytes, bin })),
      {
        files: 3,
        bytes: "a notea planat the top".length,
        bin: { files: 0, bytes: 0 },
      },
    );
  });
});

Deno.test("renamed items keep their content", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const renamed = await vault.rename(at(vault, "/A"), "Ä and Ö 🎉");
    assert.equal(renamed.name, "Ä and Ö 🎉");
    await vault.rename(at(vault, "/top.txt"), "bottom.txt");
    assert.deepEqual((await agreed(owned)).filter((path) => !FURNISHED.includes(path)), [
      "/bottom.txt",
      "/Ä and Ö 🎉/",
      "/Ä and Ö 🎉/B/",
      "/Ä and Ö 🎉/B/note.txt",
      "/Ä and Ö 🎉/plan.txt",
    ]);
    const other = await owned.second();
    assert.equal(await readText(other, at(other, "/Ä and Ö 🎉/plan.txt").id), "a plan");
  });
});

Deno.test("moved items are sealed for where they are, at the top too", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const { done, failed } = await vault.move(
      [at(vault, "/A/B"), at(vault, "/top.txt")],
      folderAt(vault, "/C").id,
    );
    assert.deepEqual([done.length, failed], [2, []]);
    await vault.move([at(vault, "/A/plan.txt")], null);
    assert.deepEqual(await agreed(owned), [
      "/A/",
      "/Bin/",
      "/C/",
      "/C/B/",
      "/C/B/note.txt",
      "/C/top.txt",
      "/Media/",
      "/plan.txt",
    ]);
    const other = await owned.second();
    for (
      const [path, text] of [
        ["/C/B/note.txt", "a note"],
        ["/C/top.txt", "at the top"],
        ["/plan.txt", "a plan"],
      ]
    ) {
      assert.equal(await readText(other, at(other, path).id), text);
    }
    // What is moved where it is stays as it is.
    assert.equal((await vault.move([at(vault, "/plan.txt")], null)).done.length, 1);
  });
});

Deno.test("a folder cannot be moved into itself, and nothing into the Bin but by way of it", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const move = async (path: string, to: string) => {
      const { failed } = await vault.move([at(vault, path)], folderAt(vault, to).id);
      return failed.map(({ code }) => code);
    };
    assert.deepEqual(await move("/A", "/A/B"), ["invalid_destination"]);
    assert.deepEqual(await move("/A", "/A"), ["invalid_destination"]);
    assert.equal(await codeOf(move("/A", "/Bin")), "invalid_destination");
    assert.deepEqual(await move("/Bin", "/C"), ["fixed_item"]);
    assert.deepEqual(await move("/Media", "/C"), ["fixed_item"]);
    assert.equal(await codeOf(vault.rename(at(vault, "/Bin"), "Trash")), "fixed_item");
    assert.equal(await codeOf(vault.move([at(vault, "/C")], crypto.randomUUID())), "not_found");
    assert.deepEqual(await agreed(owned), FURNISHED);
  });
});

Deno.test("what goes into the Bin comes back to where it was", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    await vault.toBin([at(vault, "/A/B"), at(vault, "/top.txt")]);
    assert.deepEqual(await agreed(owned), [
      "/A/",
      "/A/plan.txt",
      "/Bin/",
      "/Bin/B/",
      "/Bin/B/note.txt",
      "/Bin/top.txt",
      "/C/",
      "/Media/",
    ]);
    const other = await owned.second();
    const binned = [at(other, "/Bin/B"), at(other, "/Bin/top.txt")];
    assert.deepEqual(binned.map(({ inBin }) => inBin), [true, true]);
    assert.ok(at(other, "/Bin/B/note.txt").inBin);
    assert.equal(at(other, "/Bin").inBin, false);
    // What lies in the Bin is neither put there again nor filled.
    const again = await other.toBin(binned);
    assert.deepEqual(again.failed.map(({ code }) => code), [
      "invalid_destination",
      "invalid_destination",
    ]);
    assert.equal(await codeOf(uploadText(other, binned[0].id, "x", "x")), "invalid_destination");
    assert.deepEqual((await other.restore(binned)).failed, []);
    await vault.refresh();
    assert.deepEqual(paths(vault), FURNISHED);
    assert.equal(await readText(vault, at(vault, "/A/B/note.txt").id), "a note");
  });
});

Deno.test("what came from a folder that is gone, or is in the Bin itself, comes back at the top", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    await vault.toBin([at(vault, "/A/B")]);
    await vault.toBin([at(vault, "/A")]);
    await vault.restore([at(vault, "/Bin/B")]);
    assert.ok(paths(vault).includes("/B/note.txt"), paths(vault).join());
    await vault.toBin([at(vault, "/B/note.txt")]);
    await vault.toBin([at(vault, "/B")]);
    await vault.purge([at(vault, "/Bin/B")]);
    await vault.restore([at(vault, "/Bin/note.txt")]);
    assert.ok((await agreed(owned)).includes("/note.txt"));
    assert.equal(await readText(vault, at(vault, "/note.txt").id), "a note");
  });
});

Deno.test("what lies in the Bin can be moved to any other place, and what lies deeper too", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    await vault.toBin([at(vault, "/A")]);
    await vault.move([at(vault, "/Bin/A/B/note.txt"), at(vault, "/C")], null);
    await vault.move([at(vault, "/Bin/A")], folderAt(vault, "/C").id);
    assert.deepEqual(await agreed(owned), [
      "/Bin/",
      "/C/",
      "/C/A/",
      "/C/A/B/",
      "/C/A/plan.txt",
      "/Media/",
      "/note.txt",
      "/top.txt",
    ]);
  });
});

Deno.test("only what lies in the Bin is deleted for good, a folder with all that is in it", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault, server } = owned;
    const kept = await vault.purge([at(vault, "/A")]);
    assert.deepEqual(kept.failed.map(({ code }) => code), ["not_in_bin"]);
    await vault.toBin([at(vault, "/A")]);
    const objects = () => [...server.objects.list()].length;
    assert.equal(objects(), 3);
    assert.deepEqual((await vault.purge([at(vault, "/Bin/A")])).failed, []);
    assert.deepEqual(await agreed(owned), ["/Bin/", "/C/", "/Media/", "/top.txt"]);
    assert.equal(objects(), 1);
  });
});

Deno.test("of many items each stands for itself, more than one request takes", async () => {
  await inVault(async (owned) => {
    const { vault } = owned;
    const made: Item[] = [];
    for (let i = 0; i < 60; i++) made.push(await vault.createFolder(null, `folder ${i}`));
    const other = await owned.second();
    await other.toBin([made[3]]);
    const { done, failed } = await vault.toBin([...made, at(vault, "/Bin")]);
    assert.equal(done.length, 59);
    assert.deepEqual(failed.map(({ item, code }) => `${item.name}: ${code}`).sort(), [
      "Bin: fixed_item",
      "folder 3: already_trashed",
    ]);
    await vault.refresh();
    assert.equal(vault.tree.children(folderAt(vault, "/Bin").id).length, 60);
  });
});

Deno.test("what somebody else changed meanwhile is refused, and done after a refresh", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault, second } = owned;
    const other = await second();
    await other.rename(at(other, "/C"), "See");
    assert.equal(await codeOf(vault.rename(at(vault, "/C"), "Sea")), "conflict");
    const moved = await vault.move([at(vault, "/C")], folderAt(vault, "/A").id);
    assert.deepEqual(moved.failed.map(({ code }) => code), ["conflict"]);
    await vault.refresh();
    await vault.rename(at(vault, "/See"), "Sea");
    // The one that changed it may change it again without looking.
    await vault.rename(at(vault, "/Sea"), "Ocean");
    await vault.move([at(vault, "/Ocean")], folderAt(vault, "/A").id);
    assert.ok((await agreed(owned)).includes("/A/Ocean/"));
  });
});

Deno.test("names that cannot be given are refused with a reason", async () => {
  await inVault(async ({ vault }) => {
    const refused = [
      "",
      "  ",
      ".",
      "..",
      "a/b",
      "a\\b",
      "a\u202eb",
      "a\u200bb",
      "\n",
      "ä".repeat(128),
    ];
    for (const name of refused) {
      assert.equal(await codeOf(vault.createFolder(null, name)), "invalid_name", name);
    }
    const longest = "ä".repeat(127);
    assert.equal((await vault.createFolder(null, longest)).name, longest);
  });
});

Deno.test("a refresh shows what is there from the top down while names are opened", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const other = await owned.second();
    await owned.vault.createFolder(null, "New");
    const seen: [string, number][] = [];
    await other.refresh(({ phase, total, tree }) => {
      seen.push([phase, total]);
      if (phase === "names") assert.ok(tree);
    });
    assert.deepEqual(seen.at(-1), ["names", 1]);
    assert.ok(paths(other).includes("/New/"));
    const aborted = other.refresh(undefined, AbortSignal.abort(new Error("enough")));
    await assert.rejects(aborted, { message: "enough" });
  });
});

Deno.test("names in the folder that is shown are opened before all others", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { server: { origin, transport }, vault } = owned;
    const enough = new AbortController();
    let derived = 0;
    const kdf: KdfBackend = {
      concurrency: 1,
      derive(request) {
        // One for the passphrase, one for a name; then it ends.
        if (++derived > 2) enough.abort(new Error("enough"));
        return QUICK_KDF.derive(request);
      },
    };
    const other = await OwnerVault.unlock({ origin, transport, kdf, passphrase: PASSPHRASE });
    other.showFirst(at(vault, "/A/B").id);
    await assert.rejects(other.refresh(undefined, enough.signal), { message: "enough" });
    const items = [...other.tree.folders.values(), ...other.tree.files.values()];
    assert.deepEqual(items.flatMap(({ name }) => name ?? []), ["note.txt"]);
    await other.lock();
  });
});

Deno.test("what this client changes while it lists is not lost", async () => {
  await inVault(async (owned) => {
    const { server, second } = owned;
    const meanwhile: (() => Promise<unknown>)[] = [];
    const vault = await second({
      ...server.transport,
      async fetch(request) {
        const response = await server.transport.fetch(request);
        if (request.url.includes("/folders?")) await meanwhile.pop()?.();
        return response;
      },
    });
    meanwhile.push(() => vault.createFolder(null, "Made meanwhile"));
    await vault.refresh();
    assert.ok(paths(vault).includes("/Made meanwhile/"));
    assert.equal(at(vault, "/Made meanwhile").readable, true);
  });
});

Deno.test("children come folders first, and numbers in names in their order", async () => {
  await inVault(async ({ vault }) => {
    for (const name of ["10", "9", "a", "B"]) await vault.createFolder(null, name);
    await uploadText(vault, null, "1.txt", "x");
    const names = vault.tree.children(null).map(({ name }) => name);
    assert.deepEqual(names, ["9", "10", "a", "B", "Bin", "Media", "1.txt"]);
  });
});

Deno.test("what was done is recorded, and is undone", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { vault } = owned;
    const undoLast = async (action: string) => {
      const { entries } = await vault.activity();
      const entry = entries.find((each) => each.action === action && each.undoable);
      assert.ok(entry, `${action} in ${entries.map((each) => each.action).join()}`);
      assert.equal(entry.grantId, null);
      await vault.undo(entry.id);
      await vault.refresh();
    };
    await vault.rename(at(vault, "/C"), "Sea");
    await undoLast("rename_folder");
    await vault.move([at(vault, "/top.txt")], folderAt(vault, "/A/B").id);
    await undoLast("move_file");
    await vault.toBin([at(vault, "/A/B")]);
    await undoLast("trash_folder");
    assert.deepEqual(await agreed(owned), FURNISHED);
    await vault.createFolder(null, "Made");
    await undoLast("create_folder");
    await uploadText(vault, null, "made.txt", "made");
    await undoLast("upload_file");
    const after = await agreed(owned);
    assert.ok(after.includes("/Bin/Made/") && after.includes("/Bin/made.txt"), after.join());
    assert.equal(await readText(vault, at(vault, "/Bin/made.txt").id), "made");
    const { entries } = await vault.activity();
    const done = entries.find(({ undoneAt }) => undoneAt !== null);
    assert.equal(await codeOf(vault.undo(done!.id)), "already_undone");
    assert.equal(await codeOf(vault.undo(crypto.randomUUID())), "not_found");
  });
});

Deno.test("a vault of pages is listed to its end", async () => {
  await inVault(async (owned) => {
    await furnish(owned);
    const { server } = owned;
    server.context.limits.rowsPerPage = 1000;
    const limited = {
      ...server.transport,
      fetch: (request: Request) =>
        server.transport.fetch(new Request(request.url.replace("limit=1000", "limit=2"), request)),
    };
    const other = await owned.second(limited);
    assert.deepEqual(paths(other), FURNISHED);
  });
});
