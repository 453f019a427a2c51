import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { bytes, copiesOf, find, flipped, type Result } from "./finding.ts";
import { inTempDir, plant } from "../support.ts";

interface Planted {
  name: string;
  size: number;
  /** Which of few contents; -1 makes the file one more name of the one before. */
  content: number;
}

const SIZES = [1, 700, 16_384, 16_385, 65_536, 65_537, 140_000];

const trees = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-d]{1,2}(\/[a-z]{1,3}){1,3}$/),
    size: fc.constantFrom(...SIZES),
    content: fc.integer({ min: -1, max: 4 }),
  }),
  { minLength: 2, maxLength: 25 },
);

/** Plants the tree; names that clash with one before are left out. */
function build(dir: string, files: Planted[]): string[] {
  const paths: string[] = [];
  for (const { name, size, content } of files) {
    const path = `${dir}/${name}`;
    try {
      if (content === -1 && paths.length > 0) {
        Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
        Deno.linkSync(paths[paths.length - 1], path);
      } else {
        // All contents of one size agree at both ends, and part at different places in between.
        const places = [0, 1, 2, 3].map((i) => Math.floor(size * (0.3 + i / 10)));
        const base = bytes(size);
        const place = places[content - 1];
        plant(dir, { [name]: place === undefined ? base : flipped(base, place) });
      }
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      if ((error as { code?: string }).code === "EISDIR") continue;
      if ((error as { code?: string }).code === "ENOTDIR") continue;
      throw error;
    }
    if (!paths.includes(path)) paths.push(path);
  }
  return paths;
}

/** The sets that there are, found in the plainest way: digests of whole files, one inode each. */
function plainly(paths: string[]): Map<string, Set<number>> {
  const sets = new Map<string, Set<number>>();
  for (const path of paths) {
    const digest = createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
    const inodes = sets.get(digest) ?? new Set();
    sets.set(digest, inodes.add(Deno.lstatSync(path).ino!));
  }
  for (const [digest, inodes] of sets) if (inodes.size < 2) sets.delete(digest);
  return sets;
}

function checkNames(result: Result, paths: string[]): void {
  const listed = result.groups.flatMap(copiesOf)
    .flatMap((copy) => [copy.path, ...copy.hardlinked_names ?? []]);
  equal(new Set(listed).size, listed.length, "no name is listed twice");
  for (const name of listed) ok(paths.includes(name));
  equal(listed.length, result.groups.reduce((sum, group) => sum + group.names, 0));
}

Deno.test("any tree: the groups are those of the digests of all files, one inode a copy", () =>
  fc.assert(
    fc.asyncProperty(trees, (files) =>
      inTempDir((dir) => {
        const paths = build(dir, files);
        const result = find(dir);
        const found = result.groups.map((group): [string, Set<number>] => [
          group.sha256,
          new Set(copiesOf(group).map((copy) => Deno.lstatSync(copy.path).ino!)),
        ]);
        deepEqual(new Map(found), plainly(paths));
        equal(found.length, result.groups.length);
        checkNames(result, paths);
        const sum = (field: "reclaimable_bytes") =>
          result.groups.reduce((total, group) => total + group[field], 0);
        equal(result.reclaimable_bytes, sum("reclaimable_bytes"));
      })),
    { seed: 20260101, numRuns: 60 },
  ));

Deno.test("any tree and budget: the reads stay within it and every group is a true one", () =>
  fc.assert(
    fc.asyncProperty(trees, fc.integer({ min: 1, max: 40 }), (files, budget) =>
      inTempDir((dir) => {
        const paths = build(dir, files);
        const result = find(dir, { max_files_hashed: budget });
        ok(result.hash_reads <= budget);
        const all = plainly(paths);
        for (const group of result.groups) {
          ok(all.get(group.sha256)!.size >= group.copies);
        }
        if (result.complete) equal(result.groups.length, all.size);
        else ok(result.files_not_hashed > 0);
      })),
    { seed: 20260102, numRuns: 40 },
  ));
