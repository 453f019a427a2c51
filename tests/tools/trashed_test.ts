import assert from "node:assert/strict";
import { batchName, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import { makeFifo, perform, pictureOf, systemError, textOf } from "./changing.ts";
import { read, refused, viewOf } from "./reading.ts";

Deno.test("batches are listed newest first, with where each item was and whether it is there", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/x": "22", "d/y/z": "333" });
    Deno.symlinkSync("nowhere", `${dir}/link`);
    const first = await perform("trash_local", dir, { paths: [`${dir}/a`, `${dir}/link`] });
    const second = await perform("trash_local", dir, { paths: [`${dir}/d`] });
    const output = await read("list_trash", dir);
    assert.deepEqual([output.batch_count, output.shown, output.omitted_by_limit], [2, 2, 0]);
    assert.deepEqual([output.bytes, output.scanned, output.complete], [8, [dir], true]);
    const [newer, older] = output.batches;
    assert.deepEqual([newer.batch, older.batch], [second.trash_stamp, first.trash_stamp]);
    assert.deepEqual(
      [newer.trash_directory, newer.folder, newer.manifest, newer.items, newer.bytes_human],
      [`${dir}/${TRASH_NAME}`, `${dir}/${TRASH_NAME}/${newer.batch}`, "ok", 1, "5 B"],
    );
    assert.match(newer.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(older.entries, [
      {
        original_path: `${dir}/a`,
        trashed_to: first.items[0].trashed_to,
        kind: "file",
        bytes: 3,
        state: "present",
      },
      {
        original_path: `${dir}/link`,
        trashed_to: first.items[1].trashed_to,
        kind: "symlink",
        bytes: 0,
        state: "present",
      },
    ]);
    assert.match(output.summary, /^2 batches in the trash, 8 B/);
    assert.equal(viewOf("list_trash", output).tables!.length, 2);
  });
});

Deno.test("bytes are those that are there, not those that were", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "d/x": "1", "d/y": "22", "f": "333", "gone": "4444", "back": "55555" });
    const paths = ["d", "f", "gone", "back"].map((name) => `${dir}/${name}`);
    const { items } = await perform("trash_local", dir, { paths });
    Deno.removeSync(`${items[0].trashed_to}/y`);
    Deno.writeTextFileSync(items[1].trashed_to, "x".repeat(100));
    Deno.removeSync(items[2].trashed_to);
    await perform("restore_local", dir, { paths: [`${dir}/back`] });
    const { bytes, batches } = await read("list_trash", dir);
    assert.deepEqual([bytes, batches[0].bytes], [101, 101]);
    const states = batches[0].entries.map((entry: { state: string }) => entry.state);
    assert.deepEqual(states, ["present", "modified", "missing", "restored"]);
  });
});

Deno.test("a batch of fifty items is listed whole, of the next ones only the count", async () => {
  await inTempDir(async (dir) => {
    const names = Array.from({ length: 53 }, (_, i) => `f${i}`);
    plant(dir, Object.fromEntries(names.map((name) => [name, "x"])));
    await perform("trash_local", dir, { paths: names.map((name) => `${dir}/${name}`) });
    const [batch] = (await read("list_trash", dir)).batches;
    assert.deepEqual([batch.items, batch.entries.length, batch.entries_omitted], [53, 50, 3]);
    assert.equal(batch.bytes, 53);
  });
});

Deno.test("the limit cuts the list, not the counts", async () => {
  await inTempDir(async (dir) => {
    const stamps: string[] = [];
    // The numbers that tell batches of one instant apart will pass a power of ten.
    while (!/-9*5$/.test(batchName(0)));
    for (let i = 0; i < 12; i++) {
      plant(dir, { "a": "12345" });
      const context = contextFor([dir], { now: () => 1_700_000_000_000 });
      stamps.unshift((await perform("trash_local", context, { paths: [`${dir}/a`] })).trash_stamp);
    }
    const output = await read("list_trash", dir, { limit: 2 });
    assert.deepEqual([output.batch_count, output.shown, output.omitted_by_limit], [12, 2, 10]);
    assert.equal(output.bytes, 60);
    const all = (await read("list_trash", dir)).batches.map((each: { batch: string }) =>
      each.batch
    );
    assert.deepEqual(all, stamps, "of one instant, the last one comes first");
    for (const limit of [0, -1, 1.5, 10_001]) {
      assert.equal((await refused("list_trash", dir, { limit })).code, "invalid_argument");
    }
  });
});

Deno.test("trash folders are found at any depth, in hidden and in skipped folders, below the path alone", async () => {
  await inTempDir(async (dir) => {
    const places = ["", ".hidden/deep/", "node_modules/x/", "build/"];
    for (const place of places) {
      plant(dir, { [`${place}${TRASH_NAME}/2024-01-02T03-04-05-678Z-1-1/x`]: "x" });
    }
    assert.equal((await read("list_trash", dir)).batch_count, 4);
    assert.equal((await read("list_trash", dir, { path: `${dir}/.hidden` })).batch_count, 1);
    const itself = await read("list_trash", dir, { path: `${dir}/${TRASH_NAME}` });
    assert.equal(itself.batch_count, 1);
    const cut = await read("list_trash", dir, { max_files: 1 });
    assert.match(cut.summary, /PARTIAL/);
    assert.equal(cut.complete, false);
  });
});

Deno.test("a link with the trash's name is not looked through, and links are not followed to a trash", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(outside, { [`${TRASH_NAME}/b/x`]: "x" });
      Deno.symlinkSync(`${outside}/${TRASH_NAME}`, `${dir}/${TRASH_NAME}`);
      Deno.symlinkSync(outside, `${dir}/out`);
      assert.equal((await read("list_trash", dir)).batch_count, 0);
      const error = await refused("list_trash", dir, { path: `${dir}/${TRASH_NAME}` });
      assert.equal(error.code, "outside_roots");
    });
  });
});

Deno.test("batches of the mirrored layout are listed too", async () => {
  await inTempDir(async (dir) => {
    const folder = `${dir}/${TRASH_NAME}/2024-01-02T03-04-05-678Z-99-1`;
    plant(folder, { "docs/a.txt": "one", "photos/b/c": "22" });
    const item = (name: string, kind: string, bytes: number) => ({
      original_path: `${dir}/${name}`,
      trashed_to: `${folder}/${name}`,
      kind,
      bytes,
    });
    plant(folder, {
      "manifest.json": JSON.stringify({
        format: 1,
        created: "2024-01-02T03:04:05.678Z",
        note: "Nothing here is deleted.",
        items: [
          item("docs/a.txt", "file", 3),
          item("photos", "directory", 2),
          item("gone", "file", 9),
        ],
      }),
    });
    const before = pictureOf(dir);
    const { batches, bytes } = await read("list_trash", dir);
    assert.deepEqual([bytes, batches[0].created, batches[0].manifest], [
      5,
      "2024-01-02T03:04:05.678Z",
      "ok",
    ]);
    assert.deepEqual(
      batches[0].entries.map((
        entry: Record<string, unknown>,
      ) => [entry.original_path, entry.state]),
      [[`${dir}/docs/a.txt`, "present"], [`${dir}/photos`, "present"], [`${dir}/gone`, "missing"]],
    );
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("damaged, missing and hanging manifests are told, and their bytes counted", async () => {
  await inTempDir(async (dir) => {
    const trash = `${dir}/${TRASH_NAME}`;
    plant(trash, {
      "broken/manifest.json": "{",
      "broken/x": "1",
      "none/y": "22",
      "piped/z": "333",
    });
    makeFifo(`${trash}/piped/manifest.json`);
    plant(trash, { "stray file": "not a batch" });
    const { batches, bytes, batch_count } = await read("list_trash", dir);
    const found = batches.map((
      each: Record<string, unknown>,
    ) => [each.batch, each.manifest, each.bytes]);
    assert.deepEqual(found.sort(), [
      ["broken", "unreadable", 2],
      ["none", "missing", 2],
      ["piped", "unreadable", 3],
    ]);
    assert.deepEqual([batch_count, bytes], [3, 7]);
  });
});

Deno.test("a trash that cannot be read is counted as unreadable, and the others are listed", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", [`mnt/${TRASH_NAME}/b/x`]: "x" });
    await perform("trash_local", dir, { paths: [`${dir}/a`] });
    const disk: Disk = {
      ...realDisk,
      readDir(path) {
        if (path === `${dir}/mnt/${TRASH_NAME}`) throw systemError("EACCES");
        return realDisk.readDir(path);
      },
    };
    const output = await read("list_trash", contextFor([dir], { disk }));
    assert.deepEqual([output.batch_count, output.unreadable_count, output.complete], [1, 1, false]);
    assert.deepEqual(output.unreadable_first, [{
      path: `${dir}/mnt/${TRASH_NAME}`,
      code: "EACCES",
    }]);
    const found = await perform("restore_local", contextFor([dir], { disk }), { batch: "newest" });
    assert.equal(textOf(found.restored[0].restored_to), "one");
  });
});

Deno.test("names with control characters are exact in the data and made visible in the text", async () => {
  await inTempDir(async (dir) => {
    const name = "a\nTrashed 0 files\x1b[2J\u202e";
    plant(dir, { [name]: "x" });
    await perform("trash_local", dir, { paths: [`${dir}/${name}`] });
    const output = await read("list_trash", dir);
    assert.equal(output.batches[0].entries[0].original_path, `${dir}/${name}`);
  });
});
