// The vault as its owner sees it, made of rows, opened names, and what keys are held. It is a picture: it
// does not change, and a new one takes its place.

import { type FileRow, type FolderRow, parentOf, type Row } from "./rows.ts";
import type { OpenedName } from "./names.ts";
import type { File, Folder, Item, Tree } from "./types.ts";

/** The most levels that are followed upward (vault spec, 4). */
export const MAX_DEPTH = 256;
const UNAVAILABLE = "[name unavailable]";

/** What a picture is made of. */
export interface TreeSource {
  binId: string;
  mediaId: string | null;
  folders: ReadonlyMap<string, FolderRow>;
  files: ReadonlyMap<string, FileRow>;
  names: ReadonlyMap<string, OpenedName>;
  /** The folders that are the bins of connections. */
  connectionBins: ReadonlySet<string>;
  /** Whether the key of a folder is held. */
  holds(folderId: string | null): boolean;
}

/** Whether a name was tried for the row as it is. */
export function isCurrent(opened: OpenedName | undefined, row: Row): opened is OpenedName {
  return opened !== undefined && opened.raw === row.name && opened.parentId === parentOf(row);
}

/** What is in a vault, with its names in the clear. */
export interface VaultItems {
  folders: ReadonlyMap<string, Folder>;
  files: ReadonlyMap<string, File>;
  binId: string;
  mediaId: string | null;
}

/** A picture of items as they were handed from elsewhere. */
export class ItemTree implements Tree {
  readonly folders: ReadonlyMap<string, Folder>;
  readonly files: ReadonlyMap<string, File>;
  readonly binId: string;
  readonly mediaId: string | null;
  readonly #children: Map<string | null, Item[]>;
  readonly #sorted = new Set<string | null>();

  constructor({ folders, files, binId, mediaId }: VaultItems) {
    this.folders = folders;
    this.files = files;
    this.binId = binId;
    this.mediaId = mediaId;
    this.#children = Map.groupBy([...folders.values(), ...files.values()], folderIdOf);
  }

  children(folderId: string | null): Item[] {
    const children = this.#children.get(folderId) ?? [];
    if (!this.#sorted.has(folderId)) {
      children.sort(byKindAndName);
      this.#sorted.add(folderId);
    }
    return [...children];
  }

  path(item: Item): string {
    const names = [...this.ancestors(item), item].map(({ name }) => name ?? UNAVAILABLE);
    return `/${names.join("/")}`;
  }

  ancestors(item: Item): Folder[] {
    const above: Folder[] = [];
    for (let id = folderIdOf(item); id !== null && above.length < MAX_DEPTH;) {
      const folder = this.folders.get(id);
      if (folder === undefined) break;
      above.unshift(folder);
      id = folder.parentId;
    }
    return above;
  }

  item(id: string): Item | undefined {
    return this.folders.get(id) ?? this.files.get(id);
  }
}

/** The picture of rows. */
export class VaultTree extends ItemTree {
  constructor(source: TreeSource) {
    const inBin = binned(source);
    super({
      binId: source.binId,
      mediaId: source.mediaId,
      folders: new Map(
        [...source.folders].map(([id, row]) => [id, folderOf(row, source, inBin(row.parentId))]),
      ),
      files: new Map(
        [...source.files].map(([id, row]) => [id, fileOf(row, source, inBin(row.folderId))]),
      ),
    });
  }
}

/** The id of the folder that an item lies in; null at the top. */
export function folderIdOf(item: Item): string | null {
  return item.kind === "folder" ? item.parentId : item.folderId;
}

/** Tells whether a folder is the Bin or lies in it. */
function binned({ binId, folders }: TreeSource): (id: string | null) => boolean {
  const known = new Map<string, boolean>([[binId, true]]);
  return (start) => {
    const passed: string[] = [];
    let inside = false;
    for (let id = start; id !== null && passed.length < MAX_DEPTH;) {
      const answer = known.get(id);
      if (answer !== undefined) {
        inside = answer;
        break;
      }
      passed.push(id);
      id = folders.get(id)?.parentId ?? null;
    }
    for (const id of passed) known.set(id, inside);
    return inside;
  };
}

function commonOf(row: Row, { names, holds }: TreeSource, inBin: boolean) {
  const opened = names.get(row.id);
  const current = isCurrent(opened, row);
  return {
    id: row.id,
    name: current ? opened.name : null,
    pending: !current && holds(parentOf(row)),
    inBin,
    ...(row.originId === undefined ? {} : { originId: row.originId }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}

function folderOf(row: FolderRow, source: TreeSource, inBin: boolean): Folder {
  return {
    kind: "folder",
    ...commonOf(row, source, inBin),
    readable: source.holds(row.id),
    parentId: row.parentId,
    role: roleOf(row.id, source),
  };
}

function roleOf(id: string, { binId, mediaId, connectionBins }: TreeSource): Folder["role"] {
  if (id === binId) return "bin";
  if (id === mediaId) return "media";
  return connectionBins.has(id) ? "connection-bin" : "normal";
}

function fileOf(row: FileRow, source: TreeSource, inBin: boolean): File {
  return {
    kind: "file",
    ...commonOf(row, source, inBin),
    readable: source.holds(row.folderId),
    folderId: row.folderId,
    contentType: row.contentType,
    size: row.size,
    ciphertextSize: row.ciphertextSize,
    cipherVersion: row.cipherVersion,
    incomplete: row.cipherVersion === 3 && row.pqk === null,
  };
}

/** Folders first, then by name as a person would sort; what has no name last. */
function byKindAndName(a: Item, b: Item): number {
  if (a.kind !== b.kind) return a.kind === "folder" ? -1 : 1;
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null);
  return COLLATOR.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}

/** Compares names as a person sorts them: 2 before 10. */
export const COLLATOR = new Intl.Collator(undefined, { numeric: true });
