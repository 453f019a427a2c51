// Opens the database file: durable at every commit, references enforced, 0600, and brought up to the
// schema that this program knows. One from a newer program is left alone.

import { DatabaseSync } from "node:sqlite";
import { errnoOf, ToolError } from "../../../containment/error.ts";

/** How long a statement waits for another connection (a backup that reads, say), in milliseconds. */
const BUSY_TIMEOUT = 5000;
const FILE_NAME = "vault.db";

/** SQLite's files beside it (-wal, -shm) take their mode from it. */
function makePrivate(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Runs a body between BEGIN IMMEDIATE and COMMIT; whatever it throws rolls all of it back. */
export function inTransaction<T>(database: DatabaseSync, body: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = body();
    // The commit would come before the rest of the body.
    if (result instanceof Promise) throw new TypeError("a transaction's body must not be async");
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite itself ends the transaction on some failures, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Brings a database to the last of the schema's versions, each step in a transaction of its own.
 *
 * @throws ToolError `schema_too_new` for one that a newer program wrote.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = versionOf(database);
  if (version > migrations.length) {
    throw new ToolError(
      "schema_too_new",
      `the vault's data was written by a newer shieldfive (schema ${version}; this one knows ` +
        `${migrations.length}); nothing was changed: use the newer program`,
    );
  }
  for (let next = version; next < migrations.length; next++) {
    inTransaction(database, () => {
      database.exec(migrations[next]);
      database.exec(`PRAGMA user_version = ${next + 1}`);
    });
  }
}

/**
 * Opens the database of a data folder that this process has locked.
 *
 * @throws ToolError `schema_too_new`.
 */
export function openDatabase(
  dataFolder: string,
  migrations: readonly string[],
): DatabaseSync {
  const path = `${dataFolder}/${FILE_NAME}`;
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    // Before anything is written to the file, and a change of mode is a write.
    if (versionOf(database) <= migrations.length) database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    migrate(database, migrations);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
