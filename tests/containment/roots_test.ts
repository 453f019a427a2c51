import assert from "node:assert/strict";
import { posix } from "node:path";
import { checkRoot, type Disk, isPseudo, openRoots, realDisk } from "../../containment/mod.ts";
import { asNobody, inTempDir, plant, refusal } from "../support.ts";

Deno.test("candidates that are relative, missing, files or empty are dropped, each with a reason", async () => {
  await inTempDir((dir) => {
    plant(dir, { "good/": "", "file": "x" });
    const opened = openRoots([
      "relative/folder",
      `${dir}/missing`,
      `${dir}/file`,
      "   ",
      "",
      `  ${dir}/good `,
      `${dir}/a\0b`,
      `${dir}/a\ud800b`,
      "/".repeat(9) + "x".repeat(300),
    ]);
    assert.deepEqual(opened.roots.map((root) => root.path), [`${dir}/good`]);
    const reasons = Object.fromEntries(opened.rejected.map((r) => [r.candidate, r.reason]));
    assert.match(reasons["relative/folder"], /not an absolute path/);
    assert.match(reasons[`${dir}/missing`], /does not exist/);
    assert.match(reasons[`${dir}/file`], /not a folder/);
    assert.match(reasons[`${dir}/a\0b`], /NUL/);
    assert.match(reasons[`${dir}/a\ud800b`], /half a character/);
    assert.equal(opened.rejected.length, 6);
  });
});

Deno.test("a folder inside another root is dropped and the outer one kept, in either order", async () => {
  await inTempDir((dir) => {
    plant(dir, { "outer/inner/": "" });
    for (const order of [["outer", "outer/inner"], ["outer/inner", "outer"]]) {
      const opened = openRoots(order.map((name) => `${dir}/${name}`));
      assert.deepEqual(opened.roots.map((root) => root.path), [`${dir}/outer`]);
      assert.deepEqual(opened.rejected.map((r) => r.candidate), [`${dir}/outer/inner`]);
      assert.match(opened.rejected[0].reason, /inside another root/);
    }
  });
});

Deno.test("a root that starts with another root's name is a root of its own", async () => {
  await inTempDir((dir) => {
    plant(dir, { "share/": "", "share-secret/": "" });
    const opened = openRoots([`${dir}/share`, `${dir}/share-secret`]);
    assert.equal(opened.roots.length, 2);
  });
});

Deno.test("two spellings of one folder are one root, known by both", async () => {
  await inTempDir((dir) => {
    plant(dir, { "real/": "" });
    Deno.symlinkSync("real", `${dir}/one`);
    Deno.symlinkSync("one", `${dir}/two`);
    const { roots } = openRoots([`${dir}/two`, `${dir}/real/`, `${dir}/./one`, `${dir}/two/`]);
    assert.equal(roots.length, 1);
    assert.equal(roots[0].path, `${dir}/real`);
    assert.deepEqual(roots[0].spellings.sort(), [`${dir}/one`, `${dir}/two`]);
  });
});

Deno.test("a link that leads in a circle is dropped with the system's reason", async () => {
  await inTempDir((dir) => {
    Deno.symlinkSync("b", `${dir}/a`);
    Deno.symlinkSync("a", `${dir}/b`);
    const opened = openRoots([`${dir}/a`]);
    assert.deepEqual(opened.roots, []);
    assert.match(opened.rejected[0].reason, /ELOOP/);
  });
});

Deno.test("a leading ~/ stands for the home folder, and is refused with a hint where none is known", async () => {
  await inTempDir((home) => {
    plant(home, { "Documents/": "" });
    const opened = openRoots(["~/Documents"], { home });
    assert.deepEqual(opened.roots.map((root) => root.path), [`${home}/Documents`]);
    assert.match(openRoots(["~/Documents"]).rejected[0].reason, /write the folder out in full/);
    assert.match(openRoots(["~other/x"], { home }).rejected[0].reason, /write the folder out/);
  });
});

Deno.test("roots wider than people usually mean are taken with a warning", async () => {
  await inTempDir((dir) => {
    plant(dir, { "home/me/Documents/": "" });
    const home = `${dir}/home/me`;
    const warned = (folder: string) => openRoots([folder], { home }).warnings;
    assert.match(warned("/")[0], /whole file system/);
    assert.match(warned(home)[0], /home folder/);
    assert.match(warned(`${dir}/home`)[0], /home folder/);
    assert.deepEqual(warned(`${home}/Documents`), []);
    Deno.symlinkSync("me", `${dir}/home/link`);
    assert.match(openRoots([home], { home: `${dir}/home/link` }).warnings[0], /home folder/);
  });
});

Deno.test("the top of a volume is taken with a warning", () => {
  const shm = "/dev/shm";
  if (!isMountPoint(shm)) return console.log(`skipped: ${shm} is no mounted volume here`);
  const opened = openRoots([shm]);
  assert.equal(opened.roots.length, 1);
  assert.match(opened.warnings[0], /whole volume/);
});

function isMountPoint(path: string): boolean {
  try {
    return Deno.lstatSync(path).dev !== Deno.lstatSync(posix.dirname(path)).dev;
  } catch {
    return false;
  }
}

Deno.test("the system's own folders are no roots, and /dev/shm is an ordinary disk", () => {
  for (const place of ["/proc", "/sys", "/dev", "/proc/self", "/dev/pts", "/sys/kernel"]) {
    assert.ok(isPseudo(place, posix), place);
  }
  for (const place of ["/", "/procedures", "/devel", "/home/x/proc", "/dev/shm", "/dev/shm/x"]) {
    assert.ok(!isPseudo(place, posix), place);
  }
  const opened = openRoots(["/proc", "/dev"]);
  assert.deepEqual(opened.roots, []);
  assert.equal(opened.rejected.length, 2);
});

Deno.test("a folder that the user may not read is dropped with the system's reason", async () => {
  await inTempDir((dir) => {
    plant(dir, { "closed/x": "x", "open/x": "x" });
    Deno.chmodSync(`${dir}/closed`, 0o000);
    Deno.chmodSync(dir, 0o755);
    const opened = asNobody("openRoots", [`${dir}/closed`, `${dir}/open`]) as
      | ReturnType<typeof openRoots>
      | undefined;
    if (opened === undefined) return;
    assert.deepEqual(opened.roots.map((root) => root.path), [`${dir}/open`]);
    assert.match(opened.rejected[0].reason, /EACCES/);
  });
});

Deno.test("a root that was removed, replaced or swapped for a link is noticed", async () => {
  await inTempDir((dir) => {
    plant(dir, { "root/x": "x", "other/x": "other" });
    const [root] = openRoots([`${dir}/root`]).roots;
    checkRoot(root, realDisk);

    Deno.renameSync(`${dir}/root`, `${dir}/away`);
    assert.equal(refusal(() => checkRoot(root, realDisk)).code, "root_unavailable");
    plant(dir, { "root/x": "another folder" });
    assert.equal(refusal(() => checkRoot(root, realDisk)).code, "root_unavailable");
    Deno.removeSync(`${dir}/root`, { recursive: true });
    Deno.symlinkSync("away", `${dir}/root`);
    assert.equal(refusal(() => checkRoot(root, realDisk)).code, "root_unavailable");
    Deno.removeSync(`${dir}/root`);
    plant(dir, { root: "a file" });
    assert.equal(refusal(() => checkRoot(root, realDisk)).code, "root_unavailable");

    Deno.removeSync(`${dir}/root`);
    Deno.renameSync(`${dir}/away`, `${dir}/root`);
    checkRoot(root, realDisk);
  });
});

Deno.test("a root that the runtime withholds is not called gone", async () => {
  await inTempDir((dir) => {
    const [root] = openRoots([dir]).roots;
    const disk: Disk = {
      ...realDisk,
      lstat() {
        throw new Deno.errors.NotCapable("Requires all access");
      },
    };
    const error = refusal(() => checkRoot(root, disk));
    assert.equal(error.code, "root_unavailable");
    assert.match(error.message, /the runtime lets nothing look into/);
  });
});
