// Where the program's own modules are. From the sources each lies where it was written; in a bundle all
// of them lie in one folder, as JavaScript. A new room adds its line to the table and nothing else: the
// bundler, the compiler and their tests read it too.

import { nativeRules } from "../paths.ts";
import type { RoomKind } from "./permissions.ts";

/** A kind of room, or what one of that kind runs for another purpose. */
export type RoomModule = RoomKind | "vault-check";

/** The module that each kind of room runs, as a path from the top of the sources. */
export const ROOM_MODULES: Readonly<Record<RoomModule, string>> = {
  "disk-read": "tools/room.ts",
  "disk-write": "tools/room.ts",
  link: "containment/rooms/link_room.ts",
  settings: "cli/commands/setup/room.ts",
  kdf: "vault/kdf_room.ts",
  keychain: "vault/credential/keychain_room.ts",
  credential: "vault/credential/files_room.ts",
  connect: "vault/connect/connect_room.ts",
  vault: "tools/vault/room.ts",
  "vault-check": "vault/client/check_room.ts",
  "serve-front": "vault/server/front_room.ts",
  "serve-store": "vault/server/store_room.ts",
};

/** The module that the program starts with. */
const ENTRY = "mod.ts";

const HERE = "/containment/rooms";

/** Whether this is the program's sources, and not a bundle that was made of them. */
const SOURCES = import.meta.url.endsWith(`${HERE}/modules.ts`);

/** What a module is called in a bundle: one name, since a bundle has no folders. */
export function bundledName(module: string): string {
  if (module === ENTRY) return "main.js";
  return module.replaceAll("/", "_").replace(/\.ts$/, ".js");
}

/** The module for a room of this kind, or for the purpose. */
export function roomModule(kind: RoomModule): URL {
  const module = ROOM_MODULES[kind];
  return new URL(SOURCES ? `../../${module}` : bundledName(module), import.meta.url);
}

/** The folder that holds all of the program, as a path: the top of the sources, or the bundle. */
export function programFolder(): string {
  const here = import.meta.dirname!; // absent only for what was loaded from a network
  return SOURCES ? here.slice(0, -HERE.length) : here;
}

/** Where a native addon lies in a bundle, below `programFolder()`. */
export function addonPath(name: string, target: string): string {
  return `addons/${target}/${name}.node`;
}

/** Where the owner's page lies in a bundle, below `programFolder()`. */
export const PAGE_FOLDER = "page";

/** The folder with the owner's page in the bundle; undefined from the sources, which have to build it. */
export function bundledPage(): string | undefined {
  return SOURCES ? undefined : nativeRules.join(programFolder(), PAGE_FOLDER);
}

/** The path of a native addon for this system in the bundle; undefined from the sources. */
export function bundledAddon(name: string): string | undefined {
  if (SOURCES) return undefined;
  return nativeRules.join(programFolder(), addonPath(name, Deno.build.target));
}

/** The name of the file in that folder that starts the program. */
export function entryName(): string {
  return SOURCES ? ENTRY : bundledName(ENTRY);
}
