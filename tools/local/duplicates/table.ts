// The files of a walk in columns of numbers. A million files are looked at before the few that are
// shown are known, and an object for each would take most of the memory of the program.

import { mtimeOf } from "../../../containment/mod.ts";
import type { WalkedFile } from "../../../containment/walked_file.ts";

const NONE = -1;

/** Files in a form that is sent quickly: one text and one array, whatever their number. */
export interface PackedFiles {
  /** The paths with a NUL between two of them, which no path holds. */
  paths: string;
  /** Device, inode, size and time of modification of every file. */
  stamps: Float64Array;
}

/** One of the packed files, given its path. */
export function unpackFile(path: string, stamps: Float64Array, i: number): WalkedFile {
  return {
    path,
    dev: stamps[4 * i],
    ino: stamps[4 * i + 1],
    size: stamps[4 * i + 2],
    mtime: stamps[4 * i + 3],
  };
}

/** Every file that takes part, by index in the order of the walk. */
export class FileTable {
  readonly paths: string[] = [];
  sizes = new Float64Array(1024);
  mtimes = new Float64Array(1024);
  links = new Uint32Array(1024);
  #devs = new Float64Array(1024);
  #inodes = new Float64Array(1024);
  #allocated = new Float64Array(1024);
  /** The file of the same size that came before. */
  #previous = new Int32Array(1024);
  readonly #lastOfSize = new Map<number, number>();
  readonly #byInode = new Map<number, Map<number, number>>();
  readonly #otherNames = new Map<number, number[]>();

  get length(): number {
    return this.paths.length;
  }

  /**
   * Takes a file in.
   *
   * @returns its index, or undefined when it is one more name of a file that is in already: two names
   * are one file when device and inode match, and only where both numbers are exact (spec 4.3).
   */
  add(path: string, info: Deno.FileInfo): number | undefined {
    const index = this.paths.length;
    if (index === this.sizes.length) this.#grow();
    const links = info.nlink ?? 1;
    const { dev, size, blocks } = info;
    const inode = info.ino ?? 0;
    this.paths.push(path);
    this.sizes[index] = size;
    this.mtimes[index] = mtimeOf(info);
    this.links[index] = links;
    this.#devs[index] = dev;
    this.#inodes[index] = inode;
    this.#allocated[index] = blocks === null || blocks === undefined ? NONE : blocks * 512;
    this.#previous[index] = NONE;
    if (links > 1 && this.#isKnown(index, dev, inode)) return undefined;
    this.#previous[index] = this.#lastOfSize.get(size) ?? NONE;
    this.#lastOfSize.set(size, index);
    return index;
  }

  /** The file before this one that has the same size, if any. */
  previousOfSize(index: number): number | undefined {
    const previous = this.#previous[index];
    return previous === NONE ? undefined : previous;
  }

  /** The files of every size that more than one file has. */
  *sameSize(): Generator<{ size: number; files: number[] }> {
    for (const [size, last] of this.#lastOfSize) {
      if (this.#previous[last] === NONE) continue;
      const files: number[] = [];
      for (let at = last; at !== NONE; at = this.#previous[at]) files.push(at);
      yield { size, files };
    }
  }

  /** All names of a file that were met, the given one among them. */
  namesOf(index: number): number[] {
    return [index, ...this.#otherNames.get(index) ?? []];
  }

  /** Files of which more than one name was met. */
  manyNamed(): IterableIterator<number> {
    return this.#otherNames.keys();
  }

  /** Bytes that the file occupies on disk, where the platform says so. */
  allocated(index: number): number | undefined {
    return this.#allocated[index] === NONE ? undefined : this.#allocated[index];
  }

  /** The file as a reading needs it. */
  file(index: number): WalkedFile {
    return {
      path: this.paths[index],
      dev: this.#devs[index],
      ino: this.#inodes[index],
      size: this.sizes[index],
      mtime: this.mtimes[index],
    };
  }

  /** Files as they cross to another room; {@link unpackFile} is the way back. */
  pack(files: readonly number[]): PackedFiles {
    const paths = new Array<string>(files.length);
    const stamps = new Float64Array(4 * files.length);
    for (let i = 0; i < files.length; i++) {
      const file = files[i];
      paths[i] = this.paths[file];
      stamps[4 * i] = this.#devs[file];
      stamps[4 * i + 1] = this.#inodes[file];
      stamps[4 * i + 2] = this.sizes[file];
      stamps[4 * i + 3] = this.mtimes[file];
    }
    return { paths: paths.join("\0"), stamps };
  }

  /** Whether the inode was met before; if so the index becomes one of its names. */
  #isKnown(index: number, dev: number, inode: number): boolean {
    if (!Number.isSafeInteger(dev) || !Number.isSafeInteger(inode) || inode === 0) return false;
    let inodes = this.#byInode.get(dev);
    if (inodes === undefined) this.#byInode.set(dev, inodes = new Map());
    const first = inodes.get(inode);
    if (first === undefined) {
      inodes.set(inode, index);
      return false;
    }
    const names = this.#otherNames.get(first);
    if (names === undefined) this.#otherNames.set(first, [index]);
    else names.push(index);
    return true;
  }

  #grow(): void {
    this.sizes = doubled(this.sizes);
    this.mtimes = doubled(this.mtimes);
    this.links = doubled(this.links);
    this.#devs = doubled(this.#devs);
    this.#inodes = doubled(this.#inodes);
    this.#allocated = doubled(this.#allocated);
    this.#previous = doubled(this.#previous);
  }
}

function doubled<T extends Float64Array | Uint32Array | Int32Array>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(column.length * 2);
  larger.set(column);
  return larger;
}
