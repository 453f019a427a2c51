// The native addon that speaks with the system's keychain: one file, for the one room that may load it.

import { installedAddon } from "@shieldfive/crypto/extra/addon.ts";
import { bundledAddon } from "../../containment/rooms/modules.ts";

/** The package with the addon for each system, as the import map knows it. Its main file is the addon. */
export const KEYRING_PACKAGES: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "@napi-rs/keyring-linux-x64-gnu",
  "aarch64-unknown-linux-gnu": "@napi-rs/keyring-linux-arm64-gnu",
  "x86_64-apple-darwin": "@napi-rs/keyring-darwin-x64",
  "aarch64-apple-darwin": "@napi-rs/keyring-darwin-arm64",
  "x86_64-pc-windows-msvc": "@napi-rs/keyring-win32-x64-msvc",
};

/** What the addon is called in a bundle. */
export const KEYRING = "keyring";

/** The file of the addon that came with the program; undefined where there is none. */
export function keychainAddon(): string | undefined {
  return bundledAddon(KEYRING) ?? installedAddon(KEYRING_PACKAGES);
}
