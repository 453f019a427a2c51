// Makes the folder of a release from the sources and the executables. The same sources, executables
// and time give the same bytes.

import { catalogue } from "../../tools/mod.ts";
import { type Entry, tarball, zipped } from "./archive.ts";
import { completionFiles } from "./completions.ts";
import { ReleaseFailure } from "./failure.ts";
import { type ReleaseFile, ReleaseFolder } from "./folder.ts";
import { manual } from "./manual.ts";
import { mcpb } from "./mcpb.ts";
import { notices } from "./notices.ts";
import type { ShippedPackage } from "./packages.ts";
import { notPublishable, type Publication } from "./publication.ts";
import { serverJson } from "./registry.ts";
import { billOfMaterials } from "./sbom.ts";
import type { Source } from "./source.ts";
import { programName, type Target } from "./targets.ts";

/** One executable that goes into a release. */
export interface Executable {
  target: Target;
  file: string;
}

export interface Ingredients {
  source: Source;
  executables: readonly Executable[];
  packages: readonly ShippedPackage[];
  /** Version of the runtime in the executables. */
  deno: string;
  publication: Publication;
}

export interface Release {
  files: ReleaseFile[];
  /** Why it should not be published as it is; empty when nothing stands against it. */
  doubts: string[];
}

/**
 * Makes the release in its place, whole or not at all.
 *
 * @param place path of the folder; the one above it must exist.
 * @throws ReleaseFailure when something is missing; a release that was there before stays.
 */
export async function makeRelease(place: string, ingredients: Ingredients): Promise<Release> {
  const { source, executables, packages, deno, publication } = ingredients;
  const { version, time, license, notes } = source;
  using folder = new ReleaseFolder(place);
  const common: Entry[] = [
    ...source.pages,
    ...await completionFiles(),
    { path: "man/man1/shieldfive.1", bytes: encoded(await manual(version, time)) },
    { path: "THIRD-PARTY.md", bytes: encoded(notices(packages, deno)) },
  ];
  const bundles: ReleaseFile[] = [];
  for (const executable of executables) {
    bundles.push(await addPackages(folder, executable, common, ingredients));
  }
  for (const { path, bytes } of common) {
    if (/^(completions|man)\//.test(path)) folder.add(path.split("/").at(-1)!, bytes);
  }
  folder.add(
    `shieldfive-${version}.cdx.json`,
    billOfMaterials({ version, time, license, packages, deno }),
  );
  const described = bundles.map(({ name, sha256 }) => ({ file: name, sha256 }));
  folder.add("server.json", serverJson(version, described, publication));
  folder.add("NOTES.md", notes.text);
  folder.addSums();
  folder.finish();
  return { files: folder.files, doubts: [...source.doubts, ...notPublishable(publication)] };
}

/** Adds the archive and the bundle of one system, and gives the bundle. */
async function addPackages(
  folder: ReleaseFolder,
  { target, file }: Executable,
  common: readonly Entry[],
  { source: { version, license, time }, publication }: Ingredients,
): Promise<ReleaseFile> {
  const program = readProgram(file);
  const name = `shieldfive-${version}-${target.triple}`;
  const entries = [
    ...common,
    { path: programName(target), bytes: program, executable: true },
  ].map((entry) => ({ ...entry, path: `${name}/${entry.path}` }));
  if (target.platform === "win32") folder.add(`${name}.zip`, zipped(entries, time));
  else folder.add(`${name}.tar.gz`, await tarball(entries, time));
  const pages = common.filter(({ path }) => ["LICENSE", "THIRD-PARTY.md"].includes(path));
  const about = { version, license, time, target, program, tools: catalogue, publication, pages };
  return folder.add(`${name}.mcpb`, mcpb(about));
}

function readProgram(file: string): Uint8Array {
  try {
    return Deno.readFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ReleaseFailure(`the executable ${file} is not there`);
  }
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
