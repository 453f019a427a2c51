// What each room may do. This table is the whole of it: a room gets the rights of its row and no
// other, and the runtime holds it to them (architecture, "Rooms").

/** The kinds of room that exist so far. */
export type RoomKind = "disk-read" | "disk-write" | "link" | "settings" | "kdf";

const NOTHING: Deno.PermissionOptionsObject = {
  read: false,
  write: false,
  net: false,
  env: false,
  run: false,
  ffi: false,
  sys: false,
  import: false,
};

/**
 * The permissions of a room for the given granted folders (real paths); a `settings` room gets the very
 * files that it may write, each with the names that it needs beside it, and a `kdf` room the file of the
 * native addon that it may load. `statfs` is how a room learns how much space is free; the runtime files
 * it under system information.
 */
export function permissionsOf(
  kind: RoomKind,
  folders: readonly string[],
): Deno.PermissionOptionsObject {
  switch (kind) {
    case "disk-read":
      return { ...NOTHING, read: [...folders] };
    case "disk-write":
      return { ...NOTHING, read: [...folders], write: [...folders], sys: ["statfs"] };
    case "settings":
      return { ...NOTHING, read: [...folders], write: [...folders] };
    case "kdf":
      // The runtime cannot hold native code to anything: so it is one known file, and the code around it,
      // which is held, gets no other right.
      return { ...NOTHING, ffi: [...folders] };
    case "link":
      // The runtime makes symbolic links only for a thread that may read and write anywhere.
      return { ...NOTHING, read: true, write: true };
  }
}

/** The permissions of a room in words, one line a right that it has, for `--show-permissions`. */
export function describePermissions(kind: RoomKind, folders: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(permissionsOf(kind, folders))) {
    if (value === false) continue;
    lines.push(`${name}: ${Array.isArray(value) ? value.join(", ") : "anywhere"}`);
  }
  return lines;
}
