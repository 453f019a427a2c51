import assert from "node:assert/strict";
import { contextFor, inTempDir, plant } from "../support.ts";
import { type Output, read, refused, viewOf } from "./reading.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1, 12);

function paths(output: Output, dir: string): string[] {
  return output.files.map((file: { path: string }) => file.path.slice(dir.length + 1));
}

/** Writes files with the given ages in days before NOW. */
function plantAged(dir: string, ages: Record<string, number>): void {
  for (const [name, days] of Object.entries(ages)) {
    plant(dir, { [name]: "12345" });
    const seconds = (NOW - days * DAY) / 1000;
    Deno.utimeSync(`${dir}/${name}`, seconds, seconds);
  }
}

function at(dir: string) {
  return contextFor([dir], { now: () => NOW });
}

Deno.test("old files come oldest first, ties by path, and the threshold itself is not old", async () => {
  await inTempDir(async (dir) => {
    plantAged(dir, {
      "young": 1,
      "exact": 365,
      "justover": 365 + 1 / DAY,
      "b": 700,
      "a/z": 700,
      "ancient": 4000,
    });
    const output = await read("find_old_files", at(dir));
    assert.deepEqual(paths(output, dir), ["ancient", "a/z", "b", "justover"]);
    assert.deepEqual([output.match_count, output.matched_bytes], [4, 20]);
    assert.deepEqual(
      output.files.map((file: { days_since_modified: number }) => file.days_since_modified),
      [4000, 700, 700, 365],
    );
    assert.equal(output.older_than_days, 365);
    assert.equal(
      paths(await read("find_old_files", at(dir), { older_than_days: 364 }), dir)[4],
      "exact",
    );
    const one = await read("find_old_files", at(dir), { limit: 1 });
    assert.deepEqual([paths(one, dir), one.omitted_by_limit], [["ancient"], 3]);
    assert.match(one.summary, /the 1 oldest shown/);
  });
});

Deno.test("that the date is weak evidence is always said, with no match too", async () => {
  await inTempDir(async (dir) => {
    for (const ages of [{}, { "old": 5000 }] as Record<string, number>[]) {
      plantAged(dir, ages);
      const output = await read("find_old_files", at(dir));
      assert.equal(output.warnings.length, 1);
      assert.match(output.warnings[0], /weak signal.*not evidence a file is unwanted/);
      assert.ok(output.summary.includes(output.warnings[0]));
    }
  });
});

Deno.test("dates that cannot be right are marked and counted", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "epoch": "x", "before": "x", "future": "x", "dos": "x", "soon": "x", "far": "x" });
    const seconds: Record<string, number> = {
      epoch: 0,
      before: -315_619_200,
      dos: Date.UTC(1980, 0, 1) / 1000,
      soon: NOW / 1000 + 3600,
      future: Date.UTC(2040, 0, 1) / 1000,
      far: Date.UTC(2446, 0, 1) / 1000,
    };
    for (const [name, time] of Object.entries(seconds)) {
      Deno.utimeSync(`${dir}/${name}`, time, time);
    }
    const output = await read("find_old_files", at(dir));
    assert.deepEqual(paths(output, dir), ["before", "epoch", "dos"]);
    assert.deepEqual(
      output.files.map((file: { implausible_time?: boolean }) => file.implausible_time),
      [true, true, undefined],
    );
    assert.deepEqual(output.implausible_times, { before_1980: 2, future: 2, unknown: 0 });
    assert.deepEqual(output.future_first, [
      { path: `${dir}/far`, modified_at: "2446-01-01T00:00:00.000Z" },
      { path: `${dir}/future`, modified_at: "2040-01-01T00:00:00.000Z" },
    ]);
    assert.match(output.summary, /2 files dated before 1980/);
    assert.match(output.summary, /2 files dated in the future/);
    const { tables } = viewOf("find_old_files", output);
    assert.deepEqual(tables![0].rows.map((row) => row[2]), ["unknown", "unknown", "46 years"]);
  });
});

Deno.test("a date that no calendar holds stops nothing and is counted", async () => {
  await inTempDir(async (dir) => {
    plantAged(dir, { "old": 1000, "lost": 1 });
    const touched = new Deno.Command("touch", { args: ["-d", "@9000000000000000", `${dir}/lost`] });
    assert.ok(touched.outputSync().success);
    if (!Number.isNaN(Deno.lstatSync(`${dir}/lost`).mtime?.getTime())) {
      return console.log("skipped: this disk cannot hold such a date");
    }
    const output = await read("find_old_files", at(dir));
    assert.deepEqual(paths(output, dir), ["old"]);
    assert.equal(output.implausible_times.unknown, 1);
    for (const sort_by of ["path", "modified"]) {
      const listed = await read("list_local", at(dir), { sort_by });
      const row = listed.files.find((file: { path: string }) => file.path.endsWith("lost"));
      assert.deepEqual([row.modified, row.modified_at], [undefined, undefined]);
      assert.match(listed.warnings[0], /1 file without a usable modification time/);
    }
  }, { on: "/dev/shm" });
});

Deno.test("when a file was made is told where the system knows it", async () => {
  await inTempDir(async (dir) => {
    plantAged(dir, { "old": 1000 });
    const birth = Deno.lstatSync(`${dir}/old`).birthtime;
    const [file] = (await read("find_old_files", at(dir))).files;
    assert.equal(file.birthtime, birth?.toISOString());
  });
});

Deno.test("the terminal shows ages in words", async () => {
  await inTempDir(async (dir) => {
    plantAged(dir, { "a": 731, "b": 400 });
    const { tables } = viewOf("find_old_files", await read("find_old_files", at(dir)));
    assert.deepEqual(tables![0].columns.map((column) => column.title), [
      "Size",
      "Modified",
      "Age",
      "Path",
    ]);
    assert.deepEqual(tables![0].rows.map((row) => row[2]), ["2 years", "13 months"]);
  });
});

Deno.test("a number of days outside 1 to 36,500 is refused", async () => {
  await inTempDir(async (dir) => {
    for (const older_than_days of [0, -1, 36_501, 1.5, "30", "30d", false]) {
      const error = await refused("find_old_files", dir, { older_than_days });
      assert.equal(error.code, "invalid_argument");
      assert.match(error.message, /older_than_days/);
    }
    const output = await read("find_old_files", dir, { older_than_days: 36_500 });
    assert.equal(output.match_count, 0);
  });
});
