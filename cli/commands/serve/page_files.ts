// The files of the owner's page on disk: as a bundle brings them along, and as they were built before, in a
// folder of the user's cache, where a page is whole or not there.

import { isMissing, nativeRules } from "../../../containment/mod.ts";

/** The page's files by path, with forward slashes. */
export type PageFiles = ReadonlyMap<string, Uint8Array>;

/** Milliseconds after which what another start was writing counts as left behind. */
const LEFT = 600_000;
const STAGE = ".new-";

/** The files below a folder by their paths in it. */
export function readFiles(folder: string, below = ""): PageFiles {
  const entries = [...Deno.readDirSync(nativeRules.join(folder, below))];
  return new Map(entries.flatMap(({ name, isDirectory }) => {
    const path = `${below}${name}`;
    if (isDirectory) return [...readFiles(folder, `${path}/`)];
    return [[path, Deno.readFileSync(nativeRules.join(folder, path))]];
  }));
}

/** The page that was kept under a key; undefined when there is none. */
export function keptPage(folder: string, key: string): PageFiles | undefined {
  try {
    return readFiles(nativeRules.join(folder, key));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined;
  }
}

/** Keeps a page, and forgets the ones before it. */
export function keepPage(folder: string, key: string, page: PageFiles): void {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stage = Deno.makeTempDirSync({ dir: folder, prefix: STAGE });
  for (const [path, bytes] of page) {
    const file = nativeRules.join(stage, path);
    Deno.mkdirSync(nativeRules.dirname(file), { recursive: true });
    Deno.writeFileSync(file, bytes);
  }
  try {
    Deno.renameSync(stage, nativeRules.join(folder, key));
  } catch (error) {
    Deno.removeSync(stage, { recursive: true });
    // Another start may have been faster, with the same bytes.
    if (keptPage(folder, key) === undefined) throw error;
  }
  removeOthers(folder, key);
}

function removeOthers(folder: string, key: string): void {
  for (const { name } of [...Deno.readDirSync(folder)]) {
    const path = nativeRules.join(folder, name);
    try {
      const age = Date.now() - (Deno.lstatSync(path).mtime?.getTime() ?? 0);
      if (name === key || name.startsWith(STAGE) && age < LEFT) continue;
      Deno.removeSync(path, { recursive: true });
    } catch (error) {
      // Another start was faster.
      if (!isMissing(error)) throw error;
    }
  }
}
