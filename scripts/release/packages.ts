// The packages that are in the executable: what the modules of the program reach, and the ones with native
// addons, with the digests of deno.lock. What only the tests and the scripts use is not among them.

import { fileURLToPath } from "node:url";
import { type Addon, type Contents, TARGETS } from "../compile/contents.ts";
import { ReleaseFailure } from "./failure.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface ShippedPackage {
  name: string;
  version: string;
  /** SHA-512 of the package as the registry serves it, in hexadecimal. */
  sha512: string;
  /** SPDX expression, as the package says. */
  license?: string;
  /** The text of its licence file. */
  licenseText?: string;
  /** Whether the program itself imports it, and not only another package. */
  direct: boolean;
  /** Whether it is native code, of whose parts nothing is known here. */
  native: boolean;
  /** What it needs, as `name@version`. */
  needs: string[];
  /** Packages whose code its authors put into its files. */
  holds: { name: string; version: string }[];
}

/** `name@version`. */
export function idOf({ name, version }: { name: string; version: string }): string {
  return `${name}@${version}`;
}

/** The part of `deno info --json` that is read here. */
interface Info {
  modules: { kind?: string; npmPackage?: string; error?: string }[];
  npmPackages: Record<string, InfoPackage>;
}

interface InfoPackage {
  name: string;
  version: string;
  dependencies: string[];
  localPath?: string;
}

interface Lock {
  npm: Record<string, { integrity: string }>;
}

/**
 * The packages that the modules of the program, and what they import, lead to, and those of the native
 * addons for all systems, in order of their names.
 *
 * @throws ReleaseFailure when a module or a package is not there.
 */
export async function shippedPackages(
  { modules, made, addons }: Pick<Contents, "modules" | "made" | "addons">,
): Promise<ShippedPackage[]> {
  const lock: Lock = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.lock`));
  const found = new Map<string, ShippedPackage>();
  for (const module of [...modules, ...made.flatMap(({ modules }) => modules)]) {
    const { modules: reached, npmPackages } = await infoOf(module);
    const visit = (key: string) => {
      if (found.has(key)) return;
      found.set(key, describe(key, npmPackages, lock));
      npmPackages[key].dependencies.forEach(visit);
    };
    for (const { npmPackage } of reached) {
      if (npmPackage === undefined) continue;
      visit(npmPackage);
      found.get(npmPackage)!.direct = true;
    }
  }
  for (const addon of addons) {
    for (const shipped of await addonPackages(addon, lock)) found.set(idOf(shipped), shipped);
  }
  return [...found.values()].sort((a, b) => idOf(a) < idOf(b) ? -1 : 1);
}

/** The packages of an addon, one a system. They hold the one file, and leave the licence to their family. */
async function addonPackages(addon: Addon, lock: Lock): Promise<ShippedPackage[]> {
  const { license, licenseText } = await packageOf(addon.family, lock);
  return await Promise.all(TARGETS.map(async (target) => {
    const shipped = await packageOf(addon.specifier(target), lock);
    return { ...shipped, license, licenseText, direct: true, native: true };
  }));
}

/** The package that a name of the import map stands for. */
async function packageOf(name: string, lock: Lock): Promise<ShippedPackage> {
  const { modules, npmPackages } = await infoOf(name);
  const key = modules.find(({ npmPackage }) => npmPackage !== undefined)?.npmPackage;
  if (key === undefined) throw new ReleaseFailure(`${name} is no package of the import map`);
  return describe(key, npmPackages, lock);
}

async function infoOf(module: string): Promise<Info> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", module],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (!success) {
    const why = new TextDecoder().decode(stderr).trim();
    throw new ReleaseFailure(`what ${module} imports cannot be told: ${why}`);
  }
  const info: Info = JSON.parse(new TextDecoder().decode(stdout));
  const broken = info.modules.find(({ error }) => error !== undefined);
  if (broken !== undefined) throw new ReleaseFailure(`${module}: ${broken.error}`);
  return info;
}

function describe(key: string, all: Record<string, InfoPackage>, lock: Lock): ShippedPackage {
  const { name, version, dependencies, localPath } = all[key];
  const integrity = lock.npm[key]?.integrity;
  if (!integrity?.startsWith("sha512-")) {
    throw new ReleaseFailure(`deno.lock has no SHA-512 for ${key}: run \`deno install\``);
  }
  const folder = localPath === undefined ? undefined : filesIn(localPath);
  if (localPath === undefined || folder === undefined) {
    throw new ReleaseFailure(`the package ${key} is not here: run \`deno install\``);
  }
  return {
    name,
    version,
    sha512: hexOf(integrity.slice("sha512-".length)),
    ...licenseOf(localPath, folder),
    direct: false,
    native: false,
    needs: dependencies.map((dependency) => idOf(all[dependency])).sort(),
    holds: heldIn(localPath, folder),
  };
}

function hexOf(base64: string): string {
  return Uint8Array.fromBase64(base64).toHex();
}

/** The relative paths of all files below a folder, or undefined when there is no such folder. */
function filesIn(folder: string): string[] | undefined {
  const found: string[] = [];
  const visit = (relative: string) => {
    for (const entry of Deno.readDirSync(`${folder}/${relative}`)) {
      if (entry.isDirectory) visit(`${relative}${entry.name}/`);
      else found.push(relative + entry.name);
    }
  };
  try {
    visit("");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return found.sort();
}

function licenseOf(
  path: string,
  files: string[],
): Pick<ShippedPackage, "license" | "licenseText"> {
  const { license } = JSON.parse(Deno.readTextFileSync(`${path}/package.json`));
  const file = files.find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
  return {
    ...(typeof license === "string" ? { license } : {}),
    ...(file === undefined
      ? {}
      : { licenseText: Deno.readTextFileSync(`${path}/${file}`).replaceAll("\r\n", "\n").trim() }),
  };
}

/** Packages that a bundler put into the files of this one: their source maps name where each part was. */
function heldIn(path: string, files: string[]): ShippedPackage["holds"] {
  const held = new Map<string, { name: string; version: string }>();
  for (const file of files.filter((file) => file.endsWith(".map"))) {
    const { sources } = JSON.parse(Deno.readTextFileSync(`${path}/${file}`));
    for (const source of (sources ?? []) as string[]) {
      const [, scope, name, version] =
        source.match(/node_modules\/\.pnpm\/(?:(@[^/+]+)\+)?([^/@]+)@([^/_(]+)/) ?? [];
      if (name === undefined) continue;
      const one = { name: scope === undefined ? name : `${scope}/${name}`, version };
      held.set(idOf(one), one);
    }
  }
  return [...held.values()].sort((a, b) => idOf(a) < idOf(b) ? -1 : 1);
}
