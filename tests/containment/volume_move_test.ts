import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk, STAGING_PREFIX } from "../../containment/mod.ts";
import { stagingName } from "../../containment/volume_move.ts";
import { plant, refusal } from "../support.ts";
import { makeFifo, namesIn, pictureOf, textOf } from "../tools/changing.ts";
import { move, onTwoVolumes } from "./volumes.ts";

Deno.test("a file crosses with bytes, mode and time, and nothing else is left on either side", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "a": "content" });
    Deno.chmodSync(`${from}/a`, 0o640);
    Deno.utimeSync(`${from}/a`, 1_500_000_000, 1_500_000_000);
    const before = pictureOf(from);
    const result = move(`${from}/a`, `${to}/b`);
    assert.deepEqual([result.guard, result.left, [...result.lost]], ["link", [], []]);
    assert.deepEqual([pictureOf(from), pictureOf(to)], [{}, { b: before.a }]);
  });
});

Deno.test("a tree crosses whole: modes and times of folders too, hard links as hard links", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "1", "t/d/b": "22", "t/d/empty/": "", "t/ro/x": "x", "t/  odd\n*": "o" });
    Deno.linkSync(`${from}/t/a`, `${from}/t/d/a2`);
    Deno.chmodSync(`${from}/t/ro`, 0o555);
    for (const name of ["d/empty", "d", "ro", ""]) {
      Deno.utimeSync(`${from}/t/${name}`, 1_400_000_000, 1_400_000_000);
    }
    const before = pictureOf(`${from}/t`);
    const result = move(`${from}/t`, `${to}/t`);
    assert.deepEqual([result.left, namesIn(from)], [[], []]);
    assert.deepEqual(pictureOf(`${to}/t`), before);
    const [one, two] = ["a", "d/a2"].map((name) => Deno.lstatSync(`${to}/t/${name}`));
    assert.deepEqual([one.ino, one.nlink], [two.ino, 2]);
    for (const name of ["d/empty", "d", "ro", ""]) {
      assert.equal(Deno.lstatSync(`${to}/t/${name}`).mtime!.getTime(), 1_400_000_000_000, name);
    }
    assert.deepEqual(namesIn(to).filter((name) => name.startsWith(STAGING_PREFIX)), []);
  });
});

Deno.test("a file with another name elsewhere leaves that name alone", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "a": "content" });
    Deno.linkSync(`${from}/a`, `${from}/other`);
    assert.deepEqual(move(`${from}/a`, `${to}/a`).left, []);
    assert.deepEqual([namesIn(from), textOf(`${from}/other`)], [["other"], "content"]);
  });
});

Deno.test("a link crosses as a link with the same text, dangling or not", async () => {
  await onTwoVolumes((from, to) => {
    for (const text of ["nowhere", "/etc", "../a b"]) {
      Deno.symlinkSync(text, `${from}/link`);
      assert.equal(move(`${from}/link`, `${to}/link`).guard, "link");
      assert.equal(Deno.readLinkSync(`${to}/link`), text);
      assert.deepEqual(namesIn(from), []);
      Deno.removeSync(`${to}/link`);
    }
  });
});

Deno.test("a taken destination is never replaced or written through, and the source stays whole", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "file": "f", "folder/x": "x" });
    Deno.symlinkSync("text", `${from}/link`);
    plant(to, { "taken": "old", "full/y": "y" });
    Deno.symlinkSync("nowhere", `${to}/dangling`);
    Deno.mkdirSync(`${to}/empty`);
    const before = [pictureOf(from), pictureOf(to)];
    for (const source of ["file", "folder", "link"]) {
      for (const name of ["taken", "full", "dangling", "empty"]) {
        const { code } = refusal(() => move(`${from}/${source}`, `${to}/${name}`));
        assert.equal(code, "destination_exists", `${source} onto ${name}`);
      }
    }
    assert.deepEqual([pictureOf(from), pictureOf(to)], before);
  });
});

Deno.test("a name that looks like ours but is not is left alone", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "a": "a", "t/b": "b" });
    for (const source of ["a", "t"]) {
      const next = Number(stagingName(to).split("-").at(-1)) + 1;
      const theirs = `${to}/${STAGING_PREFIX}${Deno.pid}-${next}`;
      Deno.writeTextFileSync(theirs, "theirs");
      assert.throws(() => move(`${from}/${source}`, `${to}/new`), { code: "EEXIST" });
      assert.equal(textOf(theirs), "theirs");
      Deno.removeSync(theirs);
    }
    assert.deepEqual([namesIn(from), namesIn(to)], [["a", "t", "t/b"], []]);
  });
});

Deno.test("a link, pipe or socket in the tree stops the copy before anything is removed", async () => {
  await onTwoVolumes((from, to) => {
    const makers: [string, (path: string) => void | Deno.Listener][] = [
      ["symlink_in_tree", (path) => Deno.symlinkSync("a", path)],
      ["special_file_in_tree", makeFifo],
      ["special_file_in_tree", (path) => Deno.listen({ transport: "unix", path })],
    ];
    for (const [code, make] of makers) {
      const top = Deno.makeTempDirSync({ dir: from });
      plant(top, { "t/a": "1", "t/z/b": "2" });
      const listener = make(`${top}/t/z/m`);
      const before = pictureOf(top);
      assert.equal(refusal(() => move(`${top}/t`, `${to}/t`)).code, code);
      assert.deepEqual([pictureOf(top), namesIn(to)], [before, []]);
      if (listener) listener.close();
    }
  });
});

Deno.test("a wish to stop ends a copy and removes it; once the source goes, the move completes", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "x".repeat(3 << 20), "t/b": "2", "t/c/d": "3" });
    const before = pictureOf(from);
    const signal = new CancelFlag();
    const stops: Record<string, Partial<Disk>> = {
      "while reading": {
        readAt(fd, buffer, offset) {
          if (offset > 0) signal.cancel();
          return realDisk.readAt(fd, buffer, offset);
        },
      },
      "between files": {
        create(path, mode) {
          if (path.endsWith("/b")) signal.cancel();
          return realDisk.create(path, mode);
        },
      },
      "before putting it in place": {
        utime(path, atime, mtime) {
          realDisk.utime(path, atime, mtime);
          if (!path.includes("/", to.length + 1)) signal.cancel();
        },
      },
    };
    for (const [when, over] of Object.entries(stops)) {
      new Int32Array(signal.buffer)[0] = 0;
      const disk = { ...realDisk, ...over };
      const error = refusal(() => move(`${from}/t`, `${to}/t`, disk, { signal }));
      assert.equal(error.code, "cancelled", when);
      assert.deepEqual([pictureOf(from), namesIn(to)], [before, []], when);
    }
    new Int32Array(signal.buffer)[0] = 0;
    const late: Disk = {
      ...realDisk,
      unlink(path) {
        signal.cancel();
        realDisk.unlink(path);
      },
    };
    const result = move(`${from}/t`, `${to}/t`, late, { signal });
    assert.deepEqual([result.cancelledLate, result.left], [true, []]);
    assert.deepEqual([namesIn(from), pictureOf(to)], [[], before]);
  });
});
