import assert from "node:assert/strict";
import {
  Batch,
  batchName,
  type Disk,
  readTrash,
  realDisk,
  type StoredBatch,
  TRASH_NAME,
} from "../../containment/mod.ts";
import { inTempDir, plant } from "../support.ts";
import { makeFifo, systemError, textOf } from "../tools/changing.ts";

/** Trashes some entries of a folder. */
function fill(dir: string, names: string[]): Batch {
  const items = names.map((name) => {
    const info = Deno.lstatSync(`${dir}/${name}`);
    return { source: `${dir}/${name}`, info, files: 1, bytes: info.size };
  });
  const origin = { base: dir, root: dir, name: batchName(Date.now()), tool: "trash_local" };
  const ports = { disk: realDisk, now: Date.now, version: "0.0.0-test" };
  const batch = Batch.open(origin, items, ports);
  names.forEach((_, i) => batch.move(i));
  batch.finish();
  return batch;
}

function batchesOf(dir: string): StoredBatch[] {
  return readTrash(realDisk, `${dir}/${TRASH_NAME}`, (path, code) => {
    throw new Error(`${path} could not be read: ${code}`);
  });
}

Deno.test("what is in the trash is listed with what became of it", async () => {
  await inTempDir((dir) => {
    plant(dir, { "same": "1", "gone": "2", "edited": "3", "folder/x": "4", "kind": "5" });
    Deno.symlinkSync("nowhere", `${dir}/link`);
    const names = ["same", "gone", "edited", "folder", "kind", "link"];
    const batch = fill(dir, names);
    const at = (i: number) => batch.destination(i);
    Deno.removeSync(at(1));
    Deno.writeTextFileSync(at(2), "33");
    Deno.removeSync(at(4));
    Deno.mkdirSync(at(4));
    const [stored] = batchesOf(dir);
    assert.deepEqual(stored.items.map(({ state }) => state), [
      "present",
      "missing",
      "modified",
      "present",
      "modified",
      "present",
    ]);
    assert.deepEqual(
      stored.items.map(({ original }) => original),
      names.map((name) => `${dir}/${name}`),
    );
    assert.equal(stored.manifest, "ok");
  });
});

Deno.test("a trash that moved with its volume is found at its new place", async () => {
  await inTempDir((dir) => {
    plant(dir, { "old/sub/a": "one" });
    fill(`${dir}/old`, ["sub/a"]);
    Deno.renameSync(`${dir}/old`, `${dir}/new`);
    const [stored] = batchesOf(`${dir}/new`);
    assert.equal(stored.items[0].original, `${dir}/new/sub/a`);
    assert.equal(textOf(stored.items[0].stored), "one");
    assert.equal(stored.items[0].state, "present");
  });
});

Deno.test("a damaged or made-up manifest is told, never guessed at, and nothing hangs", async () => {
  await inTempDir((dir) => {
    plant(dir, { "outside/secret": "s", "base/": "" });
    const base = `${dir}/base`;
    const folder = `${base}/${TRASH_NAME}/2024-01-02T03-04-05-678Z-1-1`;
    plant(folder, { "item": "x", "sub/x": "x" });
    const item = {
      original_path: `${base}/item`,
      trashed_to: `${folder}/item`,
      kind: "file",
      bytes: 1,
    };
    const manifest = { format: 1, created: "2024-01-02T03:04:05.678Z", note: "", items: [item] };
    const json = (over: object, itemOver: object = {}) =>
      JSON.stringify({ ...manifest, items: [{ ...item, ...itemOver }], ...over });
    const path = `${folder}/manifest.json`;
    const write = (text: string | Uint8Array) => () => plant(folder, { "manifest.json": text });
    const bad: Record<string, () => void> = {
      "not JSON": write("{"),
      "empty": write(""),
      "a list": write("[]"),
      "null": write("null"),
      "another format": write(json({ format: 2 })),
      "no items": write(json({ items: undefined })),
      "items of another type": write(json({ items: "x" })),
      "an item that is no object": write(json({ items: [null] })),
      "no creation time": write(json({ created: 5 })),
      "an unknown kind": write(json({}, { kind: "door" })),
      "bytes as text": write(json({}, { bytes: "1" })),
      "bytes below nothing": write(json({}, { bytes: -1 })),
      "bytes without end": write(json({}, { bytes: 1 }).replace('"bytes":1', '"bytes":1e999')),
      "a relative place": write(json({}, { trashed_to: "item" })),
      "a place outside the batch": write(json({}, { trashed_to: `${dir}/outside/secret` })),
      "a place in another batch": write(
        json({}, { trashed_to: `${base}/${TRASH_NAME}/other/item` }),
      ),
      "a place that climbs out": write(
        json({}, { trashed_to: `${folder}/../../../outside/secret` }),
      ),
      "a place with a separator at its end": write(json({}, { trashed_to: `${folder}/item/` })),
      "the batch itself": write(json({}, { trashed_to: folder })),
      "the manifest itself": write(json({}, { trashed_to: path })),
      "a NUL in a path": write(json({}, { original_path: `${base}/a\0b` })),
      "an origin that climbs": write(json({}, { original_path: `${base}/../outside/secret` })),
      "bytes that are no text": write(
        Uint8Array.from(json({ note: "\xff" }), (character) => character.charCodeAt(0)),
      ),
      "nested without end": write(
        json({}).replace("{", '{"x":' + "[".repeat(200_000) + "]".repeat(200_000) + ","),
      ),
      "too large": () => {
        write(json({}))();
        Deno.truncateSync(path, (32 << 20) + 1);
      },
      "a pipe": () => makeFifo(path),
      "a folder": () => Deno.mkdirSync(path),
      "a link": () => Deno.symlinkSync(`${dir}/manifest-elsewhere`, path),
    };
    Deno.writeTextFileSync(`${dir}/manifest-elsewhere`, json({}));
    for (const [what, make] of Object.entries(bad)) {
      make();
      const [batch, ...more] = batchesOf(base);
      assert.deepEqual([batch.manifest, batch.items, more], ["unreadable", [], []], what);
      assert.equal(batch.created, "2024-01-02T03:04:05.678Z");
      Deno.removeSync(path, { recursive: true });
    }
    assert.equal(batchesOf(base)[0].manifest, "missing");
    write(json({}))();
    assert.equal(batchesOf(base)[0].items[0].state, "present");
  });
});

Deno.test("a link inside a batch never makes something outside an item of it", async () => {
  await inTempDir((dir) => {
    plant(dir, { "outside/d/secret": "s" });
    const base = `${dir}/base`;
    const folder = `${base}/${TRASH_NAME}/b`;
    Deno.mkdirSync(folder, { recursive: true });
    Deno.symlinkSync(`${dir}/outside`, `${folder}/out`);
    const places = ["out/d/secret", "out/d", "out"];
    const items = places.map((place, i) => ({
      original_path: `${base}/${i}`,
      trashed_to: `${folder}/${place}`,
      kind: ["file", "directory", "symlink"][i],
      bytes: 1,
    }));
    plant(folder, { "manifest.json": JSON.stringify({ format: 1, created: "", items }) });
    const [batch] = batchesOf(base);
    assert.deepEqual(batch.items.map(({ state }) => state), ["missing", "missing", "present"]);
    assert.ok(batch.items[2].info!.isSymlink);
  });
});

Deno.test("a creation time that is none gives way to the batch's name", async () => {
  await inTempDir((dir) => {
    const folder = `${dir}/${TRASH_NAME}/2024-01-02T03-04-05-678Z-1-1`;
    plant(folder, { "manifest.json": JSON.stringify({ format: 1, created: "zzz", items: [] }) });
    assert.equal(batchesOf(dir)[0].created, "2024-01-02T03:04:05.678Z");
  });
});

Deno.test("a trash that cannot be read is told and hides no other", async () => {
  await inTempDir((dir) => {
    for (const name of ["closed", "open"]) {
      plant(`${dir}/${TRASH_NAME}/${name}`, {
        "manifest.json": '{"format":1,"created":"","items":[]}',
      });
    }
    const told: string[] = [];
    const read = (disk: Disk) =>
      readTrash(disk, `${dir}/${TRASH_NAME}`, (path, code) => told.push(`${code} ${path}`));
    const closedBatch: Disk = {
      ...realDisk,
      lstat(path) {
        if (path.includes("/closed/")) throw systemError("EACCES");
        return realDisk.lstat(path);
      },
    };
    assert.deepEqual(read(closedBatch).map((batch) => batch.name), ["open"]);
    const closedTrash: Disk = {
      ...realDisk,
      readDir: () => {
        throw systemError("EACCES");
      },
    };
    assert.deepEqual(read(closedTrash), []);
    const trash = `${dir}/${TRASH_NAME}`;
    assert.deepEqual(told, [`EACCES ${trash}/closed`, `EACCES ${trash}`]);
  });
});
