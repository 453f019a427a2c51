import assert from "node:assert/strict";
import { CancelFlag, type Disk, hashFile, type Lost, realDisk } from "../../containment/mod.ts";
import { copyFile } from "../../containment/copy.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { makeFifo, namesIn, sha256, systemError, textOf } from "../tools/changing.ts";

const STEP = 1 << 20;

/** Bytes without a pattern that a copy could hit by accident. */
function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 65_536) {
    crypto.getRandomValues(bytes.subarray(i, Math.min(size, i + 65_536)));
  }
  return bytes;
}

function copy(dir: string, disk: Disk = realDisk, signal = new CancelFlag()): Lost {
  const lost: Lost = new Set();
  copyFile(`${dir}/from`, Deno.lstatSync(`${dir}/from`), `${dir}/to`, { disk, signal }, lost);
  return lost;
}

function hash(path: string, disk: Disk = realDisk): string {
  return hashFile(path, Deno.lstatSync(path), { disk, signal: new CancelFlag() });
}

Deno.test("a file's digest is that of all its bytes, at every length around a step", async () => {
  await inTempDir((dir) => {
    for (const size of [0, 1, STEP - 1, STEP, STEP + 1, 2 * STEP, 2 * STEP + 7]) {
      const bytes = noise(size);
      Deno.writeFileSync(`${dir}/file`, bytes);
      assert.equal(hash(`${dir}/file`), sha256(bytes), `${size} bytes`);
    }
  });
});

Deno.test("a copy has the bytes, mode and time of its source", async () => {
  await inTempDir((dir) => {
    for (const [size, mode] of [[0, 0o444], [1, 0o755], [STEP + 7, 0o4750], [3 * STEP, 0o600]]) {
      const bytes = noise(size);
      Deno.writeFileSync(`${dir}/from`, bytes);
      Deno.chmodSync(`${dir}/from`, mode);
      Deno.utimeSync(`${dir}/from`, 1_600_000_000.25, 1_500_000_000.123);
      assert.deepEqual([...copy(dir)], []);
      const info = Deno.lstatSync(`${dir}/to`);
      assert.equal(sha256(Deno.readFileSync(`${dir}/to`)), sha256(bytes));
      assert.deepEqual([info.mode! & 0o7777, info.mtime!.getTime()], [mode, 1_500_000_000_123]);
      Deno.removeSync(`${dir}/from`);
      Deno.removeSync(`${dir}/to`);
    }
  });
});

Deno.test("holes stay holes, at the end too", async () => {
  await inTempDir((dir) => {
    const file = Deno.openSync(`${dir}/from`, { write: true, createNew: true });
    file.writeSync(new TextEncoder().encode("start"));
    file.seekSync(20 * STEP + 5, Deno.SeekMode.Start);
    file.writeSync(new TextEncoder().encode("middle"));
    file.truncateSync(40 * STEP + 3);
    file.close();
    copy(dir);
    const info = Deno.lstatSync(`${dir}/to`);
    assert.equal(info.size, 40 * STEP + 3);
    assert.ok(info.blocks! * 512 < 4 * STEP, `${info.blocks} blocks`);
    assert.equal(hash(`${dir}/to`), hash(`${dir}/from`));
  });
});

Deno.test("an existing file, and what a dangling link leads to, are never written to", async () => {
  await inTempDir((dir) => {
    plant(dir, { "from": "new", "to": "old" });
    assert.throws(() => copy(dir), { code: "EEXIST" });
    assert.equal(textOf(`${dir}/to`), "old");
    Deno.removeSync(`${dir}/to`);
    Deno.symlinkSync("nowhere", `${dir}/to`);
    assert.throws(() => copy(dir), { code: "EEXIST" });
    assert.deepEqual(namesIn(dir), ["from", "to"]);
    assert.equal(Deno.readLinkSync(`${dir}/to`), "nowhere");
  });
});

Deno.test("a copy with other bytes is discarded", async () => {
  await inTempDir((dir) => {
    Deno.writeFileSync(`${dir}/from`, noise(2 * STEP + 1));
    const corrupting = (spoil: (bytes: Uint8Array, offset: number) => Uint8Array): Disk => ({
      ...realDisk,
      writeAt: (fd, bytes, offset) => realDisk.writeAt(fd, spoil(bytes.slice(), offset), offset),
    });
    const flipsOne = corrupting((bytes, offset) => {
      if (offset === 2 * STEP) bytes[0] ^= 1;
      return bytes;
    });
    const dropsTheEnd = corrupting((bytes, offset) => bytes.subarray(0, offset === 0 ? STEP : 0));
    for (const disk of [flipsOne, dropsTheEnd]) {
      assert.equal(refusal(() => copy(dir, disk)).code, "copy_verification_failed");
      assert.deepEqual(namesIn(dir), ["from"]);
    }
  });
});

Deno.test("a source that changes during the copy is no copy", async () => {
  await inTempDir((dir) => {
    const path = `${dir}/from`;
    const changes: Record<string, () => void> = {
      grows: () => Deno.writeFileSync(path, noise(10), { append: true }),
      shrinks: () => Deno.truncateSync(path, STEP + 1),
      "is rewritten": () => Deno.writeFileSync(path, noise(2 * STEP)),
      "is replaced": () => {
        Deno.writeFileSync(`${path}2`, Deno.readFileSync(path));
        Deno.renameSync(`${path}2`, path);
      },
      "is removed": () => Deno.removeSync(path),
    };
    for (const [what, change] of Object.entries(changes)) {
      Deno.writeFileSync(path, noise(2 * STEP));
      Deno.utimeSync(path, 1, 1);
      let reads = 0;
      const disk: Disk = {
        ...realDisk,
        readAt(fd, buffer, offset) {
          if (++reads === 2) change();
          return realDisk.readAt(fd, buffer, offset);
        },
      };
      assert.equal(refusal(() => copy(dir, disk)).code, "source_changed", what);
      assert.throws(() => Deno.lstatSync(`${dir}/to`), Deno.errors.NotFound);
    }
  });
});

Deno.test("a source swapped for a link, a pipe, a socket or nothing is neither read nor waited for", async () => {
  await inTempDir((dir) => {
    const path = `${dir}/from`;
    const swaps: Record<string, () => void | Deno.Listener> = {
      link: () => Deno.symlinkSync("/etc/hostname", path),
      pipe: () => makeFifo(path),
      socket: () => Deno.listen({ transport: "unix", path }),
      folder: () => Deno.mkdirSync(path),
      nothing: () => {},
      "another file": () => Deno.writeTextFileSync(path, "data"),
    };
    for (const [what, swap] of Object.entries(swaps)) {
      Deno.writeTextFileSync(path, "data");
      const info = Deno.lstatSync(path);
      Deno.renameSync(path, `${dir}/original`);
      const listener = swap();
      const ports = { disk: realDisk, signal: new CancelFlag() };
      const codes = [
        refusal(() => hashFile(path, info, ports)).code,
        refusal(() => copyFile(path, info, `${dir}/to`, ports, new Set())).code,
      ];
      assert.deepEqual(codes, ["source_changed", "source_changed"], what);
      assert.throws(() => Deno.lstatSync(`${dir}/to`), Deno.errors.NotFound);
      if (listener) listener.close(); // which removes its socket
      else if (what !== "nothing") Deno.removeSync(path);
    }
  });
});

Deno.test("a full disk, a failing flush and a wish to stop leave no copy", async () => {
  await inTempDir((dir) => {
    Deno.writeFileSync(`${dir}/from`, noise(3 * STEP));
    const full: Disk = {
      ...realDisk,
      writeAt(fd, bytes, offset) {
        if (offset >= STEP) throw systemError("ENOSPC");
        realDisk.writeAt(fd, bytes, offset);
      },
    };
    assert.throws(() => copy(dir, full), { code: "ENOSPC" });
    const unflushed: Disk = {
      ...realDisk,
      sync: () => {
        throw systemError("EIO");
      },
    };
    assert.throws(() => copy(dir, unflushed), { code: "EIO" });
    for (const step of [1, 2, 4, 6]) {
      const signal = new CancelFlag();
      let reads = 0;
      const cancelling: Disk = {
        ...realDisk,
        readAt(fd, buffer, offset) {
          if (++reads === step) signal.cancel();
          return realDisk.readAt(fd, buffer, offset);
        },
      };
      assert.equal(refusal(() => copy(dir, cancelling, signal)).code, "cancelled");
      assert.ok(reads <= step + 1, "it stops within one step");
    }
    assert.deepEqual(namesIn(dir), ["from"]);
  });
});

Deno.test("what cannot be kept is named, and rights are not lent to another owner", async () => {
  await inTempDir((dir) => {
    plant(dir, { "from": "x" });
    Deno.chmodSync(`${dir}/from`, 0o6755);
    const refuse = () => {
      throw systemError("EPERM");
    };
    const foreign: Disk = {
      ...realDisk,
      chown: refuse,
      lstat: (path) =>
        path.endsWith("/to") ? { ...realDisk.lstat(path), uid: 4711 } : realDisk.lstat(path),
    };
    assert.deepEqual([...copy(dir, foreign)].sort(), ["mode", "owner"]);
    assert.equal(Deno.lstatSync(`${dir}/to`).mode! & 0o7777, 0o755);
    Deno.removeSync(`${dir}/to`);
    const lost = copy(dir, { ...realDisk, utime: refuse, chmod: refuse });
    assert.deepEqual([...lost].sort(), ["mode", "modification time"]);
    assert.equal(textOf(`${dir}/to`), "x");
  });
});
