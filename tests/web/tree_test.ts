// The vault as the page sees it: what lies where, in which order, and what a search finds.

import assert from "node:assert/strict";
import { search } from "../../web/files/search.ts";
import { measure } from "../../web/files/downloads.ts";
import { FIRST_SORTING, sorted, sortedBy } from "../../web/files/sorting.ts";
import { file, folder, namesOf, treeWith } from "./items.ts";

Deno.test("children are in order, folders first, numbers by their value, and the nameless last", () => {
  const tree = treeWith([
    ...[file("b"), file("a10"), file("a2"), file("x", null, { name: null }), folder("z")],
    file("deep", "z"),
  ]);
  assert.deepEqual(namesOf(tree.children(null)), ["Bin", "z", "a2", "a10", "b", null]);
  assert.deepEqual(namesOf(tree.children("z")), ["deep"]);
  assert.deepEqual(tree.children("nowhere"), []);
});

Deno.test("a path goes from the top to the item, with what hides in it written out", () => {
  const tree = treeWith([folder("a"), folder("b\u202e", "a"), file("c", "b\u202e")]);
  assert.equal(tree.path(tree.files.get("c")!), "/a/b\\u{202e}/c");
  assert.deepEqual(namesOf(tree.ancestors(tree.files.get("c")!)), ["a", "b\u202e"]);
});

Deno.test("folders that lie in each other end after so many levels", () => {
  const tree = treeWith([folder("a", "b"), folder("b", "a")]);
  assert.equal(tree.ancestors(tree.folders.get("a")!).length, 256);
});

Deno.test("a search takes all words, in any spelling, and looks neither in the Bin nor at no name", () => {
  const tree = treeWith([
    ...[
      file("Crème Brûlée.txt".normalize("NFD")),
      file("brûlée only"),
      file("x", null, { name: null }),
    ],
    ...[file("crème brûlée gone", "Bin", { inBin: true }), folder("Ｃｒèｍｅ brûlée")],
  ]);
  const found = search(tree, " BRÛLÉE  crème ").map(({ name }) => name!.normalize("NFKC"));
  assert.deepEqual(found.sort(), ["Crème Brûlée.txt".normalize("NFKC"), "Crème brûlée"].sort());
});

Deno.test("a column's head turns the order round, and others begin where one looks first", () => {
  assert.deepEqual(sortedBy("name", FIRST_SORTING), { key: "name", direction: "descending" });
  assert.deepEqual(sortedBy("size", FIRST_SORTING), { key: "size", direction: "descending" });
  const items = [
    file("a", null, { size: 2 }),
    file("b", null, { size: 9 }),
    folder("z"),
    folder("y"),
  ];
  assert.deepEqual(namesOf(sorted(items, { key: "size", direction: "descending" })), [
    "y",
    "z",
    "b",
    "a",
  ]);
  assert.deepEqual(namesOf(sorted(items, { key: "name", direction: "descending" })), [
    "z",
    "y",
    "b",
    "a",
  ]);
  const times = [
    file("late", null, { updatedAt: "2026-02-01T00:00:00.000Z" }),
    file("early", null, { updatedAt: "2026-01-02T00:00:00.000Z" }),
  ];
  assert.deepEqual(namesOf(sorted(times, { key: "changed", direction: "ascending" })), [
    "early",
    "late",
  ]);
});

Deno.test("a download is measured with all that is below", () => {
  const tree = treeWith([
    folder("a"),
    folder("b", "a"),
    file("c", "b", { size: 5 }),
    file("d", "a"),
  ]);
  const items = [tree.folders.get("a")!];
  assert.deepEqual(measure(tree, items), { files: 2, folders: 2, bytes: 6 });
});
