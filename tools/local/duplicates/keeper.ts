// Which copy of a set is nominated to stay, and the order of the others (local-tools spec, 4.4). The
// same tree gives the same order on every machine and in every locale.

import { byCodeUnit, isInside, type PathRules } from "../../../containment/mod.ts";
import type { FileTable } from "./table.ts";

/** How the keeper is nominated. `under` are real paths, the most wanted first. */
export type KeepRule = "oldest" | "newest" | "shortest_path" | { under: string[] };

/** Orders files, by their index in the table. */
export type KeeperOrder = (a: number, b: number) => number;

export function keeperOrder(table: FileTable, rule: KeepRule, rules?: PathRules): KeeperOrder {
  const { paths, mtimes } = table;
  const byPath: KeeperOrder = (a, b) =>
    paths[a].length - paths[b].length || byCodeUnit(paths[a], paths[b]);
  const oldest: KeeperOrder = (a, b) => mtimes[a] - mtimes[b] || byPath(a, b);
  if (rule === "oldest") return oldest;
  if (rule === "newest") return (a, b) => mtimes[b] - mtimes[a] || byPath(a, b);
  if (rule === "shortest_path") return byPath;
  const { under } = rule;
  const place = (index: number) => {
    const at = under.findIndex((folder) => isInside(paths[index], folder, rules));
    return at === -1 ? under.length : at;
  };
  return (a, b) => place(a) - place(b) || oldest(a, b);
}

/** All names of a file, the one that stands for it first. */
export function orderedNames(table: FileTable, file: number, order: KeeperOrder): number[] {
  return table.namesOf(file).sort(order);
}
