import assert from "node:assert/strict";
import {
  type Disk,
  inspectTrash,
  isInTrash,
  realDisk,
  type Root,
  TRASH_NAME,
  trashBase,
  type TrashPorts,
} from "../../containment/mod.ts";
import { openBatch, portsOf } from "./batches.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { makeFifo, namesIn, pictureOf, systemError, textOf } from "../tools/changing.ts";

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o7777;
}

Deno.test("trash folders are for the user alone, and one that was wider is tightened", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", [`${TRASH_NAME}/`]: "" });
    Deno.chmodSync(`${dir}/${TRASH_NAME}`, 0o775);
    const batch = openBatch(dir, ["a"]);
    batch.move(0);
    batch.finish();
    const folders = [
      `${dir}/${TRASH_NAME}`,
      batch.folder,
      `${batch.folder}/items`,
      `${batch.folder}/items/1`,
    ];
    for (const folder of folders) assert.equal(modeOf(folder), 0o700, folder);
    for (const file of ["manifest.json", "README.txt"]) {
      assert.equal(modeOf(`${batch.folder}/${file}`), 0o600, file);
    }
    assert.equal(modeOf(`${batch.folder}/items/1/a`), 0o644, "an item keeps its own");
    assert.deepEqual(batch.warnings, []);
  });
});

Deno.test("a volume that keeps no permissions is used, with a warning", async () => {
  await inTempDir((dir) => {
    plant(dir, { "a": "one", [`${TRASH_NAME}/`]: "" });
    Deno.chmodSync(`${dir}/${TRASH_NAME}`, 0o755);
    const behaviours: Disk["chmod"][] = [() => {
      throw systemError("EPERM");
    }, () => {}];
    for (const chmod of behaviours) {
      const batch = openBatch(dir, ["a"], { disk: { ...realDisk, chmod } });
      assert.equal(batch.warnings.length, 1);
      assert.match(batch.warnings[0], /keeps no permissions/);
      batch.discard();
    }
  });
});

Deno.test("a trash name that is a link, a file, a pipe, somebody else's or on another volume is not used", async () => {
  await inTempDir(async (dir) => {
    await inTempDir((outside) => {
      const trash = `${dir}/${TRASH_NAME}`;
      plant(dir, { "a": "one" });
      const elsewhere: Disk = {
        ...realDisk,
        lstat: (path) =>
          path === trash ? { ...realDisk.lstat(path), dev: 4711 } : realDisk.lstat(path),
      };
      const cases: Record<string, [() => void, Partial<TrashPorts>?]> = {
        "a link outside": [() => Deno.symlinkSync(outside, trash)],
        "a link inside": [() => Deno.symlinkSync(`${dir}/real`, trash)],
        "a dangling link": [() => Deno.symlinkSync(`${outside}/new`, trash)],
        "a file": [() => Deno.writeTextFileSync(trash, "theirs")],
        "a pipe": [() => makeFifo(trash)],
        "another user's": [() => Deno.mkdirSync(trash), { uid: 4711 }],
        "another volume's": [() => Deno.mkdirSync(trash), { disk: elsewhere }],
      };
      Deno.mkdirSync(`${dir}/real`);
      for (const [what, [make, over]] of Object.entries(cases)) {
        make();
        const before = pictureOf(dir);
        assert.equal(refusal(() => inspectTrash(dir, portsOf(over))).code, "trash_unsafe", what);
        assert.equal(refusal(() => openBatch(dir, ["a"], over)).code, "trash_unsafe", what);
        assert.deepEqual([pictureOf(dir), namesIn(outside)], [before, []], what);
        Deno.removeSync(trash);
      }
      inspectTrash(dir, portsOf());
    });
  });
});

Deno.test("a link that appears in place of a batch's folder is not moved through", async () => {
  await inTempDir(async (dir) => {
    await inTempDir((outside) => {
      for (const place of ["batch", "items", "numbered folder"]) {
        const top = Deno.makeTempDirSync({ dir });
        plant(top, { "a": "one" });
        const swap: Disk = {
          ...realDisk,
          mkdir(path, mode) {
            const name = path.split("/").at(-1)!;
            const found = name === "items" ? "items" : name === "1" ? "numbered folder" : "batch";
            if (found === place && name !== TRASH_NAME) Deno.symlinkSync(outside, path);
            realDisk.mkdir(path, mode);
          },
        };
        const call = () => openBatch(top, ["a"], { disk: swap }).move(0);
        const { code } = refusal(call);
        assert.ok(["trash_unsafe", "trash_batch_exists"].includes(code), `${place}: ${code}`);
        assert.deepEqual([textOf(`${top}/a`), namesIn(outside)], ["one", []]);
      }
    });
  });
});

Deno.test("the trash of an item is at the top of its own volume below its root", async () => {
  await inTempDir((dir) => {
    plant(dir, { "mnt/sub/item": "x", "mnt/deeper/inner/y": "y", "plain/z": "z" });
    const volumes: Record<string, number> = { [`${dir}/mnt`]: 7, [`${dir}/mnt/deeper/inner`]: 8 };
    const disk: Disk = {
      ...realDisk,
      lstat(path) {
        const top = Object.keys(volumes).filter((each) =>
          path === each || path.startsWith(each + "/")
        )
          .sort().at(-1);
        const info = realDisk.lstat(path);
        return top === undefined ? info : { ...info, dev: volumes[top] };
      },
    };
    const root: Root = { path: dir, spellings: [], dev: 0, ino: 0 };
    const baseOf = (name: string) =>
      trashBase(disk, `${dir}/${name}`, disk.lstat(`${dir}/${name}`), root);
    assert.equal(baseOf("plain/z"), dir);
    assert.equal(baseOf("mnt/sub/item"), `${dir}/mnt`);
    assert.equal(baseOf("mnt/deeper"), `${dir}/mnt`);
    assert.equal(baseOf("mnt/deeper/inner/y"), `${dir}/mnt/deeper/inner`);
    for (const top of ["mnt", "mnt/deeper/inner"]) {
      assert.equal(refusal(() => baseOf(top)).code, "trash_no_same_volume");
    }
  });
});

Deno.test("only what lies below a root counts as trash, wherever the root itself lies", () => {
  const root = { path: `/r/${TRASH_NAME}/x`, spellings: [], dev: 0, ino: 0 };
  assert.ok(!isInTrash(root.path, root));
  assert.ok(!isInTrash(`${root.path}/a/b`, root));
  assert.ok(isInTrash(`${root.path}/${TRASH_NAME}`, root));
  assert.ok(isInTrash(`${root.path}/a/${TRASH_NAME}/b`, root));
  assert.ok(!isInTrash(`${root.path}/${TRASH_NAME}2/b`, root));
});
