import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import { realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { FolderTotals, largest } from "../../tools/local/totals.ts";
import { contextFor, inTempDir, plant, withMounts } from "../support.ts";
import { read, refused, viewOf } from "./reading.ts";

interface Row {
  key: string;
  count: number;
  bytes: number;
}

function rows(totals: Row[], dir = ""): [string, number, number][] {
  return totals.map(({ key, count, bytes }) => [key.replace(dir, "") || "/", count, bytes]);
}

Deno.test("types are grouped by the last suffix in lower case", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "a.TXT": "12345678",
      "b.txt": "1",
      "c.tar.gz": "1234567",
      "README": "123456",
      "ends.": "1",
      ".profile": "12",
      ".a.conf": "12345",
    });
    const output = await read("storage_summary", dir, { include_hidden: true });
    assert.deepEqual(rows(output.largest_by_extension), [
      ["(no extension)", 3, 9],
      [".txt", 2, 9],
      [".gz", 1, 7],
      [".conf", 1, 5],
    ]);
    assert.deepEqual([output.total_files, output.total_bytes], [7, 30]);
    assert.equal(output.total_bytes_human, "30 B");
  });
});

Deno.test("every file counts in each folder above it, up to the scanned one", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "deep/a/b/c/x": "12345",
      "deep/a/y": "12345",
      "flat/z": "123456789",
      "deep-er/w": "1",
      "empty/": "",
    });
    const output = await read("storage_summary", dir);
    assert.deepEqual(rows(output.largest_directories, dir), [
      ["/", 4, 20],
      ["/deep", 2, 10],
      ["/deep/a", 2, 10],
      ["/flat", 1, 9],
      ["/deep/a/b", 1, 5],
      ["/deep/a/b/c", 1, 5],
      ["/deep-er", 1, 1],
    ]);
    assert.match(output.note, /overlap/);
    const part = await read("storage_summary", dir, { path: `${dir}/deep/a` });
    assert.deepEqual(rows(part.largest_directories, dir), [
      ["/deep/a", 2, 10],
      ["/deep/a/b", 1, 5],
      ["/deep/a/b/c", 1, 5],
    ]);
    const two = await read("storage_summary", dir, { limit: 2 });
    assert.equal(two.largest_directories.length, 2);
    assert.equal(two.largest_by_extension.length, 1);
  });
});

Deno.test("folders are added up to the top of a file system too", () => {
  for (const [rules, top, sep] of [[posix, "/", "/"], [win32, "C:\\", "\\"]] as const) {
    const totals = new FolderTotals(rules);
    totals.add(top, 1);
    totals.add(`${top}a${sep}b`, 20);
    totals.add(`${top}a`, 300);
    totals.add(`${top}c`, 4000);
    assert.deepEqual(largest(totals.all(new Set([top])), 10), [
      { key: top, count: 4, bytes: 4321 },
      { key: `${top}c`, count: 1, bytes: 4000 },
      { key: `${top}a`, count: 2, bytes: 320 },
      { key: `${top}a${sep}b`, count: 1, bytes: 20 },
    ]);
  }
});

Deno.test("each root has its row, and several are counted as locations", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "1/a/x": "1", "1/y": "1", "2/z": "22", "3/": "" });
    const output = await read("storage_summary", [`${dir}/1`, `${dir}/2`, `${dir}/3`]);
    assert.deepEqual(output.per_root, [
      { root: `${dir}/1`, files: 2, directories: 2, truncated: false },
      { root: `${dir}/2`, files: 1, directories: 1, truncated: false },
      { root: `${dir}/3`, files: 0, directories: 1, truncated: false },
    ]);
    assert.match(output.summary, /3 files, 4 B of content .*in 3 locations/);
    const cut = await read("storage_summary", [`${dir}/1`, `${dir}/2`], { max_files: 1 });
    assert.deepEqual(cut.per_root, [
      { root: `${dir}/1`, files: 1, directories: 2, truncated: true },
    ]);
    assert.deepEqual(cut.not_scanned, [`${dir}/2`]);
  });
});

Deno.test("a root that cannot be opened does not read as an empty one", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "closed/x": "x", "open/y": "yy" });
    const context = contextFor([`${dir}/closed`, `${dir}/open`], {
      disk: {
        ...realDisk,
        readDir(path) {
          if (path === `${dir}/closed`) throw Object.assign(new Error("EIO"), { code: "EIO" });
          return realDisk.readDir(path);
        },
      },
    });
    const output = await read("storage_summary", context);
    assert.deepEqual(output.per_root.find((row: { root: string }) => row.root.endsWith("closed")), {
      root: `${dir}/closed`,
      files: 0,
      directories: 0,
      truncated: false,
      unavailable: "EIO",
    });
    assert.equal(output.complete, false);
    assert.match(output.summary, /closed could not be opened \(EIO\)/);
    assert.deepEqual(viewOf("storage_summary", output).lines, [
      `${dir}/closed: not opened (EIO)`,
    ]);
  });
});

Deno.test("sparse files and hard links: content, unique and occupied bytes are told apart", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "vm.img": "", "big": new Uint8Array(1_000_000).fill(1) });
    Deno.truncateSync(`${dir}/vm.img`, 8 * 2 ** 30);
    for (const name of ["l1", "l2"]) Deno.linkSync(`${dir}/big`, `${dir}/${name}`);
    const output = await read("storage_summary", dir);
    assert.equal(output.total_bytes, 8 * 2 ** 30 + 3_000_000);
    assert.equal(output.unique_bytes, 8 * 2 ** 30 + 1_000_000);
    const blocks = Deno.lstatSync(`${dir}/big`).blocks! * 512;
    assert.equal(output.allocated_bytes, blocks);
    assert.ok(blocks >= 1_000_000 && blocks < 1_200_000);
    assert.match(
      output.summary,
      /8\.6 GB of content \(8\.6 GB with hardlinks counted once, 1\.0 MB on/,
    );
  });
});

Deno.test("one file has no folders to tell of", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/x.txt": "1234" });
    const output = await read("storage_summary", dir, { path: `${dir}/a/x.txt` });
    assert.deepEqual([output.total_files, output.total_bytes], [1, 4]);
    assert.deepEqual(output.largest_directories, []);
    assert.deepEqual(rows(output.largest_by_extension), [[".txt", 1, 4]]);
    assert.equal(output.per_root[0].root, `${dir}/a/x.txt`);
  });
});

Deno.test("hidden and skipped parts are told, and skipped ones are measured when asked", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "a": "1",
      ".h": "1",
      "p/node_modules/m/.bin/x": "12345",
      "p/node_modules/node_modules/y": "12345",
      "q/.git/objects/z": "123",
      "build/out": "1",
    });
    const plain = await read("storage_summary", dir);
    assert.equal(plain.total_bytes, 1);
    assert.equal(plain.skipped_bytes, undefined);
    assert.match(plain.summary, /1 hidden item\(s\) excluded/);
    assert.match(plain.summary, /3 build\/cache directories/);

    const output = await read("storage_summary", dir, { measure_skipped: true });
    assert.equal(output.total_bytes, 1);
    assert.equal(output.skipped_bytes, 14);
    assert.deepEqual(rows(output.largest_skipped, dir), [
      ["/p/node_modules", 2, 10],
      ["/q/.git", 1, 3],
      ["/build", 1, 1],
    ]);
    assert.match(output.summary, /14 B more in skipped folders/);
    const { tables } = viewOf("storage_summary", output);
    assert.equal(tables!.length, 3);

    const capped = await read("storage_summary", dir, { measure_skipped: true, max_files: 2 });
    assert.match(capped.warnings.at(-1)!, /skipped folders stopped at its cap.*lower bound/);
    const whole = await read("storage_summary", dir, { skip_dirs: "none" });
    assert.equal(whole.total_bytes, 7, "hidden parts stay out");
  });
});

Deno.test("what lies in the trash is told beside the totals, with the age of the oldest batch", async () => {
  await inTempDir(async (dir) => {
    const trash = `${dir}/${TRASH_NAME}`;
    plant(dir, {
      "kept": "123",
      [`${TRASH_NAME}/2026-05-12T10-11-12-345Z-77-1/items/1/build/x`]: "12345",
      [`${TRASH_NAME}/2026-03-01T00-00-00-000Z-9-2/items/1/.hidden`]: "12",
      [`${TRASH_NAME}/2026-03-01T00-00-00-000Z-9-2/manifest.json`]: "{}",
      [`${TRASH_NAME}/notes`]: "1",
    });
    const now = () => Date.UTC(2026, 5, 1);
    const output = await read("storage_summary", contextFor([dir], { now }));
    assert.equal(output.total_bytes, 3);
    assert.equal(output.trash_bytes, 10);
    assert.deepEqual(output.trash, [{
      root: dir,
      trash_directory: trash,
      files: 4,
      bytes: 10,
      bytes_human: "10 B",
      batches: 2,
      oldest_batch: "2026-03-01T00:00:00.000Z",
      oldest_batch_days: 92,
    }]);
    assert.match(output.summary, /3 B of content .*; 10 B more in the trash/);
    assert.deepEqual(viewOf("storage_summary", output).lines, [
      `${trash}: 10 B in 2 batches, the oldest from 2026-03-01 (3 months)`,
    ]);
    const skipped = await read("storage_summary", contextFor([dir], { now }), {
      measure_skipped: true,
    });
    assert.equal(skipped.skipped_bytes, 0, "the trash is not counted a second time");
    const cut = await read("storage_summary", contextFor([dir], { now }), { max_files: 1 });
    assert.match(cut.warnings.at(-1)!, /trash stopped at its cap.*lower bound/);
  });
});

Deno.test("no trash, an empty one, and a link of its name", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "none/x": "x",
      [`empty/${TRASH_NAME}/`]: "",
      "linked/x": "x",
      "elsewhere/y": "y",
    });
    const none = await read("storage_summary", `${dir}/none`);
    assert.deepEqual([none.trash_bytes, none.trash], [0, undefined]);
    const empty = await read("storage_summary", `${dir}/empty`);
    assert.deepEqual([empty.trash_bytes, empty.trash[0].batches], [0, 0]);
    Deno.symlinkSync("../elsewhere", `${dir}/linked/${TRASH_NAME}`);
    const linked = await read("storage_summary", `${dir}/linked`);
    assert.deepEqual([linked.trash_bytes, linked.trash], [0, undefined]);
  });
});

Deno.test("the trash of a disk that is mounted inside a root is found", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "1", "disk/": "" });
    const mounts = `mount -t tmpfs none '${dir}/disk'; mkdir '${dir}/disk/${TRASH_NAME}'; ` +
      `printf 1234 > '${dir}/disk/${TRASH_NAME}/x'`;
    const output = withMounts(mounts, "read", {
      tool: "storage_summary",
      roots: [dir],
      input: {
        include_hidden: false,
        max_files: 1000,
        limit: 15,
        skip_dirs: "default",
        include_bundles: false,
        one_volume: false,
        measure_skipped: false,
      },
    }) as { trash: { trash_directory: string; bytes: number }[] } | undefined;
    if (output === undefined) return;
    assert.deepEqual(output.trash.map((t) => [t.trash_directory, t.bytes]), [
      [`${dir}/disk/${TRASH_NAME}`, 4],
    ]);
  });
});

Deno.test("the terminal shows types and folders with sizes and counts", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "1234" });
    const { tables, lines } = viewOf("storage_summary", await read("storage_summary", dir));
    assert.deepEqual(tables!.map((table) => table.rows), [[[4, 1, ".txt"]], [[4, 1, dir]]]);
    assert.deepEqual(tables![1].columns.map((column) => column.kind), ["size", "count", "path"]);
    assert.deepEqual(lines, []);
  });
});

Deno.test("limits outside 1 to 10,000 rows and 1 to 1,000,000 files are refused", async () => {
  await inTempDir(async (dir) => {
    for (
      const args of [{ limit: 0 }, { limit: 10_001 }, { max_files: 0 }, { max_files: 1e6 + 1 }]
    ) {
      assert.equal((await refused("storage_summary", dir, args)).code, "invalid_argument");
    }
    assert.equal((await read("storage_summary", dir, { limit: null })).total_files, 0);
  });
});
