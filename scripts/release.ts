// `deno task release`: everything that is published of a version, in dist/release: archives and bundles
// with the executables that can be made here, their digests, the man page, the completions, the bill of
// materials, the registry's description and the notes. Nothing is uploaded. The same commit, the same
// executables and the same packages give the same bytes.

import { fileURLToPath } from "node:url";
import { formatBytes } from "../tools/format.ts";
import { CONTENTS } from "./compile/contents.ts";
import { buildExecutables, type Built } from "./release/executables.ts";
import { ReleaseFailure } from "./release/failure.ts";
import { makeRelease, type Release } from "./release/make.ts";
import { shippedPackages } from "./release/packages.ts";
import { PUBLICATION } from "./release/publication.ts";
import { readSource, type Source } from "./release/source.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");

/** What there is to say about a release that was made. */
export function report(source: Source, built: Built, release: Release): string {
  const { packed, leftOut } = built;
  const part = (title: string, rows: string[]) =>
    rows.length === 0 ? [] : ["", `${title}:`, ...rows.map((row) => `  ${row}`)];
  return [
    `shieldfive ${source.version}, of ${source.time.toISOString()}`,
    ...part("packed", packed.map(({ target, how }) => `${target.triple}, ${how}`)),
    ...part("left out", leftOut.map(({ target, why }) => `${target.triple}: ${why}`)),
    ...part(
      "written to dist/release",
      release.files.map(({ name, size }) => `${formatBytes(size).padStart(8)}  ${name}`),
    ),
    ...part("NOT TO BE PUBLISHED as it is", release.doubts),
  ].join("\n");
}

async function main(): Promise<number> {
  try {
    const source = readSource(ROOT, Deno.env.get("SOURCE_DATE_EPOCH"));
    const packages = await shippedPackages(CONTENTS);
    const built = buildExecutables();
    const release = await makeRelease(`${ROOT}/dist/release`, {
      source,
      executables: built.packed,
      packages,
      deno: Deno.version.deno,
      publication: PUBLICATION,
    });
    console.log(report(source, built, release));
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseFailure)) throw error;
    console.error(`release: ${error.message}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main());
