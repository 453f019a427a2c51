// What the trash folders say about themselves, read without the program's own code, since that is
// what is being tested.

import { TRASH_NAME } from "../../containment/mod.ts";
import { branch, type Tree } from "./tree.ts";

/** One item of a manifest. */
export interface Recorded {
  original: string;
  stored: string;
  state: string;
}

/** What the manifests name, and what is wrong with them. */
export interface Records {
  items: Recorded[];
  problems: string[];
}

/** Whether the path is a trash folder or in one. */
export function inTrash(path: string): boolean {
  return path.split("/").includes(TRASH_NAME);
}

const MANIFEST = new RegExp(`/${TRASH_NAME}/[^/]+/manifest\\.json$`);
/** What a batch consists of beside its items. */
const PARTS = new RegExp(
  `/${TRASH_NAME}(/[^/]+(/items(/\\d+)?|/manifest\\.json|/README\\.txt)?)?$`,
);
/** A manifest that is being written. */
const UNFINISHED = new RegExp(`/${TRASH_NAME}/[^/]+/\\.manifest\\.json-\\d+-\\d+$`);

export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

export function isTrashPart(path: string): boolean {
  return PARTS.test(path);
}

export function isUnfinishedManifest(path: string): boolean {
  return UNFINISHED.test(path);
}

/** Reads every manifest of the tree from disk. */
export function recordsIn(tree: Tree): Records {
  const items: Recorded[] = [];
  const problems: string[] = [];
  for (const path of tree.keys()) {
    if (!isManifest(path)) continue;
    try {
      const { format, items: listed } = JSON.parse(Deno.readTextFileSync(path));
      if (format !== 1) throw new Error(`format ${format}`);
      for (const { original_path, trashed_to, state } of listed) {
        items.push({ original: original_path, stored: trashed_to, state });
        const there = tree.has(trashed_to);
        if (state === "restored" && there) problems.push(`restored but still there: ${trashed_to}`);
      }
    } catch (error) {
      problems.push(`${path} is no manifest: ${(error as Error).message}`);
    }
  }
  return { items, problems };
}

/** Whether the branch is a folder with nothing in it. */
export function isEmptyFolder(tree: Tree, path: string): boolean {
  return tree.get(path)?.kind === "directory" && branch(tree, path).size === 1;
}
