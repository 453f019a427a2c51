// The side of the folders takes nothing on trust: whatever the other room asks for is looked at afresh, inside
// the folders that were granted, and compared with what was looked at before.

import assert from "node:assert/strict";
import { openRoots, realDisk } from "../../../containment/mod.ts";
import { serveDisk } from "../../../tools/vault/disk/side.ts";
import {
  type DiskCall,
  type DiskGateway,
  diskThrough,
  type Source,
} from "../../../tools/vault/disk_gateway.ts";
import { exists, inTempDir, plant } from "../../support.ts";
import { refusalOf, sha256 } from "../changing.ts";

const ORDER = { tool: "vault_move_in" };

/** Runs the body with the folder `in` granted, in which `secret` is protected. */
async function withSide(
  body: (side: { dir: string; gateway(call?: DiskCall): DiskGateway }) => Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    plant(dir, {
      "in/a.txt": "hello",
      "in/sub/b.txt": "world",
      "in/secret/c": "!",
      "out.txt": "?",
    });
    const { port1, port2 } = new MessageChannel();
    serveDisk(port1, {
      place: {
        roots: openRoots([`${dir}/in`]).roots,
        disk: realDisk,
        uid: Deno.uid() ?? undefined,
        protectedPaths: [`${dir}/in/secret`],
        version: "0",
      },
      inTurn: async (work) => await work(),
    });
    const through = diskThrough(port2);
    try {
      await body({ dir, gateway: (call = {}) => through(call) });
    } finally {
      port1.close();
      port2.close();
    }
  });
}

async function describe(gateway: DiskGateway, path: string, toTrash = true): Promise<Source> {
  const { sources } = await gateway.describe({ paths: [path], field: "paths", toTrash });
  return sources[0];
}

const codeOf = async (call: () => Promise<unknown>) => (await refusalOf(call)).code;

Deno.test("a file that was never looked at is not opened, wherever it is", () =>
  withSide(async ({ dir, gateway }) => {
    const side = gateway();
    const known = await describe(side, `${dir}/in/a.txt`);
    const { dev, ino, mtime, size } = Deno.lstatSync(`${dir}/out.txt`);
    const forged = { ...known, entry: `file:${dev}:${ino}:${mtime!.getTime()}:${size}` };
    const cases: [Partial<Source>, string][] = [
      [{ path: `${dir}/out.txt` }, "outside_roots"],
      [{ path: `${dir}/in/../out.txt` }, "outside_roots"],
      [{ path: "/etc/hostname" }, "outside_roots"],
      [{ path: `${dir}/in/secret/c` }, "changed"],
      [{ path: `${dir}/in/sub/../a.txt` }, "changed"],
      [{ path: `${dir}/in/sub/b.txt` }, "changed"],
      [{ path: `${dir}/in/gone` }, "changed"],
      [{}, "changed"],
    ];
    for (const [over, code] of cases) {
      const source = { ...forged, ...over };
      assert.equal(await codeOf(() => side.open(source)), code, JSON.stringify(over));
      const copy = { fileId: "id", path: "/A/a", sha256: sha256("hello") };
      assert.equal(await codeOf(() => side.trash(source, copy, ORDER)), code, JSON.stringify(over));
    }
    const secret = Deno.lstatSync(`${dir}/in/secret/c`);
    const entry = `file:${secret.dev}:${secret.ino}:${secret.mtime!.getTime()}:${secret.size}`;
    const source = { ...known, path: `${dir}/in/secret/c`, entry };
    assert.equal(await codeOf(() => side.open(source)), "protected_location");
    assert.ok(!exists(`${dir}/in/.shieldfive-mcp-trash`));
  }));

Deno.test("a link that took the place of a file, or of its folder, is not followed", () =>
  withSide(async ({ dir, gateway }) => {
    const side = gateway();
    const file = await describe(side, `${dir}/in/a.txt`);
    const below = await describe(side, `${dir}/in/sub/b.txt`);
    Deno.renameSync(`${dir}/in/a.txt`, `${dir}/in/moved`);
    Deno.symlinkSync(`${dir}/in/moved`, `${dir}/in/a.txt`);
    Deno.renameSync(`${dir}/in/sub`, `${dir}/elsewhere`);
    Deno.symlinkSync(`${dir}/elsewhere`, `${dir}/in/sub`);
    assert.equal(await codeOf(() => side.open(file)), "changed");
    assert.equal(await codeOf(() => side.open(below)), "outside_roots");
  }));

Deno.test("an original goes only with the content that its copy has, and into the trash that was shown", () =>
  withSide(async ({ dir, gateway }) => {
    const side = gateway();
    const source = await describe(side, `${dir}/in/a.txt`);
    const copy = { fileId: "id", path: "/A/a.txt", sha256: sha256("hello") };
    const other = { ...copy, sha256: sha256("other") };
    assert.equal(await codeOf(() => side.trash(source, other, ORDER)), "changed");
    const elsewhere = { ...source, trashDirectory: `${dir}/in/sub/.shieldfive-mcp-trash` };
    assert.equal(await codeOf(() => side.trash(elsewhere, copy, ORDER)), "changed");
    const { trashDirectory: _none, ...uploaded } = source;
    assert.equal(await codeOf(() => side.trash(uploaded, copy, ORDER)), "changed");
    const { path } = await side.trash(source, copy, ORDER);
    assert.equal(Deno.readTextFileSync(path), "hello");
  }));

Deno.test("a call that is narrowed to a part of the folders sees that part alone", () =>
  withSide(async ({ dir, gateway }) => {
    const source = await describe(gateway(), `${dir}/in/a.txt`);
    const narrow = gateway({ within: [`${dir}/in/sub`] });
    assert.equal(await codeOf(() => describe(narrow, `${dir}/in/a.txt`)), "outside_roots");
    assert.equal(await codeOf(() => narrow.open(source)), "outside_roots");
    assert.equal((await describe(narrow, `${dir}/in/sub/b.txt`)).bytes, 5);
    const none = gateway({ within: [`${dir}/elsewhere`] });
    assert.equal(await codeOf(() => describe(none, `${dir}/in/a.txt`)), "no_roots");
  }));

Deno.test("a system error that nobody expected is told with its code, and is no bug", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a.txt": "hello" });
    const { port1, port2 } = new MessageChannel();
    const roots = openRoots([dir]).roots;
    const disk = {
      ...realDisk,
      lstat(path: string) {
        if (path.endsWith("a.txt")) throw Object.assign(new Error("EIO"), { code: "EIO" });
        return realDisk.lstat(path);
      },
    };
    const place = { roots, disk, protectedPaths: [], version: "0" };
    serveDisk(port1, { place, inTurn: async (work) => await work() });
    try {
      const side = diskThrough(port2)({});
      const refused = await refusalOf(() => describe(side, `${dir}/a.txt`));
      assert.deepEqual([refused.code, refused.detail!.errno], ["unreadable", "EIO"]);
    } finally {
      port1.close();
      port2.close();
    }
  }));
