// The owner's page. A bundle brings it along; from the sources it is built, which takes a moment, so what
// was built is kept in the cache under the hash of everything that it was made of.

import { bundledPage, createHash, nativeRules, programFolder } from "../../../containment/mod.ts";
import type { Environment } from "../../environment.ts";
import { placesOf } from "../../places.ts";
import { keepPage, keptPage, type PageFiles, readFiles } from "./page_files.ts";

/** What the page is made of, from the top of the sources. */
const SOURCES = [
  ...["web", "vault/owner", "vault/crypto", "containment/text.ts"],
  ...["deno.json", "deno.lock"],
];

/** The page, wherever it comes from; needs the rights to read, to write the cache and to run `deno`. */
export async function loadPage({ variables, home }: Environment): Promise<PageFiles> {
  const bundled = bundledPage();
  if (bundled !== undefined) return readFiles(bundled);
  const cache = placesOf(variables, home)?.cache;
  if (cache === undefined) return await build();
  const folder = nativeRules.join(cache, "page");
  const key = sourcesHash(programFolder());
  const kept = keptPage(folder, key);
  if (kept !== undefined) return kept;
  const page = await build();
  keepPage(folder, key, page);
  return page;
}

async function build(): Promise<PageFiles> {
  const { buildPage } = await import("../../../web/build.ts");
  return await buildPage();
}

function sourcesHash(top: string): string {
  const hash = createHash("sha256");
  hash.update(`${Deno.version.deno}\n`);
  for (const source of SOURCES) {
    const path = nativeRules.join(top, source);
    const files = Deno.statSync(path).isDirectory
      ? readFiles(path)
      : new Map([["", Deno.readFileSync(path)]]);
    for (const [name, bytes] of [...files].sort(([a], [b]) => a < b ? -1 : 1)) {
      hash.update(`${source}/${name} ${bytes.length}\n`);
      hash.update(bytes);
    }
  }
  return hash.digest("hex");
}
