// What is known of an unlocked vault's contents: the rows of the last listing with this client's own
// changes since, the names that were opened, and the picture made of both.

import type { Keyring } from "./keyring.ts";
import type { OpenedName } from "./names.ts";
import { type FileRow, type FolderRow, parentOf, type Row } from "./rows.ts";
import { OwnerError } from "./error.ts";
import { isCurrent, VaultTree } from "./tree.ts";

/** One listing. */
export interface Listing {
  folders: Map<string, FolderRow>;
  files: Map<string, FileRow>;
  connectionBins: Set<string>;
}

export class Contents {
  readonly binId: string;
  readonly mediaId: string | null;
  readonly names = new Map<string, OpenedName>();
  /** The folder whose names are opened first; null is the top. */
  shownFolderId: string | null = null;
  readonly #keyring: Keyring;
  #listing: Listing = { folders: new Map(), files: new Map(), connectionBins: new Set() };
  #tree: VaultTree | undefined;
  #changes = 0;

  constructor(keyring: Keyring, fixed: { binId: string; mediaId: string | null }) {
    this.#keyring = keyring;
    this.binId = fixed.binId;
    this.mediaId = fixed.mediaId;
  }

  /** Rises with each change of this client's own. */
  get changes(): number {
    return this.#changes;
  }

  get folders(): ReadonlyMap<string, FolderRow> {
    return this.#listing.folders;
  }

  get files(): ReadonlyMap<string, FileRow> {
    return this.#listing.files;
  }

  /** The picture of now. */
  get tree(): VaultTree {
    this.#tree ??= new VaultTree({
      ...this.#listing,
      binId: this.binId,
      mediaId: this.mediaId,
      names: this.names,
      holds: (id) => this.#keyring.holds(id),
    });
    return this.#tree;
  }

  /** Takes a listing in the place of what was known. */
  replace(listing: Listing): void {
    this.#listing = listing;
    for (const id of this.names.keys()) {
      if (!listing.folders.has(id) && !listing.files.has(id)) this.names.delete(id);
    }
    this.#tree = undefined;
  }

  /** @throws OwnerError `not_found` */
  row(id: string): Row {
    const row = this.folders.get(id) ?? this.files.get(id);
    if (row === undefined) throw new OwnerError("not_found", "it is not there any more");
    return row;
  }

  /** @throws OwnerError `not_found` */
  file(id: string): FileRow {
    const row = this.files.get(id);
    if (row === undefined) throw new OwnerError("not_found", "the file is not there any more");
    return row;
  }

  /** The name that was opened for a row, null when it does not open, undefined when it was not tried. */
  nameOf(row: Row): string | null | undefined {
    const opened = this.names.get(row.id);
    return isCurrent(opened, row) ? opened.name : undefined;
  }

  /** Whether a row has a name that was not tried yet, and could be. */
  isPending(row: Row): boolean {
    return this.nameOf(row) === undefined && this.#keyring.holds(parentOf(row));
  }

  /** Notes a name that was opened, or did not open. */
  named(id: string, opened: OpenedName): void {
    this.names.set(id, opened);
    this.#tree = undefined;
  }

  /** Notes a change that the server made at this client's word. */
  put(row: Row): void {
    if (row.kind === "folder") this.#listing.folders.set(row.id, row);
    else this.#listing.files.set(row.id, row);
    this.#changed();
  }

  /** Notes that rows are gone for good. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#listing.folders.delete(id);
      this.#listing.files.delete(id);
      this.names.delete(id);
    }
    this.#changed();
  }

  /** Notes the bin of a new connection. */
  connectionBin(id: string): void {
    this.#listing.connectionBins.add(id);
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    this.#tree = undefined;
  }
}
