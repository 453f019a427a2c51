import assert from "node:assert/strict";
import {
  type Batch,
  batchName,
  type Disk,
  readBatch,
  realDisk,
  TRASH_NAME,
  writeManifest,
} from "../../containment/mod.ts";
import { itemOf, openBatch } from "./batches.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { namesIn, pictureOf, systemError, textOf } from "../tools/changing.ts";

function manifestOf(batch: Batch) {
  return JSON.parse(textOf(batch.manifestPath));
}

Deno.test("the manifest lists every item before the first one moves", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", "d/b": "two" });
    Deno.symlinkSync("nowhere", `${dir}/link`);
    const batch = openBatch(dir, ["a", "d", "link"]);
    const { items, ...rest } = manifestOf(batch);
    const base = { base: dir, root: dir, dev: Deno.lstatSync(dir).dev };
    const { note, created, batch: name, ...named } = rest;
    assert.deepEqual(named, { format: 1, tool: "trash_local", version: "0.0.0-test", ...base });
    assert.match(note, /Nothing here is deleted/);
    assert.match(created, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(`${dir}/${TRASH_NAME}/${name}`, batch.folder);
    const info = Deno.lstatSync(`${dir}/a`);
    assert.deepEqual(items[0], {
      original_path: `${dir}/a`,
      trashed_to: `${batch.folder}/items/1/a`,
      kind: "file",
      bytes: 3,
      id: 1,
      relative_path: "a",
      files: 1,
      size: 3,
      mtime: info.mtime!.getTime(),
      mode: 0o644,
      dev: info.dev,
      ino: info.ino,
      state: "planned",
    });
    assert.deepEqual(items.map((item: { kind: string }) => item.kind), [
      "file",
      "directory",
      "symlink",
    ]);
    assert.equal(items[2].link_target, "nowhere");
    assert.deepEqual(namesIn(dir).filter((each) => !each.startsWith(TRASH_NAME)), [
      "a",
      "d",
      "d/b",
      "link",
    ]);
    for (const index of [0, 1, 2]) batch.move(index);
    batch.finish();
    assert.deepEqual(manifestOf(batch).items.map((item: { state: string }) => item.state), [
      "moved",
      "moved",
      "moved",
    ]);
    assert.equal(textOf(`${batch.folder}/items/2/d/b`), "two");
    assert.match(
      textOf(`${batch.folder}/README.txt`),
      new RegExp(`shieldfive restore ${name} --root '${dir}'`),
    );
  });
});

Deno.test("a manifest is there whole or not at all, whenever its writing stops", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    const before = pictureOf(dir);
    for (const operation of ["create", "writeAt", "sync", "link", "syncDir"] as const) {
      const disk: Disk = {
        ...realDisk,
        [operation]: () => {
          throw systemError("EIO");
        },
      };
      if (operation === "syncDir") {
        openBatch(dir, ["a"], { disk }).discard(); // a folder that cannot be flushed is no failure
      } else assert.throws(() => openBatch(dir, ["a"], { disk }), { code: "EIO" });
      assert.deepEqual(pictureOf(dir), before, `${operation}: nothing of the batch is left`);
    }
    const batch = openBatch(dir, ["a"]);
    const whole = textOf(batch.manifestPath);
    const killed: Disk = {
      ...realDisk,
      rename: () => {
        throw systemError("EIO");
      },
    };
    const { record } = readBatch(realDisk, batch.folder);
    const next = { ...record!.manifest, note: "later" };
    assert.throws(() => writeManifest(killed, batch.folder, next, record!.info), { code: "EIO" });
    assert.equal(textOf(batch.manifestPath), whole);
    assert.deepEqual(namesIn(batch.folder), ["README.txt", "items", "manifest.json"]);
  });
});

Deno.test("a manifest that this batch did not write is never replaced", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const batch = openBatch(dir, ["a", "b"]);
    Deno.removeSync(batch.manifestPath);
    Deno.writeTextFileSync(batch.manifestPath, "theirs");
    batch.move(0);
    assert.equal(refusal(() => batch.finish()).code, "manifest_invalid");
    assert.equal(textOf(batch.manifestPath), "theirs");
    assert.deepEqual(namesIn(batch.folder), [
      "README.txt",
      "items",
      "items/1",
      "items/1/a",
      "manifest.json",
    ]);
    const first = refusal(() =>
      writeManifest(realDisk, batch.folder, { format: 1, created: "", note: "", items: [] })
    );
    assert.equal(first.code, "destination_exists");
    assert.equal(textOf(batch.manifestPath), "theirs");
  });
});

Deno.test("a batch never joins one that exists", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", [`${TRASH_NAME}/taken/manifest.json`]: "theirs" });
    Deno.chmodSync(`${dir}/${TRASH_NAME}`, 0o700);
    const before = pictureOf(dir);
    assert.equal(refusal(() => openBatch(dir, ["a"], {}, "taken")).code, "trash_batch_exists");
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("batches made in the same instant have names of their own", () => {
  const names = Array.from({ length: 50 }, () => batchName(1_700_000_000_000));
  assert.equal(new Set(names).size, 50);
  for (const name of names) assert.match(name, /^2023-11-14T22-13-20-000Z-\d+-\d+$/);
});

Deno.test("an item that turns out to be on another volume is not copied", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        if (existing.endsWith("/a")) throw systemError("EXDEV");
        realDisk.link(existing, name);
      },
    };
    const batch = openBatch(dir, ["a"], { disk });
    assert.equal(refusal(() => batch.move(0)).code, "trash_cross_device");
    batch.settle();
    assert.deepEqual(namesIn(dir).filter((name) => name !== TRASH_NAME), ["a"]);
  });
});

Deno.test("after a failure the manifest lists exactly what moved; with nothing moved no batch is left", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", "b": "two", "c": "three" });
    const batch = openBatch(dir, ["a", "b", "c"]);
    batch.move(0);
    Deno.removeSync(`${dir}/b`);
    assert.throws(() => batch.move(1), { code: "ENOENT" });
    batch.settle();
    const paths = manifestOf(batch).items.map((item: { original_path: string }) =>
      item.original_path
    );
    assert.deepEqual(paths, [`${dir}/a`]);
    assert.deepEqual(namesIn(`${batch.folder}/items`), ["1", "1/a"]);

    const none = openBatch(dir, ["c"]);
    Deno.removeSync(`${dir}/c`);
    assert.throws(() => none.move(0), { code: "ENOENT" });
    none.settle();
    assert.ok(
      !namesIn(`${dir}/${TRASH_NAME}`).some((name) =>
        name.startsWith(none.folder.split("/").at(-1)!)
      ),
    );
  });
});

Deno.test("a batch in which somebody put something stays when it is discarded", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    const batch = openBatch(dir, ["a"]);
    plant(batch.folder, { "items/theirs": "theirs" });
    batch.discard();
    assert.deepEqual(namesIn(batch.folder), ["items", "items/theirs"]);
  });
});

Deno.test("a displaced item goes back only to a free place", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "displaced" });
    const batch = openBatch(dir, ["a"]);
    batch.move(0);
    plant(dir, { "a": "newcomer" });
    assert.equal(refusal(() => batch.putBack(0)).code, "destination_exists");
    assert.ok(batch.has(0));
    assert.deepEqual([textOf(`${dir}/a`), textOf(batch.destination(0))], ["newcomer", "displaced"]);
    Deno.removeSync(`${dir}/a`);
    batch.putBack(0);
    assert.ok(!batch.has(0));
    assert.equal(textOf(`${dir}/a`), "displaced");
  });
});

Deno.test("a long batch brings its manifest up to date while it runs", async () => {
  await inTempDir((dir) => {
    const names = Array.from({ length: 250 }, (_, i) => `f${i}`);
    plant(dir, Object.fromEntries(names.map((name) => [name, name])));
    const batch = openBatch(dir, names);
    const moved = () =>
      manifestOf(batch).items.filter((item: { state: string }) => item.state === "moved").length;
    for (let i = 0; i < 250; i++) {
      batch.move(i);
      assert.ok(i + 1 - moved() < 100, `${moved()} of ${i + 1} are recorded`);
    }
    batch.finish();
    assert.equal(moved(), 250);
  });
});

Deno.test("an item that is added is in the manifest, with its copy in a vault, before it moves", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const batch = openBatch(dir, ["a"]);
    batch.move(0);
    const vaultCopy = { fileId: "an id", path: "/A/b" };
    const index = batch.add(itemOf(`${dir}/b`, { sha256: "0".repeat(64), vaultCopy }));
    const [first, second] = manifestOf(batch).items;
    assert.equal(first.state, "moved", "what moved before is brought up to date by the way");
    assert.equal(second.trashed_to, `${batch.folder}/items/2/b`);
    assert.deepEqual(
      [second.state, second.sha256, second.vault_file_id, second.vault_path],
      ["planned", "0".repeat(64), "an id", "/A/b"],
    );
    assert.equal(textOf(`${dir}/b`), "two");
    batch.move(index);
    batch.finish();
    assert.deepEqual([batch.has(0), batch.has(1)], [true, true]);
    const items = readBatch(realDisk, batch.folder).items;
    assert.deepEqual(items.map(({ state }) => state), ["present", "present"]);
  });
});

Deno.test("an item whose line cannot be written is no part of the batch", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", "b": "two" });
    let fails = false;
    const disk: Disk = {
      ...realDisk,
      sync(fd) {
        if (fails) throw systemError("ENOSPC");
        realDisk.sync(fd);
      },
    };
    const batch = openBatch(dir, ["a"], { disk });
    batch.move(0);
    fails = true;
    assert.throws(() => batch.add(itemOf(`${dir}/b`)), /ENOSPC/);
    fails = false;
    batch.finish();
    assert.equal(manifestOf(batch).items.length, 1);
    assert.equal(batch.add(itemOf(`${dir}/b`)), 1);
    assert.equal(manifestOf(batch).items.length, 2);
  });
});

Deno.test("a disk that fails after it has moved an item has moved it", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    const disk: Disk = {
      ...realDisk,
      unlink(path) {
        realDisk.unlink(path);
        if (path === `${dir}/a`) throw systemError("EIO");
      },
    };
    const batch = openBatch(dir, ["a"], { disk });
    batch.move(0);
    batch.finish();
    assert.equal(textOf(batch.destination(0)), "one");
    assert.equal(manifestOf(batch).items[0].state, "moved");
  });
});
