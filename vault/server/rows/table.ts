// One table: rows go in and come out with their names in camelCase, flags as booleans and JSON columns as
// values. Every statement is prepared once and takes what varies as a parameter.

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { ToolError } from "../../../containment/error.ts";

/** How a column's value is kept. */
export type Codec = "plain" | "flag" | "json";

/** A table's name, its key and every column of its rows. */
export interface TableShape<Row> {
  name: string;
  key: (keyof Row & string)[];
  columns: { [Column in keyof Row & string]-?: Codec };
}

/** SQLite's extended codes for a primary key and for another unique column that are taken. */
const TAKEN = new Set([1555, 2067]);

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function encode(value: unknown, codec: Codec): SQLInputValue {
  if (codec === "json") return JSON.stringify(value);
  if (codec === "flag") return value ? 1 : 0;
  return value as SQLInputValue;
}

function decode(value: unknown, codec: Codec): unknown {
  if (codec === "json") return JSON.parse(value as string);
  return codec === "flag" ? value === 1 : value;
}

/** The statements of one table. */
export class Table<Row extends object> {
  readonly #database: DatabaseSync;
  readonly #shape: TableShape<Row>;
  readonly #columns: [name: string, codec: Codec][];
  /** Those whose values are not as they come. */
  readonly #coded: [name: string, codec: Codec][];
  readonly #select: string;
  readonly #whereKey: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, shape: TableShape<Row>) {
    this.#database = database;
    this.#shape = shape;
    this.#columns = Object.entries<Codec>(shape.columns);
    this.#coded = this.#columns.filter(([, codec]) => codec !== "plain");
    const names = this.#columns.map(([name]) => `${snake(name)} AS "${name}"`);
    this.#select = `SELECT ${names} FROM ${shape.name}`;
    this.#whereKey = `WHERE ${shape.key.map((name) => `${snake(name)} = ?`).join(" AND ")}`;
  }

  /** @throws ToolError `duplicate` when the key or another unique column is taken. */
  insert(row: Row): void {
    this.#write("INSERT INTO", row);
  }

  /** Inserts, or takes the place of the row with the same key. */
  put(row: Row): void {
    this.#write("INSERT OR REPLACE INTO", row);
  }

  /** The row with a key. */
  get(...key: SQLInputValue[]): Row | undefined {
    return this.first(this.#whereKey, ...key);
  }

  /** The rows that the rest of a SELECT statement leaves. */
  select(rest: string, ...parameters: SQLInputValue[]): Row[] {
    return this.#prepared(`${this.#select} ${rest}`).all(...parameters)
      .map((found) => this.#decoded(found));
  }

  first(rest: string, ...parameters: SQLInputValue[]): Row | undefined {
    const found = this.#prepared(`${this.#select} ${rest}`).get(...parameters);
    return found === undefined ? undefined : this.#decoded(found);
  }

  /**
   * Changes some columns of the row with a key, and gives the row as it is now.
   *
   * @throws ToolError `not_found`, `duplicate`.
   */
  update(key: SQLInputValue[], changes: Partial<Row>): Row {
    const old = this.get(...key);
    if (old === undefined) {
      throw new ToolError("not_found", `there is no such row in ${this.#shape.name}`);
    }
    const row = { ...old, ...changes };
    const assignments = this.#columns.map(([name]) => `${snake(name)} = ?`).join(", ");
    this.#run(`UPDATE ${this.#shape.name} SET ${assignments} ${this.#whereKey}`, [
      ...this.#encoded(row),
      ...key,
    ]);
    return row;
  }

  /** Removes the row with a key, if there is one. */
  remove(...key: SQLInputValue[]): void {
    this.removeWhere(this.#whereKey, ...key);
  }

  removeWhere(where: string, ...parameters: SQLInputValue[]): void {
    this.#run(`DELETE FROM ${this.#shape.name} ${where}`, parameters);
  }

  #write(verb: string, row: Row): void {
    const names = this.#columns.map(([name]) => snake(name));
    this.#run(
      `${verb} ${this.#shape.name} (${names}) VALUES (${names.map(() => "?")})`,
      this.#encoded(row),
    );
  }

  #run(sql: string, parameters: SQLInputValue[]): void {
    try {
      this.#prepared(sql).run(...parameters);
    } catch (error) {
      if (!TAKEN.has((error as { errcode?: number }).errcode ?? 0)) throw error;
      throw new ToolError("duplicate", `${this.#shape.name} already has such a row`, {
        cause: error,
      });
    }
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #encoded(row: Row): SQLInputValue[] {
    return this.#columns.map(([name, codec]) => encode(row[name as keyof Row], codec));
  }

  /** Makes what SQLite gave a row, in place: pages are long, and a copy of each row takes as long again. */
  #decoded(found: Record<string, unknown>): Row {
    for (const [name, codec] of this.#coded) found[name] = decode(found[name], codec);
    return Object.setPrototypeOf(found, Object.prototype);
  }
}
