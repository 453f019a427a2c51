// What each part of the program may touch, in words: for `--show-permissions` and for `doctor`.

import { describePermissions, type RoomKind, visible } from "../containment/mod.ts";

const MAIN = "standard input and output, and the terminal; all other rights are given up first";

/** A room with what it may touch: folders, or an address for one that listens. */
export interface GrantedRoom {
  kind: RoomKind;
  granted: readonly string[];
}

/** The rooms with their permissions for these folders, a line each, and the main thread's. */
export function permissionLines(kinds: readonly RoomKind[], folders: readonly string[]): string[] {
  return grantedLines(kinds.map((kind) => ({ kind, granted: folders })));
}

/** The same for rooms that do not all touch the same. */
export function grantedLines(rooms: readonly GrantedRoom[]): string[] {
  const lines = rooms.flatMap(({ kind, granted }) => [
    `room ${kind}`,
    ...describePermissions(kind, granted).map((line) => `  ${visible(line)}`),
    "  nothing else",
  ]);
  return [...lines, "main thread", `  ${MAIN}`];
}
