import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  fieldsThatChange,
  makeFifo,
  namesIn,
  type Output,
  perform,
  pictureOf,
  preview,
  refusalOf,
  refused,
  systemError,
  textOf,
} from "./changing.ts";

/** Everything below a folder but its trash. */
function outsideTrash(dir: string): Record<string, string> {
  return pictureOf(dir, (name) => name === TRASH_NAME);
}

/** Trashes entries of a folder by name. */
function trash(dir: string, names: string[], now?: number): Promise<Output> {
  const context = contextFor([dir], now === undefined ? {} : { now: () => now });
  return perform("trash_local", context, { paths: names.map((name) => `${dir}/${name}`) });
}

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
function manifest(path: string): any {
  return JSON.parse(textOf(path));
}

Deno.test("an item is not led elsewhere by a link that goes back before it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "p/a": "one", "other/": "" });
    const inner = await trash(dir, ["p/a"]);
    Deno.removeSync(`${dir}/p`);
    Deno.symlinkSync("other", `${dir}/p`);
    const link = await trash(dir, ["p"]);
    const output = await perform("restore_local", dir, {
      paths: [inner.items[0].trashed_to, link.items[0].trashed_to],
    });
    assert.equal(output.restored.length, 1);
    assert.equal(output.not_restored[0].code, "destination_changed");
    assert.deepEqual(namesIn(`${dir}/other`), []);
    assert.equal(textOf(inner.items[0].trashed_to), "one");
  });
});

Deno.test("what a made-up manifest says leads to nothing outside", async () => {
  await inTempDir(async (outer) => {
    const dir = `${outer}/root`;
    plant(outer, { "outside/secret": "s", "root/a": "a" });
    const folder = `${dir}/${TRASH_NAME}/b`;
    plant(folder, { "item": "x", "d/y": "y" });
    Deno.symlinkSync(`${outer}/outside`, `${folder}/out`);
    Deno.symlinkSync(`${outer}/outside`, `${dir}/way-out`);
    const write = (...items: [string, string, string][]) =>
      plant(folder, {
        "manifest.json": JSON.stringify({
          format: 1,
          created: "2024-01-02T03:04:05.678Z",
          items: items.map(([original_path, trashed_to, kind]) => ({
            original_path,
            trashed_to,
            kind,
            bytes: 1,
          })),
        }),
      });
    const before = pictureOf(`${outer}/outside`);
    const cases: [string, string, string][] = [
      [`${outer}/outside/new`, `${folder}/item`, "outside_roots"],
      [`${dir}/way-out/new`, `${folder}/item`, "outside_roots"],
      [`${dir}/way-out/n/m/new`, `${folder}/item`, "outside_roots"],
      ["/etc/new", `${folder}/item`, "outside_roots"],
      [`${dir}/stolen`, `${folder}/out/secret`, "not_found"],
      [`${dir}/a`, `${folder}/item`, "destination_exists"],
      [dir, `${folder}/item`, "destination_exists"],
      [`${dir}/${TRASH_NAME}/c`, `${folder}/item`, "trash_protected"],
      [`${dir}/a/below-a-file`, `${folder}/item`, "not_found"],
      [`${dir}/${"n".repeat(300)}`, `${folder}/item`, "unreadable"],
      [`${dir}/stolen`, `${outer}/outside/secret`, "manifest_invalid"],
      [`${dir}/stolen`, `${folder}/../../a`, "manifest_invalid"],
      [`${dir}/stolen`, `${folder}/out/`, "manifest_invalid"],
      [`${dir}/stolen`, `${folder}/manifest.json`, "manifest_invalid"],
    ];
    for (const [original, stored, code] of cases) {
      write([original, stored, "file"]);
      const error = await refused("restore_local", dir, { batch: "b" });
      assert.equal(error.code, code, `${stored} to ${original}`);
      assert.deepEqual(pictureOf(`${outer}/outside`), before);
    }
    // The link itself is an item, and comes back as the link that it is.
    write([`${dir}/link`, `${folder}/out`, "symlink"], [
      `${outer}/outside/new`,
      `${folder}/item`,
      "file",
    ]);
    const output = await perform("restore_local", dir, { batch: "b" });
    assert.deepEqual([output.restored.length, output.not_restored[0].code], [1, "outside_roots"]);
    assert.doesNotMatch(output.summary, /nothing was changed/i);
    assert.equal(Deno.readLinkSync(`${dir}/link`), `${outer}/outside`);
    assert.deepEqual(pictureOf(`${outer}/outside`), before);
  });
});

Deno.test("an unreadable or missing manifest is named by the batch and by a path in it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { [`${TRASH_NAME}/bad/manifest.json`]: "{", [`${TRASH_NAME}/bad/x`]: "x" });
    plant(dir, { [`${TRASH_NAME}/none/x`]: "x" });
    makeFifo(`${dir}/${TRASH_NAME}/none/pipe`);
    for (const name of ["bad", "none"]) {
      for (const args of [{ batch: name }, { paths: [`${dir}/${TRASH_NAME}/${name}/x`] }]) {
        assert.equal((await refused("restore_local", dir, args)).code, "manifest_invalid");
      }
    }
  });
});

Deno.test("arguments that do not fit together are refused", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two" });
    const { trash_stamp } = await trash(dir, ["a", "b"]);
    const one = { paths: [`${dir}/a`] };
    const codes: [Record<string, unknown>, string][] = [
      [{}, "invalid_argument"],
      [{ batch: trash_stamp, ...one }, "invalid_argument"],
      [{ batch: trash_stamp, restore_as: `${dir}/c` }, "invalid_argument"],
      [{ batch: "no such batch" }, "not_found"],
      [{ ...one, restore_as: "relative" }, "invalid_path"],
      [{ ...one, restore_as: "" }, "invalid_path"],
      [{ ...one, restore_as: "/" }, "invalid_path"],
      [{ ...one, restore_as: "/elsewhere/c" }, "outside_roots"],
      [{ ...one, restore_as: dir }, "destination_exists"],
      [{ ...one, restore_as: `${dir}/${TRASH_NAME}/c` }, "trash_protected"],
      [{ ...one, restore_as: `${dir}/.shieldfive-mcp-incoming-1-1` }, "trash_protected"],
      [{ paths: ["relative"] }, "invalid_path"],
      [{ paths: ["/elsewhere/c"] }, "outside_roots"],
      [{ paths: [] }, "invalid_path"],
    ];
    for (const [args, code] of codes) {
      const error = await refused("restore_local", dir, args);
      assert.equal(error.code, code, JSON.stringify(args));
      assert.equal(error.changedAnything, false);
    }
    const governed = contextFor([dir], { protectedPaths: [`${dir}/a`] });
    assert.equal((await refused("restore_local", governed, one)).code, "protected_location");
    assert.equal((await refused("restore_local", [], { batch: "newest" })).code, "no_roots");
  });
});

Deno.test("what comes to an item's place after the plan stays, and the rest goes on", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "old", "d/x": "old", "z": "old" });
    const { trash_stamp, manifests } = await trash(dir, ["a", "d", "z"]);
    const { apply } = await preview("restore_local", dir, { batch: trash_stamp });
    plant(dir, { "a": "late", "d/late": "late" });
    const output = await apply();
    assert.deepEqual(
      output.not_restored.map((item: Record<string, string>) => [item.original_path, item.code]),
      [[`${dir}/a`, "destination_exists"], [`${dir}/d`, "destination_exists"]],
    );
    assert.match(output.summary, /Restored 1 item\. 2 items stayed in the trash/);
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/d/late`), textOf(`${dir}/z`)], [
      "late",
      "late",
      "old",
    ]);
    const states = manifest(manifests[0]).items.map((item: { state: string }) => item.state);
    assert.deepEqual(states, ["moved", "moved", "restored"]);
    const all = await refusalOf((await previewAfter(dir, trash_stamp)).apply);
    assert.deepEqual([all.code, all.changedAnything], ["restore_failed", false]);
  });

  /** A plan whose two places are taken after it was made. */
  async function previewAfter(dir: string, batch: string) {
    Deno.renameSync(`${dir}/a`, `${dir}/a2`);
    Deno.renameSync(`${dir}/d`, `${dir}/d2`);
    const planned = await preview("restore_local", dir, { batch });
    plant(dir, { "a": "again", "d": "again" });
    return planned;
  }
});

Deno.test("a failing item leaves no folders behind, and others go back", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "p/a": "one", "z": "two" });
    const { trash_stamp } = await trash(dir, ["p/a", "z"]);
    Deno.removeSync(`${dir}/p`);
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        if (name === `${dir}/p/a`) throw systemError("EIO");
        realDisk.link(existing, name);
      },
    };
    const output = await perform("restore_local", contextFor([dir], { disk }), {
      batch: trash_stamp,
    });
    assert.deepEqual(Object.keys(outsideTrash(dir)), ["z"]);
    assert.equal(output.not_restored[0].code, "io_error");
  });
});

Deno.test("items are back even when their manifest cannot say so, and a newer manifest is not undone", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two", "c": "three" });
    const { trash_stamp, manifests } = await trash(dir, ["a", "b", "c"]);
    const disk: Disk = {
      ...realDisk,
      rename: () => {
        throw systemError("EROFS");
      },
    };
    const stale = await perform("restore_local", contextFor([dir], { disk }), {
      paths: [`${dir}/a`],
    });
    assert.match(stale.warnings[0], /could not be brought up to date \(EROFS\)/);
    assert.equal(textOf(`${dir}/a`), "one");
    assert.equal(manifest(manifests[0]).items[0].state, "moved");
    // Another process notes something between plan and act.
    const { apply } = await preview("restore_local", dir, { paths: [`${dir}/b`] });
    await perform("restore_local", dir, { paths: [`${dir}/c`] });
    await apply();
    const states = manifest(manifests[0]).items.map((item: { state: string }) => item.state);
    assert.deepEqual(states, ["moved", "restored", "restored"]);
    assert.equal((await refused("restore_local", dir, { batch: trash_stamp })).code, "not_found");
  });
});

Deno.test("a restore is bound to the items and to their places", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "d/x": "1", "d/y": "2", "p/f": "f" });
    const { trash_stamp, items } = await trash(dir, ["d", "p/f"]);
    const at = items[0].trashed_to;
    const args = { batch: trash_stamp };
    const { binding } = await preview("restore_local", dir, args);
    const item = (binding.items as Record<string, Record<string, unknown>>)[at];
    for (
      const field of ["original_path", "restore_to", "kind", "files", "bytes", "entry", "tree"]
    ) {
      assert.ok(field in item, field);
    }
    assert.deepEqual(binding.blocked, []);
    const changed = (act: () => void) => fieldsThatChange("restore_local", dir, args, act);
    assert.deepEqual(await changed(() => void textOf(`${at}/x`)), []);
    assert.deepEqual(await changed(() => Deno.utimeSync(`${at}/x`, 5, 5)), ["items.tree"]);
    const nested = await changed(() => Deno.renameSync(`${at}/x`, `${at}/z`));
    assert.ok(nested.includes("items.tree"), String(nested));
    const parent = await changed(() => Deno.removeSync(`${dir}/p`));
    assert.deepEqual(parent, ["items.ancestor.ino", "items.creates_directories"]);
    const taken = await changed(() => plant(dir, { "d": "taken" }));
    assert.ok(taken.includes("blocked") && taken.includes("items"), String(taken));
  });
});

Deno.test("a cancelled restore stops between items, and the manifest says what went back", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "b": "two", "c": "three" });
    const { trash_stamp, manifests } = await trash(dir, ["a", "b", "c"]);
    const signal = new CancelFlag();
    const context = contextFor([dir], {
      signal,
      progress: ({ done }) => done === 2 && signal.cancel(),
    });
    const early = await preview("restore_local", context, { batch: trash_stamp });
    signal.cancel();
    const none = await refusalOf(early.apply);
    assert.deepEqual([none.code, none.changedAnything], ["cancelled", false]);
    assert.deepEqual(outsideTrash(dir), {});

    new Int32Array(signal.buffer)[0] = 0;
    const error = await refusalOf(early.apply);
    assert.deepEqual([error.code, error.changedAnything], ["cancelled_partially_applied", true]);
    const detail = error.detail as {
      restored: unknown[];
      not_restored: { original_path: string }[];
    };
    assert.equal(detail.restored.length, 2);
    assert.deepEqual(detail.not_restored.map((item) => item.original_path), [`${dir}/c`]);
    assert.deepEqual(Object.keys(outsideTrash(dir)).sort(), ["a", "b"]);
    const states = manifest(manifests[0]).items.map((item: { state: string }) => item.state);
    assert.deepEqual(states, ["restored", "restored", "moved"]);
  });
});
