import assert from "node:assert/strict";
import fc from "fast-check";
import { CancelFlag, realDisk } from "../../containment/mod.ts";
import { Best } from "../../tools/local/rows.ts";
import { age, contextFor, inTempDir, plant } from "../support.ts";
import { type Output, read, refused, viewOf } from "./reading.ts";

function paths(output: Output, dir: string): string[] {
  return output.files.map((file: { path: string }) => file.path.slice(dir.length + 1));
}

Deno.test("list gives every file with size and date, and totals over all of them", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "b": "22", "a/c": "333", "a/b/d": "1", "empty": "" });
    Deno.utimeSync(`${dir}/b`, 1_700_000_000, 1_700_000_000.5);
    const output = await read("list_local", dir);
    assert.deepEqual(paths(output, dir), ["a/b/d", "a/c", "b", "empty"]);
    assert.equal(output.total_files, 4);
    assert.equal(output.total_bytes, 6);
    assert.deepEqual([output.shown, output.omitted_by_limit], [4, 0]);
    assert.deepEqual(output.scanned, [dir]);
    assert.deepEqual([output.not_scanned, output.warnings, output.complete], [[], [], true]);
    const { allocated_bytes, ...row } = output.files[2];
    assert.deepEqual(row, {
      path: `${dir}/b`,
      size: 2,
      size_human: "2 B",
      modified: "2023-11-14",
      modified_at: "2023-11-14T22:13:20.500Z",
      kind: "file",
    });
    assert.ok(allocated_bytes >= 0);
    assert.match(output.summary, /^4 files, 6 B\.$/);
  });
});

Deno.test("rows come by path, size or date, ties by path, and pages join without gap or overlap", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "1", "B": "22", "c/d": "1", "e": "333", "Z": "22", "é": "1" });
    for (const [i, name] of ["e", "a", "c/d", "B", "Z", "é"].entries()) {
      age(`${dir}/${name}`, Math.floor(i / 2));
    }
    const orders: Record<string, string[]> = {
      path: ["B", "Z", "a", "c/d", "e", "é"],
      size: ["e", "B", "Z", "a", "c/d", "é"],
    };
    for (const [sort_by, expected] of Object.entries(orders)) {
      assert.deepEqual(paths(await read("list_local", dir, { sort_by }), dir), expected);
      const pages: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page: Output = await read("list_local", dir, { sort_by, limit: 2, offset });
        assert.ok(page.shown > 0);
        assert.equal(page.total_files, 6);
        pages.push(...paths(page, dir));
        offset = page.next_offset;
      }
      assert.deepEqual(pages, expected);
    }
    const byDate = paths(await read("list_local", dir, { sort_by: "modified" }), dir);
    assert.deepEqual(byDate.slice(0, 2).sort(), ["a", "e"]);
    assert.deepEqual(byDate.slice(4).sort(), ["Z", "é"]);
    const beyond = await read("list_local", dir, { offset: 100 });
    assert.deepEqual([beyond.shown, beyond.next_offset], [0, undefined]);
  });
});

Deno.test("what the limit cuts is told", async () => {
  await inTempDir(async (dir) => {
    for (let i = 0; i < 12; i++) plant(dir, { [`f${i}`]: "x" });
    const output = await read("list_local", dir, { limit: 5 });
    assert.deepEqual([output.shown, output.omitted_by_limit, output.next_offset], [5, 7, 5]);
    assert.match(output.summary, /5 of 12 shown/);
  });
});

Deno.test("filters choose rows and leave the totals alone", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "Report.PDF": "1234",
      "notes/report.pdf.bak": "12",
      "a.tar.gz": "123",
      "b.gz": "1",
      "Mu\u0308ller.txt": "1",
    });
    const of = async (args: Record<string, unknown>) => {
      const output = await read("list_local", dir, args);
      assert.deepEqual([output.total_files, output.total_bytes], [5, 11]);
      assert.equal(output.match_count, output.shown);
      return paths(output, dir);
    };
    assert.deepEqual(await of({ name_contains: "REPORT" }), ["Report.PDF", "notes/report.pdf.bak"]);
    assert.deepEqual(await of({ extensions: ["pdf"] }), ["Report.PDF"]);
    assert.deepEqual(await of({ extensions: [".tar.gz", "PDF"] }), ["Report.PDF", "a.tar.gz"]);
    assert.deepEqual(await of({ extensions: ["gz"] }), ["a.tar.gz", "b.gz"]);
    assert.deepEqual(await of({ min_bytes: 3 }), ["Report.PDF", "a.tar.gz"]);
    assert.deepEqual(await of({ min_bytes: 2, name_contains: "report", extensions: ["bak"] }), [
      "notes/report.pdf.bak",
    ]);
    assert.deepEqual(await of({ name_contains: "m\u00fcller" }), ["Mu\u0308ller.txt"]);
    const bytes = (await read("list_local", dir, { extensions: ["gz"] })).matched_bytes;
    assert.equal(bytes, 4);
  });
});

Deno.test("a file, or a link to one, is listed alone, and a pipe is refused unopened", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/one": "1", "a/two": "2" });
    Deno.symlinkSync("a/one", `${dir}/link`);
    assert.ok(new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).outputSync().success);
    for (const path of [`${dir}/a/one`, `${dir}/link`]) {
      const output = await read("list_local", dir, { path });
      assert.deepEqual(paths(output, dir), ["a/one"]);
      assert.deepEqual(output.scanned, [`${dir}/a/one`]);
    }
    for (
      const tool of ["list_local", "find_large_files", "find_old_files", "storage_summary"]
    ) {
      const error = await refused(tool, dir, { path: `${dir}/pipe` });
      assert.equal(error.code, "not_a_directory");
    }
  });
});

Deno.test("every warning of the walk is in the field and in the summary, in the spec's order", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "a": "x",
      "b": "x",
      ".hidden": "x",
      "node_modules/x": "x",
      "build/x": "x",
      ["d/".repeat(65) + "deep"]: "x",
    });
    Deno.linkSync(`${dir}/a`, `${dir}/a2`);
    Deno.symlinkSync("a", `${dir}/link`);
    const disk = {
      ...realDisk,
      lstat(path: string) {
        if (path.endsWith("/b")) throw Object.assign(new Error("EIO"), { code: "EIO" });
        return realDisk.lstat(path);
      },
    };
    const { warnings, complete, unreadable_count, unreadable_first } = await read(
      "list_local",
      contextFor([dir], { disk }),
    );
    const words = [
      /^1 item.*could not be read/,
      /^1 symlink/,
      /^1 hidden item\(s\) excluded; include_hidden/,
      /^2 build\/cache directories \(build, node_modules\).*NOT in the totals/,
      /^2 file\(s\) have hardlinks/,
      /^1 branch.*64 levels/,
    ];
    assert.equal(warnings.length, words.length, warnings.join("\n"));
    for (const [i, word] of words.entries()) assert.match(warnings[i], word);
    assert.equal(complete, false);
    assert.equal(unreadable_count, 1);
    assert.deepEqual(unreadable_first, [{ path: `${dir}/b`, code: "EIO" }]);
  });
});

Deno.test("a scan that stopped at its cap says PARTIAL, where, and what it did not open", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "1/a": "", "1/b": "", "2/a": "" });
    for (
      const tool of ["list_local", "find_large_files", "find_old_files", "storage_summary"]
    ) {
      const output = await read(tool, [`${dir}/1`, `${dir}/2`], { max_files: 1 });
      assert.match(output.warnings[0], /^PARTIAL: .*max_files 1\b/, tool);
      assert.ok(output.warnings[0].includes(`${dir}/1`));
      assert.ok(output.warnings[0].includes(`${dir}/2`));
      assert.deepEqual(output.not_scanned, [`${dir}/2`]);
      assert.equal(output.complete, false);
    }
    const names = await read("list_local", [`${dir}/1`], { max_files: 2 });
    assert.deepEqual([names.warnings, names.complete], [[], true]);
  });
});

Deno.test("one root of several that cannot be opened is told, and all of them is a refusal", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "closed/x": "x", "open/y": "yy" });
    const context = contextFor([`${dir}/closed`, `${dir}/open`], {
      disk: {
        ...realDisk,
        readDir(path) {
          if (path === `${dir}/closed`) throw Object.assign(new Error("EIO"), { code: "EIO" });
          return realDisk.readDir(path);
        },
      },
    });
    const output = await read("list_local", context);
    assert.equal(output.complete, false);
    assert.deepEqual(output.scanned, [`${dir}/open`]);
    assert.match(output.warnings[0], /closed could not be opened \(EIO\)/);
    const error = await refused("list_local", context, { path: `${dir}/closed` });
    assert.equal(error.code, "root_unavailable");
  });
});

Deno.test("a root that went away is a refusal and no clean zero", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "root/x": "x", "other/y": "y" });
    const context = contextFor([`${dir}/root`, `${dir}/other`]);
    Deno.renameSync(`${dir}/root`, `${dir}/gone`);
    for (const tool of ["list_local", "find_large_files", "find_old_files", "storage_summary"]) {
      const error = await refused(tool, context);
      assert.equal(error.code, "root_unavailable");
      assert.equal(error.detail?.root, `${dir}/root`);
    }
    const other = await read("list_local", context, { path: `${dir}/other` });
    assert.equal(other.total_files, 1);
  });
});

Deno.test("without roots, or cancelled, every reading tool refuses", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "x": "x" });
    const stopped = new CancelFlag();
    stopped.cancel();
    for (
      const tool of ["list_local", "find_large_files", "find_old_files", "storage_summary"]
    ) {
      assert.equal((await refused(tool, [])).code, "no_roots");
      assert.equal((await refused(tool, [], { path: dir })).code, "no_roots");
      const context = contextFor([dir], { signal: stopped });
      assert.equal((await refused(tool, context)).code, "cancelled");
    }
  });
});

Deno.test("the system's folders are refused by path and left out of /", async () => {
  for (const path of ["/proc", "/proc/self", "/sys/kernel", "/dev"]) {
    assert.equal((await refused("storage_summary", "/", { path })).code, "outside_roots");
  }
});

Deno.test("hostile names stay exact in the data and one line in the summary", async () => {
  await inTempDir(async (dir) => {
    const names = ["a\nTrashed 0 files", "b\x1b]0;x\x07", "c\rOK", "d\u202etxt.exe"];
    plant(dir, Object.fromEntries(names.flatMap((name) => [[`${name}/f`, ""], [`${name}/g`, ""]])));
    const output = await read("list_local", names.map((name) => `${dir}/${name}`), {
      max_files: 1,
    });
    assert.deepEqual(paths(output, dir), [`${names[0]}/f`]);
    assert.match(output.summary, /a\\nTrashed 0 files/);
    assert.match(output.summary, /d\\u\{202e\}txt\.exe/);
  });
});

Deno.test("a folder of thousands of files is paged within the limit", async () => {
  await inTempDir(async (dir) => {
    for (let i = 0; i < 3000; i++) Deno.writeTextFileSync(`${dir}/f${i}`, "");
    const output = await read("list_local", dir);
    assert.deepEqual([output.total_files, output.shown, output.next_offset], [3000, 200, 200]);
    assert.equal((await refused("list_local", dir, { limit: 10_001 })).code, "invalid_argument");
  }, { on: "/dev/shm" });
});

Deno.test("the terminal shows size, date and path", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "x": "x" });
    const output = await read("list_local", dir);
    const { tables } = viewOf("list_local", output);
    assert.deepEqual(tables![0].columns.map((column) => column.kind), ["size", "date", "path"]);
    assert.deepEqual(tables![0].rows, [[1, output.files[0].modified_at, `${dir}/x`]]);
  });
});

Deno.test("the best few of many are those that sorting all would put first", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 20 }), (
      all,
      size,
    ) => {
      const best = new Best<number>(size, (a, b) => a - b);
      for (const number of all) best.offer(number);
      assert.deepEqual(best.sorted(), all.toSorted((a, b) => a - b).slice(0, size));
    }),
    { seed: 20_261_130, numRuns: 300 },
  );
});
