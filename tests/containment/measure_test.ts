import assert from "node:assert/strict";
import { CancelFlag, type Disk, type Measure, measure, realDisk } from "../../containment/mod.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { makeFifo, systemError } from "../tools/changing.ts";

function measured(path: string, disk: Disk = realDisk): Measure {
  return measure(path, Deno.lstatSync(path), { disk, signal: new CancelFlag() });
}

Deno.test("files and bytes are counted; links, pipes and trash folders are found and not entered", async () => {
  await inTempDir((dir) => {
    plant(dir, { "t/a": "1", "t/b/c": "22", "t/b/.hidden": "333", "t/empty/": "" });
    plant(dir, { "t/b/.shieldfive-mcp-trash/x": "4444", "outside/big": "x".repeat(1000) });
    Deno.symlinkSync(`${dir}/outside`, `${dir}/t/link`);
    Deno.symlinkSync("..", `${dir}/t/b/up`);
    makeFifo(`${dir}/t/pipe`);
    const result = measured(`${dir}/t`);
    assert.deepEqual([result.kind, result.files, result.bytes], ["directory", 4, 10]);
    assert.deepEqual(result.symlinks, { count: 2, first: `${dir}/t/link` });
    assert.deepEqual(result.special, { count: 1, first: `${dir}/t/pipe` });
    assert.deepEqual(result.trashes, { count: 1, first: `${dir}/t/b/.shieldfive-mcp-trash` });
    assert.deepEqual([result.unreadable, result.binding], [{ count: 0 }, "tree"]);
  });
});

Deno.test("a link and a pipe are nothing but themselves", async () => {
  await inTempDir((dir) => {
    plant(dir, { "outside/big": "x".repeat(1000) });
    Deno.symlinkSync(`${dir}/outside`, `${dir}/link`);
    makeFifo(`${dir}/pipe`);
    for (const [name, kind] of [["link", "symlink"], ["pipe", "special"]]) {
      const result = measured(`${dir}/${name}`);
      assert.deepEqual([result.kind, result.files, result.bytes], [kind, 0, 0]);
      assert.deepEqual([result.symlinks.count, result.special.count], [0, 0]);
    }
  });
});

Deno.test("any nested change gives another digest, and mere reading does not", async () => {
  await inTempDir((dir) => {
    const changes: Record<string, (top: string) => void> = {
      "a rename": (top) => Deno.renameSync(`${top}/d/a`, `${top}/d/A`),
      "a swap of two files of one size": (top) => {
        Deno.renameSync(`${top}/d/a`, `${top}/d/tmp`);
        Deno.renameSync(`${top}/d/b`, `${top}/d/a`);
        Deno.renameSync(`${top}/d/tmp`, `${top}/d/b`);
      },
      "an edit of the same length": (top) => {
        Deno.writeTextFileSync(`${top}/d/a`, "2");
        Deno.utimeSync(`${top}/d/a`, 1_700_000_001, 1_700_000_001);
      },
      "a new mode": (top) => Deno.chmodSync(`${top}/d/a`, 0o755),
      "a link that leads elsewhere": (top) => {
        Deno.removeSync(`${top}/d/link`);
        Deno.symlinkSync("b", `${top}/d/link`);
      },
      "an empty folder more": (top) => Deno.mkdirSync(`${top}/d/new`),
      "a file less": (top) => Deno.removeSync(`${top}/d/a`),
      "a folder moved": (top) => Deno.renameSync(`${top}/e`, `${top}/d/e`),
      "a file for a folder": (top) => {
        Deno.removeSync(`${top}/e`);
        Deno.writeTextFileSync(`${top}/e`, "");
      },
    };
    for (const [what, change] of Object.entries(changes)) {
      const top = Deno.makeTempDirSync({ dir });
      plant(top, { "d/a": "1", "d/b": "1", "e/": "" });
      for (const name of ["a", "b"]) {
        Deno.utimeSync(`${top}/d/${name}`, 1_700_000_000, 1_700_000_000);
      }
      Deno.symlinkSync("a", `${top}/d/link`);
      const before = measured(top).digest;
      Deno.readTextFileSync(`${top}/d/a`);
      Deno.utimeSync(`${top}/d/b`, 1, 1_700_000_000);
      assert.equal(measured(top).digest, before, "reading is no change");
      change(top);
      assert.notEqual(measured(top).digest, before, what);
    }
  });
});

Deno.test("what cannot be read is counted, and being able to read it changes the digest", async () => {
  await inTempDir((dir) => {
    plant(dir, { "t/no/x": "1", "t/yes": "22" });
    const closed: Disk = {
      ...realDisk,
      readDir(path) {
        if (path.endsWith("/no")) throw systemError("EACCES");
        return realDisk.readDir(path);
      },
    };
    const blind: Disk = {
      ...realDisk,
      lstat(path) {
        if (path.endsWith("/no/x")) throw systemError("EIO");
        return realDisk.lstat(path);
      },
    };
    const all = measured(`${dir}/t`);
    const folder = measured(`${dir}/t`, closed);
    assert.deepEqual(folder.unreadable, { count: 1, first: `${dir}/t/no` });
    assert.deepEqual([folder.files, folder.bytes], [1, 2]);
    const entry = measured(`${dir}/t`, blind);
    assert.deepEqual(entry.unreadable, { count: 1, first: `${dir}/t/no/x` });
    assert.equal(new Set([all.digest, folder.digest, entry.digest]).size, 3);
  });
});

Deno.test("above the ceiling the counts are bound instead of a digest, and that is said", async () => {
  await inTempDir((dir) => {
    const file = Deno.makeTempFileSync({ dir });
    const info = Deno.lstatSync(file);
    const names = Array.from(
      { length: 1_000_001 },
      (_, i) => ({ name: String(i) } as Deno.DirEntry),
    );
    const vast: Disk = { ...realDisk, readDir: () => names, lstat: () => info };
    const result = measured(dir, vast);
    assert.deepEqual([result.files, result.binding, result.digest], [1_000_001, "counts", ""]);
  });
});

Deno.test("measuring stops soon after a wish to stop", async () => {
  await inTempDir((dir) => {
    const signal = new CancelFlag();
    let looked = 0;
    const info = Deno.lstatSync(Deno.makeTempFileSync({ dir }));
    const names = Array.from({ length: 100_000 }, (_, i) => ({ name: String(i) } as Deno.DirEntry));
    const disk: Disk = {
      ...realDisk,
      readDir: () => names,
      lstat() {
        if (++looked === 500) signal.cancel();
        return info;
      },
    };
    const error = refusal(() => measure(dir, Deno.lstatSync(dir), { disk, signal }));
    assert.equal(error.code, "cancelled");
    assert.ok(looked <= 2048, `${looked} entries looked at`);
  });
});
