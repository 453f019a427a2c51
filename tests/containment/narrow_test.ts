// Roots narrowed to the folders of a client.

import assert from "node:assert/strict";
import { narrowRoots, openRoots, realDisk, type Root } from "../../containment/mod.ts";
import { inTempDir, plant } from "../support.ts";

const pathsOf = (roots: Root[]) => roots.map((root) => root.path);

function narrow(granted: string[], folders: string[]): string[] {
  return pathsOf(narrowRoots(openRoots(granted).roots, folders, realDisk));
}

Deno.test("what lies in both is what is left", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x/f": "", "a/y/": "", "b/": "", "a-more/": "" });
    const granted = [`${dir}/a`, `${dir}/b`];
    assert.deepEqual(narrow(granted, [dir]), granted);
    assert.deepEqual(narrow(granted, ["/"]), granted);
    assert.deepEqual(narrow(granted, [`${dir}/a`]), [`${dir}/a`]);
    assert.deepEqual(narrow(granted, [`${dir}/a/x`, `${dir}/b`]), [`${dir}/a/x`, `${dir}/b`]);
    assert.deepEqual(narrow(granted, [`${dir}/a/x`, `${dir}/a/y`, `${dir}/a/x`]), [
      `${dir}/a/x`,
      `${dir}/a/y`,
    ]);
  });
});

Deno.test("what overlaps nothing, is missing, or is no folder allows nothing", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/f": "", "elsewhere/": "", "a-more/": "" });
    const granted = [`${dir}/a`];
    for (const folder of ["elsewhere", "a-more", "a/missing", "a/f", "a/f/g"]) {
      assert.deepEqual(narrow(granted, [`${dir}/${folder}`]), [], folder);
    }
    assert.deepEqual(narrow(granted, []), []);
  });
});

Deno.test("a folder inside another is not walked twice", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x/deep/": "", "a/y/": "" });
    const folders = [`${dir}/a/x/deep`, `${dir}/a/x`, `${dir}/a/x/deep`];
    assert.deepEqual(narrow([`${dir}/a`], folders), [`${dir}/a/x`]);
  });
});

Deno.test("a link is judged by where it leads, and both its spellings are known", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x/": "", "elsewhere/": "" });
    Deno.symlinkSync(`${dir}/elsewhere`, `${dir}/a/out`);
    Deno.symlinkSync(`${dir}/a/x`, `${dir}/a/in`);
    assert.deepEqual(narrow([`${dir}/a`], [`${dir}/a/out`]), []);
    const [root] = narrowRoots(openRoots([`${dir}/a`]).roots, [`${dir}/a/in`], realDisk);
    assert.equal(root.path, `${dir}/a/x`);
    assert.deepEqual(root.spellings, [`${dir}/a/in`]);
    assert.equal(root.ino, Deno.lstatSync(`${dir}/a/x`).ino);
  });
});

Deno.test("the client may use the spelling under which a root was granted", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x/": "" });
    Deno.symlinkSync(`${dir}/a`, `${dir}/alias`);
    assert.deepEqual(narrow([`${dir}/alias`], [`${dir}/alias/x`]), [`${dir}/a/x`]);
    assert.deepEqual(narrow([`${dir}/alias`], [`${dir}/alias`]), [`${dir}/a`]);
  });
});
