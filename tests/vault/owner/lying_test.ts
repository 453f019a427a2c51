// Answers that no such server gives: the owner's client comes to an end and says so.

import assert from "node:assert/strict";
import fc from "fast-check";
import { Answer } from "../../../vault/owner/answer.ts";
import { OwnerError } from "../../../vault/owner/mod.ts";
import { fileRow, folderRow } from "../../../vault/owner/rows.ts";
import {
  codeOf,
  inVault as inAnyVault,
  type Loose,
  lying,
  type Owned,
  QUICK_KDF,
} from "./support.ts";

function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

/** What a refresh comes to when the folders' listing is changed. */
async function listedAs(owned: Owned, change: (answer: Loose) => void): Promise<string> {
  const lie = lying(owned.server.transport, (path, answer) => {
    if (path.endsWith("/folders")) change(answer);
  });
  return await codeOf(owned.second(lie));
}

Deno.test("a listing that does not end is stopped", async () => {
  await inVault(async (owned) => {
    assert.equal(
      await listedAs(owned, (answer) => answer.next = answer.next ?? "more"),
      "bad_request",
    );
    let page = 0;
    const empty: typeof owned.server.transport = {
      ...owned.server.transport,
      fetch: (request) =>
        request.url.includes("/folders")
          ? Promise.resolve(Response.json({ folders: [], next: `page${page++}` }))
          : owned.server.transport.fetch(request),
    };
    assert.equal(await codeOf(owned.second(empty)), "too_large");
    assert.equal(page, 1000);
  });
});

Deno.test("rows that are none are refused", async () => {
  await inVault(async (owned) => {
    const lies: ((answer: Loose) => void)[] = [
      (answer) => delete answer.folders,
      (answer) => answer.folders = {},
      (answer) => answer.folders[0] = null,
      (answer) => answer.folders[0].id = "../../x",
      (answer) => answer.folders[0].parentId = 7,
      (answer) => answer.folders[0].name = ["x"],
      (answer) => answer.folders[0].name = "x".repeat(20_000),
      (answer) => answer.folders[0].updatedAt = "yesterday",
      (answer) => answer.folders[0].version = -1,
      (answer) => answer.next = 5,
    ];
    for (const lie of lies) assert.equal(await listedAs(owned, lie), "bad_answer", `${lie}`);
  });
});

Deno.test("folders in a circle and folders that hang nowhere are left aside", async () => {
  await inVault(async (owned) => {
    const { vault, server } = owned;
    const a = await vault.createFolder(null, "A");
    const b = await vault.createFolder(a.id, "B");
    const lost = await vault.createFolder(b.id, "Lost");
    const circle = lying(server.transport, (path, answer) => {
      if (!path.endsWith("/folders")) return;
      for (const folder of answer.folders) {
        if (folder.id === a.id) folder.parentId = b.id;
        if (folder.id === lost.id) folder.parentId = crypto.randomUUID();
      }
    });
    const other = await owned.second(circle);
    for (const { id } of [a, b, lost]) {
      const folder = other.tree.folders.get(id)!;
      assert.deepEqual([folder.readable, folder.name, folder.pending], [false, null, false]);
      assert.match(other.tree.path(folder), /^(\/\[name unavailable\]){1,257}$/);
    }
    const exported = [];
    for await (const { path } of other.exportAll()) exported.push(path);
    assert.deepEqual(exported, []);
  });
});

Deno.test("what the names say of their cost does not raise it beyond what the format has", async () => {
  const levels: number[] = [];
  const kdf = {
    concurrency: 1,
    derive: (request: Parameters<typeof QUICK_KDF.derive>[0]) => {
      levels.push(request.memoryKiB);
      return QUICK_KDF.derive(request);
    },
  };
  await inAnyVault(async ({ vault, server: { rows } }) => {
    const { id } = await vault.createFolder(null, "A");
    const envelope = JSON.parse(rows.folder(id)!.name);
    const tampered = (change: object) => JSON.stringify({ ...envelope, ...change });
    levels.length = 0;
    for (const change of [{ kdf: "sensitive" }, { v: 7 }, { salt: "AAAA" }]) {
      rows.transaction(() => rows.changeFolder(id, { name: tampered(change) }));
      await vault.refresh();
      assert.equal(vault.tree.folders.get(id)!.name, null);
    }
    assert.deepEqual(levels, []);
    rows.transaction(() =>
      rows.changeFolder(id, {
        name: tampered({ salt: "AAAAAAAAAAAAAAAAAAAAAA==", kdf: "moderate" }),
      })
    );
    await vault.refresh();
    // Both levels once, and for a name that did not open never again.
    assert.deepEqual(levels.map((level) => level / 1024), [64, 256]);
    await vault.refresh();
    assert.equal(levels.length, 2);
  }, { kdf });
});

Deno.test("whatever an answer is, a row is read from it or it is refused by name", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.object(), (value, fields) => {
      for (const read of [folderRow, fileRow]) {
        for (const candidate of [value, { ...fields, id: crypto.randomUUID() }]) {
          try {
            read(new Answer(candidate));
          } catch (error) {
            assert.ok(error instanceof OwnerError && error.code === "bad_answer", `${error}`);
          }
        }
      }
    }),
    { seed: 7, numRuns: 300 },
  );
});

Deno.test("a field of the object's prototype is no field", () => {
  assert.equal(new Answer({}).has("constructor"), false);
  assert.throws(() => new Answer({}).text("toString"), { code: "bad_answer" });
});
