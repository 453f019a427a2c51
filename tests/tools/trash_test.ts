import assert from "node:assert/strict";
import { type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { foldingDisk } from "../folding_disk.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  fieldsThatChange,
  makeFifo,
  namesIn,
  perform,
  pictureOf,
  preview,
  refused,
  sha256,
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

Deno.test("a preview names the items, their trash and what happens to space", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/x": "1", "d/y/z": "22" });
    Deno.symlinkSync("d", `${dir}/link`);
    const { shown } = await preview("trash_local", dir, {
      paths: [`${dir}/a`, `${dir}/d`, `${dir}/link`, `${dir}/./a`, `${dir}/a`],
    });
    const { summary, items, trash_stamp, note, ...rest } = shown;
    assert.deepEqual(rest, { performed: false, action: "trash", repeated_paths_ignored: 2 });
    assert.match(note, /gets a new name/);
    assert.deepEqual(items[1], {
      source: `${dir}/d`,
      root: dir,
      trash_directory: `${dir}/${TRASH_NAME}`,
      destination: `${dir}/${TRASH_NAME}/${trash_stamp}/items/2/d`,
      kind: "directory",
      files: 2,
      bytes: 3,
      bytes_human: "3 B",
      plan_binding: "tree",
    });
    assert.deepEqual([items[2].kind, items[2].files, items[2].bytes], ["symlink", 0, 0]);
    assert.match(
      summary,
      /3 items \(3 files, 6 B\).*Nothing will be deleted.*no disk space is freed/,
    );
    assert.match(summary, /2 repeated paths counted once/);
  });
});

Deno.test("items are readable at their new place, and the result says that nothing was freed", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/x": "1" });
    const plan_token = "plan_" + "0123456789abcdef".repeat(2);
    const output = await perform("trash_local", dir, {
      paths: [`${dir}/a`, `${dir}/d`],
      plan_token,
    });
    assert.deepEqual([output.space_freed_bytes, output.space_recoverable_bytes], [0, 4]);
    assert.match(output.summary, /NOTHING WAS DELETED/);
    assert.deepEqual(outsideTrash(dir), []);
    const [a, d] = output.items;
    assert.deepEqual([textOf(a.trashed_to), textOf(`${d.trashed_to}/x`)], ["one", "1"]);
    assert.deepEqual([a.method, a.replace_guard, d.replace_guard], [
      "rename",
      "link",
      "placeholder",
    ]);
    assert.equal(a.destination, a.trashed_to);
    assert.deepEqual(output.manifests, [
      `${dir}/${TRASH_NAME}/${output.trash_stamp}/manifest.json`,
    ]);
    const record = manifest(output.manifests[0]);
    assert.equal(record.plan_token_hash, sha256(plan_token));
    assert.deepEqual(
      record.items.map((
        item: Record<string, string>,
      ) => [item.original_path, item.trashed_to, item.state]),
      [[`${dir}/a`, a.trashed_to, "moved"], [`${dir}/d`, d.trashed_to, "moved"]],
    );
  });
});

Deno.test("a link is trashed itself, with a separator behind it and dangling too", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "real/k": "k" });
    Deno.symlinkSync("real", `${dir}/link`);
    Deno.symlinkSync("nowhere", `${dir}/x`);
    Deno.symlinkSync(`${dir}/real/k`, `${dir}/tofile`);
    const paths = ["link/", "x", "tofile/."].map((name) => `${dir}/${name}`);
    const output = await perform("trash_local", dir, { paths });
    assert.deepEqual(outsideTrash(dir), ["real", "real/k"]);
    assert.deepEqual(
      output.items.map((item: { trashed_to: string }) => Deno.readLinkSync(item.trashed_to)),
      ["real", "nowhere", `${dir}/real/k`],
    );
  });
});

Deno.test("roots, trashed things, overlaps and what holds a trash are refused before anything moves", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "a/x": "x", "b": "b", "old": "old", [`sub/${TRASH_NAME}/`]: "" });
      plant(outside, { "theirs": "t" });
      Deno.symlinkSync("a", `${dir}/link`);
      Deno.symlinkSync(outside, `${dir}/out`);
      const done = await perform("trash_local", dir, { paths: [`${dir}/old`] });
      const item = done.items[0].trashed_to;
      const before = pictureOf(dir);
      const codes: [string[], string][] = [
        [[], "invalid_path"],
        [[dir], "cannot_trash_root"],
        [["b", "."], "overlapping_paths"],
        [["a", "a/x"], "overlapping_paths"],
        [["a/x", "b", "a"], "overlapping_paths"],
        [["a", "link/x"], "overlapping_paths"],
        [["link", "link/x", "missing"], "not_found"],
        [[`${TRASH_NAME}`], "already_trashed"],
        [[item], "already_trashed"],
        [["b", item], "already_trashed"],
        [[`sub/${TRASH_NAME}`], "already_trashed"],
        [["sub"], "trash_protected"],
        [["b", "missing"], "not_found"],
        [["b", `${outside}/theirs`], "outside_roots"],
        [["out/theirs"], "outside_roots"],
        [["/"], "invalid_path"],
        [[""], "invalid_path"],
      ];
      for (const [names, code] of codes) {
        const paths = names.map((name) =>
          name.startsWith("/") || name === "" ? name : `${dir}/${name}`
        );
        const error = await refused("trash_local", dir, { paths });
        assert.equal(error.code, code, String(names));
      }
      const many = Array.from({ length: 1001 }, () => `${dir}/b`);
      assert.equal((await refused("trash_local", dir, { paths: many })).code, "invalid_argument");
      assert.equal((await refused("trash_local", [], { paths: [dir] })).code, "no_roots");
      assert.deepEqual([pictureOf(dir), namesIn(outside)], [before, ["theirs"]]);
      // A link and what lies behind it do not overlap.
      await perform("trash_local", dir, { paths: [`${dir}/link`, `${dir}/a/x`] });
      assert.deepEqual(namesIn(`${dir}/a`), []);
    });
  });
});

Deno.test("a protected place, or what holds it, is not trashed", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "conf/state/log": "l" });
    const context = contextFor([dir], { protectedPaths: [`${dir}/conf/state`] });
    for (const name of ["conf", "conf/state", "conf/state/log"]) {
      const error = await refused("trash_local", context, { paths: [`${dir}/${name}`] });
      assert.equal(error.code, "protected_location");
    }
  });
});

Deno.test("two spellings of one entry are one item, and two entries are two", async () => {
  await inTempDir(async (dir) => {
    const fold = (name: string) => name.normalize("NFC").toLowerCase();
    plant(dir, { "Name/x": "x", "caf\u00e9": "c" });
    for (const numbersSpellings of [false, true]) {
      const disk = foldingDisk(dir, { fold, numbersSpellings });
      const { shown } = await preview("trash_local", contextFor([dir], { disk }), {
        paths: ["Name", "NAME", "caf\u00e9", "cafe\u0301"].map((name) => `${dir}/${name}`),
      });
      assert.deepEqual([shown.items.length, shown.repeated_paths_ignored], [2, 2]);
    }
    const disk = foldingDisk(dir, { fold });
    const inner = await refused("trash_local", contextFor([dir], { disk }), {
      paths: [`${dir}/Name`, `${dir}/NAME/x`],
    });
    assert.equal(inner.code, "overlapping_paths");

    plant(dir, { "A": "upper", "a": "lower" });
    Deno.linkSync(`${dir}/A`, `${dir}/hard`);
    const both = await perform("trash_local", dir, {
      paths: ["A", "a", "hard"].map((name) => `${dir}/${name}`),
    });
    assert.deepEqual(
      both.items.map((item: { trashed_to: string }) => textOf(item.trashed_to)),
      ["upper", "lower", "upper"],
    );
  });
});

Deno.test("many items of one name are told apart, in one call and in calls of one instant", async () => {
  await inTempDir(async (dir) => {
    const context = contextFor([dir], { now: () => 1_700_000_000_000 });
    const expected: Record<string, string> = {};
    for (let i = 0; i < 15; i++) {
      plant(dir, { "A/x.txt": `one ${i}`, "B/x.txt": `two ${i}` });
      const paths = [`${dir}/A/x.txt`, `${dir}/B/x.txt`];
      const output = await (await preview("trash_local", context, { paths })).apply();
      expected[output.items[0].trashed_to] = `one ${i}`;
      expected[output.items[1].trashed_to] = `two ${i}`;
      assert.equal(manifest(output.manifests[0]).items.length, 2);
    }
    assert.equal(Object.keys(expected).length, 30);
    for (const [path, text] of Object.entries(expected)) assert.equal(textOf(path), text);
  });
});

Deno.test("items named like the trash's own files, and with long paths, are trashed", async () => {
  await inTempDir(async (dir) => {
    const deep = Array.from({ length: 18 }, () => "d".repeat(200)).join("/");
    plant(dir, {
      "manifest.json": "mine",
      "README.txt": "mine too",
      "items/1/x": "x",
      "x\ny": "odd",
    });
    Deno.mkdirSync(`${dir}/${deep}`, { recursive: true });
    const long = `${dir}/${deep}/${"n".repeat(255)}`;
    Deno.writeTextFileSync(long, "long");
    const paths = [
      ...["manifest.json", "README.txt", "items", "x\ny"].map((name) => `${dir}/${name}`),
      long,
    ];
    const output = await perform("trash_local", dir, { paths });
    assert.deepEqual(output.items.length, 5);
    assert.equal(textOf(output.items[0].trashed_to), "mine");
    assert.equal(textOf(output.items[4].trashed_to), "long");
    assert.equal(manifest(output.manifests[0]).items[4].original_path, long);
  });
});

Deno.test("a root whose path holds the trash's name keeps its trash inside itself", async () => {
  await inTempDir(async (dir) => {
    const root = `${dir}/${TRASH_NAME}/root`;
    plant(root, { "a": "one" });
    const output = await perform("trash_local", root, { paths: [`${root}/a`] });
    assert.ok(output.manifests[0].startsWith(`${root}/${TRASH_NAME}/`));
    const restored = await perform("restore_local", root, { batch: output.trash_stamp });
    assert.deepEqual(restored.restored[0].restored_to, `${root}/a`);
  });
});

Deno.test("a trash is bound to every item as it was, whatever the order", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "1", "d/x": "1", "d/y": "2" });
    for (const name of ["a", "d/x", "d/y", "d"]) Deno.utimeSync(`${dir}/${name}`, 1, 1);
    const paths = [`${dir}/a`, `${dir}/d`];
    const [there, back] = [
      await preview("trash_local", dir, { paths }),
      await preview("trash_local", dir, { paths: paths.toReversed() }),
    ];
    assert.deepEqual(there.binding, back.binding);
    const item = (there.binding.items as Record<string, Record<string, unknown>>)[`${dir}/d`];
    for (
      const field of ["trash_directory", "kind", "files", "bytes", "entry", "tree", "unreadable"]
    ) {
      assert.ok(field in item, field);
    }
    const changed = (act: () => void) => fieldsThatChange("trash_local", dir, { paths }, act);
    assert.deepEqual(await changed(() => void textOf(`${dir}/a`)), []);
    assert.deepEqual(await changed(() => Deno.utimeSync(`${dir}/d/x`, 2, 2)), ["items.tree"]);
    const swap = await changed(() => {
      Deno.renameSync(`${dir}/d/x`, `${dir}/t`);
      Deno.renameSync(`${dir}/d/y`, `${dir}/d/x`);
      Deno.renameSync(`${dir}/t`, `${dir}/d/y`);
      Deno.utimeSync(`${dir}/d`, 1, 1);
    });
    assert.deepEqual(swap, ["items.tree"]);
    assert.deepEqual(await changed(() => Deno.chmodSync(`${dir}/a`, 0o600)), ["items.entry.mode"]);
  });
});

Deno.test("special files and odd names are trashed without being opened", async () => {
  await inTempDir(async (dir) => {
    makeFifo(`${dir}/pipe`);
    plant(dir, { "-rf": "1", " ": "2", "\u202etxt": "3", [`${"x".repeat(255)}`]: "4" });
    const names = namesIn(dir);
    const output = await perform("trash_local", dir, {
      paths: names.map((name) => `${dir}/${name}`),
    });
    assert.deepEqual(outsideTrash(dir), []);
    assert.equal(output.items.length, 5);
    const back = await perform("restore_local", dir, { batch: output.trash_stamp });
    assert.equal(back.restored.length, 5);
    assert.deepEqual(outsideTrash(dir), names);
  });
});

Deno.test("planning a thousand items of one name does not compare all with all", async () => {
  await inTempDir(async (dir) => {
    const names = Array.from({ length: 1000 }, (_, i) => `d${i}/index.html`);
    plant(dir, Object.fromEntries(names.map((name) => [name, name])));
    let looks = 0;
    const disk: Disk = {
      ...realDisk,
      lstat(path) {
        looks++;
        return realDisk.lstat(path);
      },
    };
    const paths = names.map((name) => `${dir}/${name}`);
    const { shown } = await preview("trash_local", contextFor([dir], { disk }), { paths });
    assert.equal(shown.items.length, 1000);
    assert.ok(looks < 20_000, `${looks} looks at the disk`);
  });
});
