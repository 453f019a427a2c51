// Files added up by folder and by type. A walk hands over the files of one folder together, so each
// folder is added up on its own and the sums are passed upwards once, at the end: a million files
// cost no more than their folders do.

import { byCodeUnit, type PathRules } from "../../containment/mod.ts";
import { Best } from "./rows.ts";

export interface Total {
  key: string;
  count: number;
  bytes: number;
}

/** Most bytes first; equal ones by name, so that a folder comes before what is in it. */
function mostBytes(a: Total, b: Total): number {
  return b.bytes - a.bytes || byCodeUnit(a.key, b.key);
}

/** The `limit` largest of the totals, largest first. */
export function largest(totals: Iterable<Total>, limit: number): Total[] {
  const best = new Best<Total>(limit, mostBytes);
  for (const total of totals) best.offer(total);
  return best.sorted();
}

function totalOf(totals: Map<string, Total>, key: string): Total {
  let total = totals.get(key);
  if (total === undefined) totals.set(key, total = { key, count: 0, bytes: 0 });
  return total;
}

const NO_EXTENSION = "(no extension)";

/** The last dot-suffix of a name in lower case; a leading dot begins a name and no extension. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 || dot === name.length - 1 ? NO_EXTENSION : name.slice(dot).toLowerCase();
}

/** Totals by extension. */
export class TypeTotals {
  readonly #totals = new Map<string, Total>();

  add(name: string, bytes: number): void {
    const total = totalOf(this.#totals, extensionOf(name));
    total.count++;
    total.bytes += bytes;
  }

  all(): Iterable<Total> {
    return this.#totals.values();
  }
}

/** Totals of folders, each with all that is below it. */
export class FolderTotals {
  readonly #rules: PathRules;
  /** Folders by the number of names in their paths. */
  readonly #levels: Map<string, Total>[] = [];
  #folder?: Total;

  constructor(rules: PathRules) {
    this.#rules = rules;
  }

  /** Adds a file that lies directly in the folder. */
  add(folder: string, bytes: number): void {
    if (this.#folder?.key !== folder) {
      const level = folder.split(this.#rules.sep).filter((part) => part !== "").length;
      this.#folder = totalOf(this.#level(level), folder);
    }
    this.#folder.count++;
    this.#folder.bytes += bytes;
  }

  #level(level: number): Map<string, Total> {
    return this.#levels[level] ??= new Map();
  }

  /**
   * Passes every folder's sum on to its parent, up to the tops, and gives all folders; to be called
   * once. Every folder must lie in one of the tops.
   */
  *all(tops: ReadonlySet<string>): Iterable<Total> {
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      for (const total of this.#level(level).values()) {
        if (!tops.has(total.key)) {
          const parent = totalOf(this.#level(level - 1), this.#rules.dirname(total.key));
          parent.count += total.count;
          parent.bytes += total.bytes;
        }
        yield total;
      }
    }
  }
}
