import assert from "node:assert/strict";
import { isCloudOnly } from "../../tools/local/duplicates/cloud.ts";
import { spaceMarks } from "../../tools/local/space.ts";
import { inTempDir, plant } from "../support.ts";
import { type Output, read, refused, viewOf } from "./reading.ts";

function paths(output: Output, dir: string): string[] {
  return output.files.map((file: { path: string }) => file.path.slice(dir.length + 1));
}

Deno.test("large files are those of at least the threshold, largest first, ties by path", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "small": "x".repeat(99),
      "exact": "x".repeat(100),
      "b": "x".repeat(200),
      "a/b": "x".repeat(200),
      "B": "x".repeat(200),
      "big": "x".repeat(300),
    });
    const output = await read("find_large_files", dir, { min_bytes: 100 });
    assert.deepEqual(paths(output, dir), ["big", "B", "a/b", "b", "exact"]);
    assert.deepEqual([output.match_count, output.matched_bytes], [5, 1000]);
    assert.equal(output.threshold_bytes, 100);
    assert.match(output.summary, /^5 files of at least 100 B, 1\.0 KB of content/);

    const two = await read("find_large_files", dir, { min_bytes: 100, limit: 2 });
    assert.deepEqual(paths(two, dir), ["big", "B"]);
    assert.deepEqual([two.match_count, two.matched_bytes], [5, 1000]);
    assert.deepEqual([two.shown, two.omitted_by_limit], [2, 3]);
    assert.match(two.summary, /the 2 largest shown/);
  });
});

Deno.test("without a threshold only files of 100 MB and more are large", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "", "b": "" });
    Deno.truncateSync(`${dir}/a`, 99_999_999);
    Deno.truncateSync(`${dir}/b`, 100_000_000);
    const output = await read("find_large_files", dir);
    assert.deepEqual(paths(output, dir), ["b"]);
    assert.equal(output.threshold_bytes, 100_000_000);
  });
});

Deno.test("a sparse file is marked, with what it occupies", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "vm.img": "", "full": "x".repeat(100_000) });
    Deno.truncateSync(`${dir}/vm.img`, 10 * 2 ** 30);
    const output = await read("find_large_files", dir, { min_bytes: 1000 });
    const [image, full] = output.files;
    assert.deepEqual([image.size, image.sparse, image.allocated_bytes], [10 * 2 ** 30, true, 0]);
    assert.equal(full.sparse, undefined);
    assert.ok(full.allocated_bytes >= 100_000);
    assert.equal(output.matched_allocated_bytes, full.allocated_bytes);
    assert.match(output.warnings.at(-1)!, /1 match .*less on disk than their size/);
    assert.match(output.summary, /10\.7 GB of content, 10[0-9] KB on disk/);
    const { tables } = viewOf("find_large_files", output);
    assert.deepEqual(tables![0].columns.map((column) => column.title), [
      "Size",
      "Modified",
      "On disk",
      "Path",
    ]);
  });
});

Deno.test("a file with several names is listed by each and occupies its space once", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "big": "x".repeat(200_000) });
    for (const name of ["b", "c"]) Deno.linkSync(`${dir}/big`, `${dir}/${name}`);
    const output = await read("find_large_files", dir, { min_bytes: 1000 });
    assert.equal(output.match_count, 3);
    assert.equal(output.matched_bytes, 600_000);
    assert.deepEqual(output.files.map((file: { hardlinks: number }) => file.hardlinks), [3, 3, 3]);
    assert.equal(output.matched_allocated_bytes, output.files[0].allocated_bytes);
  });
});

Deno.test("a file that is only in the cloud is a placeholder where the system has such files", () => {
  const info = { size: 5_000_000, blocks: 0 } as Deno.FileInfo;
  assert.deepEqual(spaceMarks("/a/film.mov", info, "darwin"), { placeholder: true });
  assert.deepEqual(spaceMarks("/a/film.mov", info, "linux"), { sparse: true });
  const kept = { size: 5_000_000, blocks: 9_766 } as Deno.FileInfo;
  for (const os of ["darwin", "linux", "windows"] as const) {
    assert.deepEqual(spaceMarks("/a/film.mov", kept, os), {});
  }
  const unknown = { size: 5, blocks: null } as Deno.FileInfo;
  assert.deepEqual(spaceMarks("C:\\a", unknown, "windows"), {});
  assert.ok(isCloudOnly("/a/.film.mov.icloud", kept, "darwin"));
});

Deno.test("a threshold that is no sensible number of bytes is refused", async () => {
  await inTempDir(async (dir) => {
    for (const min_bytes of [0, -1, 1.5, "10", NaN, 2 ** 53, true, "100MB"]) {
      const error = await refused("find_large_files", dir, { min_bytes });
      assert.equal(error.code, "invalid_argument", String(min_bytes));
      assert.match(error.message, /min_bytes/);
    }
    assert.equal((await read("find_large_files", dir, { min_bytes: null })).match_count, 0);
    assert.equal((await read("find_large_files", dir, { min_bytes: 2 ** 53 - 1 })).match_count, 0);
  });
});
