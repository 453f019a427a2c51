// Archives whose bytes depend on nothing but their contents and one time: entries in code-unit
// order, no owner, two modes, and a compressor that is pinned with the other packages. The system's
// own programs differ too much from each other for that.

import { gzipSync, zipSync } from "fflate";
import { packTar } from "modern-tar";

export interface Entry {
  /** With forward slashes, from the top of the archive. */
  path: string;
  bytes: Uint8Array;
  executable?: boolean;
}

/** Made by a Unix system, so that modes count. */
const UNIX = 3;
const REGULAR_FILE = 0o100000;

/** A gzipped tar archive. */
export async function tarball(entries: readonly Entry[], time: Date): Promise<Uint8Array> {
  const tar = await packTar(
    inOrder(entries).map((entry) => ({
      header: {
        name: entry.path,
        type: "file",
        size: entry.bytes.length,
        mode: modeOf(entry),
        mtime: time,
        uid: 0,
        gid: 0,
        uname: "root",
        gname: "root",
      },
      body: entry.bytes,
    })),
  );
  return gzipSync(tar, { mtime: 0 });
}

/** A zip archive. Its entries carry the day of the time, at noon. */
export function zipped(entries: readonly Entry[], time: Date): Uint8Array {
  // The format holds local time. Noon exists on every day in every zone, which an hour in the night
  // of a clock change does not.
  const mtime = new Date(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate(), 12);
  return zipSync(Object.fromEntries(
    inOrder(entries).map((entry) => [
      entry.path,
      [entry.bytes, { mtime, os: UNIX, attrs: ((REGULAR_FILE | modeOf(entry)) << 16) >>> 0 }],
    ]),
  ));
}

function modeOf({ executable }: Entry): number {
  return executable ? 0o755 : 0o644;
}

function inOrder(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}
