// A made-up vault for tests of what the page shows of one.

import type { File, Folder, Item, Tree } from "../../vault/owner/mod.ts";
import { treeOf } from "../../web/vault/tree.ts";

const COMMON = {
  pending: false,
  readable: true,
  inBin: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  version: 1,
};

/** A folder whose id is its name. */
export function folder(
  name: string,
  parentId: string | null = null,
  over: Partial<Folder> = {},
): Folder {
  return { kind: "folder", id: name, name, parentId, role: "normal", ...COMMON, ...over };
}

/** A file whose id is its name. */
export function file(name: string, folderId: string | null = null, over: Partial<File> = {}): File {
  return {
    ...{ kind: "file", id: name, name, folderId, contentType: null, size: 1 },
    ...{ ciphertextSize: null, cipherVersion: 3, incomplete: false },
    ...COMMON,
    ...over,
  };
}

/** A tree of these, with a Bin. */
export function treeWith(items: readonly Item[]): Tree {
  const bin = folder("Bin", null, { role: "bin" });
  const folders = [bin, ...items.filter((item) => item.kind === "folder")];
  const files = items.filter((item) => item.kind === "file");
  return treeOf({
    folders: new Map(folders.map((each) => [each.id, each])),
    files: new Map(files.map((each) => [each.id, each])),
    binId: bin.id,
    mediaId: null,
  });
}

/** The names, in their order. */
export function namesOf(items: readonly Item[]): (string | null)[] {
  return items.map(({ name }) => name);
}
