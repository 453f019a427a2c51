import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
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

Deno.test("without overwrite nothing at the destination is touched", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "src.txt": "S", "dst.txt": "KEEP", "d/": "", "into/d/x": "x" });
    Deno.symlinkSync("nowhere", `${dir}/dangling`);
    const before = pictureOf(dir);
    for (
      const [source, destination] of [["src.txt", "dst.txt"], ["src.txt", "dangling"], [
        "d",
        "into",
      ]]
    ) {
      const args = { source: `${dir}/${source}`, destination: `${dir}/${destination}` };
      assert.equal((await refused("move_local", dir, args)).code, "destination_exists");
    }
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("what a move displaces is readable in the trash, and the preview counts it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "new": "new", "dest/new/a": "1", "dest/new/d/b": "22" });
    const args = { source: `${dir}/new`, destination: `${dir}/dest`, overwrite: true };
    const { shown } = await preview("move_local", dir, args);
    assert.deepEqual(shown.displaced, {
      kind: "directory",
      files: 2,
      bytes: 3,
      bytes_human: "3 B",
      moved_to_trash: `${dir}/${TRASH_NAME}`,
    });
    assert.equal(shown.replaces_existing, true);
    assert.match(shown.summary, /DISPLACES the folder .*2 file\(s\) and 3 B.*not deleted/);
    const output = await perform("move_local", dir, args);
    assert.match(output.summary, /not deleted/);
    assert.equal(textOf(`${dir}/dest/new`), "new");
    assert.deepEqual([textOf(`${output.displaced_to}/a`), textOf(`${output.displaced_to}/d/b`)], [
      "1",
      "22",
    ]);
    const manifest = JSON.parse(textOf(output.manifest));
    assert.deepEqual([manifest.tool, manifest.items[0].reason, manifest.items[0].state], [
      "move_local",
      "displaced by a move",
      "moved",
    ]);
    assert.equal(manifest.items[0].original_path, `${dir}/dest/new`);
  });
});

Deno.test("a dangling link at the destination is displaced as a link", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    Deno.symlinkSync("/nowhere/at/all", `${dir}/b`);
    const args = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
    const output = await perform("move_local", dir, args);
    assert.deepEqual([output.displaced.kind, output.displaced.bytes], ["symlink", 0]);
    assert.equal(Deno.readLinkSync(output.displaced_to), "/nowhere/at/all");
    assert.equal(textOf(`${dir}/b`), "one");
  });
});

Deno.test("without roots nothing moves, and a root itself does not move", async () => {
  await inTempDir(async (one) => {
    await inTempDir(async (two) => {
      const args = { source: one, destination: `${two}/new`, overwrite: true };
      assert.equal((await refused("move_local", [], args)).code, "no_roots");
      assert.equal((await refused("move_local", [one, two], args)).code, "cannot_move_root");
    });
  });
});

Deno.test("a folder that holds the source is not displaced by it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/a/x": "x" });
    const args = { source: `${dir}/a/a`, destination: dir, overwrite: true };
    assert.equal((await refused("move_local", dir, args)).code, "destination_exists");
    assert.deepEqual(namesIn(dir), ["a", "a/a", "a/a/x"]);
  });
});

Deno.test("the trash is not moved, taken apart or moved into; one trashed item may be moved out", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two", "sub/c": "c" });
    const trashed = await perform("trash_local", dir, { paths: [`${dir}/a`] });
    const batch = `${dir}/${TRASH_NAME}/${trashed.trash_stamp}`;
    Deno.mkdirSync(`${dir}/sub/${TRASH_NAME}`);
    const refusals: [string, string][] = [
      [`${dir}/${TRASH_NAME}`, `${dir}/t2`],
      [batch, dir],
      [`${batch}/manifest.json`, dir],
      [`${batch}/items`, dir],
      [`${batch}/README.txt`, dir],
      [`${dir}/sub`, `${dir}/sub2`],
      [`${dir}/b`, `${dir}/${TRASH_NAME}`],
      [`${dir}/b`, `${batch}/items/b`],
      [`${dir}/b`, `${dir}/new/${TRASH_NAME}/b`],
      [`${dir}/b`, `${dir}/.shieldfive-mcp-incoming-1-1`],
    ];
    const before = pictureOf(dir);
    for (const [source, destination] of refusals) {
      const error = await refused("move_local", dir, { source, destination });
      assert.equal(error.code, "trash_protected", `${source} to ${destination}`);
    }
    assert.deepEqual(pictureOf(dir), before);
    const out = await perform("move_local", dir, {
      source: trashed.items[0].trashed_to,
      destination: `${dir}/back`,
    });
    assert.equal(textOf(`${dir}/back`), "one");
    assert.match(out.summary, /restore_local also marks its manifest/);
  });
});

Deno.test("a protected place is not moved, held, entered or displaced", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "conf/state/log": "l", "a": "one" });
    const context = contextFor([dir], { protectedPaths: [`${dir}/conf/state`] });
    const pairs = [["conf", "c2"], ["conf/state", "s2"], ["conf/state/log", "l2"], [
      "a",
      "conf/state/a",
    ]];
    for (const [source, destination] of pairs) {
      const args = {
        source: `${dir}/${source}`,
        destination: `${dir}/${destination}`,
        overwrite: true,
      };
      assert.equal((await refused("move_local", context, args)).code, "protected_location");
    }
    plant(dir, { "x/conf": "x" });
    const over = { source: `${dir}/x/conf`, destination: dir, overwrite: true };
    assert.equal((await refused("move_local", context, over)).code, "protected_location");
  });
});

Deno.test("an unsafe trash stops a displacing move in its preview, and nothing outside is touched", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "a": "one", "b": "two" });
      Deno.symlinkSync(outside, `${dir}/${TRASH_NAME}`);
      const args = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
      assert.equal((await refusalOf(() => preview("move_local", dir, args))).code, "trash_unsafe");
      assert.deepEqual([namesIn(outside), textOf(`${dir}/b`)], [[], "two"]);
    });
  });
});

Deno.test("a link or pipe in the source tree stops a displacing move before anything moves", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "t/a": "1", "dest/t/old": "old" });
    const args = { source: `${dir}/t`, destination: `${dir}/dest`, overwrite: true };
    Deno.symlinkSync("a", `${dir}/t/link`);
    const link = await refusalOf(() => preview("move_local", dir, args));
    assert.equal(link.code, "symlink_in_tree");
    assert.match(link.message, /1 symlink.*t\/link/);
    Deno.removeSync(`${dir}/t/link`);
    makeFifo(`${dir}/t/pipe`);
    assert.equal(
      (await refusalOf(() => preview("move_local", dir, args))).code,
      "special_file_in_tree",
    );
    // Neither stands in the way of a plain rename.
    Deno.symlinkSync("a", `${dir}/t/link`);
    await perform("move_local", dir, { source: `${dir}/t`, destination: `${dir}/t2` });
    assert.deepEqual(namesIn(`${dir}/t2`), ["a", "link", "pipe"]);
  });
});

Deno.test("a failing move puts back what it displaced and leaves no trash and no folders", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "new", "b": "old" });
    const before = pictureOf(dir);
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        if (existing === `${dir}/a`) throw systemError("EIO");
        realDisk.link(existing, name);
      },
    };
    const context = contextFor([dir], { disk });
    const args = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
    const error = await refused("move_local", context, args);
    assert.deepEqual([error.code, error.changedAnything], [
      "move_failed_destination_restored",
      false,
    ]);
    assert.deepEqual([error.detail!.cause_code, error.detail!.errno], ["io_error", "EIO"]);
    assert.deepEqual(pictureOf(dir), before);

    const parents = await refused("move_local", context, {
      source: `${dir}/a`,
      destination: `${dir}/n/m/c`,
    });
    assert.deepEqual([parents.code, parents.detail!.errno], ["io_error", "EIO"]);
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("what cannot be put back is still in the trash, and the error says where", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "new", "b": "old" });
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        if (existing === `${dir}/a`) {
          Deno.writeTextFileSync(`${dir}/b`, "newcomer");
          throw systemError("EIO");
        }
        realDisk.link(existing, name);
      },
    };
    const args = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
    const error = await refused("move_local", contextFor([dir], { disk }), args);
    assert.deepEqual([error.code, error.changedAnything], [
      "move_failed_destination_in_trash",
      true,
    ]);
    assert.equal(error.detail!.cause_code, "io_error");
    assert.ok(error.message.includes(error.detail!.trashed_to as string));
    assert.doesNotMatch(error.message, /nothing was changed/i);
    assert.equal(textOf(error.detail!.trashed_to as string), "old");
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/b`)], ["new", "newcomer"]);
    assert.equal(
      JSON.parse(textOf(error.detail!.manifest as string)).items[0].original_path,
      `${dir}/b`,
    );
  });
});

Deno.test("a cancelled move changes nothing, at the start and after displacing", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const before = pictureOf(dir);
    const signal = new CancelFlag();
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        realDisk.link(existing, name);
        if (existing === `${dir}/b`) signal.cancel();
      },
    };
    const context = contextFor([dir], { signal, disk });
    const over = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
    const displacing = await preview("move_local", context, over);
    const plain = await preview("move_local", context, {
      source: `${dir}/a`,
      destination: `${dir}/n/c`,
    });
    const error = await refusalOf(displacing.apply);
    assert.deepEqual([error.code, error.changedAnything], ["cancelled", false]);
    assert.equal((await refusalOf(plain.apply)).code, "cancelled");
    assert.deepEqual(pictureOf(dir), before);
  });
});
