import assert from "node:assert/strict";
import { TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  hasOtherVolume,
  makeFifo,
  namesIn,
  type Output,
  perform,
  pictureOf,
  preview,
  refused,
  textOf,
} from "./changing.ts";

/** Everything below a folder but its trash. */
function outsideTrash(dir: string): Record<string, string> {
  return pictureOf(dir, (name) => name === TRASH_NAME);
}

/** Trashes entries of a folder by name. */
function trash(dir: string, names: string[], now?: number): Promise<Output> {
  const context = contextFor([dir], now === undefined ? {} : { now: () => now });
  return perform("trash_local", context, { paths: names.map((name) => `${dir}/${name}`) });
}

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
function manifest(path: string): any {
  return JSON.parse(textOf(path));
}

Deno.test("a batch goes back as it was: files, folders, links, modes and times", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "f": "one", "d/x": "x", "d/y/z": "z", "d/empty/": "" });
    Deno.symlinkSync("nowhere", `${dir}/dangling`);
    Deno.symlinkSync("f", `${dir}/d/in`);
    makeFifo(`${dir}/pipe`);
    Deno.chmodSync(`${dir}/f`, 0o4751);
    Deno.chmodSync(`${dir}/d`, 0o2700);
    Deno.utimeSync(`${dir}/d/x`, 1, 1_000_000.123);
    const before = outsideTrash(dir);
    const { trash_stamp, manifests } = await trash(dir, ["f", "d", "dangling", "pipe"]);
    assert.deepEqual(outsideTrash(dir), {});
    const { shown } = await preview("restore_local", dir, { batch: trash_stamp });
    assert.equal(shown.action, "restore");
    assert.deepEqual([shown.items.length, shown.blocked, shown.creates_directories], [4, [], []]);
    assert.deepEqual(shown.items[0], {
      batch: trash_stamp,
      original_path: `${dir}/d`,
      trashed_to: `${dir}/${TRASH_NAME}/${trash_stamp}/items/2/d`,
      restore_to: `${dir}/d`,
      kind: "directory",
      files: 2,
      bytes: 2,
      bytes_human: "2 B",
      plan_binding: "tree",
    });
    const output = await perform("restore_local", dir, { batch: trash_stamp });
    assert.deepEqual([output.restored.length, output.not_restored, output.manifests], [
      4,
      [],
      manifests,
    ]);
    assert.deepEqual(outsideTrash(dir), before);
    for (const item of manifest(manifests[0]).items) {
      assert.deepEqual([item.state, item.restored_to], ["restored", item.original_path]);
      assert.match(item.restored_at, /Z$/);
    }
    assert.equal((await refused("restore_local", dir, { batch: trash_stamp })).code, "not_found");
  });
});

Deno.test("items are found by where they were and by where they are, the newest that is still there", async () => {
  await inTempDir(async (dir) => {
    const places: string[] = [];
    for (const text of ["one", "two", "three"]) {
      plant(dir, { "a": text });
      places.push((await trash(dir, ["a"])).items[0].trashed_to);
    }
    const back = async (path: string, over: object = {}) => {
      const output = await perform("restore_local", dir, { paths: [path], ...over });
      const text = textOf(output.restored[0].restored_to);
      Deno.removeSync(output.restored[0].restored_to);
      return text;
    };
    assert.equal(await back(`${dir}/a`), "three");
    assert.equal(await back(places[0], { restore_as: `${dir}/n/first` }), "one");
    assert.equal(await back(`${dir}/./a/`), "two");
    const gone = await refused("restore_local", dir, { paths: [`${dir}/a`] });
    assert.deepEqual([gone.code, gone.changedAnything], ["not_found", false]);
    assert.match(gone.message, /restored already/);
    const never = await refused("restore_local", dir, { paths: [`${dir}/never`] });
    assert.deepEqual(never.code, "not_found");
  });
});

Deno.test("the newest batch that still has something is the one without a name", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two" });
    await trash(dir, ["a"]);
    await trash(dir, ["b"]);
    plant(dir, { [`${TRASH_NAME}/zzz/manifest.json`]: "{" });
    for (const name of ["b", "a"]) {
      const output = await perform("restore_local", dir, { batch: "newest" });
      assert.deepEqual(output.restored[0].original_path, `${dir}/${name}`);
    }
    assert.equal((await refused("restore_local", dir, { batch: "newest" })).code, "not_found");
  });
});

Deno.test("a batch is named by its folder as well, in the spelling of a link too", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "real/a": "one" });
    Deno.symlinkSync(`${dir}/real`, `${dir}/link`);
    const { trash_stamp } = await perform("trash_local", `${dir}/link`, {
      paths: [`${dir}/link/a`],
    });
    for (
      const folder of [
        `${dir}/real/${TRASH_NAME}/${trash_stamp}`,
        `${dir}/link/${TRASH_NAME}/${trash_stamp}/`,
      ]
    ) {
      const { shown } = await preview("restore_local", `${dir}/link`, { batch: folder });
      assert.equal(shown.items.length, 1);
    }
    const missing = await refused("restore_local", `${dir}/link`, { batch: `${dir}/real/none` });
    assert.equal(missing.code, "not_found");
  });
});

Deno.test("an item that is named twice goes back once", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    const { items } = await trash(dir, ["a"]);
    const output = await perform("restore_local", dir, {
      paths: [`${dir}/a`, items[0].trashed_to, `${dir}/a`],
    });
    assert.deepEqual([output.restored.length, output.not_restored], [1, []]);
  });
});

Deno.test("one call that took items from two volumes is undone as a whole", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir(async (one) => {
    await inTempDir(async (two) => {
      for (const batch of ["newest", "name"]) {
        plant(one, { "a": "one" });
        plant(two, { "b": "two" });
        const { trash_stamp } = await perform("trash_local", [one, two], {
          paths: [`${one}/a`, `${two}/b`],
        });
        const name = batch === "name" ? trash_stamp : batch;
        const output = await perform("restore_local", [one, two], { batch: name });
        assert.deepEqual([output.restored.length, output.manifests.length], [2, 2]);
        assert.deepEqual([textOf(`${one}/a`), textOf(`${two}/b`)], ["one", "two"]);
      }
      plant(one, { "c": "three" });
      await perform("trash_local", [one, two], { paths: [`${one}/c`] });
      const across = await refused("restore_local", [one, two], {
        paths: [`${one}/c`],
        restore_as: `${two}/c`,
      });
      assert.equal(across.code, "trash_cross_device");
      assert.deepEqual(namesIn(two).filter((name) => !name.startsWith(TRASH_NAME)), ["b"]);
    }, { on: "/dev/shm" });
  });
});

Deno.test("a taken place is never replaced: the item is told with a free name, and the rest goes back", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "f.tar.gz": "old", "d.x/1": "old", "free": "old" });
    Deno.symlinkSync("nowhere", `${dir}/link`);
    const { trash_stamp } = await trash(dir, ["f.tar.gz", "d.x", "free", "link"]);
    plant(dir, { "f.tar.gz": "new", "f.tar (restored).gz": "taken too", "d.x/": "" });
    Deno.symlinkSync("elsewhere", `${dir}/link`);
    const taken = outsideTrash(dir);
    const { shown } = await preview("restore_local", dir, { batch: trash_stamp });
    assert.deepEqual(
      shown.blocked.map((
        item: Record<string, string>,
      ) => [item.original_path, item.code, item.restore_as]),
      [
        [`${dir}/f.tar.gz`, "destination_exists", `${dir}/f.tar (restored 2).gz`],
        [`${dir}/d.x`, "destination_exists", `${dir}/d.x (restored)`],
        [`${dir}/link`, "destination_exists", `${dir}/link (restored)`],
      ],
    );
    assert.match(shown.summary, /3 items cannot go back/);
    const output = await perform("restore_local", dir, { batch: trash_stamp });
    assert.deepEqual([output.restored.length, output.not_restored.length], [1, 3]);
    assert.doesNotMatch(output.summary, /nothing was changed/i);
    const after = outsideTrash(dir);
    for (const [name, what] of Object.entries(taken)) assert.equal(after[name], what);
    for (const item of output.not_restored) {
      await perform("restore_local", dir, {
        paths: [item.original_path],
        restore_as: item.restore_as,
      });
    }
    assert.deepEqual(textOf(`${dir}/f.tar (restored 2).gz`), "old");
    assert.deepEqual(textOf(`${dir}/d.x (restored)/1`), "old");
    assert.equal(Deno.readLinkSync(`${dir}/link (restored)`), "nowhere");
  });
});

Deno.test("a free name is offered for the longest names too", async () => {
  await inTempDir(async (dir) => {
    const names = [
      "n".repeat(255),
      "é".repeat(125) + ".txt",
      "😀".repeat(63) + "abc",
      "x." + "e".repeat(250),
    ];
    for (const name of names) {
      plant(dir, { [name]: "old" });
      await trash(dir, [name]);
      plant(dir, { [name]: "new" });
      const error = await refused("restore_local", dir, { paths: [`${dir}/${name}`] });
      assert.equal(error.code, "destination_exists");
      const [{ restore_as }] = error.detail!.not_restored as { restore_as: string }[];
      assert.ok(restore_as.isWellFormed());
      await perform("restore_local", dir, { paths: [`${dir}/${name}`], restore_as });
      assert.deepEqual([textOf(restore_as), textOf(`${dir}/${name}`)], ["old", "new"]);
    }
  });
});

Deno.test("three things of one name lose none of each other", async () => {
  await inTempDir(async (dir) => {
    const items: string[] = [];
    for (const text of ["1", "2"]) {
      plant(dir, { [`f/${text}`]: text });
      items.push((await trash(dir, ["f"])).items[0].trashed_to);
    }
    plant(dir, { "f/3": "3" });
    const error = await refused("restore_local", dir, { paths: items });
    assert.equal(error.code, "restore_failed");
    assert.equal((error.detail!.not_restored as unknown[]).length, 2);
    Deno.renameSync(`${dir}/f`, `${dir}/g`);
    const { shown } = await preview("restore_local", dir, { paths: items });
    assert.deepEqual([shown.items.length, shown.blocked[0].code], [1, "destination_exists"]);
    const output = await perform("restore_local", dir, { paths: items });
    assert.deepEqual([output.restored.length, output.not_restored.length], [1, 1]);
    const texts = [`${dir}/f/1`, `${items[1]}/2`, `${dir}/g/3`].map(textOf);
    assert.deepEqual(texts, ["1", "2", "3"]);
  });
});

Deno.test("missing parents are made, and what lay inside a trashed folder finds it again", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "p/q/a": "one", "p/b": "two" });
    const before = outsideTrash(dir);
    const inner = await trash(dir, ["p/q/a"]);
    const outer = await trash(dir, ["p"]);
    const alone = await preview("restore_local", dir, { batch: inner.trash_stamp });
    assert.deepEqual(alone.shown.creates_directories, [`${dir}/p`, `${dir}/p/q`]);
    const output = await perform("restore_local", dir, {
      paths: [inner.items[0].trashed_to, outer.items[0].trashed_to],
    });
    assert.deepEqual([output.restored.length, output.not_restored], [2, []]);
    assert.deepEqual(outsideTrash(dir), before);
  });
});

Deno.test("a displaced item goes back like any other", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "new", "b": "old" });
    const moved = await perform("move_local", dir, {
      source: `${dir}/a`,
      destination: `${dir}/b`,
      overwrite: true,
    });
    Deno.renameSync(`${dir}/b`, `${dir}/a`);
    await perform("restore_local", dir, { paths: [`${dir}/b`] });
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/b`)], ["new", "old"]);
    assert.equal(manifest(moved.manifest).items[0].state, "restored");
  });
});

Deno.test("batches of the mirrored layout go back, and keys that are not known stay", async () => {
  await inTempDir(async (dir) => {
    const folder = `${dir}/${TRASH_NAME}/2024-01-02T03-04-05-678Z-99-1`;
    plant(folder, { "docs/a.txt": "one", "photos/b/c": "22", "items/README.txt": "3" });
    Deno.symlinkSync("nowhere", `${folder}/link`);
    const item = (name: string, kind: string, bytes: number) => ({
      original_path: `${dir}/${name}`,
      trashed_to: `${folder}/${name}`,
      kind,
      bytes,
    });
    const written = {
      format: 1,
      created: "2024-01-02T03:04:05.678Z",
      note: "Nothing here is deleted.",
      extra: { deep: [1, "two", null] },
      items: [
        { ...item("docs/a.txt", "file", 3), reason: "displaced by a move", more: true },
        item("photos", "directory", 2),
        item("link", "symlink", 0),
        item("items", "directory", 1),
        item("never moved", "file", 9),
      ],
    };
    plant(folder, { "manifest.json": JSON.stringify(written) });
    const output = await perform("restore_local", dir, { batch: "2024-01-02T03-04-05-678Z-99-1" });
    assert.equal(output.restored.length, 4);
    assert.deepEqual(output.not_restored.map((each: { code: string }) => each.code), ["not_found"]);
    assert.deepEqual(
      [textOf(`${dir}/docs/a.txt`), textOf(`${dir}/photos/b/c`), textOf(`${dir}/items/README.txt`)],
      ["one", "22", "3"],
    );
    const after = manifest(`${folder}/manifest.json`);
    assert.deepEqual([after.extra, after.note, after.items[0].more], [
      written.extra,
      written.note,
      true,
    ]);
    assert.deepEqual(after.items[4], written.items[4]);
    assert.equal(after.items[1].state, "restored");
    assert.ok(
      !namesIn(dir).some((name) => /manifest\.json-/.test(name)),
      "no temporary file is left",
    );
  });
});
