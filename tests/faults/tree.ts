// What is on disk, down to the content of every file, so that two moments can be compared.

import { createHash } from "node:crypto";

export interface Entry {
  kind: "file" | "directory" | "symlink";
  /** SHA-256 of a file, the target of a link, empty for a folder. */
  content: string;
  mode: number;
  /** Milliseconds since 1970. */
  mtime: number;
  inode: string;
}

/** Entries by absolute path. */
export type Tree = Map<string, Entry>;

/** Everything below the folders. */
export function treeOf(folders: readonly string[]): Tree {
  const tree: Tree = new Map();
  const stack = [...folders];
  while (stack.length > 0) {
    const folder = stack.pop()!;
    for (const { name } of Deno.readDirSync(folder)) {
      const path = `${folder}/${name}`;
      const entry = entryAt(path);
      tree.set(path, entry);
      if (entry.kind === "directory") stack.push(path);
    }
  }
  return tree;
}

function entryAt(path: string): Entry {
  const info = Deno.lstatSync(path);
  return {
    kind: info.isSymlink ? "symlink" : info.isDirectory ? "directory" : "file",
    content: info.isSymlink
      ? Deno.readLinkSync(path)
      : info.isFile
      ? createHash("sha256").update(Deno.readFileSync(path)).digest("hex")
      : "",
    mode: info.mode! & 0o7777,
    mtime: info.mtime!.getTime(),
    inode: `${info.dev}:${info.ino}`,
  };
}

/** Whether the path is the other one or lies below it. */
export function within(path: string, top: string): boolean {
  return path === top || path.startsWith(top + "/");
}

/** The part of a tree at a path and below it, by path relative to it ("" is the entry itself). */
export function branch(tree: Tree, top: string): Tree {
  const part: Tree = new Map();
  for (const [path, entry] of tree) {
    if (within(path, top)) part.set(path.slice(top.length), entry);
  }
  return part;
}

/** What of an entry differs; an entry's own time and mode count, a folder's time does not. */
export function difference(before: Entry | undefined, after: Entry | undefined): string[] {
  if (before === undefined || after === undefined) {
    return before === after ? [] : [before === undefined ? "appeared" : "gone"];
  }
  if (before.kind !== after.kind) return ["kind"];
  return [
    ...(before.content !== after.content ? ["content"] : []),
    ...(before.mode !== after.mode ? ["mode"] : []),
    ...(before.kind === "file" && before.mtime !== after.mtime ? ["modification time"] : []),
  ];
}

/** Whether both branches hold the same entries with the same content. */
export function sameBranch(before: Tree, after: Tree): boolean {
  return before.size === after.size &&
    [...before].every(([path, entry]) => {
      const other = after.get(path);
      return other?.kind === entry.kind && other.content === entry.content;
    });
}
