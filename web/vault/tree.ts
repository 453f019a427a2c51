// The tree as the page gets it from the worker, with the questions that a view asks of it.

import { COLLATOR, folderIdOf, ItemTree } from "../../vault/owner/tree.ts";
import type { Item, Tree } from "../../vault/owner/mod.ts";
import { shownName } from "../components/mod.ts";
import type { TreeSnapshot } from "./calls.ts";

/** The id of the folder that an item lies in; null at the top. */
export const parentOf = folderIdOf;

/** Compares names as a person sorts them: 2 before 10, capitals beside small letters. */
export const byName = COLLATOR.compare;

/** A tree whose paths can be shown: what hides in a name is written out. */
class PageTree extends ItemTree {
  override path(item: Item): string {
    return `/${[...this.ancestors(item), item].map(({ name }) => shownName(name)).join("/")}`;
  }
}

/** A tree out of what came from the worker. */
export function treeOf(snapshot: TreeSnapshot): Tree {
  return new PageTree(snapshot);
}
