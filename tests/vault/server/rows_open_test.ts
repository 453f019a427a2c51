// Opening a vault's data: durable, brought up to date, and by one program at a time.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDataFolder } from "../../../vault/server/rows/data_folder.ts";
import { openDatabase } from "../../../vault/server/rows/database.ts";
import { MIGRATIONS } from "../../../vault/server/rows/migrations/mod.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import { BIN, setUp } from "./rows_support.ts";

function userVersion(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    return database.prepare("PRAGMA user_version").get()?.user_version;
  } finally {
    database.close();
  }
}

Deno.test("the database is durable at each commit and nobody else's to read", () => {
  const folder = Deno.makeTempDirSync();
  const rows = openRows(folder);
  setUp(rows);
  const database = openDatabase(folder, MIGRATIONS);
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0];
  assert.equal(pragma("journal_mode"), "wal");
  assert.equal(pragma("synchronous"), 2);
  assert.equal(pragma("foreign_keys"), 1);
  assert.equal(pragma("busy_timeout"), 5000);
  database.close();
  const names = Deno.build.os === "windows" ? [] : ["vault.db", "vault.db-wal", "vault.db-shm"];
  for (const name of names) {
    assert.equal((Deno.statSync(`${folder}/${name}`).mode! & 0o777).toString(8), "600", name);
  }
  rows.close();
});

Deno.test("a vault of the previous schema is brought up to date with what it holds", () => {
  const folder = Deno.makeTempDirSync();
  const rows = openRows(folder);
  setUp(rows);
  rows.close();
  const next = [
    ...MIGRATIONS,
    "ALTER TABLE folders ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'",
  ];
  const database = openDatabase(folder, next);
  assert.deepEqual({ ...database.prepare("SELECT id, colour FROM folders").get() }, {
    id: BIN,
    colour: "grey",
  });
  database.close();
  assert.equal(userVersion(`${folder}/vault.db`), next.length);
  openDatabase(folder, next).close();
});

Deno.test("a migration that fails half-way leaves the version before it", () => {
  const folder = Deno.makeTempDirSync();
  openRows(folder).close();
  const broken = [...MIGRATIONS, "CREATE TABLE extra (a TEXT); CREATE TABLE extra (a TEXT);"];
  assert.throws(() => openDatabase(folder, broken), /already exists/);
  assert.equal(userVersion(`${folder}/vault.db`), MIGRATIONS.length);
  const rows = openRows(folder);
  setUp(rows);
  rows.close();
  openDatabase(folder, [...MIGRATIONS, "CREATE TABLE extra (a TEXT)"]).close();
});

Deno.test("data of a newer program is refused and left alone", () => {
  const folder = Deno.makeTempDirSync();
  openDatabase(folder, [...MIGRATIONS, "CREATE TABLE extra (a TEXT)"]).close();
  const before = Deno.readFileSync(`${folder}/vault.db`);
  assert.throws(() => openRows(folder), { code: "schema_too_new", message: /newer shieldfive/ });
  assert.deepEqual(Deno.readFileSync(`${folder}/vault.db`), before);
});

Deno.test("a second process on the same data folder is refused until the first has closed it", () => {
  const folder = Deno.makeTempDirSync();
  const module = import.meta.resolve("../../../vault/server/rows/data_folder.ts");
  const other = () => {
    const script = `import { openDataFolder } from ${JSON.stringify(module)};
      try { openDataFolder(Deno.args[0]); console.log("opened"); }
      catch (error) { console.log(error.code); }`;
    const file = `${Deno.makeTempDirSync()}/other.ts`;
    Deno.writeTextFileSync(file, script);
    const { stdout } = new Deno.Command(Deno.execPath(), {
      args: ["run", `--allow-read`, `--allow-write=${folder}`, "--no-check", file, folder],
    }).outputSync();
    return new TextDecoder().decode(stdout).trim();
  };
  const mine = openDataFolder(folder);
  assert.equal(other(), "data_folder_in_use");
  mine.close();
  assert.equal(other(), "opened");
});

Deno.test("a data folder is made 0700, and one that others may enter is closed to them", {
  ignore: Deno.build.os === "windows",
}, () => {
  const top = Deno.makeTempDirSync();
  Deno.mkdirSync(`${top}/loose`, { mode: 0o755 });
  for (const name of ["a/b", "loose"]) {
    openDataFolder(`${top}/${name}`).close();
    assert.equal((Deno.statSync(`${top}/${name}`).mode! & 0o777).toString(8), "700", name);
  }
  Deno.writeTextFileSync(`${top}/file`, "");
  assert.throws(() => openDataFolder(`${top}/file`), { code: "not_a_folder" });
});
