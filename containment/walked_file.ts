// Reading a file for what the walk saw of it. Between the walk and the reading a name may have come to
// stand for another file, a link or a pipe, so the opened file is compared with what was walked before
// its content counts, and the name once more afterwards (local-tools spec, 2.8). Reads end at the size
// that was walked: a file that grows is noticed, not followed.

import { type Disk, type HandleInfo, mtimeOf } from "./disk.ts";
import { errnoOf, isMissing } from "./error.ts";

/** A regular file as the walk saw it. */
export interface WalkedFile {
  path: string;
  dev: number;
  /** 0 where the platform has no such number. */
  ino: number;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
}

/** Why a file's content cannot be taken for what the walk saw. */
export type Refusal =
  /** Something else has the name now, or the file was written to. */
  | { kind: "changed" }
  | { kind: "unreadable"; code: string };

class ChangedFile extends Error {}

/** The walked file, open. */
export class OpenedFile {
  readonly #disk: Disk;
  readonly #file: WalkedFile;
  readonly #fd: number;

  private constructor(disk: Disk, file: WalkedFile) {
    this.#disk = disk;
    this.#file = file;
    this.#fd = disk.open(file.path);
  }

  /**
   * Opens the file without looking at what it is. Only for a reading that decides nothing before
   * {@link recheck} has found the file untouched.
   */
  static unchecked(disk: Disk, file: WalkedFile): OpenedFile {
    return new OpenedFile(disk, file);
  }

  /** Opens the file and makes sure that it is the one that was walked. */
  static checked(disk: Disk, file: WalkedFile): OpenedFile {
    const opened = new OpenedFile(disk, file);
    try {
      requireSame(file, disk.stat(opened.#fd));
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }

  /** Fills the buffer from the file's position; fewer bytes only at the end of the file. */
  read(buffer: Uint8Array): number {
    let filled = this.#disk.read(this.#fd, buffer);
    // A read may come back short in the middle of a file, over a network for one.
    while (filled > 0 && filled < buffer.length) {
      const more = this.#disk.read(this.#fd, buffer.subarray(filled));
      if (more === 0) break;
      filled += more;
    }
    return filled;
  }

  /** Fills the buffer; a file that ends before that is not the one that was walked. */
  readExactly(buffer: Uint8Array): void {
    if (this.read(buffer) !== buffer.length) throw new ChangedFile();
  }

  /** Fills the buffer from an offset; a file that ends before that is not the one that was walked. */
  readExactlyAt(buffer: Uint8Array, offset: number): void {
    for (let filled = 0; filled < buffer.length;) {
      const more = this.#disk.readAt(this.#fd, buffer.subarray(filled), offset + filled);
      if (more === 0) throw new ChangedFile();
      filled += more;
    }
  }

  /** Makes sure that the name still stands for the file that was walked, untouched. */
  confirm(): void {
    const now = this.#disk.lstat(this.#file.path);
    if (!isSameFile(this.#file, now)) throw new ChangedFile();
  }

  close(): void {
    this.#disk.close(this.#fd);
  }
}

/**
 * Reads the whole of a small file into the buffer, which must have room for more than its size: a
 * size may lie, that of a pseudo file for one. The file is not looked at before, so the content
 * decides nothing until {@link recheck} has found the file untouched.
 */
export function readSmall(disk: Disk, file: WalkedFile, buffer: Uint8Array): void {
  const fd = disk.open(file.path);
  try {
    // One read is the rule: that nothing comes after it shows in its being short.
    let filled = disk.read(fd, buffer);
    while (filled > 0 && filled < file.size) {
      const more = disk.read(fd, buffer.subarray(filled));
      if (more === 0) break;
      filled += more;
    }
    if (filled !== file.size) throw new ChangedFile();
  } finally {
    disk.close(fd);
  }
}

/**
 * Fills the buffer with the whole of a file that is as long as the buffer, and makes sure afterwards
 * that the opened file is the one that was walked and was not written to.
 */
export function readChecked(disk: Disk, file: WalkedFile, buffer: Uint8Array): void {
  const fd = disk.open(file.path);
  try {
    for (let filled = 0; filled < buffer.length;) {
      const more = disk.read(fd, filled === 0 ? buffer : buffer.subarray(filled));
      if (more === 0) throw new ChangedFile();
      filled += more;
    }
    requireSame(file, disk.stat(fd));
  } finally {
    disk.close(fd);
  }
}

function requireSame(file: WalkedFile, now: HandleInfo): void {
  if (!now.isFile || !isSame(file, now.dev, now.ino, now.size, now.mtime)) throw new ChangedFile();
}

/** Whether what is at the walked file's name now is that file, untouched. */
function isSameFile(file: WalkedFile, now: Deno.FileInfo): boolean {
  return now.isFile && isSame(file, now.dev, now.ino ?? 0, now.size, mtimeOf(now));
}

function isSame(file: WalkedFile, dev: number, ino: number, size: number, mtime: number): boolean {
  // A walk on a platform without inode numbers has nothing to hold the number against.
  return size === file.size && mtime === file.mtime &&
    (file.ino === 0 || (ino === file.ino && dev === file.dev));
}

/** Why what was read of the file no longer counts, or undefined when the file is untouched. */
export function recheck(disk: Disk, file: WalkedFile): Refusal | undefined {
  try {
    return isSameFile(file, disk.lstat(file.path)) ? undefined : { kind: "changed" };
  } catch (error) {
    return refusalOf(error, disk, file);
  }
}

/**
 * What a failed reading means for the file. A name that stands for something else by now explains any
 * system error, since a link or a pipe there cannot be opened as a file.
 *
 * @throws the error itself when it says nothing about the file: a cancelled call, a bug.
 */
export function refusalOf(error: unknown, disk: Disk, file: WalkedFile): Refusal {
  if (error instanceof ChangedFile) return { kind: "changed" };
  const code = errnoOf(error);
  if (code === undefined) throw error;
  try {
    if (!isSameFile(file, disk.lstat(file.path))) return { kind: "changed" };
  } catch (second) {
    if (!isMissing(second)) return { kind: "unreadable", code: errnoOf(second) ?? code };
  }
  return { kind: "unreadable", code };
}
