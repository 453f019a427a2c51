import assert from "node:assert/strict";
import { CancelFlag, type Disk, realDisk } from "../../containment/mod.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import {
  makeFifo,
  namesIn,
  perform,
  preview,
  refusalOf,
  refused,
  sha256,
  systemError,
  textOf,
} from "./changing.ts";

/** Arguments that trash the item and say what it should be. */
function args(dir: string, over: Record<string, unknown> = {}) {
  const path = `${dir}/copy`;
  const facts = { path, sha256: sha256("same"), size: 4, keep: `${dir}/keeper`, ...over };
  return { paths: [path], expect: [facts] };
}

Deno.test("a copy whose content and keeper are as reported is trashed, and its digest is recorded", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "copy": "same", "keeper": "same" });
    const output = await perform("trash_local", dir, args(dir));
    const manifest = JSON.parse(textOf(output.manifests[0]));
    assert.equal(manifest.items[0].sha256, sha256("same"));
    assert.equal(textOf(`${dir}/keeper`), "same");
  });
});

Deno.test("only what is said is expected", async () => {
  await inTempDir(async (dir) => {
    const nothing = { sha256: undefined, size: undefined, keep: undefined };
    const facts = [{}, { size: 4 }, { sha256: sha256("same") }, { keep: `${dir}/keeper` }];
    for (const fact of facts) {
      plant(dir, { "copy": "same", "keeper": "same" });
      await perform("trash_local", dir, args(dir, { ...nothing, ...fact }));
      assert.ok(!namesIn(dir).includes("copy"));
    }
  });
});

Deno.test("an item that is not the reported content stays", async () => {
  await inTempDir(async (dir) => {
    const cases: Record<string, [() => void, Record<string, unknown>?]> = {
      "other content of the same length": [() => plant(dir, { "copy": "else" })],
      "another size": [() => plant(dir, { "copy": "longer" })],
      "a link to the content": [() => {
        plant(dir, { "real": "same" });
        Deno.symlinkSync("real", `${dir}/copy`);
      }],
      "a folder": [() => Deno.mkdirSync(`${dir}/copy`)],
      "a pipe": [() => makeFifo(`${dir}/copy`)],
    };
    for (const [what, [make, over]] of Object.entries(cases)) {
      plant(dir, { "keeper": "same" });
      make();
      const error = await refusalOf(() => preview("trash_local", dir, args(dir, over)));
      assert.equal(error.code, "content_changed", what);
      assert.ok(namesIn(dir).includes("copy"));
      Deno.removeSync(`${dir}/copy`);
    }
  });
});

Deno.test("an item stays when the copy to keep is gone, differs, is the same file, or goes too", async () => {
  await inTempDir(async (dir) => {
    const cases: Record<string, [() => void, string?]> = {
      "gone": [() => {}],
      "other content": [() => plant(dir, { "keeper": "else" })],
      "a hard link of the item": [() => Deno.linkSync(`${dir}/copy`, `${dir}/keeper`)],
      "a link to the item": [() => Deno.symlinkSync("copy", `${dir}/keeper`)],
      "a folder": [() => plant(dir, { "keeper/x": "same" })],
      "a pipe": [() => makeFifo(`${dir}/keeper`)],
      "the item itself": [() => {}, "copy"],
    };
    for (const [what, [make, keep]] of Object.entries(cases)) {
      plant(dir, { "copy": "same" });
      make();
      const over = keep === undefined ? {} : { keep: `${dir}/${keep}` };
      const error = await refusalOf(() => preview("trash_local", dir, args(dir, over)));
      assert.equal(error.code, "keeper_missing", what);
      assert.equal(textOf(`${dir}/copy`), "same");
      for (const name of namesIn(dir).filter((each) => !each.includes("/"))) {
        Deno.removeSync(`${dir}/${name}`, { recursive: true });
      }
    }
  });
});

Deno.test("a keeper that is trashed with the items, in a listed folder or already in the trash, is none", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "copy": "same", "keeper": "same", "d/keeper": "same", "old": "same" });
    const listed = await refused("trash_local", dir, {
      ...args(dir),
      paths: [`${dir}/copy`, `${dir}/keeper`],
    });
    assert.equal(listed.code, "keeper_missing");
    const inFolder = await refused("trash_local", dir, {
      ...args(dir, { keep: `${dir}/d/keeper` }),
      paths: [`${dir}/copy`, `${dir}/d`],
    });
    assert.equal(inFolder.code, "keeper_missing");
    const trashed = await perform("trash_local", dir, { paths: [`${dir}/old`] });
    const inTrash = await refused(
      "trash_local",
      dir,
      args(dir, { keep: trashed.items[0].trashed_to }),
    );
    assert.equal(inTrash.code, "keeper_missing");
    // Two copies that keep each other would lose both.
    const each = await refused("trash_local", dir, {
      paths: [`${dir}/copy`, `${dir}/keeper`],
      expect: [
        { path: `${dir}/copy`, keep: `${dir}/keeper` },
        { path: `${dir}/keeper`, keep: `${dir}/copy` },
      ],
    });
    assert.equal(each.code, "keeper_missing");
    assert.deepEqual([textOf(`${dir}/copy`), textOf(`${dir}/keeper`)], ["same", "same"]);
  });
});

Deno.test("both are read again when the call is confirmed", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "copy": "same", "keeper": "same" });
    for (const name of ["copy", "keeper"]) Deno.utimeSync(`${dir}/${name}`, 1, 1);
    await preview("trash_local", dir, args(dir));
    const spoil = (name: string, text: string) => {
      plant(dir, { [name]: text });
      Deno.utimeSync(`${dir}/${name}`, 1, 1);
    };
    spoil("copy", "else");
    assert.equal((await refused("trash_local", dir, args(dir))).code, "content_changed");
    spoil("copy", "same");
    spoil("keeper", "else");
    assert.equal((await refused("trash_local", dir, args(dir))).code, "keeper_missing");
    Deno.removeSync(`${dir}/keeper`);
    assert.equal((await refused("trash_local", dir, args(dir))).code, "keeper_missing");
    assert.equal(textOf(`${dir}/copy`), "same");
  });
});

Deno.test("an expectation about something else, and one that is no expectation, are refused", async () => {
  await inTempDir(async (dir) => {
    await inTempDir(async (outside) => {
      plant(dir, { "copy": "same", "keeper": "same", "other": "same" });
      plant(outside, { "keeper": "same" });
      const codes: [Record<string, unknown>, string][] = [
        [{ path: `${dir}/other` }, "invalid_argument"],
        [{ path: `${dir}/missing` }, "not_found"],
        [{ keep: `${outside}/keeper` }, "outside_roots"],
        [{ keep: "keeper" }, "invalid_path"],
        [{ sha256: "abc" }, "invalid_argument"],
        [{ size: -1 }, "invalid_argument"],
        [{ size: 1.5 }, "invalid_argument"],
        [{ kepe: "x" }, "invalid_argument"],
      ];
      for (const [over, code] of codes) {
        const error = await refused("trash_local", dir, args(dir, over));
        assert.equal(error.code, code, JSON.stringify(over));
      }
      assert.deepEqual(namesIn(dir), ["copy", "keeper", "other"]);
    });
  });
});

Deno.test("a file that changes, cannot be read, or is swapped for a pipe while it is checked stays", async () => {
  await inTempDir(async (dir) => {
    const call = (file: string, disk: Partial<Disk>) => {
      plant(dir, { "copy": "same", "keeper": "same" });
      const context = contextFor([dir], { disk: { ...realDisk, ...disk } });
      return refusalOf(() => preview("trash_local", context, args(dir))).finally(() =>
        Deno.removeSync(`${dir}/${file}`)
      );
    };
    const onOpen = (file: string, act: (path: string) => void): Partial<Disk> => ({
      open(path) {
        if (path === `${dir}/${file}`) act(path);
        return realDisk.open(path);
      },
    });
    for (const [file, code] of [["copy", "content_changed"], ["keeper", "keeper_missing"]]) {
      const grows = onOpen(file, (path) => Deno.writeTextFileSync(path, "more", { append: true }));
      assert.equal((await call(file, grows)).code, code);
      const piped = onOpen(file, (path) => {
        Deno.removeSync(path);
        makeFifo(path);
      });
      assert.equal((await call(file, piped)).code, code);
      const closed = onOpen(file, () => {
        throw systemError("EACCES");
      });
      const error = await call(file, closed);
      assert.deepEqual([error.code, error.detail!.errno], ["io_error", "EACCES"]);
    }
  });
});

Deno.test("checking can be stopped in the middle of a file", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "copy": "x".repeat(5 << 20) });
    const signal = new CancelFlag();
    let reads = 0;
    const disk: Disk = {
      ...realDisk,
      readAt(fd, buffer, offset) {
        if (++reads === 2) signal.cancel();
        return realDisk.readAt(fd, buffer, offset);
      },
    };
    const only = { paths: [`${dir}/copy`], expect: [{ path: `${dir}/copy` }] };
    const error = await refused("trash_local", contextFor([dir], { signal, disk }), only);
    assert.deepEqual([error.code, reads], ["cancelled", 2]);
  });
});
