// The native addon for Argon2id: which package has it for which system, where it is installed, and whether
// this thread may load it. An addon is one file, and the runtime lets a thread load it that has the right
// `ffi` for that file. This is the one place here that asks what runtime it is.

/** The package with the addon for each system, as the import map knows it. Its main file is the addon. */
export const ARGON2_PACKAGES: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "@node-rs/argon2-linux-x64-gnu",
  "aarch64-unknown-linux-gnu": "@node-rs/argon2-linux-arm64-gnu",
  "x86_64-apple-darwin": "@node-rs/argon2-darwin-x64",
  "aarch64-apple-darwin": "@node-rs/argon2-darwin-arm64",
  "x86_64-pc-windows-msvc": "@node-rs/argon2-win32-x64-msvc",
};

/**
 * The path of the addon for this system in the runtime's cache of packages; whether the file is there is
 * not looked at. Undefined outside of Deno, on other systems, and in a bundle, which has no packages.
 *
 * @param packages another addon's, by system.
 */
export function installedAddon(packages = ARGON2_PACKAGES): string | undefined {
  if (!("Deno" in globalThis)) return undefined;
  const name = packages[Deno.build.target];
  if (name === undefined) return undefined;
  try {
    return pathOf(new URL(import.meta.resolve(name)));
  } catch (error) {
    if (error instanceof TypeError) return undefined; // no import map has the name
    throw error;
  }
}

/** Whether this thread may load the file; nobody is asked for a right that is missing. */
export function mayLoad(addon: string): boolean {
  return Deno.permissions.querySync({ name: "ffi", path: addon }).state === "granted";
}

/** A file's URL as a path; node:url does the same, and would not go into a bundle for the browser. */
function pathOf(url: URL): string | undefined {
  if (url.protocol !== "file:") return undefined;
  const path = decodeURIComponent(url.pathname);
  return Deno.build.os === "windows" ? path.slice(1).replaceAll("/", "\\") : path;
}
