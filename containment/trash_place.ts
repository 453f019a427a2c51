// Where the trash of an item is, and whether it may be used: always on the item's own volume, so that
// moving into it is a rename and never a copy, and never through a link (local-tools spec, 6.1, 6.3).

import type { Disk } from "./disk.ts";
import { ToolError } from "./error.ts";
import { lookAt } from "./identity.ts";
import { nativeRules } from "./paths.ts";
import type { Root } from "./roots.ts";
import { quote } from "./text.ts";
import { TRASH_NAME } from "./walk.ts";

/** What the trash needs to know about the world. */
export interface TrashPorts {
  disk: Disk;
  now(): number;
  /** The user's numeric id, where the platform has one. */
  uid?: number;
  version: string;
}

/** The trash folder of the folder that holds it. */
export function trashFolder(base: string): string {
  return nativeRules.join(base, TRASH_NAME);
}

/** Whether a path is a trash folder below the root, or lies in one. */
export function isInTrash(path: string, root: Root): boolean {
  if (path === root.path) return false;
  const below = path.slice(root.path.length).split(nativeRules.sep);
  return below.includes(TRASH_NAME);
}

/**
 * Where the trash of an item is: the highest folder, in the unbroken run from its parent up to its
 * root, that is on the item's own volume (6.1).
 *
 * @throws ToolError `trash_no_same_volume` for the top of a volume mounted inside the root.
 */
export function trashBase(disk: Disk, path: string, info: Deno.FileInfo, root: Root): string {
  let base: string | undefined;
  let folder = path;
  while (folder !== root.path) {
    folder = nativeRules.dirname(folder);
    if (disk.lstat(folder).dev !== info.dev) break;
    base = folder;
  }
  if (base !== undefined) return base;
  throw new ToolError(
    "trash_no_same_volume",
    `${quote(path)} is the top of a mounted volume, and no folder inside the granted ones is on ` +
      `that volume to hold a trash; nothing was changed`,
  );
}

/**
 * Looks whether a base's trash folder may be used: missing, or a real folder of this user on the
 * base's volume. A link there would lead everything trashed somewhere else (6.3).
 *
 * @throws ToolError `trash_unsafe`.
 */
export function inspectTrash(base: string, ports: TrashPorts): void {
  checkTrashFolder(trashFolder(base), ports.disk.lstat(base).dev, ports);
}

/**
 * Throws `trash_unsafe` unless the path is free or a real folder of this user on the volume `dev`.
 */
export function checkTrashFolder(path: string, dev: number, { disk, uid }: TrashPorts): void {
  const unsafe = (why: string) =>
    new ToolError("trash_unsafe", `the trash folder ${quote(path)} ${why}; nothing goes into it`);
  const info = lookAt(disk, path);
  if (info === undefined) return;
  if (!info.isDirectory) throw unsafe(info.isSymlink ? "is a symbolic link" : "is not a folder");
  if (info.dev !== dev) throw unsafe("is on another volume");
  if (disk.realPath(path) !== path) throw unsafe("does not resolve to itself");
  if (uid !== undefined && info.uid !== null && info.uid !== uid) {
    throw unsafe("belongs to another user");
  }
}
