import { deepEqual, equal, match } from "node:assert/strict";
import { type Disk, realDisk } from "../../containment/mod.ts";
import { duplicates } from "../../tools/local/duplicates.ts";
import { inTempDir, plant } from "../support.ts";
import { bytes, copiesOf, find, pathsOf, summaryOf } from "./finding.ts";

const MIB = 1 << 20;

/** The disk, and a list of what is opened through it. */
function watched(): { disk: Disk; opened: string[] } {
  const opened: string[] = [];
  const open = (path: string) => {
    opened.push(path);
    return realDisk.open(path);
  };
  return { disk: { ...realDisk, open }, opened };
}

Deno.test("a hard link is a name and no copy: it wins nothing and is not read again", () =>
  inTempDir((dir) => {
    plant(dir, { a: bytes(MIB) });
    Deno.linkSync(`${dir}/a`, `${dir}/b`);
    Deno.copyFileSync(`${dir}/a`, `${dir}/c`);
    const { disk, opened } = watched();
    const result = find(dir, {}, { disk });
    const [group] = result.groups;
    deepEqual([group.copies, group.names], [2, 3]);
    deepEqual([result.reclaimable_bytes, result.reclaimable_certain_bytes], [MIB, MIB]);
    const linked = copiesOf(group).find((copy) => copy.path === `${dir}/a`);
    deepEqual(linked?.hardlinked_names, [`${dir}/b`]);
    deepEqual(new Set(opened), new Set([`${dir}/a`, `${dir}/c`]));
    equal(result.hash_reads, 4);
    match(summaryOf(result), /1 name\(s\) are hardlinks of a listed copy.*frees no space/);
  }));

Deno.test("the terminal shows a hard link as such, with nothing to win", () =>
  inTempDir((dir) => {
    plant(dir, { a: bytes(1000) });
    Deno.linkSync(`${dir}/a`, `${dir}/b`);
    Deno.copyFileSync(`${dir}/a`, `${dir}/c`);
    const view = duplicates.view!(find(dir, { keep: "shortest_path" }) as never);
    const rows = view.tables![0].rows.map((row) => [row[0], row[1], row[3]]);
    deepEqual(rows, [
      ["keep", 1000, `${dir}/a`],
      ["hard link", 0, `${dir}/b`],
      ["copy", 1000, `${dir}/c`],
    ]);
    match(view.lines!.join("\n"), /hard link .* removing one name frees 0 B/);
    match(view.tables![0].title!, /^2 copies of 1.0 KB, 1.0 KB to win/);
  }));

Deno.test("two names of one file and no copy are no group", () =>
  inTempDir((dir) => {
    plant(dir, { a: "alone", other: "pair1" });
    Deno.linkSync(`${dir}/a`, `${dir}/b`);
    const result = find(dir);
    equal(result.duplicate_groups, 0);
    match(
      summaryOf(result),
      /1 file with several hardlinked names and no other copy not listed.*frees no space/,
    );
  }));

Deno.test("a name that stands for a file is its first by the keeper's order", () =>
  inTempDir((dir) => {
    plant(dir, { "long-name": "1", "another-copy": "1" });
    Deno.linkSync(`${dir}/long-name`, `${dir}/z`);
    Deno.linkSync(`${dir}/long-name`, `${dir}/y`);
    const [group] = find(dir).groups;
    const linked = copiesOf(group).find((copy) => copy.hardlinked_names !== undefined);
    equal(linked?.path, `${dir}/y`);
    deepEqual(linked?.hardlinked_names, [`${dir}/z`, `${dir}/long-name`]);
  }));

Deno.test("a copy with a name outside the scan is not in the certain figure", () =>
  inTempDir((dir) => {
    plant(dir, { "in/a": bytes(5000), "in/b": bytes(5000), "in/c": bytes(5000), "out/": "" });
    Deno.linkSync(`${dir}/in/b`, `${dir}/out/b`);
    const result = find(`${dir}/in`, { keep: { under: [`${dir}/in/a`] } });
    equal(result.reclaimable_bytes, 10_000);
    equal(result.reclaimable_certain_bytes, 5000);
    const [group] = result.groups;
    deepEqual(
      copiesOf(group).map((copy) => copy.links_outside_scan),
      [undefined, 1, undefined],
    );
  }));

Deno.test("sixty names of one copy: fifty are listed beside the first and the rest counted", () =>
  inTempDir((dir) => {
    plant(dir, { a: "1", copy: "1" });
    for (let i = 10; i < 69; i++) Deno.linkSync(`${dir}/a`, `${dir}/a${i}`);
    const [group] = find(dir).groups;
    const linked = copiesOf(group).find((copy) => copy.path === `${dir}/a`);
    deepEqual([linked?.hardlinked_names?.length, linked?.hardlinked_names_omitted], [50, 9]);
    deepEqual([group.copies, group.names], [2, 61]);
  }));

Deno.test("inode numbers too large to be exact never make two files one", () =>
  inTempDir((dir) => {
    plant(dir, { a: "equal", b: "equal" });
    // Both numbers come to the same double, as 2^53 and 2^53 + 1 do.
    const lstat = (path: string) => {
      const info = realDisk.lstat(path);
      return info.isFile ? { ...info, ino: 2 ** 53, nlink: 2 } : info;
    };
    const stat = (fd: number) => ({ ...realDisk.stat(fd), ino: 2 ** 53 });
    const result = find(dir, {}, { disk: { ...realDisk, lstat, stat } });
    deepEqual(pathsOf(dir, result), [["a", "b"]]);
    equal(result.groups[0].copies, 2);
  }));
