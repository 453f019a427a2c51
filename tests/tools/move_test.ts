import assert from "node:assert/strict";
import { type Disk, realDisk } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  fieldsThatChange,
  namesIn,
  perform,
  preview,
  refusalOf,
  refused,
  systemError,
  textOf,
} from "./changing.ts";

Deno.test("a preview of a move says everything that the move would do", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/x": "1", "a/y/z": "22" });
    const { shown } = await preview("move_local", dir, {
      source: `${dir}/a`,
      destination: `${dir}/n/m/b`,
    });
    const { summary, ...fields } = shown;
    assert.deepEqual(fields, {
      performed: false,
      action: "move",
      source: `${dir}/a`,
      destination: `${dir}/n/m/b`,
      kind: "directory",
      files: 2,
      bytes: 3,
      bytes_human: "3 B",
      replaces_existing: false,
      crosses_volume: false,
      creates_directories: [`${dir}/n`, `${dir}/n/m`],
      plan_binding: "tree",
    });
    assert.match(summary, /Planned \(nothing changed\): move the folder \(2 files, 3 B\)/);
  });
});

Deno.test("a move creates missing parents and says how it was guarded", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "one" });
    // The same name in a folder that is not there yet.
    const output = await perform("move_local", dir, {
      source: `${dir}/a.txt`,
      destination: `${dir}/new/sub/a.txt`,
    });
    assert.deepEqual([output.performed, output.method, output.replace_guard], [
      true,
      "rename",
      "link",
    ]);
    assert.deepEqual([output.source_left_in_place, output.cancelled_after_start], [[], false]);
    assert.equal(output.plan_token, undefined);
    assert.deepEqual(namesIn(dir), ["new", "new/sub", "new/sub/a.txt"]);
  });
});

Deno.test("an existing folder means into it, a link to a folder does not", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "folder/": "", "b": "two" });
    Deno.symlinkSync("folder", `${dir}/link`);
    const into = await perform("move_local", dir, {
      source: `${dir}/a`,
      destination: `${dir}/folder/`,
    });
    assert.equal(into.destination, `${dir}/folder/a`);
    const error = await refused("move_local", dir, {
      source: `${dir}/b`,
      destination: `${dir}/link`,
    });
    assert.equal(error.code, "destination_exists");
    assert.match(error.message, /symbolic link, which would itself be replaced.*real path/);
    const over = await perform("move_local", dir, {
      source: `${dir}/b`,
      destination: `${dir}/link`,
      overwrite: true,
    });
    assert.deepEqual([over.displaced.kind, over.displaced.files], ["symlink", 0]);
    assert.equal(textOf(`${dir}/link`), "two");
    assert.equal(Deno.readLinkSync(over.displaced_to), "folder");
    assert.deepEqual(namesIn(`${dir}/folder`), ["a"]);
  });
});

Deno.test("a link moves itself into the folder that it leads to", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "real/k": "k" });
    Deno.symlinkSync("real", `${dir}/link`);
    const output = await perform("move_local", dir, {
      source: `${dir}/link/`,
      destination: `${dir}/real`,
    });
    assert.deepEqual([output.kind, output.files, output.bytes], ["symlink", 0, 0]);
    assert.deepEqual(output.link, {
      link_target: "real",
      resolves_before: `${dir}/real`,
      resolves_after: `${dir}/real/real`,
    });
    assert.deepEqual(namesIn(dir), ["real", "real/k", "real/link"]);
    assert.match(output.summary, /relative link "real" would lead to/);
  });
});

Deno.test("a link that still leads to the same place is moved without a warning", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "real": "k", "d/": "" });
    Deno.symlinkSync("real", `${dir}/relative`);
    Deno.symlinkSync(`${dir}/real`, `${dir}/absolute`);
    for (const [source, destination] of [["relative", "renamed"], ["absolute", "d"]]) {
      const args = { source: `${dir}/${source}`, destination: `${dir}/${destination}` };
      const output = await perform("move_local", dir, args);
      assert.deepEqual([output.link, output.warnings], [undefined, undefined]);
    }
  });
});

Deno.test("moving between two roots works, and out of them does not", async () => {
  await inTempDir(async (one) => {
    await inTempDir(async (two) => {
      await inTempDir(async (outside) => {
        plant(one, { "a": "one", "b": "two" });
        plant(outside, { "theirs": "t" });
        Deno.symlinkSync(outside, `${one}/way-out`);
        Deno.symlinkSync(`${outside}/new.txt`, `${one}/out`);
        const roots = [one, two];
        await perform("move_local", roots, { source: `${one}/a`, destination: two });
        assert.equal(textOf(`${two}/a`), "one");
        const codes: [string, string, string][] = [
          [`${one}/b`, `${outside}/b`, "outside_roots"],
          [`${one}/b`, `${one}/way-out/b`, "outside_roots"],
          [`${one}/b`, `${one}/way-out/x/y`, "outside_roots"],
          [`${one}/way-out/theirs`, one, "outside_roots"],
          [`${one}/b`, `${one}/out/x`, "dangling_symlink"],
          [`${one}/b`, `${one}/out`, "destination_exists"],
          [`${one}/b`, `${one}/../b`, "outside_roots"],
          [`${one}/b`, "relative", "invalid_path"],
          ["", one, "invalid_path"],
          [`${one}/missing`, two, "not_found"],
          [`${one}/b/x`, two, "not_found"],
          ["/", two, "invalid_path"],
          [`${one}/b`, "/", "invalid_path"],
        ];
        for (const [source, destination, code] of codes) {
          const error = await refused("move_local", roots, { source, destination });
          assert.equal(error.code, code, `${source} to ${destination}`);
        }
        assert.deepEqual(namesIn(outside), ["theirs"]);
        assert.deepEqual(namesIn(one), ["b", "out", "way-out"]);
      });
    });
  });
});

Deno.test("a destination that comes or goes after the check is refused", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "taken": "old" });
    const free = await preview("move_local", dir, { source: `${dir}/a`, destination: `${dir}/b` });
    plant(dir, { "b": "came" });
    assert.equal((await refusalOf(free.apply)).code, "destination_changed");
    const over = { source: `${dir}/a`, destination: `${dir}/taken`, overwrite: true };
    const taken = await preview("move_local", dir, over);
    Deno.removeSync(`${dir}/taken`);
    assert.equal((await refusalOf(taken.apply)).code, "destination_changed");
    assert.deepEqual(namesIn(dir), ["a", "b"]);
  });
});

Deno.test("of two moves to one place one wins and the other keeps its source", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "A", "b": "B" });
    const plans = await Promise.all(
      ["a", "b"].map((name) =>
        preview("move_local", dir, { source: `${dir}/${name}`, destination: `${dir}/c` })
      ),
    );
    const results = await Promise.allSettled(plans.map(({ apply }) => apply()));
    assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected"]);
    assert.deepEqual([namesIn(dir), textOf(`${dir}/b`), textOf(`${dir}/c`)], [
      ["b", "c"],
      "B",
      "A",
    ]);
  });
});

Deno.test("new names that Windows cannot handle are warned of", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "NUL": "there already" });
    const { shown } = await preview("move_local", dir, {
      source: `${dir}/a`,
      destination: `${dir}/aux.d/x:hidden`,
    });
    assert.equal(shown.warnings.length, 2);
    const moved = await perform("move_local", dir, {
      source: `${dir}/NUL`,
      destination: `${dir}/d/NUL`,
    });
    assert.equal(moved.warnings, undefined, "a name that exists may travel");
  });
});

Deno.test("a move is bound to all that its preview showed", async () => {
  const cases: Record<string, [(dir: string) => void, string[]]> = {
    "the source was edited": [
      (dir) => Deno.writeTextFileSync(`${dir}/src/a`, "22"),
      ["bytes", "tree"],
    ],
    "an edit of the same length": [
      (dir) => {
        Deno.writeTextFileSync(`${dir}/src/a`, "2");
        Deno.utimeSync(`${dir}/src/a`, 5, 5);
      },
      ["tree"],
    ],
    "a nested rename": [
      (dir) => Deno.renameSync(`${dir}/src/d/b`, `${dir}/src/d/c`),
      ["tree"],
    ],
    "a swap of two equal sizes": [
      (dir) => {
        Deno.renameSync(`${dir}/src/a`, `${dir}/tmp`);
        Deno.renameSync(`${dir}/src/d/b`, `${dir}/src/a`);
        Deno.renameSync(`${dir}/tmp`, `${dir}/src/d/b`);
        for (const name of ["src", "src/d"]) Deno.utimeSync(`${dir}/${name}`, 1, 1);
      },
      ["tree"],
    ],
    "the displaced folder changed inside": [
      (dir) => Deno.renameSync(`${dir}/dest/src/old`, `${dir}/dest/src/older`),
      ["displaced_tree", "destination_entry.mtime"],
    ],
    "the displaced folder grew deep inside": [
      (dir) => Deno.writeTextFileSync(`${dir}/dest/src/k/new`, "333"),
      ["displaced_bytes", "displaced_files", "displaced_tree"],
    ],
    "the source's mode": [(dir) => Deno.chmodSync(`${dir}/src`, 0o700), ["source_entry.mode"]],
    "the destination's mode": [
      (dir) => Deno.chmodSync(`${dir}/dest/src`, 0o700),
      ["destination_entry.mode"],
    ],
    "the source was replaced": [
      (dir) => {
        Deno.renameSync(`${dir}/src`, `${dir}/src2`);
        plant(dir, { "src/a": "1", "src/d/b": "2" });
      },
      ["source_entry.ino", "tree"],
    ],
    "the destination's folder was replaced": [
      (dir) => {
        Deno.renameSync(`${dir}/dest`, `${dir}/dest2`);
        Deno.mkdirSync(`${dir}/dest`);
        Deno.renameSync(`${dir}/dest2/src`, `${dir}/dest/src`);
      },
      ["ancestor.ino"],
    ],
    "the destination went": [
      (dir) => Deno.removeSync(`${dir}/dest/src`, { recursive: true }),
      ["destination_entry", "replaces_existing", "displaced_files"],
    ],
  };
  for (const [what, [change, expected]] of Object.entries(cases)) {
    await inTempDir(async (dir) => {
      plant(dir, { "src/a": "1", "src/d/b": "2", "dest/src/old": "old", "dest/src/k/": "" });
      for (const name of ["src", "src/d"]) Deno.utimeSync(`${dir}/${name}`, 1, 1);
      const args = { source: `${dir}/src`, destination: `${dir}/dest`, overwrite: true };
      const fields = await fieldsThatChange("move_local", dir, args, () => change(dir));
      for (const field of expected) assert.ok(fields.includes(field), `${what}: ${fields}`);
    });
  }
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    const args = { source: `${dir}/a`, destination: `${dir}/n/b` };
    const read = () => void Deno.readTextFileSync(`${dir}/a`);
    assert.deepEqual(await fieldsThatChange("move_local", dir, args, read), []);
    const made = await fieldsThatChange("move_local", dir, args, () => Deno.mkdirSync(`${dir}/n`));
    assert.ok(made.includes("creates_directories"), String(made));
  });
});

Deno.test("what cannot be looked at is counted in the preview", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "t/no/x": "1", "t/a": "1", "d/t/no/y": "1" });
    const disk: Disk = {
      ...realDisk,
      readDir(path) {
        if (path.endsWith("/no")) throw systemError("EACCES");
        return realDisk.readDir(path);
      },
    };
    const context = contextFor([dir], { disk });
    const args = { source: `${dir}/t`, destination: `${dir}/d`, overwrite: true };
    const { shown } = await preview("move_local", context, args);
    assert.deepEqual([shown.files, shown.unreadable, shown.warnings.length], [1, 1, 2]);
    assert.match(shown.summary, /1 item\(s\) could not be read/);
  });
});
