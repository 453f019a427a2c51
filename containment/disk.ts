// The file operations that everything in containment works through. It is an interface so that a
// test can make one of them fail, or let the world change, at an exact moment. All are synchronous:
// inside a room that blocks nobody and is several times faster.

import { nodeFs } from "./node.ts";

/** Opens without following a link or waiting for a FIFO, where the platform has such flags. */
function openChecked(path: string): number {
  const { constants, openSync } = nodeFs();
  const flags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  return openSync(path, constants.O_RDONLY | flags);
}

/** What tells an opened file apart from another that took its name. */
export interface HandleInfo {
  dev: number;
  ino: number;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
  isFile: boolean;
}

export interface Disk {
  lstat(path: string): Deno.FileInfo;
  realPath(path: string): string;
  /** Entries in the order in which the system gives them. */
  readDir(path: string): Iterable<Deno.DirEntry>;
  readLink(path: string): string;
  link(existing: string, name: string): void;
  symlink(target: string, name: string): void;
  rename(from: string, to: string): void;
  /** Creates one directory; never its parents. */
  mkdir(path: string, mode?: number): void;
  /** Removes an empty directory and nothing else. */
  rmdir(path: string): void;
  /** Removes a name that is not a directory. */
  unlink(path: string): void;
  chmod(path: string, mode: number): void;
  /** Times in milliseconds since 1970. */
  utime(path: string, atime: number, mtime: number): void;
  chown(path: string, uid: number, gid: number): void;
  /** Fails when the folder may not be read. POSIX only. */
  probeFolder(path: string): void;
  /** Fails when the file may not be written to; nothing of it is changed. */
  probeFile(path: string): void;
  /** Opens for reading, without following a link and without waiting for a FIFO's writer. */
  open(path: string): number;
  /** Creates a file that must not exist yet and opens it for writing. */
  create(path: string, mode?: number): number;
  stat(fd: number): HandleInfo;
  /** Bytes read into the buffer at the file's position; 0 at the end. */
  read(fd: number, buffer: Uint8Array): number;
  /** Bytes read at an offset. */
  readAt(fd: number, buffer: Uint8Array, offset: number): number;
  /** Writes the whole buffer at an offset. */
  writeAt(fd: number, buffer: Uint8Array, offset: number): void;
  /** Makes the file `size` bytes long, leaving a hole where nothing was written. */
  truncate(fd: number, size: number): void;
  sync(fd: number): void;
  close(fd: number): void;
  /** Flushes a directory; does nothing where the platform cannot. */
  syncDir(path: string): void;
  /** Free bytes for this user on the path's volume. */
  freeSpace(path: string): number;
}

/**
 * Milliseconds since 1970 as the system keeps them. A missing stamp (some network drives) and one that
 * no calendar holds count as 0, so that two looks at one file agree.
 */
export function mtimeOf(info: Deno.FileInfo): number {
  return inCalendar(info.mtime?.getTime() ?? 0);
}

function inCalendar(time: number): number {
  return Math.abs(time) <= 8.64e15 ? time : 0;
}

/** The real file system. */
export const realDisk: Disk = {
  lstat: (path) => Deno.lstatSync(path),
  realPath: (path) => Deno.realPathSync(path),
  readDir: (path) => Deno.readDirSync(path),
  readLink: (path) => Deno.readLinkSync(path),
  link: (existing, name) => Deno.linkSync(existing, name),
  symlink: (target, name) => Deno.symlinkSync(target, name),
  rename: (from, to) => Deno.renameSync(from, to),
  mkdir: (path, mode) => Deno.mkdirSync(path, mode === undefined ? {} : { mode }),
  rmdir: (path) => nodeFs().rmdirSync(path),
  unlink(path) {
    // Deno's unlink removes an empty directory without complaint, so the kind is looked at first.
    if (Deno.lstatSync(path).isDirectory) {
      throw Object.assign(new Error(`EISDIR: is a directory, unlink '${path}'`), {
        code: "EISDIR",
      });
    }
    Deno.removeSync(path);
  },
  chmod: (path, mode) => Deno.chmodSync(path, mode),
  utime: (path, atime, mtime) => Deno.utimeSync(path, atime / 1000, mtime / 1000),
  chown: (path, uid, gid) => Deno.chownSync(path, uid, gid),
  // Not through node's layer, which every command would then have to load.
  probeFolder: (path) => Deno.openSync(path).close(),
  probeFile(path) {
    const { closeSync, constants, openSync } = nodeFs();
    const flags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    closeSync(openSync(path, constants.O_WRONLY | flags));
  },
  open: openChecked,
  create: (path, mode = 0o600) => nodeFs().openSync(path, "wx", mode),
  stat(fd) {
    const info = nodeFs().fstatSync(fd);
    return {
      dev: info.dev,
      ino: info.ino,
      size: info.size,
      mtime: inCalendar(Math.floor(info.mtimeMs)),
      isFile: info.isFile(),
    };
  },
  read: (fd, buffer) => nodeFs().readSync(fd, buffer, 0, buffer.length, null),
  readAt: (fd, buffer, offset) => nodeFs().readSync(fd, buffer, 0, buffer.length, offset),
  writeAt(fd, buffer, offset) {
    for (let done = 0; done < buffer.length;) {
      done += nodeFs().writeSync(fd, buffer, done, buffer.length - done, offset + done);
    }
  },
  truncate: (fd, size) => nodeFs().ftruncateSync(fd, size),
  sync: (fd) => nodeFs().fsyncSync(fd),
  close: (fd) => nodeFs().closeSync(fd),
  syncDir(path) {
    if (Deno.build.os === "windows") return;
    const fd = nodeFs().openSync(path, nodeFs().constants.O_RDONLY);
    try {
      nodeFs().fsyncSync(fd);
    } finally {
      nodeFs().closeSync(fd);
    }
  },
  freeSpace(path) {
    const info = nodeFs().statfsSync(path);
    return info.bavail * info.bsize;
  },
};
