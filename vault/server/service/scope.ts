// How far a caller reaches: the scope function (vault spec, 13), walking up from a folder until something
// decides. What was found is kept for the request, so a page of files costs a look-up per folder and not
// per file and level.

import type { FileRow, FolderRow, GrantRow, OwnerRow, Rows } from "../rows/rows.ts";

/** Where something lies for a caller: in their scope, or in what is their trash. */
export type Place = "scope" | "trash";

/** How far a caller reaches, as the rows are now; good for one transaction. */
export interface Reach {
  /** Undefined when it is out of reach or missing. */
  placeOfFolder(id: string): Place | undefined;
  placeOfFile(file: Pick<FileRow, "folderId">): Place | undefined;
  /** Whether a folder is to stay as it is: never renamed, moved or trashed by this caller. */
  isFixed(folder: FolderRow): boolean;
  /** Whether the caller may rename what lies at the root, and put things there. */
  readonly ownsRoot: boolean;
  /** To be called when a folder has moved: what was found before may hold no longer. */
  forget(): void;
}

/** The most levels that count, the folder itself included; below them everything is out of reach. */
export const MAX_DEPTH = 256;

/** What a folder decides by itself: a place, `none`, or undefined to ask its parent. */
type Decision = Place | "none" | undefined;

interface Found {
  place: Place | undefined;
  /** Levels from the folder up to the one that decided. */
  levels: number;
}

const NOWHERE: Found = { place: undefined, levels: 0 };

/** The walk and its memory; what decides is handed in. */
class Walk {
  readonly #rows: Rows;
  readonly #decide: (folder: FolderRow) => Decision;
  readonly #found = new Map<string, Found>();

  constructor(rows: Rows, decide: (folder: FolderRow) => Decision) {
    this.#rows = rows;
    this.#decide = decide;
  }

  forget(): void {
    this.#found.clear();
  }

  place(id: string): Place | undefined {
    const passed: string[] = [];
    const found = this.#climb(id, passed);
    let levels = found.levels;
    for (const below of passed.reverse()) {
      levels++;
      this.#found.set(
        below,
        levels > MAX_DEPTH ? NOWHERE : { place: found.place, levels },
      );
    }
    return this.#found.get(id)?.place;
  }

  /** Climbs to what decides or is known; `passed` gets the folders on the way, from the bottom up. */
  #climb(start: string, passed: string[]): Found {
    const seen = new Set<string>();
    for (let id = start; !seen.has(id);) {
      const known = this.#found.get(id);
      if (known !== undefined) return known;
      const folder = this.#rows.folder(id);
      passed.push(id);
      seen.add(id);
      const decision = folder === undefined ? "none" : this.#decide(folder);
      if (decision === "none") return NOWHERE;
      if (decision !== undefined) return { place: decision, levels: 0 };
      // A folder without a parent always decides.
      id = folder?.parentId ?? id;
    }
    return NOWHERE;
  }
}

/** What a connection reaches. */
export function grantReach(rows: Rows, owner: OwnerRow, grant: GrantRow): Reach {
  const roots = new Set(rows.grantRoots(grant.id));
  const walk = new Walk(rows, (folder) => {
    // The trash comes before the Bin, in which it lies.
    if (folder.id === grant.trashFolderId) return "trash";
    if (folder.id === owner.binFolderId) return "none";
    if (roots.has(folder.id)) return "scope";
    if (folder.id === owner.mediaFolderId && !grant.includeMedia) return "none";
    if (folder.parentId !== null) return undefined;
    return grant.scopeAll ? "scope" : "none";
  });
  const atRoot = grant.scopeAll ? "scope" : undefined;
  return {
    placeOfFolder: (id) => walk.place(id),
    placeOfFile: ({ folderId }) => folderId === null ? atRoot : walk.place(folderId),
    isFixed: (folder) =>
      folder.kind !== "normal" || folder.id === grant.trashFolderId || roots.has(folder.id),
    ownsRoot: false,
    forget: () => walk.forget(),
  };
}

/** What the owner reaches: everything; their trash is the Bin. */
export function ownerReach(rows: Rows, owner: OwnerRow): Reach {
  const trashFolders = new Set(rows.grants().map((grant) => grant.trashFolderId));
  const walk = new Walk(rows, (folder) => {
    if (folder.id === owner.binFolderId) return "trash";
    return folder.parentId === null ? "scope" : undefined;
  });
  return {
    placeOfFolder: (id) => walk.place(id),
    placeOfFile: ({ folderId }) => folderId === null ? "scope" : walk.place(folderId),
    isFixed: (folder) => folder.kind !== "normal" || trashFolders.has(folder.id),
    ownsRoot: true,
    forget: () => walk.forget(),
  };
}
