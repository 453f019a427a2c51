// What is to happen with files that come in: which have the name of something that is there, and what then.

import { OwnerError } from "../../vault/owner/error.ts";
import type { File as VaultFile, Item, Tree } from "../../vault/owner/mod.ts";
import { MAX_FILE_BYTES, nameFault } from "../../vault/owner/rules.ts";
import { sentence } from "../text/sentence.ts";
import type { Job } from "../transfers/queue.ts";
import type { Incoming, IncomingTree } from "./dropped.ts";
import { FolderMaker } from "./folders.ts";

/** What to do with a file whose name is taken. */
export type Clash = "keep-both" | "replace" | "skip";

/** A file that comes in, and the one that has its name. */
export interface Arrival extends Incoming {
  taken?: VaultFile;
}

/** The folder at a path below another, when it is there. */
function folderAt(
  tree: Tree,
  top: string | null,
  path: readonly string[],
): string | null | undefined {
  let id: string | null = top;
  for (const name of path) {
    const next: Item | undefined = tree.children(id).find((item) =>
      item.kind === "folder" && item.role === "normal" && item.name === name
    );
    if (next === undefined) return undefined;
    id = next.id;
  }
  return id;
}

function fileNamed(tree: Tree, folderId: string | null, name: string): VaultFile | undefined {
  return tree.children(folderId).find((item): item is VaultFile =>
    item.kind === "file" && item.name === name
  );
}

/** The files, each with the one that it clashes with. */
export function arrivals(tree: Tree, top: string | null, { files }: IncomingTree): Arrival[] {
  return files.map((incoming) => {
    const folderId = folderAt(tree, top, incoming.folders);
    const taken = folderId === undefined
      ? undefined
      : fileNamed(tree, folderId, incoming.file.name);
    return { ...incoming, taken };
  });
}

/** `report (2).pdf`: the first name of this kind that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 2;; number++) {
    const candidate = `${stem} (${number})${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Why a file cannot go into the vault; undefined when it can. */
export function fileFault({ name, size }: File): OwnerError | undefined {
  const fault = nameFault(name);
  if (fault !== undefined) return new OwnerError("invalid_name", sentence(fault));
  if (size === 0) return new OwnerError("empty_file", "An empty file cannot be stored.");
  if (size > MAX_FILE_BYTES) {
    const most = `${MAX_FILE_BYTES / 2 ** 20} MiB`;
    return new OwnerError("too_large", `This is more than the ${most} that a file can have.`);
  }
}

/** The uploads of what came, one job a file. */
export function uploadJobs(
  came: readonly Arrival[],
  clash: Clash,
  { top, tree }: { top: string | null; tree(): Tree },
): Job[] {
  const folders = new FolderMaker(top, tree);
  const wanted = came.filter(({ taken }) => taken === undefined || clash !== "skip");
  return wanted.map(({ file, folders: path, taken }): Job => ({
    kind: "upload",
    name: [...path, file.name].join("/"),
    size: file.size,
    async run(client, options) {
      const fault = fileFault(file);
      if (fault !== undefined) throw fault;
      const folderId = await folders.at(path, client.methods);
      const isTaken = (name: string) => fileNamed(tree(), folderId, name) !== undefined;
      const name = taken && clash === "keep-both" ? freeName(file.name, isTaken) : file.name;
      await client.call("upload", [folderId, name, file], options);
      // Only now, so that there is always one of the two.
      if (taken && clash === "replace") await client.methods.toBin([taken]);
    },
  }));
}
