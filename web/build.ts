// Makes the page out of its sources: scripts, styles and pictures under names that change with what is in
// them, and the one document that names them. The same sources give the same bytes, wherever they are.

import { fileURLToPath } from "node:url";

/** Where the sources are. */
const SOURCES = new URL("./", import.meta.url);
/** What the browser starts: the page, the worker that holds the vault, and those that derive keys. */
export const ENTRIES = ["main.tsx", "worker.ts", "kdf_worker.ts"];
/** In the order in which they count. */
const STYLES = ["tokens", "base", "components", "shell", "sign_in", "files", "connections"];
const ICON = "icons/icon.svg";

/** The page could not be made; the message is the bundler's. */
export class PageBuildFailure extends Error {
  override readonly name = "PageBuildFailure";
}

/**
 * All files of the page by their paths: `index.html`, and what it names below `assets/`.
 *
 * @throws PageBuildFailure when the bundler fails.
 */
export async function buildPage(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, string>(await bundleScripts());
  files.set("styles.css", STYLES.map((name) => read(`styles/${name}.css`)).join("\n"));
  files.set("icon.svg", read(ICON));
  const folder = `assets/${await hashOf(files)}`;
  const document = read("index.html").replace(
    /\{\{([\w.]+)\}\}/g,
    (_, name: string) => {
      if (!files.has(name)) {
        throw new PageBuildFailure(`index.html names ${name}, which is not made`);
      }
      return `/${folder}/${name}`;
    },
  );
  const page = new Map([["index.html", utf8(document)]]);
  for (const [name, text] of files) page.set(`${folder}/${name}`, utf8(text));
  return page;
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, SOURCES));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The scripts by name: the entries, and the parts that they share. */
async function bundleScripts(): Promise<Map<string, string>> {
  const into = Deno.makeTempDirSync({ prefix: "shieldfive-page-" });
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--frozen", "--platform", "browser"],
        ...["--minify", "--code-splitting", "--outdir", into],
        ...ENTRIES,
      ],
      cwd: fileURLToPath(SOURCES),
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    if (!success) throw new PageBuildFailure(new TextDecoder().decode(stderr).trimEnd());
    const names = Array.from(Deno.readDirSync(into), ({ name }) => name);
    return withLastingNames(
      new Map(names.map((name) => [name, Deno.readTextFileSync(`${into}/${name}`)])),
    );
  } finally {
    Deno.removeSync(into, { recursive: true });
  }
}

const PART = /\b\w+-[A-Z0-9]{8}\.js\b/g;

/**
 * Shared parts are named for the folder that they were built in: here they are numbered instead, as one
 * comes to them.
 */
function withLastingNames(scripts: ReadonlyMap<string, string>): Map<string, string> {
  const order = ENTRIES.map((entry) => entry.replace(/\.tsx?$/, ".js"));
  const entries = order.length;
  for (const name of order) {
    for (const [part] of scripts.get(name)!.matchAll(PART)) {
      if (scripts.has(part) && !order.includes(part)) order.push(part);
    }
  }
  const lasting = new Map(order.map((name, index) => [
    name,
    index < entries ? name : `part-${index - entries + 1}.js`,
  ]));
  return new Map(order.map((name) => [
    lasting.get(name)!,
    scripts.get(name)!.replace(PART, (part) => lasting.get(part) ?? part),
  ]));
}

async function hashOf(files: ReadonlyMap<string, string>): Promise<string> {
  const all = utf8(JSON.stringify([...files]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all as BufferSource));
  return digest.subarray(0, 8).toHex();
}

if (import.meta.main) {
  for (const [path, bytes] of await buildPage()) console.log(`${path}: ${bytes.length} bytes`);
}
