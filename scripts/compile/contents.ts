// What goes into the bundle, and with it into every executable: one table for all of them. Whoever adds a
// room adds it to ROOM_MODULES, next to its permissions; a web page or a native addon gets its line here.

import {
  addonPath as pathInBundle,
  PAGE_FOLDER,
  ROOM_MODULES,
} from "../../containment/rooms/modules.ts";
import { buildPage, ENTRIES } from "../../web/build.ts";
import { ARGON2_PACKAGES } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { KEYRING, KEYRING_PACKAGES } from "../../vault/credential/addon.ts";

/** The systems that executables are made for. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

export type Target = typeof TARGETS[number];

/** A native addon of an npm package. */
export interface Addon {
  /** In the bundle it lies at `addons/TARGET/NAME.node`, below `programFolder()`. */
  name: string;
  /** What to import to get the addon's file for a system, as the import map knows it. */
  specifier(target: Target): string;
  /** The package that all of those belong to, which has their licence; as the import map knows it. */
  family: string;
}

/** Files that are made when the bundle is. */
export interface Made {
  /** The folder of the bundle that they go into; nothing else is in it. */
  folder: string;
  /** The files by their paths in there; the same sources give the same bytes. */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The modules that they are made of, for what there is to say about the packages in them. */
  modules: readonly string[];
}

export interface Contents {
  /** What is started: the program, and each module that a worker runs. Nothing imports these. */
  modules: readonly string[];
  /** Files that are read while the program runs. They keep their place below `programFolder()`. */
  assets: readonly string[];
  made: readonly Made[];
  addons: readonly Addon[];
}

/** All paths are from the top of the sources. */
export const CONTENTS: Contents = {
  modules: ["mod.ts", ...new Set(Object.values(ROOM_MODULES))],
  assets: [],
  made: [{
    folder: PAGE_FOLDER,
    files: buildPage,
    modules: ENTRIES.map((entry) => `web/${entry}`),
  }],
  addons: [{
    name: "argon2",
    specifier: (target) => ARGON2_PACKAGES[target],
    family: "@node-rs/argon2",
  }, {
    name: KEYRING,
    specifier: (target) => KEYRING_PACKAGES[target],
    family: "@napi-rs/keyring",
  }],
};

/** Where an addon lies in the bundle. */
export function addonPath(addon: Addon, target: Target): string {
  return pathInBundle(addon.name, target);
}
