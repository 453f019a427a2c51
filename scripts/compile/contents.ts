// What goes into the bundle, and with it into every executable: one table for all of them. Whoever adds a
// room adds it to ROOM_MODULES, next to its permissions; a web page or a native addon gets its line here.

import { addonPath as pathInBundle, ROOM_MODULES } from "../../containment/rooms/modules.ts";
import { ARGON2_PACKAGES } from "@shieldfive/crypto/extra/kdf_pool.ts";

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

export interface Contents {
  /** What is started: the program, and each module that a worker runs. Nothing imports these. */
  modules: readonly string[];
  /** Files that are read while the program runs. They keep their place below `programFolder()`. */
  assets: readonly string[];
  addons: readonly Addon[];
}

/** All paths are from the top of the sources. */
export const CONTENTS: Contents = {
  modules: ["mod.ts", ...new Set(Object.values(ROOM_MODULES))],
  assets: [],
  addons: [{
    name: "argon2",
    specifier: (target) => ARGON2_PACKAGES[target],
    family: "@node-rs/argon2",
  }],
};

/** Where an addon lies in the bundle. */
export function addonPath(addon: Addon, target: Target): string {
  return pathInBundle(addon.name, target);
}
