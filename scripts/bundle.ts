// `deno task bundle`: the program and its rooms as a folder of JavaScript, dist/bundle, which runs by itself
// and from which every executable is made. What is loaded late stays in files of its own. The same
// sources give the same bytes wherever they are bundled. Source maps go to dist/maps and are not shipped.

import { cpSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledName } from "../containment/rooms/modules.ts";
import { commitOf } from "./compile/commit.ts";
import { addonPath, CONTENTS, type Contents, type Target } from "./compile/contents.ts";
import { BuildFailure } from "./compile/failure.ts";
import { withLastingNames } from "./compile/names.ts";

/** The top of the sources. */
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where builds go, from the top of the sources. */
export const DIST = join(ROOT, "dist");

export interface BundleOptions {
  /** The folder to make, and to replace where it is there. */
  into?: string;
  /** The same for the source maps. */
  maps?: string;
  /** The systems whose native addons go in. */
  targets?: readonly Target[];
  /** What `--version` says of the commit. */
  commit?: string;
  contents?: Contents;
}

/**
 * Makes the bundle.
 *
 * @throws BuildFailure when the bundler fails or something that belongs in is not there.
 */
export async function bundle(
  {
    into = join(DIST, "bundle"),
    maps = join(DIST, "maps"),
    targets = [Deno.build.target as Target],
    commit = commitOf(ROOT),
    contents = CONTENTS,
  }: BundleOptions = {},
): Promise<void> {
  Deno.mkdirSync(DIST, { recursive: true });
  // Two levels below the top, like all that is bundled here, whoever bundles at the same time.
  const stage = Deno.makeTempDirSync({ dir: DIST, prefix: "stage-" });
  try {
    const raw = await runBundler(stage, contents.modules, commit);
    const scripts = Object.keys(raw).filter((name) => name.endsWith(".js"));
    const lasting = withLastingNames(new Map(scripts.map((name) => [name, raw[name]])));
    const made = `${stage}/made`;
    const mapped = `${stage}/maps`;
    Deno.mkdirSync(made);
    Deno.mkdirSync(mapped);
    for (const { before, after, text } of lasting) {
      Deno.writeTextFileSync(`${made}/${after}`, text);
      Deno.writeTextFileSync(`${mapped}/${after}.map`, raw[`${before}.map`]);
    }
    addFiles(made, contents, targets);
    await addMade(made, contents);
    replace(into, made);
    replace(maps, mapped);
  } finally {
    Deno.removeSync(stage, { recursive: true });
  }
}

/**
 * Lets Deno bundle the modules, each under its name in the bundle, and gives the texts of all that came
 * out. The names and the module with the commit are what the stage is for: small modules that import the
 * real ones, and an import map.
 */
async function runBundler(
  stage: string,
  modules: readonly string[],
  commit: string | undefined,
): Promise<Record<string, string>> {
  const entries = modules.map((module) => bundledName(module).replace(/\.js$/, ".ts"));
  for (const [i, module] of modules.entries()) {
    Deno.writeTextFileSync(`${stage}/${entries[i]}`, onStage(module));
  }
  Deno.writeTextFileSync(
    `${stage}/commit.ts`,
    `export const COMMIT = ${JSON.stringify(commit) ?? "undefined"};\n`,
  );
  Deno.writeTextFileSync(`${stage}/import_map.json`, JSON.stringify({ imports: importMap() }));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--frozen", "--import-map", "import_map.json"],
      ...["--minify", "--code-splitting", "--sourcemap=external", "--outdir", "out"],
      ...entries,
    ],
    cwd: stage,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (!success) throw new BuildFailure(new TextDecoder().decode(stderr).trimEnd());
  return Object.fromEntries(
    Array.from(
      Deno.readDirSync(`${stage}/out`),
      ({ name }) => [name, Deno.readTextFileSync(`${stage}/out/${name}`)],
    ),
  );
}

/**
 * A module to bundle in the place of one of ours. The one that asks whether it is the main one must itself
 * be what is bundled: of a module that is imported the bundler knows that it is not, and drops the rest.
 */
function onStage(module: string): string {
  const text = Deno.readTextFileSync(join(ROOT, module));
  if (!text.includes("import.meta.main")) return `import "../../${module}";\n`;
  const folder = posix.join("../..", posix.dirname(module));
  return text.replace(
    /(\bfrom |\bimport )"(\.[^"]+)"/g,
    (_, word, path) => `${word}"${posix.join(folder, path)}"`,
  );
}

/** The import map of deno.json, as seen from the stage, with the bundle's own module for the commit. */
function importMap(): Record<string, string> {
  const { imports } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json"))) as {
    imports: Record<string, string>;
  };
  const seen = Object.entries(imports).map(([name, to]) => [name, to.replace(/^\.\//, "../../")]);
  return { ...Object.fromEntries(seen), "../../cli/commit.ts": "./commit.ts" };
}

/** Copies what is not code of ours. */
function addFiles(folder: string, { assets, addons }: Contents, targets: readonly Target[]): void {
  const files = assets.map((path): [string, string] => [path, join(ROOT, path)]);
  for (const addon of addons) {
    for (const target of targets) {
      files.push([addonPath(addon, target), addonFile(addon.specifier(target))]);
    }
  }
  for (const [path, from] of files) {
    Deno.mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(from, join(folder, path), { recursive: true, dereference: true });
  }
}

/** Writes what is made for the bundle. */
async function addMade(folder: string, { made }: Contents): Promise<void> {
  for (const { folder: below, files } of made) {
    for (const [path, bytes] of await files()) {
      const file = join(folder, below, path);
      Deno.mkdirSync(dirname(file), { recursive: true });
      Deno.writeFileSync(file, bytes);
    }
  }
}

function addonFile(specifier: string): string {
  try {
    return fileURLToPath(import.meta.resolve(specifier));
  } catch (error) {
    throw new BuildFailure(`the native addon ${specifier} is not installed here: ${error}`);
  }
}

function replace(place: string, folder: string): void {
  try {
    Deno.removeSync(place, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  Deno.mkdirSync(dirname(place), { recursive: true });
  Deno.renameSync(folder, place);
}

if (import.meta.main) {
  await bundle();
  console.log(`wrote ${join(DIST, "bundle")}`);
}
