// A copy that is proven. The bytes are read once, hashed on the way and written; then the copy is
// flushed, read afresh and hashed again. Until both agree and the source is still what it was, there
// is no copy (local-tools spec, section 7).

import type { CancelFlag } from "./cancel.ts";
import { type Disk, mtimeOf } from "./disk.ts";
import { errnoOf, ToolError } from "./error.ts";
import { lookAt, unchanged } from "./identity.ts";
import { createHash } from "./node.ts";
import type { Progress } from "./rooms/protocol.ts";
import { quote } from "./text.ts";

/** Bytes a step: small enough to stop within a tenth of a second, large enough to be fast. */
const STEP = 1 << 20;

export interface ContentPorts {
  disk: Disk;
  signal: CancelFlag;
  /** Called with every step's byte count. */
  onBytes?(bytes: number): void;
  progress?(progress: Progress): void;
}

/** How opening fails when the name has become a link, a socket, or nothing. */
const REPLACED = new Set(["ELOOP", "ENOENT", "ENOTDIR", "ENXIO", "NOT_CAPABLE"]);

/** The refusal to trust what was read of a file that changed meanwhile. */
export function changed(path: string): ToolError {
  return new ToolError(
    "source_changed",
    `${quote(path)} changed while it was read; nothing was removed`,
    { detail: { path } },
  );
}

/** Opens a file for reading and makes sure that it is the one that was looked at. */
export function openSame(disk: Disk, path: string, info: Deno.FileInfo): number {
  let fd: number;
  try {
    fd = disk.open(path);
  } catch (error) {
    throw REPLACED.has(errnoOf(error) ?? "") ? changed(path) : error;
  }
  const now = disk.stat(fd);
  const same = now.isFile && now.dev === info.dev && now.ino === info.ino &&
    now.size === info.size && now.mtime === mtimeOf(info);
  if (same) return fd;
  disk.close(fd);
  throw changed(path);
}

/**
 * The SHA-256 of a whole file, lower-case hex, read in constant memory.
 *
 * @param info the file as it was looked at.
 * @throws ToolError `source_changed` when it is another file or changed under the reader;
 * `cancelled`; system errors as they are.
 */
export function hashFile(path: string, info: Deno.FileInfo, ports: ContentPorts): string {
  const { disk } = ports;
  const fd = openSame(disk, path, info);
  try {
    const hash = createHash("sha256");
    let total = 0;
    eachStep(fd, info.size, ports, (bytes) => {
      hash.update(bytes);
      total += bytes.length;
    });
    if (total !== info.size) throw changed(path);
    requireUnchanged(disk, path, info);
    return hash.digest("hex");
  } finally {
    disk.close(fd);
  }
}

function requireUnchanged(disk: Disk, path: string, info: Deno.FileInfo): void {
  const now = lookAt(disk, path);
  if (now === undefined || !unchanged(info, now)) throw changed(path);
}

/** Reads at most one byte more than `size`, since a file that grows would never end. */
function eachStep(
  fd: number,
  size: number,
  { disk, signal, onBytes }: ContentPorts,
  take: (bytes: Uint8Array, offset: number) => void,
): void {
  const buffer = new Uint8Array(Math.min(STEP, size + 1));
  for (let offset = 0; offset <= size;) {
    signal.throwIfCancelled();
    const read = disk.readAt(fd, buffer, offset);
    if (read === 0) return;
    take(buffer.subarray(0, read), offset);
    offset += read;
    onBytes?.(read);
  }
}

/** What a copy could not take along. */
export type Lost = Set<"owner" | "modification time" | "mode">;

/**
 * Copies a file to a name that must be free and proves the copy. Holes stay holes; mode, times and,
 * where allowed, the owner are kept. On any failure the new file is removed again.
 *
 * @throws ToolError `source_changed`, `copy_verification_failed`, `cancelled`; system errors.
 */
export function copyFile(
  from: string,
  info: Deno.FileInfo,
  to: string,
  ports: ContentPorts,
  lost: Lost,
): void {
  const { disk } = ports;
  const target = disk.create(to, 0o600);
  try {
    let digest: string;
    try {
      digest = copyBytes(from, info, target, ports);
      disk.sync(target);
    } finally {
      disk.close(target);
    }
    requireUnchanged(disk, from, info);
    verify(to, info, digest, ports);
    keepMetadata(disk, to, info, lost); // last: a mode may forbid reading the copy again
  } catch (error) {
    discardFile(disk, to);
    throw error;
  }
}

/**
 * Removes a file that was made here. Where that fails a leftover stays under a hidden name, which
 * `doctor` finds; the failure that led here matters more.
 */
export function discardFile(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function copyBytes(
  from: string,
  info: Deno.FileInfo,
  target: number,
  ports: ContentPorts,
): string {
  const { disk } = ports;
  const source = openSame(disk, from, info);
  try {
    const hash = createHash("sha256");
    const sparse = (info.blocks ?? Infinity) * 512 < info.size;
    let total = 0;
    eachStep(source, info.size, ports, (bytes, offset) => {
      hash.update(bytes);
      total += bytes.length;
      if (!sparse || !isBlank(bytes)) disk.writeAt(target, bytes, offset);
    });
    if (total !== info.size) throw changed(from);
    if (sparse) disk.truncate(target, info.size);
    return hash.digest("hex");
  } finally {
    disk.close(source);
  }
}

function isBlank(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 0) return false;
  }
  return true;
}

function verify(to: string, info: Deno.FileInfo, digest: string, ports: ContentPorts): void {
  const copy = ports.disk.lstat(to);
  if (copy.size === info.size && hashFile(to, copy, ports) === digest) return;
  throw new ToolError(
    "copy_verification_failed",
    `the copy of ${quote(to)} does not have the bytes of its source; it was discarded`,
    { detail: { path: to } },
  );
}

/** Gives a copy its source's owner, mode and times, as far as the system allows. */
export function keepMetadata(disk: Disk, to: string, info: Deno.FileInfo, lost: Lost): void {
  keepOwnerAndMode(disk, to, info, lost);
  const atime = info.atime === null ? mtimeOf(info) : info.atime.getTime();
  if (!attempt(() => disk.utime(to, atime, mtimeOf(info)))) lost.add("modification time");
}

/** Gives a file another one's owner and mode, as far as the system allows; `lost` gets what it does not. */
export function keepOwnerAndMode(
  disk: Disk,
  to: string,
  info: Deno.FileInfo,
  lost: { add(what: "owner" | "mode"): unknown },
): void {
  const { uid, gid, mode } = info;
  let owned = true;
  if (uid !== null && gid !== null) {
    const own = disk.lstat(to);
    owned = own.uid === uid && own.gid === gid || attempt(() => disk.chown(to, uid, gid));
    if (!owned) lost.add("owner");
  }
  if (mode !== null) {
    // With another owner, the bits that lend the owner's rights would lend somebody else's.
    const kept = owned ? mode & 0o7777 : mode & 0o1777;
    const set = attempt(() => disk.chmod(to, kept));
    if (!set || kept !== (mode & 0o7777)) lost.add("mode");
  }
}

/** Whether the system allowed it. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
