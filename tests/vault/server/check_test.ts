// The check of a vault: each way in which objects and rows can disagree is told apart.

import assert from "node:assert/strict";
import { checkVault } from "../../../vault/server/check.ts";
import { FileObjects } from "../../../vault/server/objects/files.ts";
import { newStorageKey } from "../../../vault/server/objects/objects.ts";
import { openDataFolder } from "../../../vault/server/rows/data_folder.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { columnsOf, fileRow, putObject, rowId, setUp, uploadRow } from "./rows_support.ts";

function vault() {
  const folder = Deno.makeTempDirSync();
  const rows = openRows(folder);
  setUp(rows);
  const objects = new FileObjects(folder);
  return {
    rows,
    objects,
    pathOf: (key: string) => `${folder}/objects/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`,
    addFile(number: number, bytes: Uint8Array): string {
      const object = putObject(objects, bytes);
      rows.insertFile(fileRow(rowId(number), columnsOf(object)));
      return object.storageKey;
    },
  };
}

Deno.test("a vault whose objects are all as promised is sound, whatever their size", () => {
  const { rows, objects, addFile } = vault();
  addFile(1, new Uint8Array(700_000).fill(7));
  addFile(2, new Uint8Array());
  const counts: number[] = [];
  const report = checkVault(rows, objects, (files) => counts.push(files));
  assert.deepEqual(report, {
    sound: true,
    files: 2,
    bytesRead: 700_000,
    faults: [],
    orphans: [],
    uploads: [],
    purged: [],
    temporaries: [],
  });
  assert.deepEqual(counts, [1, 2]);
  rows.close();
});

Deno.test("missing, cut, changed and unreadable objects are told apart by their files", () => {
  const { rows, objects, addFile, pathOf } = vault();
  const bytes = new Uint8Array(1000).fill(1);
  addFile(1, bytes);
  const [lost, cut, changed] = [2, 3, 4].map((number) => addFile(number, bytes));
  const failing = addFile(5, bytes);
  Deno.removeSync(pathOf(lost));
  Deno.truncateSync(pathOf(cut), 999);
  Deno.writeFileSync(pathOf(changed), bytes.with(500, 2));
  // As a bad sector does: the object opens and cannot be read.
  const open = objects.open.bind(objects);
  objects.open = (key) => {
    const reader = open(key);
    if (key !== failing || reader === undefined) return reader;
    const { size } = reader;
    const read = () => {
      throw new Error("input/output error");
    };
    return { size, read, close: () => reader.close() };
  };
  const report = checkVault(rows, objects);
  assert.equal(report.sound, false);
  assert.equal(report.files, 5);
  assert.deepEqual(report.faults, [
    { fileId: rowId(2), storageKey: lost, fault: "missing" },
    { fileId: rowId(3), storageKey: cut, fault: "wrong_size" },
    { fileId: rowId(4), storageKey: changed, fault: "wrong_hash" },
    {
      fileId: rowId(5),
      storageKey: failing,
      fault: "unreadable",
      detail: "input/output error",
    },
  ]);
  rows.close();
});

Deno.test("objects without a file are orphans, purged, of an open upload or temporary", () => {
  const { rows, objects, addFile } = vault();
  addFile(1, new Uint8Array(3));
  const orphan = putObject(objects, new Uint8Array(4)).storageKey;
  const purged = putObject(objects, new Uint8Array(5)).storageKey;
  rows.addPurgedObject({ storageKey: purged, at: 1 });
  const open = putObject(objects, new Uint8Array(6)).storageKey;
  rows.insertUpload(uploadRow(rowId(2), { storageKey: open }));
  const failed = putObject(objects, new Uint8Array(7)).storageKey;
  rows.insertUpload(uploadRow(rowId(3), { storageKey: failed, state: "failed" }));
  const temporary = newStorageKey();
  const writer = objects.create(temporary);
  writer.write(new Uint8Array(8));
  const report = checkVault(rows, objects);
  writer.abort();
  assert.equal(report.sound, true, "no file is harmed");
  const bySize = (a: { size: number }, b: { size: number }) => a.size - b.size;
  assert.deepEqual(report.orphans.sort(bySize), [
    { storageKey: orphan, size: 4 },
    { storageKey: failed, size: 7 },
  ]);
  assert.deepEqual(report.purged, [{ storageKey: purged, size: 5 }]);
  assert.deepEqual(report.uploads, [{ storageKey: open, size: 6 }]);
  assert.deepEqual(report.temporaries, [{ storageKey: temporary, size: 8 }]);
  rows.close();
});

Deno.test("all of it works where only the data folder may be read and written", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const none = {
    net: false,
    env: false,
    run: false,
    ffi: false,
    sys: false,
    import: false,
  } as const;
  const worker = new Worker(import.meta.resolve("./store_worker.ts"), {
    type: "module",
    deno: { permissions: { read: [folder], write: [folder], ...none } },
  });
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(folder);
  });
  worker.terminate();
  assert.deepEqual(answer, {
    swept: 1,
    report: {
      sound: true,
      files: 1,
      bytesRead: 100_000,
      faults: [],
      orphans: [],
      uploads: [],
      purged: [],
      temporaries: [],
    },
  });
});

/** Runs the child on a folder, kills it so long after its beginning, and gives the lines that it said. */
async function killed(folder: string, from: number, afterMs: number): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--allow-read",
      `--allow-write=${folder}`,
      new URL("./killed_child.ts", import.meta.url).pathname,
      folder,
      String(from),
    ],
    stdout: "piped",
  }).spawn();
  let said = "";
  let ended: Promise<void> | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    ended ??= new Promise((resolve) =>
      setTimeout(() => {
        child.kill("SIGKILL");
        resolve();
      }, afterMs)
    );
  }
  await ended;
  assert.equal((await child.status).signal, "SIGKILL", "it ran until it was killed");
  return said.split("\n").slice(0, -1);
}

Deno.test(
  "killed at any moment, no committed file is without its object, and the vault opens again",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    const stored = new Set<string>();
    const purging = new Set<string>();
    let seed = 20261130;
    // Where the disk is slow, little is stored in a round; then there are more of them.
    for (let round = 0; round < 48 || (stored.size <= 30 && round < 480); round++) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      for (const line of await killed(folder, 1 + round * 10_000, seed % 6000 / 100)) {
        const [what, id] = line.split(" ");
        if (what === "stored") stored.add(id);
        if (what === "purging") purging.add(id);
        if (what === "purged") stored.delete(id);
      }
      const lock = openDataFolder(folder);
      const rows = openRows(folder);
      const objects = new FileObjects(folder);
      const report = checkVault(rows, objects);
      assert.deepEqual(report.faults, [], `round ${round}`);
      // One object is written at a time; between its two names and its row, it may be left over.
      assert.ok(report.orphans.length <= 1 && report.temporaries.length <= 1, `round ${round}`);
      for (const id of stored) {
        assert.ok(rows.file(id) !== undefined || purging.has(id), `${id} was said to be stored`);
      }
      for (const { storageKey } of report.orphans) objects.remove(storageKey);
      for (const { storageKey } of rows.purgedObjects()) {
        objects.remove(storageKey);
        rows.removePurgedObject(storageKey);
      }
      objects.sweep(-1000);
      assert.equal(
        [...objects.list()].length,
        report.files,
        "nothing is left but the files' objects",
      );
      rows.close();
      lock.close();
    }
    assert.ok(stored.size > 30, "files were stored at all");
  },
);
