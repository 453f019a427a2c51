import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { realDisk } from "../../containment/mod.ts";
import { isCloudOnly } from "../../tools/local/duplicates/cloud.ts";
import { age, inTempDir, plant, refusal } from "../support.ts";
import { bytes, find, flipped, pathsOf, summaryOf } from "./finding.ts";

const MIB = 1 << 20;

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

Deno.test("equal content under different names is one group with its SHA-256", () =>
  inTempDir((dir) => {
    const content = bytes(300_000);
    plant(dir, { "a.bin": content, "sub/b.bin": content, "c.bin": bytes(300_000, 2) });
    const result = find(dir);
    deepEqual(pathsOf(dir, result), [["a.bin", "sub/b.bin"]]);
    const [group] = result.groups;
    equal(group.sha256, sha256(content));
    equal(group.size, 300_000);
    deepEqual([group.copies, group.names, group.names_differ], [2, 2, true]);
    deepEqual([group.reclaimable_bytes, result.reclaimable_bytes], [300_000, 300_000]);
    equal(result.complete, true);
    deepEqual(result.warnings, []);
    match(summaryOf(result), /^1 duplicate group, 300 KB reclaimable .* full SHA-256 of contents/);
  }));

Deno.test("equal names alone make no difference and names that are equal are said to be", () =>
  inTempDir((dir) => {
    plant(dir, {
      "x/same.txt": "one",
      "y/same.txt": "two",
      "p/copy.txt": "copied",
      "q/copy.txt": "copied",
    });
    const result = find(dir);
    deepEqual(pathsOf(dir, result), [["p/copy.txt", "q/copy.txt"]]);
    equal(result.groups[0].names_differ, false);
  }));

// The sizes lie on both sides of every border between one way of reading and the next.
for (const size of [1, 16_384, 16_385, 65_536, 65_537, 131_072, 131_073, 17 * MIB]) {
  Deno.test(`one byte tells files of ${size} bytes apart, wherever it is`, () =>
    inTempDir((dir) => {
      const content = bytes(size);
      const places = [...new Set([0, 5000, 70_000, Math.floor(size / 3), size - 5000, size - 1])]
        .filter((at) => at >= 0 && at < size);
      plant(dir, { "same-1": content, "same-2": content });
      for (const at of places) plant(dir, { [`other-${at}`]: flipped(content, at) });
      const result = find(dir);
      deepEqual(pathsOf(dir, result), [["same-1", "same-2"]]);
      equal(result.groups[0].sha256, sha256(content));
    }));
}

Deno.test("files that part in the middle are sorted into the sets that they belong to", () =>
  inTempDir((dir) => {
    const content = bytes(600_000);
    // All agree at the beginning and the end, so that only comparing in full can part them.
    const [left, right] = [flipped(content, 200_000), flipped(content, 400_000)];
    plant(dir, { a1: content, b1: left, c1: right, a2: content, b2: left, c2: right, a3: content });
    plant(dir, { d1: flipped(left, 300_000) });
    const result = find(dir);
    deepEqual(pathsOf(dir, result), [["a1", "a2", "a3"], ["b1", "b2"], ["c1", "c2"]]);
    deepEqual(
      new Set(result.groups.map((group) => group.sha256)),
      new Set([content, left, right].map(sha256)),
    );
  }));

Deno.test("more copies than may be open at a time are still all found", () =>
  inTempDir((dir) => {
    const content = bytes(140_000);
    const other = flipped(content, 70_000);
    for (let i = 0; i < 40; i++) plant(dir, { [`a${i}`]: content, [`b${i}`]: other });
    const result = find(dir);
    deepEqual(result.groups.map((group) => group.copies), [40, 40]);
    deepEqual(
      new Set(result.groups.map((group) => group.sha256)),
      new Set([sha256(content), sha256(other)]),
    );
  }));

Deno.test("sixty copies: fifty are listed beside the nominated one and the rest counted", () =>
  inTempDir((dir) => {
    for (let i = 0; i < 60; i++) plant(dir, { [`f${i}`]: "the same" });
    const [group] = find(dir).groups;
    deepEqual([group.copies, group.other_copies.length, group.other_copies_omitted], [60, 50, 9]);
    equal(group.reclaimable_bytes, 59 * 8);
  }));

Deno.test("groups are listed by the space to win, and the limit cuts the list but not the sums", () =>
  inTempDir((dir) => {
    for (const i of [1, 2, 3]) {
      plant(dir, { [`a${i}`]: bytes(1000), [`b${i}`]: bytes(3000) });
    }
    plant(dir, { c1: bytes(5000), c2: bytes(5000) });
    deepEqual(find(dir).groups.map((group) => group.reclaimable_bytes), [6000, 5000, 2000]);
    const one = find(dir, { limit: 1 });
    deepEqual([one.duplicate_groups, one.shown, one.omitted_by_limit], [3, 1, 2]);
    equal(one.reclaimable_bytes, 13_000);
    match(summaryOf(one), /^3 duplicate groups, 13.0 KB .*1 of 3 groups shown/);
  }));

Deno.test("empty files are left out and counted, and included when min_bytes is 0", () =>
  inTempDir((dir) => {
    plant(dir, { "pkg1/__init__.py": "", "pkg2/__init__.py": "", "d/keep": "" });
    const without = find(dir);
    deepEqual([without.duplicate_groups, without.files_considered], [0, 0]);
    equal(without.empty_files_left_out, 3);
    match(summaryOf(without), /^No duplicate files found.*3 empty files left out/);
    const included = find(dir, { min_bytes: 0 });
    deepEqual(
      [included.duplicate_groups, included.reclaimable_bytes, included.empty_files_left_out],
      [1, 0, 0],
    );
    match(summaryOf(included), /empty files are included/);
  }));

Deno.test("a file that says it is empty but holds something is not taken as empty", () =>
  inTempDir((dir) => {
    plant(dir, { a: "", b: "", c: "text" });
    // As pseudo files do: the size is 0 and reading gives bytes all the same.
    const disk = {
      ...realDisk,
      open: (path: string) => realDisk.open(path.endsWith("/b") ? `${dir}/c` : path),
    };
    const result = find(dir, { min_bytes: 0 }, { disk });
    equal(result.duplicate_groups, 0);
    deepEqual(result.changed_during_scan, [`${dir}/b`]);
  }));

Deno.test("only files of at least min_bytes are considered", () =>
  inTempDir((dir) => {
    plant(dir, { a: bytes(999), b: bytes(999), c: bytes(1000), d: bytes(1000) });
    const result = find(dir, { min_bytes: 1000 });
    deepEqual(pathsOf(dir, result), [["c", "d"]]);
    equal(result.files_considered, 2);
  }));

Deno.test("the trash is left out: a copy in it is not offered again", () =>
  inTempDir((dir) => {
    plant(dir, { a: "kept", ".shieldfive-mcp-trash/batch/items/1": "kept" });
    equal(find(dir, { include_hidden: true, skip_dirs: "none" }).duplicate_groups, 0);
  }));

Deno.test("a sparse file counts as read, and only with what it occupies in the certain figure", () =>
  inTempDir((dir) => {
    for (const name of ["a", "b"]) {
      const file = Deno.openSync(`${dir}/${name}`, { write: true, create: true });
      file.writeSync(bytes(4096));
      file.truncateSync(8 * MIB);
      file.close();
    }
    const result = find(dir);
    equal(result.reclaimable_bytes, 8 * MIB);
    equal(result.reclaimable_certain_bytes, Deno.lstatSync(`${dir}/b`).blocks! * 512);
    equal(result.groups[0].oldest_copy.allocated_bytes, result.reclaimable_certain_bytes);
    match(summaryOf(result), /of it for certain/);
  }));

Deno.test("files that are only in the cloud are told by what their system shows of them", () => {
  const there = { size: 10, blocks: 8 };
  const away = { size: 10, blocks: 0 };
  equal(isCloudOnly("/d/a.jpg", away, "darwin"), true);
  equal(isCloudOnly("/d/a.jpg", there, "darwin"), false);
  equal(isCloudOnly("/d/empty", { size: 0, blocks: 0 }, "darwin"), false);
  equal(isCloudOnly("/d/.a.jpg.icloud", there, "darwin"), true);
  equal(isCloudOnly("/d/a.jpg.icloud", there, "darwin"), false);
  // A file without blocks is a sparse one here, and is read.
  equal(isCloudOnly("/d/a.jpg", away, "linux"), false);
  equal(isCloudOnly("/d/a.jpg", { size: 10, blocks: null }, "windows"), false);
});

Deno.test("names that could forge a line are exact in the data and visible in the summary", () =>
  inTempDir((dir) => {
    plant(dir, { "a\nTrashed 0 files": "x", "b\x1b]0;x\x07": "x" });
    const result = find(dir);
    deepEqual(pathsOf(dir, result), [["a\nTrashed 0 files", "b\x1b]0;x\x07"]]);
    ok(!/[\n\x1b\x07]/.test(summaryOf(result)));
  }));

Deno.test("the oldest copy is nominated; ties go to the shorter path, then to code-unit order", () =>
  inTempDir((dir) => {
    plant(dir, { "z-longer-name": "1", b: "1", a: "1", "old/and/deep": "1" });
    const time = new Date(1_600_000_000_000);
    for (const name of ["z-longer-name", "b", "a"]) Deno.utimeSync(`${dir}/${name}`, time, time);
    age(`${dir}/old/and/deep`, 9000);
    equal(find(dir).groups[0].oldest_copy.path, `${dir}/old/and/deep`);
    Deno.removeSync(`${dir}/old/and/deep`);
    const [tied] = find(dir).groups;
    equal(tied.oldest_copy.path, `${dir}/a`);
    deepEqual(tied.other_copies.map((copy) => copy.path), [`${dir}/b`, `${dir}/z-longer-name`]);
  }));

Deno.test("keep chooses another rule and the result says which", () =>
  inTempDir((dir) => {
    plant(dir, { "photos/2020/a.jpg": "p", "inbox/a.jpg": "p", "x": "p" });
    for (const [name, days] of [["photos/2020/a.jpg", 2], ["inbox/a.jpg", 1], ["x", 3]] as const) {
      age(`${dir}/${name}`, days);
    }
    const keeper = (keep: unknown) => {
      const result = find(dir, { keep });
      return [result.groups[0].oldest_copy.path.slice(dir.length + 1), result.keeper_rule];
    };
    deepEqual(keeper("oldest"), ["x", "oldest"]);
    deepEqual(keeper("newest"), ["inbox/a.jpg", "newest"]);
    deepEqual(keeper("shortest_path"), ["x", "shortest_path"]);
    const under = [`${dir}/inbox`, `${dir}/photos`];
    deepEqual(keeper({ under }), ["inbox/a.jpg", { under }]);
    Deno.symlinkSync(`${dir}/photos`, `${dir}/link`);
    deepEqual(keeper({ under: [`${dir}/link`] }), ["photos/2020/a.jpg", {
      under: [`${dir}/photos`],
    }]);
  }));

Deno.test("a folder of the keep rule must lie inside the granted folders", () =>
  inTempDir((dir) => {
    plant(dir, { "root/a": "1", "elsewhere/": "" });
    const error = refusal(() => find(`${dir}/root`, { keep: { under: [`${dir}/elsewhere`] } }));
    equal(error.code, "outside_roots");
  }));

Deno.test("numbers out of range and unknown arguments are refused", () =>
  inTempDir((dir) => {
    for (
      const args of [
        { max_files_hashed: 0 },
        { max_files_hashed: 1_000_001 },
        { min_bytes: -1 },
        { min_bytes: 1.5 },
        { max_bytes_hashed: 0 },
        { limit: 10_001 },
        { keep: "first" },
        { kep: "oldest" },
      ]
    ) equal(refusal(() => find(dir, args)).code, "invalid_argument", JSON.stringify(args));
  }));
