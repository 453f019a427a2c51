import assert from "node:assert/strict";
import { type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant, withMounts } from "../support.ts";
import {
  hasOtherVolume,
  makeFifo,
  namesIn,
  perform,
  pictureOf,
  preview,
  refusalOf,
  refused,
  systemError,
  textOf,
} from "./changing.ts";

/** Runs the body with a root on the temporary volume and one on another volume. */
async function onTwoVolumes(body: (from: string, to: string) => Promise<void>): Promise<void> {
  if (!hasOtherVolume()) return;
  await inTempDir((from) => inTempDir((to) => body(from, to), { on: "/dev/shm" }));
}

Deno.test("a move across volumes announces itself, and says what it did and lost", async () => {
  await onTwoVolumes(async (from, to) => {
    plant(from, { "t/a": "1", "t/d/b": "22" });
    const args = { source: `${from}/t`, destination: `${to}/n/t` };
    const before = pictureOf(`${from}/t`);
    const { shown } = await preview("move_local", [from, to], args);
    assert.equal(shown.crosses_volume, true);
    assert.ok(shown.free_space > 0);
    assert.deepEqual(shown.metadata_not_preserved, [
      "creation time",
      "extended attributes",
      "access control lists",
    ]);
    assert.match(shown.summary, /crosses a volume.*removes an original/);
    const output = await perform("move_local", [from, to], args);
    assert.deepEqual([output.method, output.source_left_in_place], ["copy+remove", []]);
    assert.match(output.summary, /copied, flushed and verified by SHA-256/);
    assert.deepEqual([namesIn(from), pictureOf(`${to}/n/t`)], [[], before]);
  });
});

Deno.test("a link across volumes is made anew and is a rename to the caller", async () => {
  await onTwoVolumes(async (from, to) => {
    Deno.symlinkSync("nowhere", `${from}/link`);
    const args = { source: `${from}/link`, destination: `${to}/link` };
    const output = await perform("move_local", [from, to], args);
    assert.deepEqual([output.method, output.kind], ["rename", "symlink"]);
    assert.doesNotMatch(output.summary, /SHA-256/);
    assert.deepEqual([namesIn(from), Deno.readLinkSync(`${to}/link`)], [[], "nowhere"]);
  });
});

Deno.test("across volumes a displaced item goes to the trash of its own volume", async () => {
  await onTwoVolumes(async (from, to) => {
    plant(from, { "a": "new" });
    plant(to, { "a": "old" });
    const args = { source: `${from}/a`, destination: to, overwrite: true };
    const output = await perform("move_local", [from, to], args);
    assert.ok(output.displaced_to.startsWith(`${to}/${TRASH_NAME}/`));
    assert.ok(output.manifest.startsWith(`${to}/${TRASH_NAME}/`));
    assert.deepEqual([textOf(output.displaced_to), textOf(`${to}/a`), namesIn(from)], [
      "old",
      "new",
      [],
    ]);
  });
});

Deno.test("what cannot be copied is refused in the preview of a move across volumes", async () => {
  await onTwoVolumes(async (from, to) => {
    makeFifo(`${from}/pipe`);
    plant(from, { "l/a": "1", "p/a": "1" });
    Deno.symlinkSync("a", `${from}/l/link`);
    makeFifo(`${from}/p/pipe`);
    const before = pictureOf(from);
    const codes = { pipe: "special_file", l: "symlink_in_tree", p: "special_file_in_tree" };
    for (const [name, code] of Object.entries(codes)) {
      const args = { source: `${from}/${name}`, destination: to };
      assert.equal((await refusalOf(() => preview("move_local", [from, to], args))).code, code);
    }
    const small: Disk = { ...realDisk, freeSpace: () => 5 };
    plant(from, { "big": "x".repeat(10_000) });
    const args = { source: `${from}/big`, destination: to };
    const context = contextFor([from, to], { disk: small });
    const full = await refusalOf(() => preview("move_local", context, args));
    assert.equal(full.code, "insufficient_space");
    assert.deepEqual(full.detail!.free, 5);
    Deno.removeSync(`${from}/big`);
    assert.deepEqual([pictureOf(from), namesIn(to)], [before, []]);
  });
});

Deno.test("a copy that fails halfway gives back the displaced item and the made folders", async () => {
  await onTwoVolumes(async (from, to) => {
    plant(from, { "t/a": "1", "t/b": "2" });
    plant(to, { "t/old": "old" });
    const before = [pictureOf(from), pictureOf(to)];
    const corrupting: Disk = {
      ...realDisk,
      writeAt: (fd, bytes, offset) =>
        realDisk.writeAt(fd, bytes.length === 1 ? new Uint8Array([0]) : bytes, offset),
    };
    const context = contextFor([from, to], { disk: corrupting });
    const over = { source: `${from}/t`, destination: to, overwrite: true };
    const error = await refused("move_local", context, over);
    assert.equal(error.code, "move_failed_destination_restored");
    assert.equal(error.detail!.cause_code, "copy_verification_failed");
    const plain = { source: `${from}/t`, destination: `${to}/n/m` };
    assert.equal((await refused("move_local", context, plain)).code, "copy_verification_failed");
    assert.deepEqual([pictureOf(from), pictureOf(to)], before);
  });
});

Deno.test("what stays of the source is listed with reasons, and makes the move partial", async () => {
  await onTwoVolumes(async (from, to) => {
    plant(from, { "t/a": "1", "t/d/b": "2" });
    const disk: Disk = {
      ...realDisk,
      unlink(path) {
        if (path === `${from}/t/a`) throw systemError("EPERM");
        realDisk.unlink(path);
      },
    };
    const args = { source: `${from}/t`, destination: to };
    const output = await perform("move_local", contextFor([from, to], { disk }), args);
    assert.deepEqual(output.source_left_in_place, [`${from}/t/a`]);
    assert.deepEqual(output.source_left_reasons, [{ path: `${from}/t/a`, reason: "permission" }]);
    assert.match(output.summary, /1 item\(s\) of the source were left in place \(first: .*t\/a/);
    assert.deepEqual([namesIn(from), namesIn(to)], [["t", "t/a"], ["t", "t/a", "t/d", "t/d/b"]]);
  });
});

Deno.test("a rename that works although the volumes look different is taken, and no copy is made", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/": "" });
    const inode = Deno.lstatSync(`${dir}/a`).ino;
    // Some layered file systems give files another volume number than their folders.
    const layered: Disk = {
      ...realDisk,
      lstat(path) {
        const info = realDisk.lstat(path);
        return info.isFile ? { ...info, dev: 4711 } : info;
      },
    };
    const args = { source: `${dir}/a`, destination: `${dir}/d` };
    const output = await perform("move_local", contextFor([dir], { disk: layered }), args);
    assert.deepEqual([output.crosses_volume, output.method], [true, "rename"]);
    assert.equal(Deno.lstatSync(`${dir}/d/a`).ino, inode);
  });
});

Deno.test("a copy that was not announced is not made", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    const mounted: Disk = {
      ...realDisk,
      link: () => {
        throw systemError("EXDEV");
      },
    };
    const args = { source: `${dir}/a`, destination: `${dir}/b` };
    const error = await refused("move_local", contextFor([dir], { disk: mounted }), args);
    assert.equal(error.code, "destination_changed");
    assert.deepEqual(namesIn(dir), ["a"]);
  });
});

Deno.test("a really full volume is refused in the preview, and found out while copying too", async () => {
  await inTempDir((dir) => {
    plant(dir, { "from/big": "x".repeat(300_000), "from/sparse": "", "to/": "" });
    const file = Deno.openSync(`${dir}/from/sparse`, { write: true });
    file.truncateSync(50_000);
    file.close();
    const roots = [`${dir}/from`, `${dir}/to`];
    const mount = `mount -t tmpfs -o size=200k none '${dir}/to'`;
    const move = (name: string, mounts: string) =>
      withMounts(mounts, "change", {
        tool: "move_local",
        roots,
        input: { source: `${dir}/from/${name}`, destination: `${dir}/to`, overwrite: false },
      }) as { error?: { code: string }; method?: string } | undefined;
    const refusedEarly = move("big", mount);
    if (refusedEarly === undefined) return;
    assert.equal(refusedEarly.error?.code, "insufficient_space");
    assert.equal(Deno.lstatSync(`${dir}/from/big`).size, 300_000);
    assert.equal(move("sparse", mount)?.method, "copy+remove");
  });
});

Deno.test("a read-only folder as destination leaves no trace", async () => {
  await inTempDir((dir) => {
    plant(dir, { "from/a": "one", "to/": "" });
    const mount = `mount -t tmpfs none '${dir}/to'; mount -o remount,ro '${dir}/to'`;
    const output = withMounts(mount, "change", {
      tool: "move_local",
      roots: [`${dir}/from`, `${dir}/to`],
      input: { source: `${dir}/from/a`, destination: `${dir}/to/n/a`, overwrite: false },
    }) as { error?: { code: string; detail: { errno: string } } } | undefined;
    if (output === undefined) return;
    assert.deepEqual([output.error?.code, output.error?.detail.errno], ["io_error", "EROFS"]);
    assert.deepEqual(namesIn(dir), ["from", "from/a", "to"]);
  });
});
