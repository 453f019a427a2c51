import assert from "node:assert/strict";
import { type Disk, moveNoReplace, realDisk, respell } from "../../containment/mod.ts";
import { foldingDisk } from "../folding_disk.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { hasOtherVolume, makeFifo, namesIn, systemError, textOf } from "../tools/changing.ts";

/** Moves `from` to `to` below a folder, as looked at just before. */
function move(dir: string, from: string, to: string, disk: Disk = realDisk): string {
  return moveNoReplace(disk, `${dir}/${from}`, `${dir}/${to}`, Deno.lstatSync(`${dir}/${from}`));
}

const noLinks: Disk = {
  ...realDisk,
  link: () => {
    throw systemError("EPERM");
  },
};

Deno.test("a file keeps its inode, times and other names when it moves", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    Deno.linkSync(`${dir}/a`, `${dir}/other`);
    const before = Deno.lstatSync(`${dir}/a`);
    assert.equal(move(dir, "a", "b"), "link");
    const after = Deno.lstatSync(`${dir}/b`);
    assert.deepEqual([after.ino, after.nlink, after.mtime], [before.ino, 2, before.mtime]);
    assert.deepEqual(namesIn(dir), ["b", "other"]);
  });
});

Deno.test("nothing at the destination is replaced, whatever it is and whatever moves", async () => {
  await inTempDir((dir) => {
    const makers: Record<string, (path: string) => void> = {
      file: (path) => Deno.writeTextFileSync(path, `file ${path}`),
      "empty folder": (path) => Deno.mkdirSync(path),
      "full folder": (path) => plant(path, { "x": "x" }),
      "link to a file": (path) => Deno.symlinkSync(`${dir}/target`, path),
      "link to a folder": (path) => Deno.symlinkSync(`${dir}/folder`, path),
      "dangling link": (path) => Deno.symlinkSync("nowhere", path),
      pipe: makeFifo,
    };
    plant(dir, { "target": "t", "folder/": "" });
    for (const [source, makeSource] of Object.entries(makers)) {
      for (const [destination, makeDestination] of Object.entries(makers)) {
        for (const disk of [realDisk, noLinks]) {
          const pair = Deno.makeTempDirSync({ dir });
          makeSource(`${pair}/from`);
          makeDestination(`${pair}/to`);
          const before = [Deno.lstatSync(`${pair}/from`), Deno.lstatSync(`${pair}/to`)];
          const { code } = refusal(() => move(pair, "from", "to", disk));
          assert.equal(code, "destination_exists", `${source} onto ${destination}`);
          const after = [Deno.lstatSync(`${pair}/from`), Deno.lstatSync(`${pair}/to`)];
          assert.deepEqual(after.map((info) => info.ino), before.map((info) => info.ino));
          assert.deepEqual(after.map((info) => info.size), before.map((info) => info.size));
        }
      }
    }
    assert.deepEqual([textOf(`${dir}/target`), namesIn(`${dir}/folder`)], ["t", []]);
  });
});

Deno.test("a file that appears between look and move survives, and so does the source", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "source" });
    const disk: Disk = {
      ...realDisk,
      link(existing, name) {
        Deno.writeTextFileSync(name, "came in between");
        realDisk.link(existing, name);
      },
    };
    assert.equal(refusal(() => move(dir, "a", "b", disk)).code, "destination_exists");
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/b`)], ["source", "came in between"]);
  });
});

Deno.test("a folder's destination that fills up at the last moment stays, and so does the folder", async () => {
  await inTempDir((dir) => {
    const late: Record<string, (path: string) => void> = {
      "a file in it": (path) => Deno.writeTextFileSync(`${path}/late`, "late"),
      "a file in its place": (path) => {
        Deno.removeSync(path);
        Deno.writeTextFileSync(path, "late");
      },
      "a link in its place": (path) => {
        Deno.removeSync(path);
        Deno.symlinkSync("nowhere", path);
      },
    };
    for (const [what, act] of Object.entries(late)) {
      const place = Deno.makeTempDirSync({ dir });
      plant(place, { "from/x": "x" });
      const disk: Disk = {
        ...realDisk,
        rename(from, to) {
          act(to);
          realDisk.rename(from, to);
        },
      };
      assert.equal(refusal(() => move(place, "from", "to", disk)).code, "destination_exists", what);
      assert.equal(textOf(`${place}/from/x`), "x");
      const there = Deno.lstatSync(`${place}/to`);
      if (there.isDirectory) assert.equal(textOf(`${place}/to/late`), "late");
      else if (there.isFile) assert.equal(textOf(`${place}/to`), "late");
      else assert.equal(Deno.readLinkSync(`${place}/to`), "nowhere");
    }
  });
});

Deno.test("a folder that cannot be renamed leaves no placeholder", async () => {
  await inTempDir((dir) => {
    plant(dir, { "from/x": "x" });
    for (const code of ["EBUSY", "EXDEV", "EACCES"]) {
      const disk: Disk = {
        ...realDisk,
        rename: () => {
          throw systemError(code);
        },
      };
      assert.throws(() => move(dir, "from", "to", disk), { code });
      assert.deepEqual(namesIn(dir), ["from", "from/x"]);
    }
  });
});

Deno.test("without hard links a file still moves, and the result says how it was guarded", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    assert.equal(move(dir, "a", "b", noLinks), "checked");
    assert.deepEqual([namesIn(dir), textOf(`${dir}/b`)], [["b"], "one"]);
  });
});

Deno.test("when the old name cannot be removed, exactly that name remains", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one" });
    Deno.symlinkSync("target", `${dir}/link`);
    for (const name of ["a", "link"]) {
      const stuck: Disk = {
        ...realDisk,
        unlink(path) {
          if (path === `${dir}/${name}`) throw systemError("EACCES");
          realDisk.unlink(path);
        },
      };
      const before = Deno.lstatSync(`${dir}/${name}`).ino;
      assert.throws(() => move(dir, name, "new", stuck), { code: "EACCES" });
      assert.throws(
        () => move(dir, name, "new", { ...stuck, link: noLinks.link, rename: stuck.unlink }),
        { code: "EACCES" },
      );
      assert.equal(Deno.lstatSync(`${dir}/${name}`).ino, before);
    }
    assert.deepEqual(namesIn(dir), ["a", "link"]);
    assert.equal(textOf(`${dir}/a`), "one");
  });
});

Deno.test("a source that was replaced since it was looked at is left alone", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "planned", "folder/x": "x" });
    const [file, folder] = [Deno.lstatSync(`${dir}/a`), Deno.lstatSync(`${dir}/folder`)];
    Deno.renameSync(`${dir}/a`, `${dir}/kept`);
    Deno.writeTextFileSync(`${dir}/a`, "another");
    const swapped = refusal(() => moveNoReplace(realDisk, `${dir}/a`, `${dir}/b`, file));
    assert.equal(swapped.code, "source_changed");
    const kind = refusal(() => moveNoReplace(realDisk, `${dir}/a`, `${dir}/b`, folder));
    assert.equal(kind.code, "source_changed");
    assert.deepEqual(namesIn(dir), ["a", "folder", "folder/x", "kept"]);
  });
});

Deno.test("a file replaced while its new name is made loses neither of its contents", async () => {
  await inTempDir((dir) => {
    plant(dir, { "before": "planned", "after": "planned" });
    const replace = (path: string) => {
      Deno.writeTextFileSync(`${dir}/other`, "another");
      Deno.renameSync(`${dir}/other`, path);
    };
    const beforeLink: Disk = {
      ...realDisk,
      link(existing, name) {
        Deno.linkSync(existing, `${dir}/backup`);
        replace(existing);
        realDisk.link(existing, name);
      },
    };
    assert.equal(refusal(() => move(dir, "before", "new", beforeLink)).code, "source_changed");
    assert.deepEqual([textOf(`${dir}/before`), textOf(`${dir}/backup`)], ["another", "planned"]);

    const afterLink: Disk = {
      ...realDisk,
      link(existing, name) {
        realDisk.link(existing, name);
        replace(existing);
      },
    };
    assert.equal(refusal(() => move(dir, "after", "new", afterLink)).code, "source_changed");
    assert.deepEqual([textOf(`${dir}/after`), textOf(`${dir}/new`)], ["another", "planned"]);

    plant(dir, { "swapped": "planned" });
    const whileLinking: Disk = {
      ...realDisk,
      link(existing, name) {
        Deno.renameSync(existing, `${dir}/aside`);
        Deno.writeTextFileSync(existing, "visitor");
        realDisk.link(existing, name);
        Deno.renameSync(`${dir}/aside`, existing);
      },
    };
    assert.equal(refusal(() => move(dir, "swapped", "newer", whileLinking)).code, "source_changed");
    assert.deepEqual([textOf(`${dir}/swapped`), textOf(`${dir}/newer`)], ["planned", "visitor"]);
  });
});

Deno.test("a link moves itself, dangling or not, and keeps text and time", async () => {
  await inTempDir((dir) => {
    plant(dir, { "target/k": "k" });
    const links = { "in": "target", "out": "/etc/hostname", "dangling": "nowhere", "loop": "loop" };
    for (const [name, text] of Object.entries(links)) {
      Deno.symlinkSync(text, `${dir}/${name}`);
      const before = Deno.lstatSync(`${dir}/${name}`);
      assert.equal(move(dir, name, `${name}2`), "link");
      const after = Deno.lstatSync(`${dir}/${name}2`);
      assert.equal(Deno.readLinkSync(`${dir}/${name}2`), text);
      if (Deno.build.os === "linux") {
        assert.deepEqual([after.ino, after.mtime], [before.ino, before.mtime]);
      }
      assert.equal(move(dir, `${name}2`, `${name}3`, noLinks), "link", "made anew");
      assert.equal(Deno.readLinkSync(`${dir}/${name}3`), text);
    }
    assert.deepEqual(namesIn(dir), ["dangling3", "in3", "loop3", "out3", "target", "target/k"]);
  });
});

Deno.test("a pipe moves without being opened", async () => {
  await inTempDir((dir) => {
    makeFifo(`${dir}/pipe`);
    assert.equal(move(dir, "pipe", "pipe2"), "checked");
    assert.ok(Deno.lstatSync(`${dir}/pipe2`).isFifo);
  });
});

Deno.test("a move to another volume is left to the caller, and leaves nothing there", async () => {
  if (!hasOtherVolume()) return;
  await inTempDir(async (dir) => {
    await inTempDir((other) => {
      plant(dir, { "a": "one", "folder/x": "x" });
      Deno.symlinkSync("a", `${dir}/link`);
      makeFifo(`${dir}/pipe`);
      const before = namesIn(dir);
      for (const name of ["a", "folder", "pipe"]) {
        const info = Deno.lstatSync(`${dir}/${name}`);
        assert.throws(
          () => moveNoReplace(realDisk, `${dir}/${name}`, `${other}/${name}`, info),
          { code: "EXDEV" },
        );
      }
      assert.deepEqual([namesIn(dir), namesIn(other)], [before, []]);
    }, { on: "/dev/shm" });
  });
});

Deno.test("a name changes only its spelling where the disk takes both for one", async () => {
  for (const numbersSpellings of [false, true]) {
    await inTempDir((dir) => {
      const disk = foldingDisk(dir, {
        fold: (name) => name.toLowerCase(),
        numbersSpellings,
        withoutLinks: numbersSpellings,
      });
      plant(dir, { "Report.TXT": "content", "Test/x": "x" });
      const inode = Deno.lstatSync(`${dir}/Report.TXT`).ino;
      for (const [from, to] of [["Report.TXT", "report.txt"], ["Test", "test"]]) {
        const info = disk.lstat(`${dir}/${from}`);
        respell(disk, `${dir}/${from}`, `${dir}/${to}`, `${dir}/between`, info);
      }
      assert.deepEqual(namesIn(dir), ["report.txt", "test", "test/x"]);
      assert.equal(Deno.lstatSync(`${dir}/report.txt`).ino, inode);
    });
  }
});

Deno.test("a spelling that is taken meanwhile gives the old one back, or says where the entry is", async () => {
  await inTempDir((dir) => {
    plant(dir, { "Name": "content" });
    const call = (disk: Disk) => {
      const info = Deno.lstatSync(`${dir}/Name`);
      return refusal(() => respell(disk, `${dir}/Name`, `${dir}/name`, `${dir}/between`, info));
    };
    const appears: Disk = {
      ...realDisk,
      link(existing, name) {
        if (name === `${dir}/name`) Deno.writeTextFileSync(name, "other");
        realDisk.link(existing, name);
      },
    };
    assert.equal(call(appears).code, "destination_exists");
    assert.deepEqual([textOf(`${dir}/Name`), textOf(`${dir}/name`)], ["content", "other"]);

    Deno.removeSync(`${dir}/name`);
    const bothAppear: Disk = {
      ...realDisk,
      link(existing, name) {
        if (name !== `${dir}/between`) Deno.writeTextFileSync(name, "other");
        realDisk.link(existing, name);
      },
    };
    const error = call(bothAppear);
    assert.deepEqual([error.code, error.changedAnything], ["io_error", true]);
    assert.deepEqual(error.detail, { path: `${dir}/between` });
    assert.equal(textOf(`${dir}/between`), "content");
  });
});
