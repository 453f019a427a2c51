// The trees that are measured. They are built once into a cache folder and used again.

import { script, Skipped } from "./scripts.ts";

/** Files in the tree for the memory measurement. */
const MILLION = 1_000_000;
const FILES_IN_FOLDER = 1_000;

/** Where trees and the other servers are kept. */
export function cacheFolder(): string {
  const folder = Deno.env.get("SHIELDFIVE_BENCH_DIR") ??
    `${Deno.env.get("TMPDIR") ?? "/tmp"}/shieldfive-bench`;
  Deno.mkdirSync(folder, { recursive: true });
  return Deno.realPathSync(folder);
}

function present(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A tree with known contents and known duplicates, built when it is not there yet. */
export async function tree(kind: "home" | "wide" | "deep"): Promise<string> {
  const folder = `${cacheFolder()}/${kind}`;
  // Written last, so its presence says that the tree is whole.
  if (present(`${folder}.truth.json`)) return folder;
  console.log(`building ${folder}`);
  const child = new Deno.Command("python3", {
    args: [script("make-tree.py"), kind, folder],
    stdin: "null",
    stdout: "null",
  });
  const { success } = await child.output();
  if (!success) throw new Skipped(`${folder} could not be built; remove what is there of it`);
  return folder;
}

/** A million empty files in a thousand folders. */
export function millionFiles(): string {
  const folder = `${cacheFolder()}/million`;
  if (present(`${folder}.done`)) return folder;
  console.log(`building ${folder}`);
  for (let i = 0; i < MILLION; i++) {
    const parent = `${folder}/folder-${String(Math.floor(i / FILES_IN_FOLDER)).padStart(4, "0")}`;
    if (i % FILES_IN_FOLDER === 0) Deno.mkdirSync(parent, { recursive: true });
    Deno.writeFileSync(`${parent}/document-${String(i).padStart(7, "0")}.txt`, new Uint8Array());
  }
  Deno.writeTextFileSync(`${folder}.done`, "");
  return folder;
}
