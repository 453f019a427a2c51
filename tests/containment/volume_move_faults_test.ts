import assert from "node:assert/strict";
import { type Disk, realDisk, ToolError, type VolumeMove } from "../../containment/mod.ts";
import { exists, plant, refusal } from "../support.ts";
import { namesIn, pictureOf, systemError, textOf } from "../tools/changing.ts";
import { move, onTwoVolumes } from "./volumes.ts";

/** What is left, without the folder that all of it lies in. */
function leftOf({ left }: VolumeMove, top: string) {
  return Object.fromEntries(left.map(({ path, reason }) => [path.slice(top.length + 1), reason]));
}

/** The real disk, with one call of one operation failing. */
function failingAt(operation: keyof Disk, at: number, onFail: () => void): Disk {
  let count = 0;
  return {
    ...realDisk,
    [operation](...args: unknown[]) {
      if (++count === at) {
        onFail();
        throw systemError("EIO");
      }
      return (realDisk[operation] as (...args: unknown[]) => unknown)(...args);
    },
  };
}

/** Whether one of two paths is the other or lies below it. */
function isAt(a: string, b: string): boolean {
  return a === b || a.startsWith(b + "/") || b.startsWith(a + "/");
}

Deno.test("one failing call anywhere loses nothing: the source is whole, or the copy is and the rest is told", async () => {
  await onTwoVolumes((from, to) => {
    const trees: Record<string, Record<string, string>> = {
      file: { "t": "content" },
      folder: { "t/a": "1", "t/d/b": "22", "t/d/e/c": "333", "t/ro/f": "4" },
    };
    const operations: (keyof Disk)[] = [
      ...[
        "create",
        "mkdir",
        "open",
        "stat",
        "readAt",
        "writeAt",
        "sync",
        "close",
        "lstat",
      ] as const,
      ...["readDir", "link", "rename", "unlink", "rmdir", "chmod", "utime", "syncDir"] as const,
    ];
    let whole = 0;
    let copied = 0;
    for (const [kind, files] of Object.entries(trees)) {
      for (const operation of operations) {
        for (let at = 1, failed = true; failed; at++) {
          const top = Deno.makeTempDirSync({ dir: from });
          const destination = Deno.makeTempDirSync({ dir: to });
          plant(top, files);
          if (kind === "folder") {
            Deno.linkSync(`${top}/t/a`, `${top}/t/d/a2`);
            Deno.chmodSync(`${top}/t/ro`, 0o500);
          }
          const before = pictureOf(top);
          failed = false;
          const disk = failingAt(operation, at, () => failed = true);
          const what = `${kind}: ${operation} number ${at}`;
          let result: VolumeMove | undefined;
          try {
            result = move(`${top}/t`, `${destination}/t`, disk);
          } catch (error) {
            assert.ok(failed, what);
            const known = error instanceof ToolError || (error as { code: string }).code === "EIO";
            assert.ok(known, what);
          }
          if (result === undefined) {
            whole++;
            assert.deepEqual(pictureOf(top), before, what);
            assert.ok(!exists(`${destination}/t`), what);
            continue;
          }
          copied++;
          const lost = result.lost.size > 0;
          if (!lost) assert.deepEqual(pictureOf(destination), before, what);
          const left = Object.keys(leftOf(result, top));
          for (const name of namesIn(top)) {
            assert.ok(left.some((each) => isAt(each, name)), `${what}: ${name} is not told`);
          }
        }
      }
    }
    assert.ok(whole > 60 && copied > 20, `${whole} times whole, ${copied} times copied`);
  });
});

Deno.test("a copy of folders that may not be written to is removed again all the same", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/ro/x": "x" });
    Deno.chmodSync(`${from}/t/ro`, 0o500);
    const mayRemove = (path: string) => {
      const parent = path.slice(0, path.lastIndexOf("/"));
      if ((Deno.lstatSync(parent).mode! & 0o200) === 0) throw systemError("EACCES");
    };
    // A user other than root, at whom the put in place fails.
    const disk: Disk = {
      ...realDisk,
      unlink(path) {
        mayRemove(path);
        realDisk.unlink(path);
      },
      rmdir(path) {
        mayRemove(path);
        realDisk.rmdir(path);
      },
      rename: () => {
        throw systemError("EIO");
      },
    };
    assert.throws(() => move(`${from}/t`, `${to}/t`, disk), { code: "EIO" });
    assert.deepEqual([namesIn(from), namesIn(to)], [["t", "t/ro", "t/ro/x"], []]);
  });
});

Deno.test("a full volume leaves the source whole and nothing on the volume", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "1", "t/b": "x".repeat(100_000) });
    const before = pictureOf(from);
    let written = 0;
    const disk: Disk = {
      ...realDisk,
      writeAt(fd, bytes, offset) {
        if ((written += bytes.length) > 50_000) throw systemError("ENOSPC");
        realDisk.writeAt(fd, bytes, offset);
      },
    };
    assert.throws(() => move(`${from}/t`, `${to}/t`, disk), { code: "ENOSPC" });
    assert.deepEqual([pictureOf(from), namesIn(to)], [before, []]);
  });
});

Deno.test("what came or changed after it was copied stays and is told, and so does its folder", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "1", "t/d/b": "2", "t/d/c": "3", "t/e/f": "4" });
    const disk: Disk = {
      ...realDisk,
      rename(source, destination) {
        realDisk.rename(source, destination);
        plant(from, { "t/d/new": "new", "t/d/deep/er": "deeper" });
        Deno.writeTextFileSync(`${from}/t/d/b`, "22");
        Deno.removeSync(`${from}/t/e/f`);
        Deno.writeTextFileSync(`${from}/t/e/f`, "5");
      },
    };
    const result = move(`${from}/t`, `${to}/t`, disk);
    assert.deepEqual(leftOf(result, from), {
      "t/d/b": "changed",
      "t/d/deep": "appeared",
      "t/d/new": "appeared",
      "t/e/f": "changed",
    });
    assert.deepEqual(namesIn(`${to}/t`), ["a", "d", "d/b", "d/c", "e", "e/f"]);
    assert.deepEqual([textOf(`${from}/t/d/b`), textOf(`${to}/t/d/b`)], ["22", "2"]);
    assert.deepEqual(namesIn(from).filter((name) => /[ac]$/.test(name)), []);
  });
});

Deno.test("what cannot be removed is told with the reason, and the move is done all the same", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/stuck": "1", "t/busy": "2", "t/d/x": "3", "t/gone": "4" });
    const failures: Record<string, string> = { stuck: "EACCES", busy: "ETXTBSY" };
    const disk: Disk = {
      ...realDisk,
      unlink(path) {
        const code = failures[path.split("/").at(-1)!];
        if (path.startsWith(from) && code !== undefined) throw systemError(code);
        realDisk.unlink(path);
      },
      rmdir(path) {
        if (path.startsWith(from) && path.endsWith("/d")) throw systemError("EACCES");
        realDisk.rmdir(path);
      },
      rename(source, destination) {
        realDisk.rename(source, destination);
        Deno.removeSync(`${from}/t/gone`);
      },
    };
    const result = move(`${from}/t`, `${to}/t`, disk);
    assert.deepEqual(leftOf(result, from), {
      "t/stuck": "permission",
      "t/busy": "busy",
      "t/d": "permission",
    });
    assert.deepEqual(namesIn(`${to}/t`), ["busy", "d", "d/x", "gone", "stuck"]);
  });
});

Deno.test("a hard-linked file that is written to between its two names is not torn apart", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "1", "t/m": "x" });
    Deno.linkSync(`${from}/t/a`, `${from}/t/z`);
    const disk: Disk = {
      ...realDisk,
      open(path) {
        if (path === `${from}/t/m`) Deno.writeTextFileSync(`${from}/t/a`, "22");
        return realDisk.open(path);
      },
    };
    assert.equal(refusal(() => move(`${from}/t`, `${to}/t`, disk)).code, "source_changed");
    assert.deepEqual([textOf(`${from}/t/z`), namesIn(to)], ["22", []]);
  });
});

Deno.test("a folder swapped for a link while it is copied leads to nothing outside, read or removed", async () => {
  await onTwoVolumes((from, to) => {
    for (const moment of ["before listing", "after copying"]) {
      const top = Deno.makeTempDirSync({ dir: from });
      plant(top, { "t/d/secret": "mine", "outside/secret": "theirs" });
      const swap = () => {
        Deno.renameSync(`${top}/t/d`, `${top}/moved`);
        Deno.symlinkSync(`${top}/outside`, `${top}/t/d`);
      };
      const disk: Disk = {
        ...realDisk,
        readDir(path) {
          if (moment === "before listing" && path.endsWith("/t/d")) swap();
          return realDisk.readDir(path);
        },
        rename(source, destination) {
          realDisk.rename(source, destination);
          if (moment === "after copying") swap();
        },
      };
      if (moment === "before listing") {
        assert.equal(refusal(() => move(`${top}/t`, `${to}/t`, disk)).code, "source_changed");
        assert.deepEqual(namesIn(to), []);
      } else {
        // The files behind the link even look the same: they are one inode.
        Deno.removeSync(`${top}/outside/secret`);
        Deno.linkSync(`${top}/t/d/secret`, `${top}/outside/secret`);
        const result = move(`${top}/t`, `${to}/t`, disk);
        assert.deepEqual(leftOf(result, top), { "t/d/secret": "changed" });
      }
      assert.deepEqual(namesIn(`${top}/outside`), ["secret"]);
      assert.deepEqual(namesIn(`${top}/moved`), ["secret"]);
    }
  });
});

Deno.test("something that others put under the hidden name keeps its folder when a copy fails", async () => {
  await onTwoVolumes((from, to) => {
    plant(from, { "t/a": "1", "t/b": "2" });
    const disk: Disk = {
      ...realDisk,
      create(path, mode) {
        if (!path.endsWith("/b")) return realDisk.create(path, mode);
        Deno.writeTextFileSync(`${path.slice(0, -2)}/theirs`, "theirs");
        throw systemError("EIO");
      },
    };
    assert.throws(() => move(`${from}/t`, `${to}/t`, disk), { code: "EIO" });
    assert.deepEqual(namesIn(to).map((name) => name.replace(/^[^/]+/, "S")), ["S", "S/theirs"]);
    assert.deepEqual(namesIn(from), ["t", "t/a", "t/b"]);
  });
});
