// A vault's data in a room that may read and write its folder and nothing else.

import { checkVault } from "../../../vault/server/check.ts";
import { FileObjects } from "../../../vault/server/objects/files.ts";
import { openDataFolder } from "../../../vault/server/rows/data_folder.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { columnsOf, fileRow, putObject, rowId, setUp } from "./rows_support.ts";

function use(path: string) {
  const folder = openDataFolder(path);
  const rows = openRows(path);
  const objects = new FileObjects(path);
  setUp(rows);
  const kept = putObject(objects, new Uint8Array(100_000).fill(1));
  rows.transaction(() => rows.insertFile(fileRow(rowId(1), columnsOf(kept))));
  objects.remove(putObject(objects, new Uint8Array(5)).storageKey);
  objects.create("0".repeat(32)).write(new Uint8Array(9));
  const swept = objects.sweep(-1000);
  const report = checkVault(rows, objects);
  rows.close();
  folder.close();
  return { swept, report };
}

interface Scope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(outcome: ReturnType<typeof use> | { error: string }): void;
}

const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data }) => {
  try {
    scope.postMessage(use(data));
  } catch (error) {
    scope.postMessage({ error: String(error) });
  }
};
