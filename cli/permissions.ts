// What each part of the program may touch, in words: for `--show-permissions` and for `doctor`.

import { describePermissions, type RoomKind, visible } from "../containment/mod.ts";

const MAIN = "standard input and output, and the terminal; all other rights are given up first";

/** The rooms with their permissions for these folders, a line each, and the main thread's. */
export function permissionLines(kinds: readonly RoomKind[], folders: readonly string[]): string[] {
  const lines = kinds.flatMap((kind) => [
    `room ${kind}`,
    ...describePermissions(kind, folders).map((line) => `  ${visible(line)}`),
    "  nothing else",
  ]);
  return [...lines, "main thread", `  ${MAIN}`];
}
