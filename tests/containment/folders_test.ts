import assert from "node:assert/strict";
import { type Disk, makeFolders, realDisk, removeEmptyFolders } from "../../containment/mod.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { namesIn, systemError } from "../tools/changing.ts";

Deno.test("missing folders are made one below the other and returned outermost first", async () => {
  await inTempDir((dir) => {
    assert.deepEqual(makeFolders(realDisk, dir, ["a", "b"]), [`${dir}/a`, `${dir}/a/b`]);
    assert.deepEqual(makeFolders(realDisk, dir, ["a", "b", "c"]), [`${dir}/a/b/c`]);
    assert.deepEqual(makeFolders(realDisk, dir, []), []);
    assert.deepEqual(namesIn(dir), ["a", "a/b", "a/b/c"]);
  });
});

Deno.test("a link that is planted midway is not followed, and what was made before is gone again", async () => {
  await inTempDir(async (dir) => {
    await inTempDir((outside) => {
      const planting: Disk = {
        ...realDisk,
        mkdir(path, mode) {
          if (path === `${dir}/a/b`) Deno.symlinkSync(outside, path);
          realDisk.mkdir(path, mode);
        },
      };
      const error = refusal(() => makeFolders(planting, dir, ["a", "b", "c", "d"]));
      assert.equal(error.code, "destination_changed");
      assert.deepEqual(namesIn(outside), []);
      assert.deepEqual(namesIn(dir), ["a", "a/b"], "the folder that holds somebody's link stays");
      assert.ok(Deno.lstatSync(`${dir}/a/b`).isSymlink);
    });
  });
});

Deno.test("a file midway, or an ancestor that became a link, is refused", async () => {
  await inTempDir(async (dir) => {
    await inTempDir((outside) => {
      plant(dir, { "file": "f" });
      assert.equal(
        refusal(() => makeFolders(realDisk, dir, ["file", "x"])).code,
        "destination_changed",
      );
      Deno.symlinkSync(outside, `${dir}/link`);
      const through = refusal(() => makeFolders(realDisk, `${dir}/link`, ["x"]));
      assert.equal(through.code, "destination_changed");
      plant(outside, { "sub/": "" });
      const below = refusal(() => makeFolders(realDisk, `${dir}/link/sub`, ["x"]));
      assert.equal(below.code, "destination_changed");
      assert.deepEqual([namesIn(outside), namesIn(dir)], [["sub"], ["file", "link"]]);
    });
  });
});

Deno.test("when the last folder cannot be made, none is left", async () => {
  await inTempDir((dir) => {
    const full: Disk = {
      ...realDisk,
      mkdir(path, mode) {
        if (path.endsWith("/c")) throw systemError("ENOSPC");
        realDisk.mkdir(path, mode);
      },
    };
    assert.throws(() => makeFolders(full, dir, ["a", "b", "c"]), { code: "ENOSPC" });
    assert.deepEqual(namesIn(dir), []);
  });
});

Deno.test("only folders that are still empty are removed again", async () => {
  await inTempDir((dir) => {
    const made = makeFolders(realDisk, dir, ["a", "b", "c"]);
    plant(dir, { "a/theirs": "x" });
    removeEmptyFolders(realDisk, made);
    assert.deepEqual(namesIn(dir), ["a", "a/theirs"]);
  });
});
