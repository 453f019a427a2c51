// One call's batch in a trash folder: its manifest is on disk before the first item moves, and nothing
// that was moved in is ever removed by this program (local-tools spec, section 6).

import { discardFile } from "./copy.ts";
import { errnoOf, ToolError } from "./error.ts";
import { removeEmptyFolders, syncFolder } from "./folders.ts";
import { isEntryAt, mayBeAt } from "./identity.ts";
import {
  type Manifest,
  MANIFEST_NAME,
  MANIFEST_NOTE,
  type ManifestItem,
  writeManifest,
} from "./manifest.ts";
import { moveNoReplace, type ReplaceGuard } from "./move.ts";
import { nativeRules } from "./paths.ts";
import { quote } from "./text.ts";
import { describeItem, ITEMS_FOLDER, type TrashItem } from "./trash_item.ts";
import { checkTrashFolder, trashFolder, type TrashPorts } from "./trash_place.ts";

/** The manifest is brought up to date after this many items, and after this many milliseconds. */
const ITEMS_PER_WRITE = 100;
const MILLISECONDS_PER_WRITE = 1000;

/** The note for people inside a batch. */
export const README_NAME = "README.txt";

let batches = 0;

/** A batch's name: its time, the process and a counter, so that no two are ever the same (6.2). */
export function batchName(now: number): string {
  return `${new Date(now).toISOString().replace(/[:.]/g, "-")}-${Deno.pid}-${++batches}`;
}

/** Where a batch is made, and for what. */
export interface BatchOrigin {
  /** The folder that holds the trash folder. */
  base: string;
  /** The granted folder that the base lies in. */
  root: string;
  name: string;
  tool: string;
  /** SHA-256 of the token that approved the call, where a token did. */
  approval?: string;
}

/** One call's batch in one trash folder. */
export class Batch {
  readonly folder: string;
  readonly manifestPath: string;
  /** What is not as it should be, in words. */
  readonly warnings: string[] = [];
  readonly #ports: TrashPorts;
  readonly #base: string;
  readonly #dev: number;
  readonly #items: TrashItem[];
  readonly #manifest: Manifest;
  /** Folders made so far, outermost first. */
  readonly #made: string[] = [];
  /** The manifest's file as last written. */
  #written?: Deno.FileInfo;
  #unwritten = 0;
  #writtenAt = 0;

  private constructor(origin: BatchOrigin, items: TrashItem[], ports: TrashPorts) {
    const { base, root, name, tool, approval } = origin;
    this.#ports = ports;
    this.#base = base;
    this.#dev = ports.disk.lstat(base).dev;
    this.#items = [...items];
    this.folder = nativeRules.join(trashFolder(base), name);
    this.manifestPath = nativeRules.join(this.folder, MANIFEST_NAME);
    this.#manifest = {
      format: 1,
      created: new Date(ports.now()).toISOString(),
      note: MANIFEST_NOTE,
      tool,
      version: ports.version,
      batch: name,
      base,
      root,
      dev: this.#dev,
      ...(approval === undefined ? {} : { plan_token_hash: approval }),
      items: [],
    };
    this.#list(items);
  }

  /**
   * Makes the batch's folders and writes its manifest. On any failure nothing of it is left.
   *
   * @throws ToolError `trash_unsafe`, `trash_batch_exists`; system errors as they are.
   */
  static open(origin: BatchOrigin, items: TrashItem[], ports: TrashPorts): Batch {
    const batch = new Batch(origin, items, ports);
    try {
      batch.#prepare();
    } catch (error) {
      batch.discard();
      throw error;
    }
    return batch;
  }

  /**
   * Takes one more item on: it is in the manifest on disk before this returns, and can be moved then.
   *
   * @returns its index.
   * @throws what {@link writeManifest} throws; the item is no part of the batch then.
   */
  add(item: TrashItem): number {
    const index = this.#items.length;
    this.#list([item]);
    this.#items.push(item);
    try {
      this.#write();
      return index;
    } catch (error) {
      this.#items.pop();
      this.#manifest.items.pop();
      throw error;
    }
  }

  #list(items: readonly TrashItem[]): void {
    const place = { base: this.#base, folder: this.folder };
    for (const item of items) {
      const id = this.#manifest.items.length + 1;
      this.#manifest.items.push(describeItem(this.#ports.disk, item, { ...place, id }));
    }
  }

  /** Where the item with this index goes. */
  destination(index: number): string {
    return this.#manifest.items[index].trashed_to;
  }

  /** Whether the item with this index is in the trash now. */
  has(index: number): boolean {
    return this.#manifest.items[index].state === "moved";
  }

  /**
   * Moves one item in.
   *
   * @throws ToolError `trash_cross_device` and what `moveNoReplace` throws.
   */
  move(index: number): ReplaceGuard {
    const item = this.#items[index];
    const entry = this.#manifest.items[index];
    this.#makeFolder(nativeRules.dirname(entry.trashed_to));
    const guard = this.#moveIn(item, entry);
    entry.state = "moved";
    this.#unwritten++;
    const due = performance.now() - this.#writtenAt >= MILLISECONDS_PER_WRITE;
    if (this.#unwritten >= ITEMS_PER_WRITE || due) this.#write();
    return guard;
  }

  #moveIn(item: TrashItem, { trashed_to: to }: ManifestItem): ReplaceGuard {
    const { disk } = this.#ports;
    try {
      return moveNoReplace(disk, item.source, to, item.info);
    } catch (error) {
      const errno = errnoOf(error);
      // A disk may fail after it has done what it was asked for.
      const isDone = errno !== undefined && !mayBeAt(disk, item.source) &&
        isEntryAt(disk, to, item.info);
      if (isDone) return "checked";
      if (errno !== "EXDEV") throw error;
      throw new ToolError(
        "trash_cross_device",
        `${quote(item.source)} is not on the volume of its trash; it was not copied and stays`,
        { cause: error },
      );
    }
  }

  /** Brings the manifest up to date with what moved. Call when all items moved. */
  finish(): void {
    if (this.#unwritten > 0) this.#write();
  }

  /**
   * After a failure: a batch with nothing in it is removed; otherwise its manifest is rewritten to
   * list exactly what moved (6.6).
   */
  settle(): void {
    const { disk } = this.#ports;
    // An item whose move could not be undone may be here without having left its old place.
    const here = this.#manifest.items.filter((item) =>
      item.state === "moved" || mayBeAt(disk, item.trashed_to)
    );
    if (here.length === 0) return this.discard();
    this.#manifest.items = here;
    this.#write();
    removeEmptyFolders(disk, this.#made);
  }

  /**
   * Removes the batch's own files and empty folders; whatever else is in it keeps it alive, and an
   * item that could not be taken out again keeps the manifest, which names it.
   */
  discard(): void {
    const { disk } = this.#ports;
    const empty = !this.#manifest.items.some((item) => mayBeAt(disk, item.trashed_to));
    if (empty && this.#made.includes(this.folder)) {
      for (const name of [MANIFEST_NAME, README_NAME]) {
        discardFile(disk, nativeRules.join(this.folder, name));
      }
    }
    removeEmptyFolders(disk, this.#made);
  }

  /** Puts an item back where it came from, after the change that displaced it failed. */
  putBack(index: number): void {
    const entry = this.#manifest.items[index];
    const { disk } = this.#ports;
    const info = disk.lstat(entry.trashed_to);
    moveNoReplace(disk, entry.trashed_to, entry.original_path, info);
    entry.state = "planned";
  }

  #prepare(): void {
    const { disk } = this.#ports;
    this.#prepareTrash();
    try {
      disk.mkdir(this.folder, 0o700);
      this.#made.push(this.folder);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      throw new ToolError(
        "trash_batch_exists",
        `a batch ${quote(this.folder)} exists already and was left alone; call again`,
      );
    }
    checkTrashFolder(this.folder, this.#dev, this.#ports);
    this.#makeFolder(nativeRules.join(this.folder, ITEMS_FOLDER));
    this.#written = writeManifest(disk, this.folder, this.#manifest);
    this.#writtenAt = performance.now();
    this.#writeReadme();
    syncFolder(disk, trashFolder(this.#base));
  }

  #prepareTrash(): void {
    const trash = trashFolder(this.#base);
    this.#makeFolder(trash);
    if (!this.#isOpenToOthers(trash)) return;
    // Others could otherwise read files that used to lie in a private folder.
    try {
      this.#ports.disk.chmod(trash, 0o700);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
    if (!this.#isOpenToOthers(trash)) return;
    this.warnings.push(
      `other users may be able to read what is in ${quote(trash)}: its volume keeps no permissions`,
    );
  }

  #isOpenToOthers(path: string): boolean {
    const { mode } = this.#ports.disk.lstat(path);
    return mode !== null && (mode & 0o077) !== 0;
  }

  #makeFolder(path: string): void {
    const { disk } = this.#ports;
    try {
      disk.mkdir(path, 0o700);
      this.#made.push(path);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    checkTrashFolder(path, this.#dev, this.#ports);
  }

  #writeReadme(): void {
    const { disk } = this.#ports;
    const fd = disk.create(nativeRules.join(this.folder, README_NAME), 0o600);
    try {
      const base = this.#base.replaceAll("'", "'\\''");
      const text = `${MANIFEST_NOTE}\n\nTo put this batch back:\n\n` +
        `  shieldfive restore ${nativeRules.basename(this.folder)} --root '${base}'\n`;
      disk.writeAt(fd, new TextEncoder().encode(text), 0);
    } finally {
      disk.close(fd);
    }
  }

  #write(): void {
    const { disk } = this.#ports;
    this.#written = writeManifest(disk, this.folder, this.#manifest, this.#written);
    this.#unwritten = 0;
    this.#writtenAt = performance.now();
  }
}
