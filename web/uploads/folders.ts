// The folders that an upload needs: what is there is used, and what is not is made, once.

import type { Tree } from "../../vault/owner/mod.ts";
import type { VaultMethods } from "../vault/client.ts";

/** Makes folders below one. */
export class FolderMaker {
  readonly #top: string | null;
  readonly #tree: () => Tree;
  readonly #made = new Map<string, Promise<string | null>>();

  /** @param tree the vault as it is when a folder is looked for. */
  constructor(top: string | null, tree: () => Tree) {
    this.#top = top;
    this.#tree = tree;
  }

  /**
   * The id of the folder at a path below the top.
   *
   * @throws {OwnerError} when it cannot be made; it is tried again the next time.
   */
  at(path: readonly string[], vault: VaultMethods): Promise<string | null> {
    if (path.length === 0) return Promise.resolve(this.#top);
    const key = JSON.stringify(path);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#make(path, vault);
    this.#made.set(key, made);
    made.catch(() => this.#made.delete(key));
    return made;
  }

  async #make(path: readonly string[], vault: VaultMethods): Promise<string> {
    const name = path.at(-1)!;
    const parentId = await this.at(path.slice(0, -1), vault);
    const there = this.#tree().children(parentId).find((item) =>
      item.kind === "folder" && item.role === "normal" && item.name === name
    );
    return (there ?? await vault.createFolder(parentId, name)).id;
  }
}
