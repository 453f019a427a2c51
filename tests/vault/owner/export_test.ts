// The whole vault on any file system: every path is one that it can hold, and no two are one.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ExportFailure } from "../../../vault/owner/mod.ts";
import { safePart, Spellings } from "../../../vault/owner/export.ts";
import { inTempDir } from "../../support.ts";
import {
  at,
  folderAt,
  inVault as inAnyVault,
  type Owned,
  QUICK_KDF,
  uploadText,
} from "./support.ts";

function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

Deno.test("names that some file system cannot hold are made safe", () => {
  const cases: [string, string][] = [
    ["plain.txt", "plain.txt"],
    ["a/b\\c", "a_b_c"],
    ["..", "__"],
    [".", "_"],
    [".hidden", ".hidden"],
    ["", "_"],
    ['what? <a|b>: "x"*', "what_ _a_b__ _x__"],
    ["ends. ", "ends__"],
    [" begins", "_begins"],
    ["con", "_con"],
    ["NUL.txt", "_NUL.txt"],
    ["com1.tar.gz", "_com1.tar.gz"],
    ["console", "console"],
    ["turn\u202eed", "turn_ed"],
    ["two\nlines", "two_lines"],
    ["half \ud83d", "half \ufffd"],
    ["Ä 🎉.txt", "Ä 🎉.txt"],
  ];
  for (const [name, safe] of cases) assert.equal(safePart(name), safe, JSON.stringify(name));
});

Deno.test("a name that is too long is cut, and keeps its extension and its characters whole", () => {
  const part = safePart(`${"🎉".repeat(200)}.jpeg`);
  assert.ok(new TextEncoder().encode(part).length <= 240);
  assert.match(part, /^(🎉)+\.jpeg$/u);
  assert.ok(new TextEncoder().encode(safePart("ä".repeat(400))).length <= 240);
});

Deno.test("whatever a name is, its part of a path is safe", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      const part = safePart(name);
      assert.ok(part.length > 0 && new TextEncoder().encode(part).length <= 240);
      assert.ok(part.isWellFormed());
      assert.doesNotMatch(part, /[/\\<>:"|?*\u0000-\u001f]|^\.\.?$|[. ]$|^ /);
      assert.doesNotMatch(part, /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
    }),
    { seed: 5, numRuns: 500 },
  );
});

Deno.test("equal names get numbers, also where only case or composition differs", () => {
  const spellings = new Spellings();
  const given = [
    "a.txt",
    "A.TXT",
    "a.txt",
    "a (2).txt",
    "ä",
    "a\u0308",
    "x",
    ".rc",
    ".rc",
    "b?",
    "b*",
  ];
  assert.deepEqual(given.map((name) => spellings.of(name)), [
    "a.txt",
    "A (2).TXT",
    "a (3).txt",
    "a (2) (2).txt",
    "ä",
    "a\u0308 (2)",
    "x",
    ".rc",
    ".rc (2)",
    "b_",
    "b_ (2)",
  ]);
});

Deno.test("an exported vault lies on a disk as it was, without what is in the Bin", async () => {
  await inVault(async ({ vault }) => {
    const a = await vault.createFolder(null, "A: first");
    await vault.createFolder(a.id, "empty");
    await uploadText(vault, a.id, "same.txt", "one");
    await uploadText(vault, a.id, "same.txt", "two");
    await uploadText(vault, folderAt(vault, "/Media").id, "photo.jpg", "a photo");
    await uploadText(vault, null, "top.txt", "at the top");
    await uploadText(vault, null, "gone.txt", "thrown away");
    await vault.toBin([at(vault, "/gone.txt")]);
    await inTempDir(async (dir) => {
      for await (const { path, content, modifiedAt, size } of vault.exportAll()) {
        const target = `${dir}/${path}`;
        Deno.mkdirSync(target.slice(0, target.lastIndexOf("/")), { recursive: true });
        await Deno.writeFile(target, content, { createNew: true });
        assert.equal(Deno.statSync(target).size, size);
        assert.ok(Date.parse(modifiedAt) > 0);
      }
      const texts = new Map<string, string>();
      for (
        const path of ["A_ first/same.txt", "A_ first/same (2).txt", "Media/photo.jpg", "top.txt"]
      ) {
        texts.set(path, Deno.readTextFileSync(`${dir}/${path}`));
      }
      assert.deepEqual(
        [texts.get("A_ first/same.txt"), texts.get("A_ first/same (2).txt")].sort(),
        [
          "one",
          "two",
        ],
      );
      assert.equal(texts.get("Media/photo.jpg"), "a photo");
      assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [
        "A_ first",
        "Media",
        "top.txt",
      ]);
    });
  });
});

Deno.test("a file that does not open is named, and the rest is exported", async () => {
  await inVault(async ({ vault, server: { rows } }) => {
    const broken = await uploadText(vault, null, "broken.txt", "x");
    await uploadText(vault, null, "whole.txt", "y");
    const other = rows.file(at(vault, "/whole.txt").id)!;
    rows.transaction(() =>
      rows.changeFile(broken.id, {
        cskIv: other.cskIv,
        pqkFkWrapped: null,
        pqkFkIv: null,
        name: other.name,
      })
    );
    await vault.refresh();
    const failures: ExportFailure[] = [];
    const exported: string[] = [];
    for await (const { path } of vault.exportAll({ onFailure: (each) => failures.push(each) })) {
      exported.push(path);
    }
    assert.deepEqual(exported, ["whole.txt"]);
    assert.deepEqual(failures, [{ path: `unnamed file ${broken.id}`, code: "key_unavailable" }]);
  });
});

Deno.test("files that nobody reads are let go of", async () => {
  await inVault(async ({ vault }) => {
    await uploadText(vault, null, "a.txt", "x".repeat(3_000_000));
    await uploadText(vault, null, "b.txt", "y");
    const exported: string[] = [];
    for await (const { path, content } of vault.exportAll()) {
      exported.push(path);
      if (path === "b.txt") assert.equal(await new Response(content).text(), "y");
    }
    assert.deepEqual(exported, ["a.txt", "b.txt"]);
  });
});
