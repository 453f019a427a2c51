import assert from "node:assert/strict";
import { win32 } from "node:path";
import { CancelFlag, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { refuseNewNames } from "../../tools/local/change.ts";
import { contextFor, inTempDir, plant, refusal } from "../support.ts";
import {
  fieldsThatChange,
  namesIn,
  perform,
  preview,
  refusalOf,
  refused,
  systemError,
} from "./changing.ts";

Deno.test("a folder is made with the missing ones above it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/": "" });
    const { summary, ...fields } = await perform("create_local_folder", dir, {
      path: `${dir}/a/b/c/`,
    });
    assert.deepEqual(fields, {
      performed: true,
      action: "create_folder",
      path: `${dir}/a/b/c`,
      creates_directories: [`${dir}/a/b`, `${dir}/a/b/c`],
    });
    assert.match(summary, /Created the folder .* and 1 missing folder\(s\) above it/);
    assert.deepEqual(namesIn(dir), ["a", "a/b", "a/b/c"]);
  });
});

Deno.test("a folder that exists is a success without a token, by way of a link too", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/x": "x" });
    Deno.symlinkSync("a", `${dir}/link`);
    for (const path of ["a", "link", "."]) {
      const result = await preview("create_local_folder", dir, { path: `${dir}/${path}` });
      assert.equal(result.settled, true);
      assert.deepEqual(
        [result.shown.performed, result.shown.already_existed, result.shown.plan_token],
        [false, true, undefined],
      );
    }
    assert.deepEqual(namesIn(dir), ["a", "a/x", "link"]);
  });
});

Deno.test("links above the folder are followed only inside the roots", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "real/": "", "file": "f" });
      Deno.symlinkSync("real", `${dir}/in`);
      Deno.symlinkSync(outside, `${dir}/out`);
      Deno.symlinkSync(`${outside}/new`, `${dir}/dangling`);
      Deno.symlinkSync("loop", `${dir}/loop`);
      const output = await perform("create_local_folder", dir, { path: `${dir}/in/x` });
      assert.equal(output.path, `${dir}/real/x`);
      const codes: [string, string][] = [
        [`${dir}/out/x/y`, "outside_roots"],
        [`${dir}/dangling`, "dangling_symlink"],
        [`${dir}/dangling/x`, "dangling_symlink"],
        [`${dir}/loop/x`, "unreadable"],
        [`${dir}/file`, "destination_exists"],
        [`${dir}/file/x`, "not_found"],
        [`${outside}/x`, "outside_roots"],
        [`${dir}/../x`, "outside_roots"],
        ["x", "invalid_path"],
        ["", "invalid_path"],
        [`${dir}/a\0b`, "invalid_path"],
      ];
      for (const [path, code] of codes) {
        assert.equal((await refused("create_local_folder", dir, { path })).code, code, path);
      }
      assert.equal((await refused("create_local_folder", [], { path: dir })).code, "no_roots");
      assert.deepEqual(namesIn(outside), []);
      assert.deepEqual(namesIn(`${dir}/real`), ["x"]);
    });
  });
});

Deno.test("a link planted midway at the last moment is not passed through", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      const disk: Disk = {
        ...realDisk,
        mkdir(path, mode) {
          if (path.endsWith("/b")) Deno.symlinkSync(outside, path);
          realDisk.mkdir(path, mode);
        },
      };
      const context = contextFor([dir], { disk });
      const error = await refused("create_local_folder", context, { path: `${dir}/a/b/c/d` });
      assert.equal(error.code, "destination_changed");
      assert.deepEqual(namesIn(outside), []);
    });
  });
});

Deno.test("no folder is made in a trash, or under a name that the program uses, or in a protected place", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { [`${TRASH_NAME}/`]: "", "conf/": "" });
    const context = contextFor([dir], { protectedPaths: [`${dir}/conf`] });
    const codes: [string, string][] = [
      [`${dir}/${TRASH_NAME}/x`, "trash_protected"],
      [`${dir}/sub/${TRASH_NAME}`, "trash_protected"],
      [`${dir}/sub/${TRASH_NAME}/x`, "trash_protected"],
      [`${dir}/.shieldfive-mcp-incoming-5-5`, "trash_protected"],
      [`${dir}/conf/x`, "protected_location"],
    ];
    for (const [path, code] of codes) {
      assert.equal((await refused("create_local_folder", context, { path })).code, code, path);
    }
    const there = await preview("create_local_folder", context, { path: `${dir}/${TRASH_NAME}` });
    assert.equal(there.shown.already_existed, true);
  });
});

Deno.test("names that Windows cannot handle are warned of here and refused there", async () => {
  await inTempDir(async (dir) => {
    const { shown } = await preview("create_local_folder", dir, {
      path: `${dir}/aux/ok/a./x\u200by`,
    });
    assert.equal(shown.warnings.length, 3);
    assert.match(shown.summary, /device name/);
    const there = contextFor([dir], { rules: win32 as typeof import("node:path").posix });
    for (const name of ["NUL", "aux.txt", "a.", "b ", "x:hidden"]) {
      const error = refusal(() => refuseNewNames(there, ["fine", name]));
      assert.equal(error.code, "invalid_path");
    }
    refuseNewNames(there, ["fine", "also fine.txt"]);
    refuseNewNames(contextFor([dir]), ["NUL"]);
  });
});

Deno.test("a folder plan is bound to what is there to build on", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/": "" });
    const args = { path: `${dir}/a/b/c` };
    const made = await fieldsThatChange("create_local_folder", dir, args, () => {
      Deno.mkdirSync(`${dir}/a/b`);
    });
    assert.deepEqual(made, ["ancestor.ino", "creates_directories"]);
    const replaced = await fieldsThatChange("create_local_folder", dir, args, () => {
      Deno.renameSync(`${dir}/a`, `${dir}/old`);
      Deno.mkdirSync(`${dir}/a/b`, { recursive: true });
    });
    assert.deepEqual(replaced, ["ancestor.ino"]);
    const busy = await fieldsThatChange("create_local_folder", dir, args, () => {
      Deno.writeTextFileSync(`${dir}/a/b/other`, "x");
    });
    assert.deepEqual(busy, [], "what else lies there does not matter");
  });
});

Deno.test("a cancelled or failing folder leaves nothing half made", async () => {
  await inTempDir(async (dir) => {
    const signal = new CancelFlag();
    const args = { path: `${dir}/a/b` };
    const { apply } = await preview("create_local_folder", contextFor([dir], { signal }), args);
    signal.cancel();
    assert.equal((await refusalOf(apply)).code, "cancelled");
    const disk: Disk = {
      ...realDisk,
      mkdir(path, mode) {
        if (path.endsWith("/b")) throw systemError("ENOSPC");
        realDisk.mkdir(path, mode);
      },
    };
    const error = await refused("create_local_folder", contextFor([dir], { disk }), args);
    assert.deepEqual([error.code, error.detail!.errno], ["io_error", "ENOSPC"]);
    assert.deepEqual(namesIn(dir), []);
  });
});
