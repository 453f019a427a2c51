// What each room may do. This table is the whole of it: a room gets the rights of its row and no
// other, and the runtime holds it to them (architecture, "Rooms").

/** The kinds of room that exist so far. */
export type RoomKind =
  | "disk-read"
  | "disk-write"
  | "link"
  | "settings"
  | "kdf"
  | "keychain"
  | "credential"
  | "connect"
  | "vault"
  | "serve-front"
  | "serve-store";

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

/** This machine, and nobody else; a name for it could be made to mean another. */
export const LOOPBACK = "127.0.0.1";

/**
 * The permissions of a room for the given granted folders (real paths). Where it is no folders: a `settings`
 * and a `credential` room get the very files that they may write, each with the names that it needs beside it,
 * a `kdf` and a `keychain` room the file of the native addon that they may load, a `serve-front` room the
 * address that it may listen on, a `vault` room the address that it may send to, and a `connect` room the
 * program that opens a browser. `statfs` is how a room learns how much space is free; the runtime files it
 * under system information.
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
    case "credential":
    case "serve-store":
      return { ...NOTHING, read: [...folders], write: [...folders] };
    case "kdf":
    case "keychain":
      // The runtime cannot hold native code to anything: so it is one known file, and the code around it,
      // which is held, gets no other right.
      return { ...NOTHING, ffi: [...folders] };
    case "serve-front":
    case "vault":
      return { ...NOTHING, net: [...folders] };
    case "connect":
      // Any port, since the system chooses one that is free.
      return { ...NOTHING, net: [LOOPBACK], run: [...folders] };
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
