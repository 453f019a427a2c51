// Small measurements of our own parts, in one process: what scoped permissions cost a walk, how fast
// a file is hashed through the disk port, and how long two large plans take to compare.

import { createHash } from "node:crypto";
import { type OpenedRoots, openRoots, realDisk } from "../../containment/mod.ts";
import { localTools, requireSamePlan } from "../../tools/mod.ts";
import { Session } from "../../tools/session.ts";
import type { Tool } from "../../tools/tool.ts";

const ROUNDS = 5;

/** Milliseconds of the middle one of several runs, after one that does not count. */
async function middle(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    await work();
    if (round > 0) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1];
}

function print(what: string, ms: number, rate: string): void {
  console.log(`${what.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms  ${rate}`);
}

function plantFiles(folder: string, count: number): void {
  for (let i = 0; i < count; i++) {
    if (i % 100 === 0) Deno.mkdirSync(`${folder}/${Math.floor(i / 100)}`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/${Math.floor(i / 100)}/${i}.txt`, String(i));
  }
}

async function scopedWalk(roots: OpenedRoots["roots"], list: Tool, files: number): Promise<void> {
  const session = new Session({
    roots,
    version: "0.0.0-bench",
    protectedPaths: [],
    log: (line) => console.error(line),
  });
  session.open([list]);
  try {
    await session.ready();
    const input = {
      include_hidden: false,
      max_files: 1_000_000,
      limit: 1,
      skip_dirs: "default",
      include_bundles: false,
      one_volume: false,
      sort_by: "path",
      offset: 0,
    };
    const ms = await middle(() => session.read(list, input));
    print(`a walk of ${files} files, in its room`, ms, `${Math.round(files / ms)} files a ms`);
  } finally {
    session.close();
  }
}

/** The least that a walk can cost: the same entries looked at with every right and no rules. */
function plainWalk(folder: string): number {
  let files = 0;
  for (const entry of Deno.readDirSync(folder)) {
    const info = Deno.lstatSync(`${folder}/${entry.name}`);
    files += info.isDirectory ? plainWalk(`${folder}/${entry.name}`) : 1;
  }
  return files;
}

function hashFile(path: string, buffer: Uint8Array): void {
  const fd = realDisk.open(path);
  try {
    const hash = createHash("sha256");
    for (let n; (n = realDisk.read(fd, buffer)) > 0;) hash.update(buffer.subarray(0, n));
    hash.digest("hex");
  } finally {
    realDisk.close(fd);
  }
}

function binding(items: number) {
  const entries = Array.from({ length: items }, (_, i) => [`/home/sam/${i}.txt`, {
    kind: "file",
    files: 1,
    bytes: i,
    entry: { dev: 1, ino: i, mtime: 1_700_000_000_000 + i, size: i },
  }]);
  return { action: "trash", items: Object.fromEntries(entries) };
}

/** Runs all of them and prints a line for each. */
export async function micro(): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-bench-" }));
  try {
    const files = 20_000;
    plantFiles(`${folder}/tree`, files);
    const { roots } = openRoots([`${folder}/tree`]);
    const list = localTools.find((tool) => tool.name === "list_local")!;
    await scopedWalk(roots, list, files);
    const plain = await middle(() => plainWalk(`${folder}/tree`));
    print("the same entries, with no rules or limits", plain, "");

    const megabytes = 256;
    Deno.writeFileSync(`${folder}/large`, new Uint8Array(megabytes * 1_000_000));
    const buffer = new Uint8Array(256 * 1024);
    const hashing = await middle(() => hashFile(`${folder}/large`, buffer));
    print(
      `SHA-256 of ${megabytes} MB`,
      hashing,
      `${Math.round(megabytes / (hashing / 1000))} MB a second`,
    );

    const [left, right] = [binding(1_000), binding(1_000)];
    const plans = await middle(() => requireSamePlan(left, right, {}));
    print("comparing two plans of 1,000 items", plans, "");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
