import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
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

/** Everything below a folder but its trash. */
function outsideTrash(dir: string): string[] {
  return namesIn(dir).filter((name) => !name.startsWith(TRASH_NAME));
}

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
function manifest(path: string): any {
  return JSON.parse(textOf(path));
}

/** An operation that fails for one path, or for every call where the path is empty. */
function fail<K extends keyof Disk>(code: string, path: string, operation: K): Disk[K] {
  return ((...args: unknown[]) => {
    if (path === "" || args[0] === path) throw systemError(code);
    return (realDisk[operation] as (...args: unknown[]) => unknown)(...args);
  }) as Disk[K];
}

Deno.test("an unsafe trash is a refusal of the preview and of the call, and nothing outside is touched", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "a": "one" });
      const args = { paths: [`${dir}/a`] };
      const good = await preview("trash_local", dir, args);
      const makers: ((path: string) => void)[] = [
        (path) => Deno.symlinkSync(outside, path),
        (path) => Deno.writeTextFileSync(path, "theirs"),
        makeFifo,
      ];
      for (const make of makers) {
        make(`${dir}/${TRASH_NAME}`);
        assert.equal(
          (await refusalOf(() => preview("trash_local", dir, args))).code,
          "trash_unsafe",
        );
        assert.equal((await refusalOf(good.apply)).code, "trash_unsafe");
        Deno.removeSync(`${dir}/${TRASH_NAME}`);
      }
      const foreign = contextFor([dir], { uid: 4711 });
      Deno.mkdirSync(`${dir}/${TRASH_NAME}`);
      assert.equal((await refused("trash_local", foreign, args)).code, "trash_unsafe");
      assert.deepEqual([namesIn(outside), outsideTrash(dir)], [[], ["a"]]);
    });
  });
});

Deno.test("planted batches and damaged manifests stay as they are", async () => {
  await inTempDir(async (dir) => {
    plant(dir, {
      "a": "one",
      [`${TRASH_NAME}/planted/manifest.json`]: "{",
      [`${TRASH_NAME}/file`]: "f",
    });
    Deno.chmodSync(`${dir}/${TRASH_NAME}`, 0o700);
    const before = pictureOf(dir);
    await perform("trash_local", dir, { paths: [`${dir}/a`] });
    const after = pictureOf(dir);
    for (const name of Object.keys(before).filter((each) => each !== "a")) {
      assert.equal(after[name], before[name]);
    }
  });
});

Deno.test("a failure in the middle tells what moved, what did not, and why", async () => {
  await inTempDir(async (dir) => {
    const names = ["1", "2", "3", "4", "5"];
    plant(dir, Object.fromEntries(names.map((name) => [`d${name}/f`, name])));
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        if (existing === `${dir}/d3/f`) throw systemError("EACCES");
        realDisk.link(existing, name);
      },
      rename(from, to) {
        if (from === `${dir}/d3/f`) throw systemError("EACCES");
        realDisk.rename(from, to);
      },
    };
    const paths = names.map((name) => `${dir}/d${name}/f`);
    const error = await refused("trash_local", contextFor([dir], { disk }), { paths });
    assert.deepEqual([error.code, error.changedAnything], ["trash_partially_applied", true]);
    assert.match(error.message, /2 of 5 items were moved.*EACCES/);
    assert.doesNotMatch(error.message, /nothing was changed/i);
    const detail = error.detail as {
      moved: { original_path: string; trashed_to: string }[];
      not_moved: string[];
      manifests: string[];
      cause_code: string;
    };
    assert.equal(detail.cause_code, "io_error");
    assert.deepEqual(detail.moved.map((item) => item.original_path), paths.slice(0, 2));
    assert.deepEqual(detail.moved.map((item) => textOf(item.trashed_to)), ["1", "2"]);
    for (const { trashed_to } of detail.moved) assert.ok(error.message.includes(trashed_to));
    assert.deepEqual(detail.not_moved, paths.slice(2));
    assert.deepEqual(paths.slice(2).map(textOf), ["3", "4", "5"]);
    const record = manifest(detail.manifests[0]);
    assert.deepEqual(
      record.items.map((item: Record<string, string>) => [item.original_path, item.state]),
      paths.slice(0, 2).map((path) => [path, "moved"]),
    );
  });
});

Deno.test("a failure at the first item leaves no batch, no copy and no trash behind", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const before = pictureOf(dir);
    const cases: [Partial<Disk>, string][] = [
      [{ unlink: fail("EACCES", `${dir}/a`, "unlink") }, "trash_failed"],
      [{ link: fail("EXDEV", `${dir}/a`, "link") }, "trash_cross_device"],
      [{ create: fail("ENOSPC", "", "create") }, "trash_failed"],
      [{ mkdir: fail("EROFS", "", "mkdir") }, "trash_failed"],
      [{ writeAt: fail("ENOSPC", "", "writeAt") }, "trash_failed"],
    ];
    for (const [over, code] of cases) {
      const context = contextFor([dir], { disk: { ...realDisk, ...over } });
      const error = await refused("trash_local", context, { paths: [`${dir}/a`, `${dir}/b`] });
      assert.deepEqual([error.code, error.changedAnything], [code, false], Object.keys(over)[0]);
      assert.deepEqual(error.detail!.moved, []);
      assert.deepEqual(error.detail!.not_moved, [`${dir}/a`, `${dir}/b`]);
      assert.deepEqual(pictureOf(dir), before, Object.keys(over)[0]);
    }
  });
});

Deno.test("a manifest that cannot be brought up to date is named, and the items are told all the same", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const stale: Partial<Disk> = { rename: fail("EIO", "", "rename") };
    const all = contextFor([dir], { disk: { ...realDisk, ...stale } });
    const output = await perform("trash_local", all, { paths: [`${dir}/a`] });
    assert.match(output.warnings[0], /could not be brought up to date.*lists the items as planned/);
    assert.equal(textOf(output.items[0].trashed_to), "one");
    assert.equal(manifest(output.manifests[0]).items[0].state, "planned");

    plant(dir, { "c": "three" });
    const disk = { ...realDisk, ...stale, unlink: fail("EACCES", `${dir}/c`, "unlink") };
    const error = await refused("trash_local", contextFor([dir], { disk }), {
      paths: [`${dir}/b`, `${dir}/c`],
    });
    assert.equal(error.code, "trash_partially_applied");
    assert.equal((error.detail!.manifests_not_updated as unknown[]).length, 1);
    assert.match(error.message, /could not be brought up to date/);
  });
});

Deno.test("an item that moved when its record failed is told as moved", async () => {
  await inTempDir(async (dir) => {
    const names = Array.from({ length: 101 }, (_, i) => `f${i}`);
    plant(dir, Object.fromEntries(names.map((name) => [name, name])));
    const disk = { ...realDisk, rename: fail("EIO", "", "rename") };
    const paths = names.map((name) => `${dir}/${name}`);
    const error = await refused("trash_local", contextFor([dir], { disk }), { paths });
    assert.equal(error.code, "trash_partially_applied");
    const { moved, not_moved } = error.detail as {
      moved: { trashed_to: string }[];
      not_moved: string[];
    };
    assert.deepEqual(moved.map(({ trashed_to }) => textOf(trashed_to)), names.slice(0, 100));
    assert.deepEqual(not_moved.map(textOf), ["f100"]);
  });
});

Deno.test("an item replaced after the plan stays where it is", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "planned", "b": "b" });
    const { apply } = await preview("trash_local", dir, { paths: [`${dir}/b`, `${dir}/a`] });
    Deno.renameSync(`${dir}/a`, `${dir}/kept`);
    plant(dir, { "a": "another" });
    const error = await refusalOf(apply);
    assert.deepEqual([error.code, error.detail!.cause_code], [
      "trash_partially_applied",
      "source_changed",
    ]);
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/kept`)], ["another", "planned"]);
  });
});

Deno.test("a cancelled trash stops between items and says exactly what moved", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two", "c": "three" });
    const before = pictureOf(dir);
    const signal = new CancelFlag();
    const paths = ["a", "b", "c"].map((name) => `${dir}/${name}`);
    const context = contextFor([dir], {
      signal,
      progress: ({ done }) => done === 2 && signal.cancel(),
    });
    const early = await preview("trash_local", context, { paths });
    signal.cancel();
    const none = await refusalOf(early.apply);
    assert.deepEqual([none.code, none.changedAnything], ["cancelled", false]);
    assert.deepEqual(pictureOf(dir), before);

    new Int32Array(signal.buffer)[0] = 0;
    const { apply } = await preview("trash_local", context, { paths });
    const error = await refusalOf(apply);
    assert.deepEqual([error.code, error.changedAnything], ["cancelled_partially_applied", true]);
    assert.deepEqual(error.detail!.not_moved, [`${dir}/c`]);
    assert.doesNotMatch(error.message, /nothing was changed/i);
    assert.deepEqual(outsideTrash(dir), ["c"]);
    const [path] = error.detail!.manifests as string[];
    assert.equal(manifest(path).items.length, 2);
  });
});

Deno.test("every volume has its own trash, and one call a batch in each", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir(async (one) => {
    await inTempDir(async (two) => {
      plant(one, { "a": "one", "b": "two" });
      plant(two, { "c": "three" });
      const args = { paths: [`${one}/a`, `${two}/c`, `${one}/b`] };
      const output = await perform("trash_local", [one, two], args);
      assert.deepEqual(
        output.manifests,
        [one, two].map((root) => `${root}/${TRASH_NAME}/${output.trash_stamp}/manifest.json`),
      );
      assert.deepEqual(
        output.items.map((item: { trashed_to: string }) => textOf(item.trashed_to)),
        ["one", "three", "two"],
      );
      for (const [i, root] of [one, two].entries()) {
        const record = manifest(output.manifests[i]);
        assert.deepEqual([record.base, record.root, record.dev], [
          root,
          root,
          Deno.statSync(root).dev,
        ]);
      }

      plant(one, { "d": "four" });
      plant(two, { "e": "five" });
      Deno.removeSync(`${two}/${TRASH_NAME}`, { recursive: true });
      const late = { paths: [`${one}/d`, `${two}/e`] };
      const plan = await preview("trash_local", [one, two], late);
      Deno.symlinkSync(one, `${two}/${TRASH_NAME}`);
      const error = await refusalOf(plan.apply);
      assert.deepEqual([error.code, error.detail!.cause_code], [
        "trash_partially_applied",
        "trash_unsafe",
      ]);
      assert.doesNotMatch(error.message, /nothing was changed/i);
      assert.equal(textOf(`${two}/e`), "five");
    }, { on: "/dev/shm" });
  });
});

Deno.test("on a volume that is mounted inside a root the trash is at its top; the top itself is refused", async () => {
  await inTempDir((dir) => {
    plant(dir, { "mnt/": "" });
    const mounts =
      `mount -t tmpfs none '${dir}/mnt'; mkdir '${dir}/mnt/d'; echo x > '${dir}/mnt/d/f'`;
    const call = (path: string) =>
      withMounts(mounts, "change", {
        tool: "trash_local",
        roots: [dir],
        input: { paths: [path] },
      }) as
        | { error?: { code: string }; items?: { trashed_to: string }[] }
        | undefined;
    const inside = call(`${dir}/mnt/d/f`);
    if (inside === undefined) return;
    assert.ok(inside.items?.[0].trashed_to.startsWith(`${dir}/mnt/${TRASH_NAME}/`));
    assert.equal(call(`${dir}/mnt`)?.error?.code, "trash_no_same_volume");
    assert.deepEqual(namesIn(dir), ["mnt"]);
  });
});

Deno.test("on a full or read-only volume nothing moves", async () => {
  await inTempDir((dir) => {
    plant(dir, { "mnt/": "" });
    const call = (then: string) =>
      withMounts(
        `mount -t tmpfs -o size=40k none '${dir}/mnt'; echo x > '${dir}/mnt/f'; ${then}`,
        "change",
        { tool: "trash_local", roots: [`${dir}/mnt`], input: { paths: [`${dir}/mnt/f`] } },
      ) as { error?: { code: string; detail: { errno: string; moved: unknown[] } } } | undefined;
    const readOnly = call(`mount -o remount,ro '${dir}/mnt'`);
    if (readOnly === undefined) return;
    assert.deepEqual([readOnly.error?.code, readOnly.error?.detail.errno], [
      "trash_failed",
      "EROFS",
    ]);
    const full = call(`cat /dev/zero > '${dir}/mnt/fill' || true`);
    assert.deepEqual([full?.error?.code, full?.error?.detail.errno], ["trash_failed", "ENOSPC"]);
    assert.deepEqual(full?.error?.detail.moved, []);
  });
});
