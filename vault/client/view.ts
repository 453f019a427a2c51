// The picture of the vault that tools work with, made of rows and opened names. It does not change. Rows
// may form rings and hang nowhere: whatever follows them upward comes to an end.

import { displayName, displayType } from "./display.ts";
import type { FileRow, FolderRow } from "./rows.ts";
import {
  type GrantInfo,
  NAME_UNAVAILABLE,
  TRASH_LABEL,
  type VaultFile,
  type VaultFolder,
  type VaultItem,
  type VaultView,
} from "./types.ts";

/** The most levels that are followed upward (vault spec, 4). */
export const MAX_DEPTH = 256;

/** What a picture is made of. */
export interface ViewSource {
  grant: GrantInfo;
  folders: ReadonlyMap<string, FolderRow>;
  files: ReadonlyMap<string, FileRow>;
  skipped: number;
  /** Exact names; null or missing where one does not open. */
  names: ReadonlyMap<string, string | null>;
  untried: number;
  /** Whether a folder's key is held. */
  holds(folderId: string): boolean;
  /** Whether there is a key for a file's content. */
  canRead(row: FileRow): boolean;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class LoadedView implements VaultView {
  readonly grant: GrantInfo;
  readonly folders: ReadonlyMap<string, VaultFolder>;
  readonly files: ReadonlyMap<string, VaultFile>;
  readonly unreadable: number;
  readonly skipped: number;
  readonly untried: number;
  #children: Map<string | null, VaultItem[]> | undefined;

  constructor(source: ViewSource) {
    this.grant = source.grant;
    this.skipped = source.skipped;
    this.untried = source.untried;
    const { folders, files } = source;
    const picked = new Set(source.grant.folderIds);
    this.folders = new Map([...folders].map(([id, row]) => [id, folderOf(row, picked, source)]));
    this.files = new Map([...files].map(([id, row]) => [id, fileOf(row, source)]));
    this.unreadable = [...this.files.values()].filter(({ readable }) => !readable).length;
  }

  item(id: string): VaultItem | undefined {
    return this.folders.get(id) ?? this.files.get(id);
  }

  ancestors(item: VaultItem): VaultFolder[] {
    const above: VaultFolder[] = [];
    const seen = new Set([item.id]);
    for (let id = item.parentId; id !== null && above.length < MAX_DEPTH;) {
      const folder = this.folders.get(id);
      if (folder === undefined || seen.has(id)) break;
      seen.add(id);
      above.push(folder);
      id = folder.parentId;
    }
    return above;
  }

  path(item: VaultItem): string {
    const names = [item, ...this.ancestors(item)].map(({ name }) => name ?? NAME_UNAVAILABLE);
    return `/${names.slice(0, MAX_DEPTH).reverse().join("/")}`;
  }

  children(folderId: string | null): VaultItem[] {
    this.#children ??= this.#byParent();
    return [...this.#children.get(folderId) ?? []];
  }

  resolve(text: string): VaultItem[] {
    if (UUID.test(text)) {
      const item = this.item(text.toLowerCase());
      return item === undefined ? [] : [item];
    }
    const wanted = `/${text.replace(/^\/+/, "")}`;
    const found = this.#at(wanted, (path) => path);
    // The same letters may be written in two ways; which one a keyboard gives depends on the system.
    return found.length > 0 ? found : this.#at(wanted, (path) => path.normalize("NFC"));
  }

  #at(wanted: string, spelled: (path: string) => string): VaultItem[] {
    // A slash at the end asks for a folder.
    const path = spelled(wanted.replace(/(?<=.)\/+$/, ""));
    const items = wanted.endsWith("/")
      ? [...this.folders.values()]
      : [...this.folders.values(), ...this.files.values()];
    return items.filter((item) => spelled(this.path(item)) === path);
  }

  #byParent(): Map<string | null, VaultItem[]> {
    const children = new Map<string | null, VaultItem[]>();
    for (const item of [...this.folders.values(), ...this.files.values()]) {
      const siblings = children.get(item.parentId);
      if (siblings === undefined) children.set(item.parentId, [item]);
      else siblings.push(item);
    }
    for (const siblings of children.values()) siblings.sort(byName);
    return children;
  }
}

/** In code-unit order, the same on every machine; what has no name comes last. */
function byName(a: VaultItem, b: VaultItem): number {
  if (a.name === b.name) return a.id < b.id ? -1 : 1;
  if (a.name === null || b.name === null) return a.name === null ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function commonOf(row: FolderRow | FileRow, parentId: string | null, { names }: ViewSource) {
  const rawName = names.get(row.id) ?? null;
  return {
    id: row.id,
    parentId,
    name: rawName === null ? null : displayName(rawName),
    rawName,
    envelope: row.name,
    inTrash: row.inTrash,
    updatedAt: row.updatedAt,
  };
}

function folderOf(
  row: FolderRow,
  picked: ReadonlySet<string>,
  source: ViewSource,
): VaultFolder {
  const trash = row.id === source.grant.trashFolderId;
  const scopeRoot = row.isScopeRoot || trash || picked.has(row.id);
  const common = commonOf(row, scopeRoot ? null : row.parentId, source);
  return {
    kind: "folder",
    ...common,
    // Its own name stays the owner's.
    ...(trash ? { name: TRASH_LABEL, rawName: null, inTrash: true } : {}),
    scopeRoot,
    trash,
    open: source.holds(row.id),
  };
}

function fileOf(row: FileRow, source: ViewSource): VaultFile {
  return {
    kind: "file",
    ...commonOf(row, row.parentId, source),
    size: row.size,
    ciphertextSize: row.ciphertextSize,
    contentType: row.contentType === null ? null : displayType(row.contentType),
    createdAt: row.createdAt,
    cipherVersion: row.cipherVersion,
    readable: source.canRead(row),
  };
}
