// What became of a change to several items: each stands for itself, so what is wrong with one of them does
// not keep the others, and a session or a connection that is gone ends it all.

import type { Contents } from "./contents.ts";
import { OwnerError } from "./error.ts";
import type { BulkResult, Item } from "./types.ts";

/** Failures after which nothing more is tried. */
const FINAL = new Set(["session_ended", "locked", "network_error"]);

/** What became of several items, as it comes in. */
export class Outcome {
  readonly #contents: Contents;
  readonly #done: string[] = [];
  readonly #failed: BulkResult["failed"] = [];
  /** The code of what ended everything. */
  #over: string | undefined;

  constructor({ contents }: { contents: Contents }) {
    this.#contents = contents;
  }

  /** Items that were done are shown as they are now; of those that are gone nothing is shown. */
  get result(): BulkResult {
    const { tree } = this.#contents;
    const done = this.#done.map((id) => tree.item(id)).filter((item) => item !== undefined);
    return { done, failed: this.#failed };
  }

  done({ id }: Item): void {
    this.#done.push(id);
  }

  failed(item: Item, code: string): void {
    this.#failed.push({ item, code });
  }

  /** Does all that one item needs. */
  async of(item: Item, body: () => Promise<void>): Promise<void> {
    if (await this.attempt(item, body)) this.done(item);
  }

  /** Does a part of what one item needs; says whether it went well. */
  async attempt(item: Item, body: () => Promise<void>): Promise<boolean> {
    return await this.all([item], async () => (await body(), true)) ?? false;
  }

  /** Does what several items need together; undefined when it failed, which is noted for each. */
  async all<T>(items: readonly Item[], body: () => Promise<T>): Promise<T | undefined> {
    try {
      if (this.#over === undefined) return await body();
    } catch (error) {
      if (!(error instanceof OwnerError)) throw error;
      for (const item of items) this.failed(item, error.code);
      if (FINAL.has(error.code)) this.#over = error.code;
      return undefined;
    }
    for (const item of items) this.failed(item, this.#over);
  }
}
