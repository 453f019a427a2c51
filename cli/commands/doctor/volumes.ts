// The volumes that folders lie on: where each is mounted, what kind of file system it is, and how much
// space is free. What the system or the runtime does not tell is left out.

import { statfsSync } from "node:fs";
import { type Disk, errnoOf, isInside, isPseudo, nativeRules } from "../../../containment/mod.ts";
import { readText } from "./read_text.ts";

/** A line of the system's list of mounts. */
export interface Mount {
  mountPoint: string;
  device: string;
  type: string;
  readOnly: boolean;
}

export interface Volume {
  mountPoint: string;
  /** The number that the system has for it. */
  dev: number;
  device?: string;
  type?: string;
  readOnly?: boolean;
  /** Bytes that this user may still fill. */
  free?: number;
}

/** The mounts of this process, or undefined where there is no such list to read. Linux only. */
export function readMounts(disk: Disk): Mount[] | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return parseMounts(readText(disk, "/proc/self/mountinfo"));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined; // the runtime shows it only to whoever may do everything
  }
}

/** The mounts of a `mountinfo` file; of several at one place, the one on top. */
export function parseMounts(text: string): Mount[] {
  const byPlace = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [own, others] = line.split(" - ");
    if (others === undefined) continue;
    const [, , , , place, options] = own.split(" ");
    const [type, device, superOptions] = others.split(" ");
    const mountPoint = unescaped(place);
    const readOnly = [options, superOptions].some((list) => list?.split(",").includes("ro"));
    byPlace.delete(mountPoint);
    byPlace.set(mountPoint, { mountPoint, device: unescaped(device), type, readOnly });
  }
  return [...byPlace.values()];
}

/** Spaces and the like are written in octal. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
}

/** The volume of a folder, given by its real path. */
export function volumeOf(path: string, mounts: Mount[] | undefined, disk: Disk): Volume {
  const { dev } = disk.lstat(path);
  const mount = mounts?.filter(({ mountPoint }) => isInside(path, mountPoint))
    .reduce<Mount | undefined>(
      (best, each) => each.mountPoint.length >= (best?.mountPoint.length ?? 0) ? each : best,
      undefined,
    );
  return { dev, ...(mount ?? { mountPoint: topOf(path, dev, disk) }), ...space(path, mount?.type) };
}

/** The highest folder above that is on the same volume. */
function topOf(path: string, dev: number, disk: Disk): string {
  const parent = nativeRules.dirname(path);
  try {
    return parent === path || disk.lstat(parent).dev !== dev ? path : topOf(parent, dev, disk);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return path;
  }
}

/** File systems by the number that `statfs` gives on Linux, where the list of mounts is not shown. */
const TYPES = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0xf2f52010, "f2fs"],
  [0x2fc12fc1, "zfs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlay"],
  [0x4d44, "vfat"],
  [0x2011bab0, "exfat"],
  [0x7366746e, "ntfs3"],
  [0x65735546, "fuse"],
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb3"],
]);

function space(path: string, type: string | undefined): Pick<Volume, "type" | "free"> {
  try {
    const info = statfsSync(path);
    const named = type ?? (Deno.build.os === "linux" ? TYPES.get(info.type >>> 0) : undefined);
    return { free: info.bavail * info.bsize, ...(named === undefined ? {} : { type: named }) };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return type === undefined ? {} : { type };
  }
}

/**
 * The folders inside a root that something is mounted on. The runtime lets no thread with fewer than all
 * rights look into /dev, memory disks there included.
 */
export function mountsInside(root: string, mounts: Mount[] | undefined, disk: Disk): string[] {
  return (mounts ?? []).map(({ mountPoint }) => mountPoint).filter((place) =>
    place !== root && isInside(place, root) && !isPseudo(place) && !isInside(place, "/dev") &&
    isFolder(place, disk)
  );
}

function isFolder(path: string, disk: Disk): boolean {
  try {
    return disk.lstat(path).isDirectory;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
