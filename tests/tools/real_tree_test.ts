// The reading tools compared with `find` on a folder of this machine that nobody made for a test.

import assert from "node:assert/strict";
import { posix } from "node:path";
import { DEFAULT_SKIP_DIRS } from "../../containment/mod.ts";
import { contextFor } from "../support.ts";
import { read } from "./reading.ts";

interface Found {
  path: string;
  size: number;
  mtime: number;
  links: number;
  inode: string;
  allocated: number;
}

const TREES = ["/usr/share/doc", "/usr/share", "/usr/include", "/etc"];

/** Seconds with a long fraction as whole milliseconds, without the rounding of a product. */
function milliseconds(time: string): number {
  const [seconds, fraction = ""] = time.split(".");
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** What find says of the regular files, with the names that a walk leaves out taken away here. */
function findFiles(top: string): { files: Found[]; folders: number; links: number } {
  const { stdout } = new Deno.Command("find", {
    args: [top, "-printf", "%y\\t%s\\t%T@\\t%n\\t%D:%i\\t%b\\t%p\\0"],
  }).outputSync();
  const found = { files: [] as Found[], folders: 0, links: 0 };
  for (const line of new TextDecoder().decode(stdout).split("\0").slice(0, -1)) {
    const [kind, size, time, links, inode, blocks, ...rest] = line.split("\t");
    const path = rest.join("\t");
    const below = path.slice(top.length).split("/").filter((part) => part !== "");
    const parents = below.slice(0, kind === "d" ? below.length : -1);
    if (parents.some((part) => DEFAULT_SKIP_DIRS.includes(part) || part.startsWith("."))) continue;
    if (parents.some((part) => /\.(app|bundle|framework)$/i.test(part))) continue;
    if (kind === "d") found.folders++;
    if (kind === "l") found.links++;
    if (kind !== "f" || below.at(-1)!.startsWith(".")) continue;
    found.files.push({
      path,
      size: Number(size),
      mtime: milliseconds(time),
      links: Number(links),
      inode,
      allocated: Number(blocks) * 512,
    });
  }
  return found;
}

/** A folder of some size that find can read whole, or undefined after saying why. */
function realTree() {
  for (const top of TREES) {
    try {
      const found = findFiles(top);
      if (found.files.length >= 200) return { top, ...found };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      console.log("skipped: there is no find here to compare with");
      return undefined;
    }
  }
  console.log("skipped: this machine has none of the folders to compare on");
  return undefined;
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** Bytes by key, most first, ties by key. */
function ranked(totals: Map<string, number[]>) {
  return [...totals].map(([key, sizes]) => ({ key, count: sizes.length, bytes: sum(sizes) }))
    .sort((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
}

function groupBy(files: Found[], keys: (file: Found) => string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const file of files) {
    for (const key of keys(file)) groups.set(key, [...groups.get(key) ?? [], file.size]);
  }
  return groups;
}

Deno.test("on a real tree the reading tools find what find finds", async () => {
  const tree = realTree();
  if (tree === undefined) return;
  const { top, files, folders, links } = tree;

  const list = await read("list_local", top, { limit: 10_000, sort_by: "path" });
  assert.equal(list.total_files, files.length);
  assert.equal(list.total_bytes, sum(files.map((file) => file.size)));
  const byPath = files.toSorted((a, b) => a.path < b.path ? -1 : 1);
  assert.deepEqual(
    list.files.map((row: Found & { modified_at: string }) => [row.path, row.size, row.modified_at]),
    byPath.slice(0, 10_000).map((file) => [
      file.path,
      file.size,
      new Date(file.mtime).toISOString(),
    ]),
  );
  const told = links === 0 ? [] : [`${links} symlink(s) not followed; links never are`];
  assert.deepEqual(list.warnings.filter((warning) => /symlink/.test(warning)), told);

  const median = files.map((file) => file.size).sort((a, b) => a - b)[files.length >> 1];
  const large = await read("find_large_files", top, { min_bytes: median, limit: 50 });
  const expected = files.filter((file) => file.size >= median)
    .sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
  assert.equal(large.match_count, expected.length);
  assert.equal(large.matched_bytes, sum(expected.map((file) => file.size)));
  assert.deepEqual(
    large.files.map((row: Found) => row.path),
    expected.slice(0, 50).map((file) => file.path),
  );

  const times = files.map((file) => file.mtime).sort((a, b) => a - b);
  const now = times[files.length >> 1] + 86_400_000;
  const old = await read("find_old_files", contextFor([top], { now: () => now }), {
    older_than_days: 1,
    limit: 50,
  });
  const oldest = files.filter((file) => file.mtime < now - 86_400_000)
    .sort((a, b) => a.mtime - b.mtime || (a.path < b.path ? -1 : 1));
  assert.equal(old.match_count, oldest.length);
  assert.deepEqual(
    old.files.map((row: Found) => row.path),
    oldest.slice(0, 50).map((file) => file.path),
  );

  const summary = await read("storage_summary", top, { limit: 10_000 });
  const inodes = [...new Map(files.map((file) => [file.inode, file])).values()];
  assert.equal(summary.unique_bytes, sum(inodes.map((file) => file.size)));
  assert.equal(summary.allocated_bytes, sum(inodes.map((file) => file.allocated)));
  assert.deepEqual(summary.per_root, [
    { root: top, files: files.length, directories: folders, truncated: false },
  ]);
  const bare = (totals: { key: string; count: number; bytes: number }[]) =>
    totals.map(({ key, count, bytes }) => ({ key, count, bytes }));
  assert.deepEqual(
    bare(summary.largest_by_extension),
    ranked(groupBy(files, ({ path }) => {
      const suffix = /(?<=[^/])\.[^./]+$/.exec(path)?.[0].toLowerCase();
      return [suffix ?? "(no extension)"];
    })).slice(0, 10_000),
  );
  assert.deepEqual(
    bare(summary.largest_directories),
    ranked(groupBy(files, ({ path }) => {
      const above: string[] = [];
      for (let at = posix.dirname(path); at.length >= top.length; at = posix.dirname(at)) {
        above.push(at);
      }
      return above;
    })).slice(0, 10_000),
  );
});
