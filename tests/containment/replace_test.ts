import assert from "node:assert/strict";
import {
  type Disk,
  hashOf,
  readWhole,
  realDisk,
  replaceFile,
  type Seen,
  ToolError,
} from "../../containment/mod.ts";
import { renameOver } from "../../containment/replace.ts";
import { inTempDir, refusal } from "../support.ts";
import { namesIn, pictureOf, systemError } from "../tools/changing.ts";
import { killedAtEachCall } from "./killed.ts";

const OLD = "old\r\ncontent é";
const NEW = "the new content, which is longer";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A folder with one file in it, as it was read. */
function planted(dir: string, mode = 0o644): { path: string; temporary: string; seen: Seen } {
  const path = `${dir}/file`;
  Deno.writeTextFileSync(path, OLD);
  Deno.chmodSync(path, mode);
  return { path, temporary: `${dir}/.file.new`, seen: readWhole(realDisk, path, 100).seen };
}

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o7777;
}

Deno.test("a file is read whole, with what tells it apart from any other", () =>
  inTempDir((dir) => {
    const { path } = planted(dir);
    const { bytes: content, info, seen } = readWhole(realDisk, path, 100);
    assert.equal(new TextDecoder().decode(content), OLD);
    assert.equal(seen.sha256, hashOf(bytes(OLD)));
    assert.deepEqual([seen.dev, seen.ino, seen.size], [info.dev, info.ino, content.length]);
    assert.equal(refusal(() => readWhole(realDisk, path, 5)).code, "file_too_large");
    assert.equal(refusal(() => readWhole(realDisk, dir, 100)).code, "not_a_file");
    Deno.symlinkSync("file", `${dir}/link`);
    assert.equal(refusal(() => readWhole(realDisk, `${dir}/link`, 100)).code, "not_a_file");
    Deno.writeTextFileSync(`${dir}/empty`, "");
    assert.equal(readWhole(realDisk, `${dir}/empty`, 100).bytes.length, 0);
  }));

Deno.test("a file that grows while it is read is not taken for read", () =>
  inTempDir((dir) => {
    const { path } = planted(dir);
    const growing: Disk = {
      ...realDisk,
      readAt(fd, buffer, offset) {
        if (offset === 0) Deno.writeTextFileSync(path, "more", { append: true });
        return realDisk.readAt(fd, buffer, offset);
      },
    };
    assert.equal(refusal(() => readWhole(growing, path, 100)).code, "file_changed");
  }));

Deno.test("a file that is replaced while it is opened is read again, but not for ever", () =>
  inTempDir((dir) => {
    const { path } = planted(dir);
    let left = 0;
    const replaced: Disk = {
      ...realDisk,
      open(name) {
        if (left-- > 0) {
          Deno.writeTextFileSync(`${dir}/other`, NEW);
          Deno.renameSync(`${dir}/other`, path);
        }
        return realDisk.open(name);
      },
    };
    left = 2;
    assert.equal(new TextDecoder().decode(readWhole(replaced, path, 100).bytes), NEW);
    left = Infinity;
    assert.equal(refusal(() => readWhole(replaced, path, 100)).code, "file_changed");
  }));

Deno.test("the new bytes are in place, with the mode of the old ones, and nothing is left beside them", () =>
  inTempDir((dir) => {
    for (const mode of [0o600, 0o644, 0o755, 0o2664, 0o400]) {
      const { path, temporary, seen } = planted(dir, mode);
      assert.deepEqual(replaceFile(realDisk, path, bytes(NEW), { seen, temporary }), []);
      assert.equal(Deno.readTextFileSync(path), NEW);
      assert.equal(modeOf(path), mode);
      assert.notEqual(Deno.lstatSync(path).ino, seen.ino, "the old file itself was not written to");
      assert.deepEqual(namesIn(dir), ["file"]);
      Deno.removeSync(path);
    }
  }));

Deno.test("a reader that has the old file open goes on reading it", () =>
  inTempDir((dir) => {
    const { path, temporary, seen } = planted(dir);
    using reader = Deno.openSync(path);
    replaceFile(realDisk, path, bytes(NEW), { seen, temporary });
    const buffer = new Uint8Array(100);
    const read = reader.readSync(buffer)!;
    assert.equal(new TextDecoder().decode(buffer.subarray(0, read)), OLD);
  }));

Deno.test("a file can be made empty, and an empty one filled", () =>
  inTempDir((dir) => {
    const { path, temporary, seen } = planted(dir);
    replaceFile(realDisk, path, bytes(""), { seen, temporary });
    assert.equal(Deno.lstatSync(path).size, 0);
    const empty = readWhole(realDisk, path, 0).seen;
    replaceFile(realDisk, path, bytes(NEW), { seen: empty, temporary });
    assert.equal(Deno.readTextFileSync(path), NEW);
  }));

Deno.test("a new file is made at a free name only, for its owner alone unless it is said otherwise", () =>
  inTempDir((dir) => {
    const temporary = `${dir}/.new`;
    replaceFile(realDisk, `${dir}/a`, bytes(NEW), { temporary });
    replaceFile(realDisk, `${dir}/b`, bytes(NEW), { temporary, mode: 0o644 });
    assert.deepEqual([modeOf(`${dir}/a`), modeOf(`${dir}/b`)], [0o600, 0o644 & ~Deno.umask()]);
    for (const name of ["a", "folder", "dangling"]) {
      if (name === "folder") Deno.mkdirSync(`${dir}/folder`);
      if (name === "dangling") Deno.symlinkSync("nowhere", `${dir}/dangling`);
      const error = refusal(() =>
        replaceFile(realDisk, `${dir}/${name}`, bytes("x"), { temporary })
      );
      assert.equal(error.code, "destination_exists", name);
    }
    assert.equal(Deno.readTextFileSync(`${dir}/a`), NEW);
    assert.deepEqual(namesIn(dir).sort(), ["a", "b", "dangling", "folder"]);
  }));

Deno.test("a file that is not what was read any more is left as it is now", () =>
  inTempDir((dir) => {
    const changes: Record<string, (path: string, seen: Seen) => void> = {
      "longer": (path) => Deno.writeTextFileSync(path, "x", { append: true }),
      "another moment": (path) => Deno.utimeSync(path, 1, 1),
      "other bytes of the same size and moment": (path, { mtime }) => {
        Deno.writeTextFileSync(path, OLD.toUpperCase());
        Deno.utimeSync(path, mtime / 1000, mtime / 1000);
      },
      "another file with the same bytes": (path, { mtime }) => {
        Deno.renameSync(path, `${path}.old`);
        Deno.writeTextFileSync(path, OLD);
        Deno.utimeSync(path, mtime / 1000, mtime / 1000);
      },
      "a link to it": (path) => {
        Deno.renameSync(path, `${path}.old`);
        Deno.symlinkSync(`${path}.old`, path);
      },
      "a folder": (path) => {
        Deno.removeSync(path);
        Deno.mkdirSync(path);
      },
      "nothing": (path) => Deno.removeSync(path),
    };
    for (const [what, change] of Object.entries(changes)) {
      // Before it is begun, and at the last moment: while the new bytes are written.
      for (const late of [false, true]) {
        const place = Deno.makeTempDirSync({ dir });
        const { path, temporary, seen } = planted(place);
        let after: string[] | undefined;
        const disk: Disk = {
          ...realDisk,
          writeAt(fd, buffer, offset) {
            realDisk.writeAt(fd, buffer, offset);
            if (late) change(path, seen);
            after = namesIn(place);
          },
        };
        if (!late) change(path, seen);
        const before = late ? undefined : pictureOf(place);
        const call = () => replaceFile(disk, path, bytes(NEW), { seen, temporary });
        assert.equal(refusal(call).code, "file_changed", what);
        if (before === undefined) {
          assert.deepEqual(namesIn(place), after!.filter((name) => name !== ".file.new"), what);
        } else assert.deepEqual(pictureOf(place), before, what);
      }
    }
  }));

Deno.test("a name that is taken is not used for the new bytes, and stays as it is", () =>
  inTempDir((dir) => {
    const { path, temporary, seen } = planted(dir);
    Deno.writeTextFileSync(temporary, "somebody's");
    assert.throws(
      () => replaceFile(realDisk, path, bytes(NEW), { seen, temporary }),
      { code: "EEXIST" },
    );
    assert.deepEqual(
      [Deno.readTextFileSync(path), Deno.readTextFileSync(temporary)],
      [OLD, "somebody's"],
    );
  }));

Deno.test("what could not be kept of the old file is told", () =>
  inTempDir((dir) => {
    const { path, temporary, seen } = planted(dir, 0o4755);
    Deno.linkSync(path, `${dir}/twin`);
    const foreign: Disk = {
      ...realDisk,
      lstat: (place) => {
        const info = Deno.lstatSync(place);
        return place === path ? { ...info, uid: 12345, isFile: true } : info;
      },
      chown: () => {
        throw systemError("EPERM");
      },
    };
    const lost = replaceFile(foreign, path, bytes(NEW), { seen, temporary });
    assert.deepEqual(lost, ["owner", "mode", "hard links"]);
    assert.equal(modeOf(path), 0o755, "no rights of the new owner are lent");
    assert.equal(Deno.readTextFileSync(`${dir}/twin`), OLD);
  }));

Deno.test("the owner is kept where the system allows it", () =>
  inTempDir((dir) => {
    if (Deno.uid() !== 0) return console.log("skipped: giving files away takes the rights of root");
    const { path, temporary, seen } = planted(dir, 0o640);
    Deno.chownSync(path, 12345, 23456);
    assert.deepEqual(replaceFile(realDisk, path, bytes(NEW), { seen, temporary }), []);
    const { uid, gid } = Deno.lstatSync(path);
    assert.deepEqual([uid, gid, modeOf(path)], [12345, 23456, 0o640]);
  }));

const OPERATIONS: (keyof Disk)[] = [
  ...["lstat", "open", "stat", "readAt", "create", "writeAt", "sync", "close"] as const,
  ...["chown", "chmod", "link", "rename", "unlink", "syncDir"] as const,
];

Deno.test("whatever call fails, there is the old file or the new one, and nothing beside it", () =>
  inTempDir((dir) => {
    const ended = { old: 0, new: 0 };
    for (const made of [false, true]) {
      for (const operation of OPERATIONS) {
        for (let at = 1, failed = true; failed; at++) {
          const place = Deno.makeTempDirSync({ dir });
          const { path, temporary, seen } = planted(place);
          if (made) Deno.removeSync(path);
          let count = 0;
          failed = false;
          const disk: Disk = {
            ...realDisk,
            [operation](...args: unknown[]) {
              if (++count === at) {
                failed = true;
                throw systemError("EIO");
              }
              return (realDisk[operation] as (...args: unknown[]) => unknown)(...args);
            },
          };
          const what = `${made ? "a new file, " : ""}${operation} number ${at}`;
          let thrown = false;
          try {
            replaceFile(disk, path, bytes(NEW), made ? { temporary } : { seen, temporary });
          } catch (error) {
            thrown = true;
            const known = error instanceof ToolError || (error as { code: string }).code === "EIO";
            assert.ok(failed && known, `${what}: ${error}`);
          }
          const names = namesIn(place).filter((name) =>
            operation !== "unlink" || name !== ".file.new"
          );
          if (thrown) assert.deepEqual(names, made ? [] : ["file"], what);
          else assert.deepEqual(names, ["file"], what);
          if (names.length > 0) {
            assert.equal(Deno.readTextFileSync(path), thrown ? OLD : NEW, what);
          }
          ended[thrown ? "old" : "new"]++;
        }
      }
    }
    assert.ok(ended.old > 25 && ended.new > 20, JSON.stringify(ended));
  }));

Deno.test("the bytes are on the disk before the name is, and then the folder is flushed", () =>
  inTempDir((dir) => {
    const { path, temporary, seen } = planted(dir);
    const calls: string[] = [];
    const disk = { ...realDisk } as unknown as Record<string, unknown>;
    for (const operation of OPERATIONS) {
      disk[operation] = (...args: unknown[]) => {
        calls.push(operation);
        return (realDisk[operation] as (...args: unknown[]) => unknown)(...args);
      };
    }
    replaceFile(disk as unknown as Disk, path, bytes(NEW), { seen, temporary });
    const order = ["create", "writeAt", "chmod", "sync", "rename", "syncDir"] as const;
    const places = order.map((operation) => calls.lastIndexOf(operation));
    assert.deepEqual(places, places.toSorted((a, b) => a - b), calls.join(" "));
    assert.ok(places[0] > 0);
  }));

Deno.test("a process that is killed at any moment leaves the old file or the new one", () =>
  inTempDir(async (dir) => {
    const seenAs = new Set<string>();
    const calls = await killedAtEachCall(async (number, run) => {
      const place = `${dir}/${number}`;
      Deno.mkdirSync(place);
      const { path, temporary, seen } = planted(place);
      await run({ path, temporary, seen, text: NEW });
      const text = Deno.readTextFileSync(path);
      assert.ok(text === OLD || text === NEW, `killed at call ${number}: ${text}`);
      if (text === NEW) assert.equal(modeOf(path), 0o644);
      const others = namesIn(place).filter((name) => name !== "file");
      assert.ok(others.length === 0 || others.join() === ".file.new", others.join());
      seenAs.add(text);
    });
    assert.ok(calls > 15, `${calls} calls`);
    assert.deepEqual([...seenAs].sort(), [OLD, NEW].sort());
  }));

Deno.test("on Windows a file that is in use is tried for a while, and elsewhere it is not", () => {
  const failing = (times: number) => {
    let tries = 0;
    const rename = () => {
      if (++tries <= times) throw systemError("EBUSY");
    };
    return { disk: { ...realDisk, rename } as Disk, tries: () => tries };
  };
  const brief = failing(2);
  renameOver(brief.disk, "a", "b", true);
  assert.equal(brief.tries(), 3);
  const lasting = failing(100);
  assert.throws(() => renameOver(lasting.disk, "a", "b", true), { code: "EBUSY" });
  assert.equal(lasting.tries(), 6);
  const elsewhere = failing(1);
  assert.throws(() => renameOver(elsewhere.disk, "a", "b", false), { code: "EBUSY" });
  assert.equal(elsewhere.tries(), 1);
  const refused = failing(0);
  const disk = {
    ...refused.disk,
    rename: () => {
      throw systemError("ENOSPC");
    },
  };
  assert.throws(() => renameOver(disk, "a", "b", true), { code: "ENOSPC" });
});
