import { deepEqual, equal, match } from "node:assert/strict";
import { CancelFlag, type Disk, realDisk } from "../../containment/mod.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { bytes, find, pathsOf, summaryOf } from "./finding.ts";

/** A disk on which something happens right before the path is opened for the nth time. */
function before(path: string, happens: () => void, nth = 1): Disk {
  let opened = 0;
  const open = (opening: string) => {
    if (opening === path && ++opened === nth) happens();
    return realDisk.open(opening);
  };
  return { ...realDisk, open };
}

/** A disk on which something happens right after the nth reading of any file. */
function afterRead(nth: number, happens: () => void): Disk {
  let reads = 0;
  const read = (fd: number, buffer: Uint8Array) => {
    const length = realDisk.read(fd, buffer);
    if (++reads === nth) happens();
    return length;
  };
  return { ...realDisk, read };
}

// A small file is read once; a large one is opened for the look and again to be compared.
for (const [size, nth] of [[1000, 1], [20_000, 1], [20_000, 2], [300_000, 1], [300_000, 2]]) {
  const when = `a file of ${size} bytes before it is opened ${nth === 1 ? "" : "again "}`;
  const changes: Record<string, (path: string) => void> = {
    "is rewritten with other content": (path) => Deno.writeFileSync(path, bytes(size, 9)),
    "is rewritten with the same content": (path) => Deno.writeFileSync(path, bytes(size)),
    "is cut short": (path) => Deno.truncateSync(path, size - 1),
    "grows": (path) => Deno.writeFileSync(path, bytes(1), { append: true }),
    "is replaced by another file": (path) => {
      Deno.writeFileSync(`${path}.new`, bytes(size));
      Deno.renameSync(`${path}.new`, path);
    },
    "is replaced by a link to a copy inside": (path) => {
      Deno.removeSync(path);
      Deno.symlinkSync(path.replace(/b$/, "a"), path);
    },
    "is replaced by a folder": (path) => {
      Deno.removeSync(path);
      Deno.mkdirSync(path);
    },
    "is replaced by a pipe": (path) => {
      Deno.removeSync(path);
      new Deno.Command("mkfifo", { args: [path] }).outputSync();
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    Deno.test(`${when}${what}: reported as changed and part of no group`, () =>
      inTempDir((dir) => {
        plant(dir, { a: bytes(size), b: bytes(size), c: bytes(size) });
        for (const name of "abc") Deno.utimeSync(`${dir}/${name}`, 1_600_000_000, 1_600_000_000);
        const result = find(dir, {}, { disk: before(`${dir}/b`, () => change(`${dir}/b`), nth) });
        deepEqual(pathsOf(dir, result), [["a", "c"]]);
        deepEqual(result.changed_during_scan, [`${dir}/b`]);
        deepEqual(result.unreadable, []);
        equal(result.complete, false);
        match(summaryOf(result), /1 file changed during the scan/);
      }));
  }
}

Deno.test("a file that is put behind a link to outside is not read", () =>
  inTempDir((dir) => {
    plant(dir, { "in/a": "secret", "in/b": "secret", "outside": "secret" });
    const swap = () => {
      Deno.removeSync(`${dir}/in/b`);
      Deno.symlinkSync(`${dir}/outside`, `${dir}/in/b`);
    };
    const disk = before(`${dir}/in/b`, swap);
    const fds: number[] = [];
    const open = (path: string) => {
      const fd = disk.open(path);
      fds.push(fd);
      return fd;
    };
    const result = find(`${dir}/in`, {}, { disk: { ...disk, open } });
    equal(result.duplicate_groups, 0);
    deepEqual(result.changed_during_scan, [`${dir}/in/b`]);
    equal(fds.length, 1, "only the file that stayed was opened");
  }));

Deno.test("a file that changes while it is being compared is in no group", () =>
  inTempDir((dir) => {
    const size = 500_000;
    plant(dir, { a: bytes(size), b: bytes(size), c: bytes(size) });
    // The looks take a reading each; the seventh is in the middle of the comparison.
    const disk = afterRead(7, () => {
      Deno.writeFileSync(`${dir}/a`, bytes(10, 5), { append: true });
    });
    const result = find(dir, {}, { disk });
    deepEqual(pathsOf(dir, result), [["b", "c"]]);
    deepEqual(result.changed_during_scan, [`${dir}/a`]);
  }));

Deno.test("a growing file is not followed past the size that was walked", () =>
  inTempDir((dir) => {
    const size = 200_000;
    plant(dir, { a: bytes(size), b: bytes(size) });
    let given = 0;
    const read = (_fd: number, buffer: Uint8Array) => {
      given += buffer.length;
      return buffer.length; // endless, as a device is
    };
    const result = find(dir, {}, { disk: { ...realDisk, read } });
    equal(given <= 2 * (size + 2 * 8192), true, `${given} bytes were asked for`);
    equal(result.duplicate_groups, 1);
  }));

Deno.test("a file that cannot be opened or read is listed and the rest is compared", () =>
  inTempDir((dir) => {
    plant(dir, { a: "same", b: "same", c: "same", d: bytes(200_000), e: bytes(200_000) });
    plant(dir, { f: bytes(200_000) });
    const fail = (code: string) => Object.assign(new Error(code), { code });
    const broken = new Set<number>();
    const disk: Disk = {
      ...realDisk,
      open(path) {
        if (path.endsWith("/b")) throw fail("EACCES");
        const fd = realDisk.open(path);
        if (path.endsWith("/d")) broken.add(fd);
        return fd;
      },
      read(fd, buffer) {
        if (broken.has(fd)) throw fail("EIO");
        return realDisk.read(fd, buffer);
      },
      close(fd) {
        broken.delete(fd);
        realDisk.close(fd);
      },
    };
    const result = find(dir, {}, { disk });
    deepEqual(pathsOf(dir, result), [["a", "c"], ["e", "f"]]);
    deepEqual(result.unreadable, [
      { path: `${dir}/b`, code: "EACCES" },
      { path: `${dir}/d`, code: "EIO" },
    ]);
    match(summaryOf(result), /2 files could not be read and were not compared/);
    equal(result.complete, false);
  }));

Deno.test("a reading that fails half-way through a large file leaves the others to be compared", () =>
  inTempDir((dir) => {
    const size = 900_000;
    plant(dir, { a: bytes(size), b: bytes(size), c: bytes(size) });
    let failing = -1;
    const disk: Disk = {
      ...realDisk,
      open(path) {
        const fd = realDisk.open(path);
        if (path.endsWith("/a")) failing = fd;
        return fd;
      },
      read(fd, buffer) {
        const length = realDisk.read(fd, buffer);
        // Only the comparison reads this much at once.
        if (fd === failing && buffer.length > 100_000 && --left === 0) {
          throw Object.assign(new Error("EIO"), { code: "EIO" });
        }
        return length;
      },
    };
    let left = 3;
    const result = find(dir, {}, { disk });
    deepEqual(pathsOf(dir, result), [["b", "c"]]);
    deepEqual(result.unreadable, [{ path: `${dir}/a`, code: "EIO" }]);
  }));

Deno.test("a file that is gone when it is to be read is listed with the system's reason", () =>
  inTempDir((dir) => {
    plant(dir, { a: "same", b: "same" });
    const disk = before(`${dir}/b`, () => Deno.removeSync(`${dir}/b`));
    const result = find(dir, {}, { disk });
    deepEqual(result.unreadable, [{ path: `${dir}/b`, code: "ENOENT" }]);
  }));

Deno.test("every file that was opened is closed again, whatever happens", () =>
  inTempDir((dir) => {
    for (let i = 0; i < 40; i++) plant(dir, { [`s${i}`]: bytes(1000), [`m${i}`]: bytes(140_000) });
    for (let i = 0; i < 5; i++) plant(dir, { [`l${i}`]: bytes(300_000) });
    const open = new Set<number>();
    let reads = 0;
    let failAt = Infinity;
    const signal = new CancelFlag();
    const disk: Disk = {
      ...realDisk,
      open(path) {
        const fd = realDisk.open(path);
        open.add(fd);
        return fd;
      },
      read(fd, buffer) {
        if (++reads === failAt) signal.cancel();
        if (reads % 7 === 0) throw Object.assign(new Error("EIO"), { code: "EIO" });
        return realDisk.read(fd, buffer);
      },
      close(fd) {
        open.delete(fd);
        realDisk.close(fd);
      },
    };
    find(dir, {}, { disk, signal });
    equal(open.size, 0);
    [reads, failAt] = [0, 100];
    equal(refusal(() => find(dir, {}, { disk, signal })).code, "cancelled");
    equal(open.size, 0);
  }));

for (const size of [1000, 20_000, 500_000]) {
  Deno.test(`a call that is cancelled in the last reading of ${size} bytes ends as cancelled`, () =>
    inTempDir((dir) => {
      plant(dir, { a: bytes(size), b: bytes(size) });
      let reads = 0;
      const count: Disk = {
        ...realDisk,
        read(fd, buffer) {
          reads++;
          return realDisk.read(fd, buffer);
        },
      };
      equal(find(dir, {}, { disk: count }).duplicate_groups, 1);
      const signal = new CancelFlag();
      const disk = afterRead(reads, () => signal.cancel());
      equal(refusal(() => find(dir, {}, { disk, signal })).code, "cancelled");
    }));
}
