// Stores and purges files without an end, as the server does, and says after each commit what is done.
// `check_test.ts` kills it. Arguments: the data folder, and the number from which its rows are counted.

import { FileObjects } from "../../../vault/server/objects/files.ts";
import { newStorageKey } from "../../../vault/server/objects/objects.ts";
import { openDataFolder } from "../../../vault/server/rows/data_folder.ts";
import type { FileRow } from "../../../vault/server/rows/rows.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { columnsOf, fileRow, rowId, setUp } from "./rows_support.ts";

const [folder, from] = Deno.args;
openDataFolder(folder);
const rows = openRows(folder);
const objects = new FileObjects(folder);
if (rows.owner() === undefined) setUp(rows);

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

function store(number: number): void {
  const key = newStorageKey();
  const writer = objects.create(key);
  for (let piece = 0; piece < number % 4; piece++) {
    writer.write(new Uint8Array(32_768).fill(number & 0xff));
  }
  const object = { ...writer.commit(), storageKey: key };
  rows.transaction(() =>
    rows.insertFile(fileRow(rowId(number), { ...columnsOf(object), createdAt: number }))
  );
  say(`stored ${rowId(number)}`);
}

/** Rows and tombstones first, all at once; then the objects; then the tombstones. */
function purge(files: FileRow[]): void {
  for (const { id } of files) say(`purging ${id}`);
  rows.transaction(() => {
    for (const { id, storageKey } of files) {
      rows.removeFile(id);
      rows.addPurgedObject({ storageKey, at: 1 });
    }
  });
  for (const { id } of files) say(`purged ${id}`);
  for (const { storageKey } of files) objects.remove(storageKey);
  rows.transaction(() => {
    for (const { storageKey } of files) rows.removePurgedObject(storageKey);
  });
}

say("ready");
for (let number = Number(from);; number++) {
  store(number);
  if (number % 8 === 0) purge(rows.files({ limit: 7, after: null }));
}
