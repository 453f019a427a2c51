// What changing tools do where the user may not do everything, with a real user who may not: nothing is
// injected here.

import assert from "node:assert/strict";
import { TRASH_NAME } from "../../containment/mod.ts";
import { asNobody, inTempDir, plant } from "../support.ts";
import { hasOtherVolume, namesIn, perform, pictureOf, textOf } from "./changing.ts";

/** Gives folders and all below them to the user without rights, where this is another one. */
function give(...paths: string[]): void {
  if (Deno.uid() !== 0) return;
  const { success } = new Deno.Command("chown", { args: ["-Rh", "65534:65534", ...paths] })
    .outputSync();
  assert.ok(success, "chown works here");
}

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
type Result = Record<string, any> & {
  // deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
  error?: { code: string; changed_anything: boolean; message: string; detail: Record<string, any> };
};

/** A change made by the user without rights; undefined where there is none. */
function change(tool: string, roots: string[], input: Record<string, unknown>): Result | undefined {
  return asNobody("change", { tool, roots, input }) as Result | undefined;
}

Deno.test("an item in a folder without write permission stops the trash there, and every item is told truly", async () => {
  await inTempDir((dir) => {
    const names = ["1", "2", "3", "4", "5"];
    plant(dir, Object.fromEntries(names.map((name) => [`d${name}/f`, name])));
    give(dir);
    Deno.chmodSync(`${dir}/d3`, 0o555);
    const paths = names.map((name) => `${dir}/d${name}/f`);
    const result = change("trash_local", [dir], { paths });
    if (result === undefined) return;
    assert.deepEqual([result.error?.code, result.error?.changed_anything], [
      "trash_partially_applied",
      true,
    ]);
    const { moved, not_moved, manifests } = result.error!.detail;
    assert.deepEqual(
      moved.map((item: { original_path: string }) => item.original_path),
      paths.slice(0, 2),
    );
    assert.deepEqual(moved.map((item: { trashed_to: string }) => textOf(item.trashed_to)), [
      "1",
      "2",
    ]);
    assert.deepEqual([not_moved, not_moved.map(textOf)], [paths.slice(2), ["3", "4", "5"]]);
    assert.equal(JSON.parse(textOf(manifests[0])).items.length, 2);
  });
});

Deno.test("a trash that fails at its only item leaves no copy, no record and no folder", async () => {
  await inTempDir((dir) => {
    plant(dir, { "ro/big": "x".repeat(100_000) });
    give(dir);
    Deno.chmodSync(`${dir}/ro`, 0o555);
    const before = pictureOf(dir);
    const result = change("trash_local", [dir], { paths: [`${dir}/ro/big`] });
    if (result === undefined) return;
    assert.deepEqual([result.error?.code, result.error?.detail.errno], ["trash_failed", "EACCES"]);
    assert.equal(result.error?.changed_anything, false);
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("where the top folder may not be written to, nothing is trashed and nothing deleted", async () => {
  await inTempDir((dir) => {
    plant(dir, { "mine/f": "f" });
    give(dir);
    Deno.chmodSync(dir, 0o555);
    try {
      const result = change("trash_local", [dir], { paths: [`${dir}/mine/f`] });
      if (result === undefined) return;
      assert.equal(result.error?.code, "trash_failed");
      assert.equal(textOf(`${dir}/mine/f`), "f");
    } finally {
      Deno.chmodSync(dir, 0o755);
    }
  });
});

Deno.test("a file that may not be read stops a copy between volumes, and the source stays whole", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir((from) =>
    inTempDir((to) => {
      plant(from, { "t/a": "1", "t/b": "22", "t/c": "333" });
      give(from, to);
      Deno.chmodSync(`${from}/t/b`, 0);
      const input = { source: `${from}/t`, destination: `${to}/n/t`, overwrite: false };
      const result = change("move_local", [from, to], input);
      if (result === undefined) return;
      assert.deepEqual([result.error?.code, result.error?.detail.errno], ["io_error", "EACCES"]);
      assert.deepEqual([namesIn(from), namesIn(to)], [["t", "t/a", "t/b", "t/c"], []]);
    }, { on: "/dev/shm" })
  );
});

Deno.test("what may not be removed after a copy is left and told; the copy is whole, modes included", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir((from) =>
    inTempDir((to) => {
      plant(from, { "t/ro/x": "x", "t/ro/sub/y": "y", "t/a": "a" });
      Deno.chmodSync(`${from}/t/ro`, 0o555);
      give(from, to);
      const before = pictureOf(from);
      const input = { source: `${from}/t`, destination: to, overwrite: false };
      const result = change("move_local", [from, to], input);
      if (result === undefined) return;
      assert.deepEqual(result.source_left_reasons, [
        { path: `${from}/t/ro/x`, reason: "permission" },
        { path: `${from}/t/ro/sub`, reason: "permission" },
      ]);
      assert.deepEqual(pictureOf(to), before);
      assert.deepEqual(namesIn(from), ["t", "t/ro", "t/ro/sub", "t/ro/x"]);
    }, { on: "/dev/shm" })
  );
});

Deno.test("a file that cannot be removed at all is left after its copy, and the move is done", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir(async (from) => {
    plant(from, { "t/fixed": "f", "t/free": "x" });
    const chattr = (flag: string) =>
      new Deno.Command("chattr", { args: [flag, `${from}/t/fixed`], stderr: "null" });
    if (!hasChattr() || !chattr("+i").outputSync().success) {
      console.log("skipped: files cannot be made immutable here");
      return;
    }
    try {
      await inTempDir(async (to) => {
        const args = { source: `${from}/t`, destination: to };
        const output = await perform("move_local", [from, to], args);
        assert.deepEqual(output.source_left_reasons, [
          { path: `${from}/t/fixed`, reason: "permission" },
        ]);
        assert.deepEqual([namesIn(from), namesIn(to)], [["t", "t/fixed"], [
          "t",
          "t/fixed",
          "t/free",
        ]]);
      }, { on: "/dev/shm" });
    } finally {
      chattr("-i").outputSync();
    }
  });
});

function hasChattr(): boolean {
  try {
    new Deno.Command("chattr", { stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("another user's trash is not used, and the preview says so", async () => {
  if (Deno.uid() !== 0) {
    console.log("skipped: making another user's folder takes the rights of root");
    return;
  }
  await inTempDir((dir) => {
    plant(dir, { "a": "one", [`${TRASH_NAME}/`]: "" });
    Deno.chmodSync(`${dir}/${TRASH_NAME}`, 0o777);
    give(dir);
    Deno.chownSync(`${dir}/${TRASH_NAME}`, 0, 0);
    const result = change("trash_local", [dir], { paths: [`${dir}/a`] });
    if (result === undefined) return;
    assert.equal(result.error?.code, "trash_unsafe");
    assert.deepEqual(namesIn(dir), [TRASH_NAME, "a"]);
  });
});

Deno.test("another user's file moves where the system lets it, and stays whole where it does not", async () => {
  if (Deno.uid() !== 0) {
    console.log("skipped: making another user's file takes the rights of root");
    return;
  }
  await inTempDir((dir) => {
    plant(dir, { "mine/theirs": "t", "sticky/theirs": "t" });
    give(dir);
    for (const name of ["mine", "sticky"]) Deno.chownSync(`${dir}/${name}/theirs`, 0, 0);
    Deno.chownSync(`${dir}/sticky`, 0, 0);
    Deno.chmodSync(`${dir}/sticky`, 0o1777);
    const rename = (name: string) =>
      change("rename_local", [dir], { path: `${dir}/${name}/theirs`, new_name: "other" });
    const free = rename("mine");
    if (free === undefined) return;
    assert.equal(free.performed, true);
    assert.deepEqual([rename("sticky")?.error?.code], ["io_error"]);
    assert.deepEqual(namesIn(dir), ["mine", "mine/other", "sticky", "sticky/theirs"]);
  });
});

Deno.test("what may not be looked into is counted, and is trashed and restored whole", async () => {
  await inTempDir((dir) => {
    plant(dir, { "t/no/x": "x", "t/a": "a" });
    give(dir);
    Deno.chmodSync(`${dir}/t/no`, 0);
    const result = change("trash_local", [dir], { paths: [`${dir}/t`] });
    if (result === undefined) return;
    assert.deepEqual([result.items[0].files, result.warnings.length], [1, 1]);
    assert.match(result.warnings[0], /1 item\(s\) could not be read/);
    const back = change("restore_local", [dir], { batch: result.trash_stamp });
    assert.equal(back?.restored.length, 1);
    Deno.chmodSync(`${dir}/t/no`, 0o755);
    assert.equal(textOf(`${dir}/t/no/x`), "x");
  });
});
