// Picking folders for a connection: a picked folder stands for all below it, and only for that.

import assert from "node:assert/strict";
import type { Folder, Tree } from "../../vault/owner/mod.ts";
import {
  canBeShared,
  foldersNamed,
  offeredFolders,
  pickedIn,
  standingOf,
  toggled,
} from "../../web/connections/folders.ts";
import { treeOf } from "../../web/vault/tree.ts";

function folder(id: string, parentId: string | null, over: Partial<Folder> = {}): Folder {
  return {
    kind: "folder",
    id,
    parentId,
    name: id,
    role: "normal",
    pending: false,
    readable: true,
    inBin: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    version: 1,
    ...over,
  };
}

function treeWith(...folders: Folder[]): Tree {
  const byId = new Map(folders.map((one) => [one.id, one]));
  return treeOf({ folders: byId, files: new Map(), binId: "bin", mediaId: "media" });
}

const TREE = treeWith(
  folder("bin", null, { role: "bin" }),
  folder("of a connection", "bin", { role: "connection-bin", inBin: true }),
  folder("Old taxes", "bin", { inBin: true }),
  folder("media", null, { role: "media" }),
  folder("papers", null),
  folder("taxes", "papers"),
  folder("Taxes 2025", "taxes"),
  folder("letters", "papers"),
  folder("sealed", null, { name: null, readable: false }),
);

function standings(picked: Iterable<string>): Record<string, string> {
  const prepared = pickedIn(TREE, picked);
  return Object.fromEntries(
    ["papers", "taxes", "Taxes 2025", "letters", "media"].map((id) => [
      id,
      standingOf(TREE, TREE.folders.get(id)!, prepared),
    ]),
  );
}

Deno.test("the Bin and what connections put there are not offered, Media is", () => {
  assert.deepEqual(offeredFolders(TREE, null).map(({ id }) => id), ["media", "papers", "sealed"]);
  assert.deepEqual(offeredFolders(TREE, "bin").map(({ id }) => id), ["Old taxes"]);
});

Deno.test("a folder that does not open cannot be shared", () => {
  assert.ok(canBeShared(TREE.folders.get("papers")!));
  assert.ok(!canBeShared(TREE.folders.get("sealed")!));
  assert.ok(!canBeShared(folder("a", null, { readable: false })));
});

Deno.test("what is below a picked folder is included, what is above it partly picked", () => {
  assert.deepEqual(standings(["taxes"]), {
    papers: "partly",
    taxes: "picked",
    "Taxes 2025": "included",
    letters: "free",
    media: "free",
  });
  assert.deepEqual(Object.values(standings(["a folder that is gone"])), Array(5).fill("free"));
});

Deno.test("picking a folder lets go of what was picked below it, and letting go picks nothing", () => {
  const papers = TREE.folders.get("papers")!;
  const all = toggled(TREE, ["Taxes 2025", "letters", "media"], papers);
  assert.deepEqual([...all].sort(), ["media", "papers"]);
  assert.deepEqual([...toggled(TREE, all, papers)], ["media"]);
});

Deno.test("folders are found by a part of their name in any case, outside the Bin", () => {
  assert.deepEqual(foldersNamed(TREE, "TAX").map(({ id }) => id), ["taxes", "Taxes 2025"]);
  assert.deepEqual(foldersNamed(TREE, "none like this"), []);
});
