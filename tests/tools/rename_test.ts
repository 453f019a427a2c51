import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk, TRASH_NAME } from "../../containment/mod.ts";
import { foldingDisk } from "../folding_disk.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  fieldsThatChange,
  namesIn,
  perform,
  pictureOf,
  preview,
  refusalOf,
  refused,
  textOf,
} from "./changing.ts";

Deno.test("a rename gives the entry its new name and keeps everything else", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "d/a.txt": "one", "d/sub/x": "x" });
    const before = Deno.lstatSync(`${dir}/d/a.txt`);
    const output = await perform("rename_local", dir, {
      path: `${dir}/d/a.txt`,
      new_name: "b.txt",
    });
    const { summary, ...fields } = output;
    assert.deepEqual(fields, {
      performed: true,
      action: "rename",
      from: `${dir}/d/a.txt`,
      to: `${dir}/d/b.txt`,
      kind: "file",
      replace_guard: "link",
    });
    assert.ok(summary.includes('"a.txt" to "b.txt" in ' + `${dir}/d`));
    const after = Deno.lstatSync(`${dir}/d/b.txt`);
    assert.deepEqual([after.ino, after.mtime, after.mode], [before.ino, before.mtime, before.mode]);
    const folder = await perform("rename_local", dir, { path: `${dir}/d/sub`, new_name: "Sub" });
    assert.equal(folder.replace_guard, "placeholder");
    assert.deepEqual(namesIn(dir), ["d", "d/Sub", "d/Sub/x", "d/b.txt"]);
  });
});

Deno.test("a link is renamed itself, with a separator behind it too", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "real/k": "k" });
    Deno.symlinkSync("real", `${dir}/link`);
    Deno.symlinkSync("nowhere", `${dir}/dangling`);
    for (
      const [path, name] of [["link/", "link2"], ["dangling", "dangling2"], ["link2/.", "link3"]]
    ) {
      const output = await perform("rename_local", dir, { path: `${dir}/${path}`, new_name: name });
      assert.equal(output.kind, "symlink");
    }
    assert.deepEqual(namesIn(dir), ["dangling2", "link3", "real", "real/k"]);
  });
});

Deno.test("a taken name is never replaced, whatever has it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "file": "f", "empty/": "", "full/x": "x" });
    Deno.symlinkSync("nowhere", `${dir}/dangling`);
    const before = pictureOf(dir);
    for (const path of ["a", "full"]) {
      for (const name of ["file", "empty", "full", "dangling", "a"]) {
        const error = await refused("rename_local", dir, {
          path: `${dir}/${path}`,
          new_name: name,
        });
        assert.equal(error.code, "destination_exists", `${path} to ${name}`);
      }
    }
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("a name that is taken between check and rename stays, and so does the source", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/x": "x" });
    const file = await preview("rename_local", dir, { path: `${dir}/a`, new_name: "b" });
    const folder = await preview("rename_local", dir, { path: `${dir}/d`, new_name: "e" });
    plant(dir, { "b": "late", "e/late": "late" });
    for (const { apply } of [file, folder]) {
      const error = await refusalOf(apply);
      assert.deepEqual([error.code, error.changedAnything], ["destination_exists", false]);
    }
    assert.deepEqual(namesIn(dir), ["a", "b", "d", "d/x", "e", "e/late"]);
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/b`)], ["one", "late"]);
  });
});

Deno.test("a new name is one name, taken byte for byte", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    const bad = ["", ".", "..", "x/y", "../x", "/x", "x/", "a\0b", "é".repeat(128), "half\ud800"];
    for (const name of bad) {
      const error = await refused("rename_local", dir, { path: `${dir}/a`, new_name: name });
      assert.equal(error.code, "invalid_name", JSON.stringify(name));
    }
    const long = await refused("rename_local", dir, {
      path: `${dir}/a`,
      new_name: "x".repeat(100_000),
    });
    assert.equal(long.code, "invalid_name");
    assert.ok(long.message.length < 1000);
    let path = `${dir}/a`;
    for (const name of ["b.txt ", " b", "x".repeat(255), "é".repeat(127), "-rf", "a*b", "名前"]) {
      await perform("rename_local", dir, { path, new_name: name });
      assert.deepEqual(namesIn(dir), [name]);
      path = `${dir}/${name}`;
    }
  });
});

Deno.test("a name that a person may not have meant is warned of, and taken", async () => {
  await inTempDir(async (dir) => {
    const warnings: [string, string, RegExp | undefined][] = [
      ["a.txt", "b.txt", undefined],
      ["a.txt", "a.md", /extension changes from "\.txt" to "\.md"/],
      ["a.JPG", "b.jpg", undefined],
      ["a", ".a", /leading dot/],
      [".a", ".b", undefined],
      ["a", "b\u202etxt", /cannot be seen/],
      ["a", "b\nc", /cannot be seen/],
      ["a", "NUL", /device name/],
      ["a", "CON .txt", /device name/],
      ["a", "b ", /ends in a dot or a space/],
      ["a.", "b.", /ends in a dot or a space/],
      ["a", "x:hidden", /character that Windows/],
    ];
    for (const [from, to, warning] of warnings) {
      Deno.writeTextFileSync(`${dir}/${from}`, "content");
      const { shown, apply } = await preview("rename_local", dir, {
        path: `${dir}/${from}`,
        new_name: to,
      });
      if (warning === undefined) assert.equal(shown.warnings, undefined, `${from} to ${to}`);
      else assert.match(shown.warnings.join("; "), warning);
      await apply();
      assert.deepEqual(namesIn(dir), [to]);
      Deno.removeSync(`${dir}/${to}`);
    }
    Deno.mkdirSync(`${dir}/v1.2`);
    const { shown } = await preview("rename_local", dir, { path: `${dir}/v1.2`, new_name: "v1.3" });
    assert.equal(shown.warnings, undefined, "a folder has no extension");
  });
});

Deno.test("roots, places outside, missing entries and no roots have codes of their own", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "a": "one" });
      plant(outside, { "theirs": "t" });
      Deno.symlinkSync(outside, `${dir}/way-out`);
      const codes: [string, string][] = [
        [dir, "outside_roots"],
        [`${outside}/theirs`, "outside_roots"],
        [`${dir}/way-out/theirs`, "outside_roots"],
        [`${dir}/missing`, "not_found"],
        [`${dir}/a/x`, "not_found"],
        ["a", "invalid_path"],
        ["", "invalid_path"],
        ["/", "invalid_path"],
      ];
      for (const [path, code] of codes) {
        assert.equal(
          (await refused("rename_local", dir, { path, new_name: "b" })).code,
          code,
          path,
        );
      }
      assert.equal(
        (await refused("rename_local", [], { path: dir, new_name: "b" })).code,
        "no_roots",
      );
      assert.deepEqual([namesIn(outside), namesIn(dir)], [["theirs"], ["a", "way-out"]]);
    });
  });
});

Deno.test("the trash keeps its names, and nothing gets one of its names", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one", "d/in/": "", "b": "two" });
    const trashed = await perform("trash_local", dir, { paths: [`${dir}/a`] });
    const batch = `${dir}/${TRASH_NAME}/${trashed.trash_stamp}`;
    const before = pictureOf(dir);
    const refusals: [string, string][] = [
      [`${dir}/${TRASH_NAME}`, "t"],
      [batch, "b"],
      [`${batch}/manifest.json`, "m"],
      [trashed.items[0].trashed_to, "x"],
      [`${dir}/d/in`, TRASH_NAME],
      [`${dir}/b`, ".shieldfive-mcp-incoming-1-1"],
    ];
    for (const [path, new_name] of refusals) {
      const error = await refused("rename_local", dir, { path, new_name });
      assert.equal(error.code, "trash_protected", `${path} to ${new_name}`);
    }
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("a protected place keeps its name, and so does what holds it", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "conf/state/log": "l" });
    const context = contextFor([dir], { protectedPaths: [`${dir}/conf/state`, `${dir}/later`] });
    for (const path of ["conf", "conf/state", "conf/state/log"]) {
      const error = await refused("rename_local", context, {
        path: `${dir}/${path}`,
        new_name: "x",
      });
      assert.equal(error.code, "protected_location");
    }
    plant(dir, { "free": "f" });
    const onto = await refused("rename_local", context, { path: `${dir}/free`, new_name: "later" });
    assert.equal(onto.code, "protected_location");
  });
});

Deno.test("only the case or the Unicode form of a name changes where the disk ignores it", async () => {
  for (const numbersSpellings of [false, true]) {
    await inTempDir(async (dir) => {
      const fold = (name: string) => name.normalize("NFC").toLowerCase();
      const disk = foldingDisk(dir, { fold, numbersSpellings, withoutLinks: numbersSpellings });
      const context = contextFor([dir], { disk });
      plant(dir, { "Report.TXT": "content", "Test/x": "x", "caf\u00e9": "nfc", "other": "o" });
      const inode = Deno.lstatSync(`${dir}/Report.TXT`).ino;
      const pairs = [["Report.TXT", "report.txt"], ["Test", "test"], ["caf\u00e9", "cafe\u0301"]];
      for (const [from, to] of pairs) {
        const output = await perform("rename_local", context, {
          path: `${dir}/${from}`,
          new_name: to,
        });
        assert.equal(output.to, `${dir}/${to}`);
      }
      assert.deepEqual(namesIn(dir), ["cafe\u0301", "other", "report.txt", "test", "test/x"]);
      assert.deepEqual([textOf(`${dir}/report.txt`), Deno.lstatSync(`${dir}/report.txt`).ino], [
        "content",
        inode,
      ]);
      const taken = await refused("rename_local", context, {
        path: `${dir}/other`,
        new_name: "TEST",
      });
      assert.equal(taken.code, "destination_exists");
    });
  }
});

Deno.test("a spelling that no simple folding knows is found out by the inode", async () => {
  await inTempDir(async (dir) => {
    const fold = (name: string) => name.toLowerCase().replaceAll("ß", "ss");
    const disk = foldingDisk(dir, { fold });
    plant(dir, { "Straße/x": "x", "groß": "g" });
    for (const [from, to] of [["Straße", "STRASSE"], ["groß", "GROSS"]]) {
      await perform("rename_local", contextFor([dir], { disk }), {
        path: `${dir}/${from}`,
        new_name: to,
      });
    }
    assert.deepEqual(namesIn(dir), ["GROSS", "STRASSE", "STRASSE/x"]);
    // A hard link of it is another entry all the same.
    Deno.linkSync(`${dir}/GROSS`, `${dir}/hard`);
    const args = { path: `${dir}/hard`, new_name: "groß" };
    const error = await refused("rename_local", contextFor([dir], { disk }), args);
    assert.equal(error.code, "destination_exists");
  });
});

Deno.test("two real files whose names differ in case alone are refused, hard links too", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "Report.TXT": "upper", "report.txt": "lower", "A": "same" });
    Deno.linkSync(`${dir}/A`, `${dir}/a`);
    for (const [path, new_name] of [["Report.TXT", "report.txt"], ["A", "a"]]) {
      const error = await refused("rename_local", dir, { path: `${dir}/${path}`, new_name });
      assert.equal(error.code, "destination_exists");
    }
    assert.deepEqual(namesIn(dir), ["A", "Report.TXT", "a", "report.txt"]);
  });
});

Deno.test("a rename is bound to the entry as it was, not to its having been read", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    Deno.utimeSync(`${dir}/a`, 1, 1);
    const args = { path: `${dir}/a`, new_name: "b" };
    const changed = (act: () => void) => fieldsThatChange("rename_local", dir, args, act);
    assert.deepEqual(await changed(() => void textOf(`${dir}/a`)), []);
    assert.deepEqual(await changed(() => Deno.utimeSync(`${dir}/a`, 2, 2)), ["from_entry.mtime"]);
    assert.deepEqual(await changed(() => Deno.chmodSync(`${dir}/a`, 0o600)), ["from_entry.mode"]);
    const replaced = await changed(() => {
      Deno.renameSync(`${dir}/a`, `${dir}/old`);
      Deno.writeTextFileSync(`${dir}/a`, "two");
      Deno.chmodSync(`${dir}/a`, 0o600);
      Deno.utimeSync(`${dir}/a`, 2, 2);
    });
    assert.deepEqual(replaced, ["from_entry.ino"]);
    const { binding } = await preview("rename_local", dir, args);
    assert.deepEqual(Object.keys(binding).sort(), [
      "action",
      "from",
      "from_entry",
      "kind",
      "respelled",
      "to",
    ]);
  });
});

Deno.test("a cancelled rename does nothing, and a failing one says why", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    const signal = new CancelFlag();
    const args = { path: `${dir}/a`, new_name: "b" };
    const { apply } = await preview("rename_local", contextFor([dir], { signal }), args);
    signal.cancel();
    assert.equal((await refusalOf(apply)).code, "cancelled");
    const disk: Disk = {
      ...realDisk,
      link: () => {
        throw Object.assign(new Error("read-only"), { code: "EROFS" });
      },
    };
    const error = await refused("rename_local", contextFor([dir], { disk }), args);
    assert.deepEqual([error.code, error.detail], [
      "io_error",
      { errno: "EROFS", operation: "renaming", path: `${dir}/a` },
    ]);
    assert.deepEqual(namesIn(dir), ["a"]);
  });
});
