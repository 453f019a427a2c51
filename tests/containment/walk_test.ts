import assert from "node:assert/strict";
import fc from "fast-check";
import {
  CancelFlag,
  DEFAULT_SKIP_DIRS,
  type Disk,
  realDisk,
  requireOpened,
  TRASH_NAME,
  walk,
  type WalkOptions,
  type WalkReport,
} from "../../containment/mod.ts";
import { asNobody, inTempDir, plant, refusal, withMounts } from "../support.ts";

interface Walked extends WalkReport {
  /** Paths below the only start, or whole paths with several starts. */
  found: string[];
}

function walked(
  dirs: string | string[],
  options: Partial<WalkOptions> = {},
  disk: Disk = realDisk,
  signal = new CancelFlag(),
): Walked {
  const starts = [dirs].flat().map((path) => ({ path, info: Deno.lstatSync(path) }));
  const found: string[] = [];
  const report = walk(starts, { maxFiles: 200_000, ...options }, { disk, signal }, (path) => {
    found.push(typeof dirs === "string" ? path.slice(dirs.length + 1) : path);
  });
  return { ...report, found };
}

/** The real disk with one operation failing for one path. */
function failing(operation: "lstat" | "readDir", path: string, code: string): Disk {
  return {
    ...realDisk,
    [operation](at: string) {
      if (at === path) throw Object.assign(new Error(code), { code });
      return realDisk[operation](at);
    },
  };
}

Deno.test("the walk goes breadth first, with names in code-unit order", async () => {
  await inTempDir((dir) => {
    plant(dir, { "b": "", "a/z": "", "a/Z": "", "a/c/x": "", "é": "", "B": "" });
    assert.deepEqual(walked(dir).found, ["B", "b", "é", "a/Z", "a/z", "a/c/x"]);
  });
});

Deno.test("the result does not depend on the order in which the disk lists a folder", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/1": "", "a/2": "", "b": "", "c/d/e": "", "z": "" });
    const reversed: Disk = {
      ...realDisk,
      readDir: (path) => [...realDisk.readDir(path)].sort((a, b) => a.name < b.name ? 1 : -1),
    };
    for (const maxFiles of [1, 3, 100]) {
      assert.deepEqual(walked(dir, { maxFiles }, reversed), walked(dir, { maxFiles }));
    }
  });
});

Deno.test("links are counted and never followed, dot-named ones too, and none can loop", async () => {
  await inTempDir((dir) => {
    plant(dir, { "root/a": "", "outside/secret": "" });
    Deno.symlinkSync(".", `${dir}/root/loop`);
    Deno.symlinkSync("../outside", `${dir}/root/.out`);
    Deno.symlinkSync("../outside/secret", `${dir}/root/file`);
    Deno.symlinkSync("nowhere", `${dir}/root/dangling`);
    const report = walked(`${dir}/root`);
    assert.deepEqual(report.found, ["a"]);
    assert.equal(report.symlinks, 4);
    assert.equal(report.hidden, 0);
  });
});

Deno.test("build and cache folders are left out at any depth, files of those names are not", async () => {
  await inTempDir((dir) => {
    for (const name of DEFAULT_SKIP_DIRS) plant(dir, { [`deep/er/${name}/x`]: "" });
    plant(dir, { "build": "a file", "Build/x": "", "node_modules2/x": "" });
    for (const includeHidden of [false, true]) {
      const report = walked(dir, { includeHidden });
      assert.deepEqual(report.found, ["build", "Build/x", "node_modules2/x"]);
      assert.equal(report.skipped.count, DEFAULT_SKIP_DIRS.length);
      assert.equal(report.skipped.names.length, 3);
    }
    assert.equal(DEFAULT_SKIP_DIRS.length, 19);
    const all = walked(dir, { skipDirs: [], includeHidden: true });
    assert.equal(all.found.length, 3 + DEFAULT_SKIP_DIRS.length - 1);
    assert.ok(!all.found.some((path) => path.includes(TRASH_NAME)), "the trash is never walked");
    assert.deepEqual(
      walked(dir, { skipDirs: ["Build"] }).found.sort(),
      [
        "build",
        ...DEFAULT_SKIP_DIRS.filter((n) => !n.startsWith(".")).map((n) => `deep/er/${n}/x`),
        "node_modules2/x",
      ].sort(),
    );
  });
});

Deno.test("hidden entries are left out and counted, or walked when asked for", async () => {
  await inTempDir((dir) => {
    plant(dir, { ".file": "", ".folder/x": "", ".folder/.y": "", "seen": "" });
    const without = walked(dir);
    assert.deepEqual(without.found, ["seen"]);
    assert.equal(without.hidden, 2);
    assert.deepEqual(walked(dir, { includeHidden: true }).found, [
      ".file",
      "seen",
      ".folder/.y",
      ".folder/x",
    ]);
  });
});

Deno.test("a hidden, skipped or trash folder that is named as the start is walked", async () => {
  await inTempDir((dir) => {
    for (const name of [".hidden", "node_modules", TRASH_NAME]) {
      plant(dir, { [`${name}/x`]: "", [`${name}/${TRASH_NAME}/y`]: "" });
      assert.deepEqual(walked(`${dir}/${name}`, { includeHidden: true }).found, ["x"]);
    }
  });
});

Deno.test("system noise, pipes, sockets and devices are counted and never opened", async () => {
  await inTempDir((dir) => {
    plant(dir, { ".DS_Store": "", "Thumbs.db": "", "desktop.ini": "", "a": "" });
    const made = new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).outputSync().success;
    const listener = Deno.listen({ transport: "unix", path: `${dir}/socket` });
    const device = new Deno.Command("mknod", { args: [`${dir}/zero`, "c", "1", "5"] }).outputSync();
    const report = walked(dir);
    listener.close();
    assert.ok(made);
    assert.deepEqual(report.found, ["a"]);
    assert.equal(report.noise, 3);
    assert.equal(report.special, device.success ? 3 : 2);
    if (!device.success) console.log("note: no device could be made here, so none was met");
  });
});

Deno.test("application bundles and media libraries are one thing unless asked for", async () => {
  await inTempDir((dir) => {
    plant(dir, { "Mail.app/Contents/x": "", "My.photoslibrary/db": "", "notes.app": "a file" });
    const report = walked(dir);
    assert.deepEqual(report.found, ["notes.app"]);
    assert.equal(report.bundles, 2);
    assert.equal(walked(dir, { includeBundles: true }).found.length, 3);
  });
});

Deno.test("64 levels below the start are walked and the 65th is reported", async () => {
  await inTempDir((dir) => {
    const at = (levels: number) => "d/".repeat(levels);
    plant(dir, { [`${at(64)}last`]: "", [`${at(65)}lost`]: "", [`${at(65)}lost2`]: "" });
    const report = walked(dir);
    assert.deepEqual(report.found, [`${at(64)}last`]);
    assert.equal(report.tooDeep, 1);
  });
});

Deno.test("a chain of 10,000 folders ends the branch and not the walk", async () => {
  await inTempDir((dir) => {
    const script =
      'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(10000): os.mkdir("d"); os.chdir("d")';
    const python = new Deno.Command("python3", { args: ["-c", script, dir] });
    try {
      assert.ok(python.outputSync().success);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return console.log("skipped: there is no python3 here to build the chain with");
    }
    plant(dir, { "a": "" });
    const report = walked(dir);
    assert.deepEqual(report.found, ["a"]);
    assert.equal(report.tooDeep, 1);
    new Deno.Command("rm", { args: ["-rf", `${dir}/d`] }).outputSync();
  }, { on: "/dev/shm" });
});

Deno.test("a path too long for the system is told and the rest is walked", async () => {
  await inTempDir((dir) => {
    const script =
      'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(30): os.mkdir("n"*250); os.chdir("n"*250)';
    try {
      assert.ok(new Deno.Command("python3", { args: ["-c", script, dir] }).outputSync().success);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return console.log("skipped: there is no python3 here to build the chain with");
    }
    plant(dir, { "z": "" });
    const report = walked(dir);
    assert.deepEqual(report.found, ["z"]);
    assert.deepEqual(report.unreadable.first.map((one) => one.code), ["ENAMETOOLONG"]);
    new Deno.Command("rm", { args: ["-rf", `${dir}/${"n".repeat(250)}`] }).outputSync();
  });
});

Deno.test("a folder or entry that cannot be read is listed, and the rest is walked", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x": "", "b/x": "", "c": "" });
    const folder = walked(dir, {}, failing("readDir", `${dir}/a`, "EACCES"));
    assert.deepEqual(folder.found, ["c", "b/x"]);
    assert.deepEqual(folder.unreadable, {
      count: 1,
      first: [{ path: `${dir}/a`, code: "EACCES" }],
    });
    const entry = walked(dir, {}, failing("lstat", `${dir}/c`, "ENOENT"));
    assert.deepEqual(entry.found, ["a/x", "b/x"]);
    assert.deepEqual(entry.unreadable.first, [{ path: `${dir}/c`, code: "ENOENT" }]);
  });
});

Deno.test("what the runtime withholds is listed as unreadable, and a bug is not", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x": "", "b": "" });
    const withheld: Disk = {
      ...realDisk,
      readDir(path) {
        if (path.endsWith("/a")) throw new Deno.errors.NotCapable("no");
        return realDisk.readDir(path);
      },
    };
    assert.equal(walked(dir, {}, withheld).unreadable.first[0].code, "NOT_CAPABLE");
    const broken: Disk = {
      ...realDisk,
      lstat() {
        throw new RangeError("a bug");
      },
    };
    assert.throws(() => walked(dir, {}, broken), RangeError);
  });
});

Deno.test("folders without rights, for a user who has none", async () => {
  await inTempDir((dir) => {
    plant(dir, { "ok/x": "x", "no/x": "x", "names-only/x": "x", "closed-file": "x" });
    Deno.chmodSync(dir, 0o755);
    Deno.chmodSync(`${dir}/no`, 0o000);
    Deno.chmodSync(`${dir}/names-only`, 0o744);
    Deno.chmodSync(`${dir}/closed-file`, 0o000);
    const input = { include_hidden: true, max_files: 100, limit: 100, skip_dirs: "default" };
    const output = asNobody("read", {
      tool: "list_local",
      roots: [dir],
      input: { ...input, sort_by: "path", offset: 0 },
    }) as Record<string, unknown> | undefined;
    Deno.chmodSync(`${dir}/no`, 0o755);
    if (output === undefined) return;
    assert.deepEqual((output.files as { path: string }[]).map((file) => file.path), [
      `${dir}/closed-file`,
      `${dir}/ok/x`,
    ]);
    assert.equal(output.complete, false);
    assert.equal(output.unreadable_count, 2);
    assert.deepEqual(output.unreadable_first, [
      { path: `${dir}/names-only/x`, code: "EACCES" },
      { path: `${dir}/no`, code: "EACCES" },
    ]);
  });
});

Deno.test("the cap is told only when a file was really left out", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "", "b": "", "c/.hidden": "", "c/.DS_Store": "", "node_modules/x": "" });
    for (let i = 0; i < 30; i++) Deno.symlinkSync("a", `${dir}/c/link${i}`);
    const fits = walked(dir, { maxFiles: 2 });
    assert.deepEqual([fits.found, fits.truncated, fits.entryBudgetHit], [["a", "b"], [], false]);
    const cut = walked(dir, { maxFiles: 1 });
    assert.deepEqual([cut.found, cut.truncated], [["a"], [dir]]);
    assert.ok(cut.perStart[0].truncated);
  });
});

Deno.test("one budget serves all starts, and those behind it are named as not scanned", async () => {
  await inTempDir((dir) => {
    plant(dir, { "1/a": "", "1/b": "", "2/a": "", "2/b": "", "3/a": "" });
    const starts = [1, 2, 3].map((n) => `${dir}/${n}`);
    const report = walked(starts, { maxFiles: 3 });
    assert.deepEqual(report.found, [`${dir}/1/a`, `${dir}/1/b`, `${dir}/2/a`]);
    assert.deepEqual(report.scanned, starts.slice(0, 2));
    assert.deepEqual(report.truncated, [`${dir}/2`]);
    assert.deepEqual(report.notScanned, [`${dir}/3`]);
    const exact = walked(starts, { maxFiles: 2 });
    assert.deepEqual([exact.truncated, exact.notScanned], [[], starts.slice(1)]);
  });
});

Deno.test("entries that are no files have a budget of their own", async () => {
  await inTempDir((dir) => {
    plant(dir, { "z": "" });
    for (let i = 0; i < 20; i++) Deno.symlinkSync("z", `${dir}/link${i}`);
    const report = walked(dir, { maxFiles: 100, maxEntries: 10 });
    assert.ok(report.entryBudgetHit);
    assert.deepEqual(report.truncated, [dir]);
    assert.equal(report.symlinks, 10);
  });
});

Deno.test("names that are not valid UTF-8 are counted, and never stand for another file", async () => {
  await inTempDir((dir) => {
    const made = new Deno.Command("sh", {
      args: ["-c", `cd "$1"; touch "$(printf 'caf\\351')" "$(printf 'b\\377')" ok`, "sh", dir],
    }).outputSync();
    assert.ok(made.success);
    plant(dir, { "caf\ufffd": "its name holds a real replacement character" });
    const report = walked(dir);
    assert.deepEqual(report.found, ["caf\ufffd", "ok"]);
    assert.equal(report.undecodable, 2);
    assert.equal(report.unreadable.count, 0);
  });
});

Deno.test("names of every kind are walked as they are", async () => {
  await inTempDir((dir) => {
    const names = [
      "new\nline",
      "tab\t",
      "quo'\"te",
      "😀",
      "\u202etxt.exe",
      "-rf",
      "   ",
      "x".repeat(255),
      "é",
      "e\u0301",
      "\\",
      "\x1b[31m",
    ];
    plant(dir, Object.fromEntries(names.map((name) => [name, "x"])));
    assert.deepEqual(walked(dir).found, names.toSorted((a, b) => a < b ? -1 : 1));
  });
});

Deno.test("a folder that becomes a link before it is opened is not read through", async () => {
  await inTempDir((dir) => {
    plant(dir, { "root/a/mine": "", "root/b": "", "outside/secret": "" });
    const disk: Disk = {
      ...realDisk,
      readDir(path) {
        if (path === `${dir}/root/a`) {
          Deno.removeSync(path, { recursive: true });
          Deno.symlinkSync("../outside", path);
        }
        return realDisk.readDir(path);
      },
    };
    const report = walked(`${dir}/root`, {}, disk);
    assert.deepEqual(report.found, ["b"]);
    assert.deepEqual(report.unreadable.first.map((one) => one.path), [`${dir}/root/a`]);
  });
});

Deno.test("a folder whose parent becomes a link before it is opened is not read through", async () => {
  await inTempDir((dir) => {
    plant(dir, { "root/p/a/mine": "", "outside/a/secret": "" });
    const disk: Disk = {
      ...realDisk,
      readDir(path) {
        if (path === `${dir}/root/p/a`) {
          Deno.removeSync(`${dir}/root/p`, { recursive: true });
          Deno.symlinkSync("../outside", `${dir}/root/p`);
        }
        return realDisk.readDir(path);
      },
    };
    const report = walked(`${dir}/root`, {}, disk);
    assert.deepEqual(report.found, []);
    assert.equal(report.unreadable.count, 1);
  });
});

Deno.test("files that come and go during the walk do no harm", async () => {
  await inTempDir((dir) => {
    for (let i = 0; i < 40; i++) plant(dir, { [`d${i % 4}/f${i}`]: "" });
    let n = 0;
    const busy: Disk = {
      ...realDisk,
      lstat(path) {
        n++;
        if (n % 5 === 0) plant(dir, { [`d${n % 4}/new${n}`]: "" });
        if (n % 7 === 0) Deno.renameSync(path, `${dir}/d${n % 4}/moved${n}`);
        return realDisk.lstat(path);
      },
    };
    const { found } = walked(dir, {}, busy);
    assert.equal(new Set(found).size, found.length);
    assert.ok(found.length > 0);
  });
});

Deno.test("a cancelled walk stops as cancelled, in the middle of one large folder too", async () => {
  await inTempDir((dir) => {
    for (let i = 0; i < 5000; i++) Deno.writeTextFileSync(`${dir}/${i}`, "");
    const before = new CancelFlag();
    before.cancel();
    assert.equal(refusal(() => walked(dir, {}, realDisk, before)).code, "cancelled");
    const signal = new CancelFlag();
    let seen = 0;
    const disk: Disk = {
      ...realDisk,
      lstat(path) {
        if (++seen === 100) signal.cancel();
        return realDisk.lstat(path);
      },
    };
    assert.equal(refusal(() => walked(dir, {}, disk, signal)).code, "cancelled");
    assert.ok(seen < 2000, `${seen}`);
  });
});

Deno.test("one folder of 130,000 files is walked whole", async () => {
  await inTempDir((dir) => {
    const script =
      'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(130001): os.mknod(f"f{i:06}")';
    try {
      assert.ok(new Deno.Command("python3", { args: ["-c", script, dir] }).outputSync().success);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return console.log("skipped: there is no python3 here to make the files with");
    }
    const report = walked(dir);
    assert.equal(report.files, 130_001);
    assert.deepEqual(report.truncated, []);
  }, { on: "/dev/shm" });
});

Deno.test("a start that cannot be opened is told apart from an empty one", async () => {
  await inTempDir((dir) => {
    plant(dir, { "closed/x": "", "open/x": "" });
    const disk = failing("readDir", `${dir}/closed`, "EACCES");
    const report = walked([`${dir}/closed`, `${dir}/open`], {}, disk);
    assert.deepEqual(report.scanned, [`${dir}/open`]);
    assert.deepEqual(report.unopened, [{ root: `${dir}/closed`, code: "EACCES" }]);
    assert.deepEqual(report.perStart.map((row) => row.root), [`${dir}/open`]);
    requireOpened(report);
    const error = refusal(() => requireOpened(walked(`${dir}/closed`, {}, disk)));
    assert.equal(error.code, "root_unavailable");
    assert.match(error.message, /EACCES/);
  });
});

Deno.test("the system's folders are not walked from /, whatever is asked for", () => {
  const read: string[] = [];
  const disk: Disk = {
    ...realDisk,
    readDir(path) {
      read.push(path);
      return path === "/" ? realDisk.readDir(path) : [];
    },
  };
  const report = walked(["/"], { includeHidden: true, skipDirs: [], includeBundles: true }, disk);
  assert.ok(read.includes("/usr") || read.includes("/etc"));
  assert.ok(!read.some((path) => /^\/(proc|sys|dev)(\/|$)/.test(path)));
  assert.ok(report.pseudo >= 1);
});

Deno.test("other volumes are named once each, and can be left out", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "", "disk/in/side/x": "", "disk/y": "", "b/z": "" });
    const mounted: Disk = {
      ...realDisk,
      lstat(path) {
        const info = realDisk.lstat(path);
        return path.startsWith(`${dir}/disk`) ? { ...info, dev: info.dev + 1 } : info;
      },
    };
    const whole = walked(dir, {}, mounted);
    assert.deepEqual(whole.mountPoints, [`${dir}/disk`]);
    assert.equal(whole.found.length, 4);
    const one = walked(dir, { oneVolume: true }, mounted);
    assert.deepEqual(one.mountPoints, [`${dir}/disk`]);
    assert.deepEqual(one.found, ["a", "b/z"]);
  });
});

Deno.test("a folder mounted into itself is walked once, and that is told", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a/x": "x", "loop/": "", "a/again/": "", "disk/": "" });
    const mounts =
      `mount --bind '${dir}' '${dir}/loop'; mount --bind '${dir}/a' '${dir}/a/again'; ` +
      `mount -t tmpfs none '${dir}/disk'; touch '${dir}/disk/y'`;
    const read = (one_volume: boolean) =>
      withMounts(mounts, "read", {
        tool: "list_local",
        roots: [dir],
        input: {
          include_hidden: false,
          max_files: 1000,
          limit: 100,
          skip_dirs: "default",
          include_bundles: false,
          one_volume,
          sort_by: "path",
          offset: 0,
        },
      }) as { files: { path: string }[]; warnings: string[]; mount_points?: string[] } | undefined;
    const output = read(false);
    if (output === undefined) return;
    assert.deepEqual(output.files.map((f) => f.path), [`${dir}/a/x`, `${dir}/disk/y`]);
    assert.match(output.warnings.join(), /2 folder\(s\).*second time/);
    assert.deepEqual(output.mount_points, [`${dir}/disk`]);
    assert.deepEqual(read(true)!.files.map((f) => f.path), [`${dir}/a/x`]);
  });
});

// A random tree, and the walk as a few plain lines over it.

type Tree = { [name: string]: "file" | "link" | Tree };

const leaf = fc.constantFrom("file" as const, "file" as const, "link" as const);
const name = fc.constantFrom(
  "a",
  "b",
  "c\n",
  "é",
  ".h",
  ".DS_Store",
  "node_modules",
  "build",
  "x.app",
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.dictionary(
    name,
    fc.oneof({ depthSize: "small", maxDepth: 3 }, leaf, tie("tree")),
    { maxKeys: 6, noNullPrototype: true },
  ),
}));

function build(dir: string, tree: Tree): void {
  for (const [name, node] of Object.entries(tree)) {
    if (node === "file") Deno.writeTextFileSync(`${dir}/${name}`, "");
    else if (node === "link") Deno.symlinkSync("nowhere", `${dir}/${name}`);
    else {
      Deno.mkdirSync(`${dir}/${name}`);
      build(`${dir}/${name}`, node);
    }
  }
}

/** Every file that may be reported, in the order of the walk. */
function eligible(tree: Tree, includeHidden: boolean): string[] {
  const found: string[] = [];
  const queue: [string, Tree][] = [["", tree]];
  for (const [prefix, folder] of queue) {
    for (const name of Object.keys(folder).sort((a, b) => a < b ? -1 : 1)) {
      const node = folder[name];
      if (name === ".DS_Store" || node === "link") continue;
      if (name.startsWith(".") && !includeHidden) continue;
      if (node === "file") found.push(prefix + name);
      else if (!["node_modules", "build", "x.app"].includes(name)) {
        queue.push([`${prefix}${name}/`, node]);
      }
    }
  }
  return found;
}

Deno.test("a walk reports the first files of the model, and the cap when one more was there", async () => {
  let cut = 0;
  await inTempDir((top) => {
    let round = 0;
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 8 }), fc.boolean(), (tree, maxFiles, hidden) => {
        const dir = `${top}/${round++}`;
        Deno.mkdirSync(dir);
        build(dir, tree);
        const all = eligible(tree, hidden);
        const report = walked(dir, { maxFiles, includeHidden: hidden });
        assert.deepEqual(report.found, all.slice(0, maxFiles));
        assert.equal(report.truncated.length > 0, all.length > maxFiles);
        assert.equal(report.files, report.found.length);
        assert.equal(report.unreadable.count, 0);
        if (all.length > maxFiles) cut++;
      }),
      { seed: 20_261_130, numRuns: 200 },
    );
  }, { on: "/dev/shm" });
  assert.ok(cut > 10, `${cut} were cut`);
});
