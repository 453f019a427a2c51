import assert from "node:assert/strict";
import { posix } from "node:path";
import { type Disk, openRoots, realDisk, type Scope } from "../../containment/mod.ts";
import {
  resolveDestination,
  resolveEntry,
  resolveExisting,
  resolveTarget,
} from "../../containment/resolve.ts";
import { exists, inTempDir, plant, refusal } from "../support.ts";

const RESOLVERS = { resolveExisting, resolveEntry, resolveTarget, resolveDestination };
type Resolver = (typeof RESOLVERS)[keyof typeof RESOLVERS];

function scopeOf(...folders: string[]): Scope {
  return { roots: openRoots(folders).roots, disk: realDisk };
}

/** A folder `root` that is granted, beside a folder `outside` that is not. */
async function inTwoFolders(
  body: (scope: Scope, root: string, outside: string) => void,
): Promise<void> {
  await inTempDir((dir) => {
    plant(dir, { "root/": "", "outside/": "" });
    body(scopeOf(`${dir}/root`), `${dir}/root`, `${dir}/outside`);
  });
}

function codeOf(resolve: Resolver, path: unknown, scope: Scope): string {
  return refusal(() => resolve(path, "path", scope)).code;
}

for (const [name, resolve] of Object.entries(RESOLVERS)) {
  Deno.test(`${name} refuses everything when no folder was granted, and says how to grant one`, () => {
    const error = refusal(() => resolve("/tmp", "path", { roots: [], disk: realDisk }));
    assert.equal(error.code, "no_roots");
    assert.match(error.message, /SHIELDFIVE_MCP_ROOTS/);
  });

  Deno.test(`${name} refuses what is no absolute path`, async () => {
    await inTwoFolders((scope, root) => {
      for (const bad of ["", "a/b", "~", `${root}/a\0`, `${root}/\udc00`, 5, null, undefined, []]) {
        assert.equal(codeOf(resolve, bad, scope), "invalid_path", String(bad));
      }
    });
  });

  Deno.test(`${name} refuses paths outside, climbs, and siblings with the root's prefix`, async () => {
    await inTwoFolders((scope, root, outside) => {
      plant(root, { "../root-evil/x": "x" });
      for (
        const path of [
          outside,
          `${outside}/x`,
          `${root}/../outside/x`,
          `${root}-evil/x`,
          `${root}/../root-evil/x`,
          `${root}evil`,
          posix.dirname(root),
          "/etc/hostname",
        ]
      ) {
        assert.equal(codeOf(resolve, path, scope), "outside_roots", path);
      }
    });
  });

  Deno.test(`${name} follows no linked folder out of the root, and says where the link leads`, async () => {
    await inTwoFolders((scope, root, outside) => {
      plant(outside, { "secret/x": "x" });
      Deno.symlinkSync(outside, `${root}/out`);
      Deno.symlinkSync("../outside/secret", `${root}/relative`);
      Deno.symlinkSync("out", `${root}/chain`);
      for (const path of ["out/secret/x", "relative/x", "chain/secret/x", "out/new", "chain/a/b"]) {
        const error = refusal(() => resolve(`${root}/${path}`, "path", scope));
        assert.equal(error.code, "outside_roots", path);
        assert.match(error.message, /outside/);
        assert.ok(error.message.includes(`leads to "${outside}`), error.message);
      }
    });
  });

  Deno.test(`${name} gives nothing away about what exists outside the roots`, async () => {
    await inTwoFolders((scope, root, outside) => {
      plant(outside, { "have-it": "x", "closed1": "x", "afolder/": "" });
      Deno.symlinkSync("have-it", `${outside}/alink01`);
      Deno.symlinkSync("nowhere", `${outside}/dangles`);
      Deno.symlinkSync("circle1", `${outside}/circle1`);
      Deno.symlinkSync(outside, `${root}/way-out`);
      const names = ["have-it", "missing", "afolder", "alink01", "dangles", "circle1", "closed1"];
      const closed: Scope = { ...scope, disk: denying("closed1") };
      for (const start of [outside, `${root}/way-out`]) {
        for (const below of ["", "/x", "/x/y/z"]) {
          const heard = names.map((name) => {
            const path = start + "/" + name + below;
            const { code, message, detail } = refusal(() => resolve(path, "path", closed));
            return JSON.stringify([code, message.replaceAll(name, "NAME"), detail]);
          });
          assert.deepEqual(new Set(heard), new Set([heard[0]]));
          assert.match(heard[0], /outside_roots/);
        }
        const long = refusal(() => resolve(`${start}/${"x".repeat(300)}`, "path", scope));
        assert.equal(long.code, "outside_roots");
        assert.doesNotMatch(long.message, /ENAMETOOLONG/);
      }
    });
  });

  Deno.test(`${name} answers briefly whatever the path or the link's text`, async () => {
    await inTwoFolders((scope, root) => {
      Deno.symlinkSync(`/${"\u202e/".repeat(600)}`, `${root}/link`);
      Deno.symlinkSync(`/gone/${"\n".repeat(200)}`, `${root}/lines`);
      for (
        const path of [
          "x".repeat(20_000),
          "/" + "x".repeat(20_000),
          `${root}/link/x`,
          `${root}/lines/${"\x1b".repeat(3000)}`,
          `${root}/gone/${"\u{e0041}".repeat(1000)}`,
          `${root}/${"\\".repeat(3000)}/x`,
        ]
      ) {
        let message = "";
        try {
          resolve(path, "path", scope);
        } catch (error) {
          message = (error as Error).message;
        }
        assert.ok(message.length <= 1000, `${message.length}: ${path.slice(0, 40)}`);
        assert.doesNotMatch(message, /[\n\x1b\u202e]|\u{e0041}/u);
      }
    });
  });

  Deno.test(`${name} never goes into the system's own folders, though the root is /`, () => {
    const scope = scopeOf("/");
    for (const path of ["/proc/self/environ", "/dev/zero", "/sys/kernel", "/proc", "/dev/new"]) {
      const error = refusal(() => resolve(path, "path", scope));
      assert.equal(error.code, "outside_roots", path);
      assert.match(error.message, /system/);
    }
  });

  Deno.test(`${name} goes into the system's folders by no link either`, async () => {
    await inTempDir((dir) => {
      Deno.symlinkSync("/proc/self", `${dir}/link`);
      const error = refusal(() => resolve(`${dir}/link/environ`, "path", scopeOf("/")));
      assert.equal(error.code, "outside_roots");
      assert.match(error.message, /system/);
    });
  });

  Deno.test(`${name} notices that the root is gone or was replaced`, async () => {
    await inTempDir((dir) => {
      plant(dir, { "root/x": "x", "other/x": "x" });
      Deno.symlinkSync("root", `${dir}/spelled`);
      const scope = scopeOf(`${dir}/spelled`);
      Deno.symlinkSync(dir, `${dir}/up`);
      Deno.renameSync(`${dir}/root`, `${dir}/away`);
      assert.equal(codeOf(resolve, `${dir}/root/x`, scope), "root_unavailable");
      Deno.renameSync(`${dir}/other`, `${dir}/root`);
      assert.equal(codeOf(resolve, `${dir}/root/x`, scope), "root_unavailable");
      assert.equal(codeOf(resolve, `${dir}/spelled/x`, scope), "root_unavailable");
      assert.equal(codeOf(resolve, `${dir}/up/root/x`, scope), "root_unavailable");
    });
  });
}

/** The real disk, but nothing can be resolved or looked at whose path holds the name. */
function denying(name: string): Disk {
  const guard = (path: string) => {
    if (!path.includes(name)) return path;
    throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  };
  return {
    ...realDisk,
    realPath: (path) => realDisk.realPath(guard(path)),
    lstat: (path) => realDisk.lstat(guard(path)),
  };
}

Deno.test("the root itself, what is in it and what a link inside leads to are resolved", async () => {
  await inTwoFolders((scope, root) => {
    plant(root, { "a/b": "x" });
    Deno.symlinkSync("a", `${root}/inner`);
    Deno.symlinkSync("a/b", `${root}/file`);
    assert.equal(resolveExisting(root, "path", scope).path, root);
    assert.equal(resolveExisting(`${root}//a/./b/`, "path", scope).path, `${root}/a/b`);
    assert.equal(resolveExisting(`${root}/inner/b`, "path", scope).path, `${root}/a/b`);
    assert.equal(resolveExisting(`${root}/file`, "path", scope).path, `${root}/a/b`);
    assert.ok(resolveExisting(`${root}/file`, "path", scope).info.isFile);
  });
});

Deno.test("with / as root every place is inside, and / itself can be read but not changed", () => {
  const scope = scopeOf("/");
  assert.equal(resolveExisting("/", "path", scope).path, "/");
  assert.equal(resolveExisting("/usr/", "path", scope).path, "/usr");
  for (const resolve of [resolveEntry, resolveDestination]) {
    assert.equal(codeOf(resolve, "/", scope), "invalid_path");
    assert.equal(codeOf(resolve, "/..", scope), "invalid_path");
  }
});

Deno.test("a root is known by the spelling it was granted in, even after that link was turned", async () => {
  await inTempDir((dir) => {
    plant(dir, { "root/x": "mine", "outside/x": "theirs" });
    Deno.symlinkSync("root", `${dir}/granted`);
    const scope = scopeOf(`${dir}/granted`);
    assert.equal(resolveExisting(`${dir}/granted/x`, "path", scope).path, `${dir}/root/x`);
    assert.equal(resolveExisting(`${dir}/root/x`, "path", scope).path, `${dir}/root/x`);
    assert.equal(codeOf(resolveExisting, `${dir}/granted/gone`, scope), "not_found");
    Deno.removeSync(`${dir}/granted`);
    Deno.symlinkSync("outside", `${dir}/granted`);
    assert.equal(resolveExisting(`${dir}/granted/x`, "path", scope).path, `${dir}/root/x`);
  });
});

Deno.test("what is missing or lies below a file is not found", async () => {
  await inTwoFolders((scope, root) => {
    plant(root, { "file": "x" });
    for (const path of ["gone", "gone/deeper", "file/below", "file/below/x"]) {
      assert.equal(codeOf(resolveExisting, `${root}/${path}`, scope), "not_found", path);
      assert.equal(codeOf(resolveEntry, `${root}/${path}`, scope), "not_found", path);
    }
  });
});

Deno.test("a link in a circle and a name that is too long are unreadable, and say why", async () => {
  await inTwoFolders((scope, root) => {
    Deno.symlinkSync("loop", `${root}/loop`);
    for (const resolve of Object.values(RESOLVERS)) {
      const circle = refusal(() => resolve(`${root}/loop/x`, "path", scope));
      assert.equal(circle.code, "unreadable");
      assert.match(circle.message, /ELOOP/);
      const long = refusal(() => resolve(`${root}/${"x".repeat(300)}/y`, "path", scope));
      assert.equal(long.code, "unreadable");
      assert.match(long.message, /ENAMETOOLONG/);
    }
    const longest = `${root}/${"y/".repeat(4096)}`.slice(0, 4095) + "y";
    assert.equal(longest.length, 4096);
    assert.match(codeOf(resolveExisting, longest, scope), /^(not_found|unreadable)$/);
    assert.equal(codeOf(resolveExisting, longest + "y", scope), "invalid_path");
  });
});

Deno.test("a chain of 45 links ends in a refusal, whatever is at its end", async () => {
  await inTwoFolders((scope, root, outside) => {
    plant(root, { "end": "x" });
    Deno.symlinkSync("end", `${root}/a0`);
    Deno.symlinkSync(`${outside}/end`, `${root}/b0`);
    for (let i = 1; i <= 45; i++) {
      Deno.symlinkSync(`a${i - 1}`, `${root}/a${i}`);
      Deno.symlinkSync(`b${i - 1}`, `${root}/b${i}`);
    }
    assert.equal(resolveExisting(`${root}/a30`, "path", scope).path, `${root}/end`);
    assert.equal(codeOf(resolveExisting, `${root}/a45`, scope), "unreadable");
    assert.equal(codeOf(resolveExisting, `${root}/b30`, scope), "outside_roots");
    assert.match(codeOf(resolveExisting, `${root}/b45`, scope), /^(unreadable|outside_roots)$/);
    assert.ok(resolveEntry(`${root}/a45`, "path", scope).info.isSymlink);
  });
});

Deno.test("spaces at either end of a name are part of it", async () => {
  await inTwoFolders((scope, root) => {
    plant(root, { "report ": "with", " lead": "x", "plain": "x" });
    assert.equal(resolveExisting(`${root}/report `, "path", scope).path, `${root}/report `);
    assert.equal(resolveEntry(`${root}/ lead`, "path", scope).path, `${root}/ lead`);
    assert.equal(codeOf(resolveExisting, `${root}/report`, scope), "not_found");
    assert.equal(codeOf(resolveEntry, `${root}/plain `, scope), "not_found");
    assert.equal(resolveDestination(`${root}/new `, "path", scope).path, `${root}/new `);
  });
});

Deno.test("an entry is the link itself, with a trailing slash too, and .. is taken lexically", async () => {
  await inTwoFolders((scope, root, outside) => {
    plant(root, { "x": "x", "real/k": "k" });
    plant(outside, { "x": "theirs" });
    Deno.symlinkSync("real", `${root}/link`);
    Deno.symlinkSync(outside, `${root}/out`);
    Deno.symlinkSync("gone", `${root}/dangling`);
    for (const path of ["link", "link/", "link/.", "out", "out/", "dangling"]) {
      const entry = resolveEntry(`${root}/${path}`, "path", scope);
      assert.ok(entry.info.isSymlink, path);
      assert.ok(resolveDestination(`${root}/${path}`, "path", scope).info?.isSymlink, path);
    }
    assert.equal(resolveExisting(`${root}/out/../x`, "path", scope).path, `${root}/x`);
    assert.equal(resolveEntry(`${root}/link/k`, "path", scope).path, `${root}/real/k`);
  });
});

Deno.test("a new place may be several folders deep, and says which of them are missing", async () => {
  await inTwoFolders((scope, root) => {
    plant(root, { "have/": "" });
    Deno.symlinkSync("have", `${root}/link`);
    const target = resolveTarget(`${root}/link/a/b`, "path", scope);
    assert.equal(target.path, `${root}/have/a/b`);
    assert.equal(target.ancestor, `${root}/have`);
    assert.deepEqual(target.missing, ["a", "b"]);
    const free = resolveDestination(`${root}/link/a/b`, "path", scope);
    assert.equal(free.path, `${root}/have/a/b`);
    assert.equal(free.info, undefined);
    assert.deepEqual(free.missing, ["a"]);
  });
});

Deno.test("a new place behind a link whose target is missing is refused and nothing is made", async () => {
  await inTwoFolders((scope, root, outside) => {
    Deno.symlinkSync(`${outside}/new.txt`, `${root}/out`);
    Deno.symlinkSync("later", `${root}/inner`);
    for (const path of ["out", "out/x", "inner", "inner/x/y"]) {
      assert.equal(codeOf(resolveTarget, `${root}/${path}`, scope), "dangling_symlink", path);
    }
    assert.equal(codeOf(resolveDestination, `${root}/inner/x`, scope), "dangling_symlink");
    assert.deepEqual([...Deno.readDirSync(outside)], []);
  });
});

Deno.test("a link from outside into the root is another way to the same place", async () => {
  await inTwoFolders((scope, root, outside) => {
    plant(root, { "a/x": "x" });
    Deno.symlinkSync(root, `${outside}/in`);
    assert.equal(resolveExisting(`${outside}/in/a/x`, "path", scope).path, `${root}/a/x`);
    assert.equal(resolveTarget(`${outside}/in/a/new/y`, "path", scope).path, `${root}/a/new/y`);
    assert.equal(resolveDestination(`${outside}/in/z`, "path", scope).path, `${root}/z`);
    assert.equal(codeOf(resolveExisting, `${outside}/in/gone`, scope), "outside_roots");
  });
});

Deno.test("two folders that differ only in Unicode form stay two", async () => {
  await inTempDir((dir) => {
    const [composed, decomposed] = ["Müller", "Mu\u0308ller"];
    plant(dir, { [`${composed}/x`]: "one" });
    if ([...Deno.readDirSync(dir)].length !== 1 || exists(`${dir}/${decomposed}`)) {
      return console.log("skipped: this disk takes the two forms for one name");
    }
    plant(dir, { [`${decomposed}/x`]: "two" });
    const scope = scopeOf(`${dir}/${composed}`);
    assert.equal(
      resolveExisting(`${dir}/${composed}/x`, "path", scope).path,
      `${dir}/${composed}/x`,
    );
    for (const resolve of Object.values(RESOLVERS)) {
      assert.equal(codeOf(resolve, `${dir}/${decomposed}/x`, scope), "outside_roots");
    }
  });
});

Deno.test("where the disk takes both Unicode forms for one folder, both name the root", () => {
  const [composed, decomposed] = ["/Users/M\u00fcller", "/Users/Mu\u0308ller"];
  const real = (path: string) => path.normalize("NFD").replace(/^\/tmp(?=\/|$)/, "/private/tmp");
  const info = { isDirectory: true, isSymlink: false, dev: 1, ino: 7 } as Deno.FileInfo;
  const disk: Disk = { ...realDisk, realPath: real, lstat: () => info, probeFolder() {} };
  const scope = { roots: openRoots([decomposed, "/private/tmp/work"], { disk }).roots, disk };
  assert.equal(resolveExisting(`${composed}/x`, "path", scope).path, `${decomposed}/x`);
  const spelled = scope.roots.flatMap((root) => root.spellings);
  assert.deepEqual(spelled, [composed, "/tmp/work"]);
});

Deno.test("a missing name is answered with the one look-alike beside it, spelled out", async () => {
  await inTwoFolders((scope, root) => {
    const real = "Screenshot 2026-05-12 at 4.42.48\u202fPM.png";
    plant(root, { [`shots/${real}`]: "x", "e\u0301te\u0301/x": "x" });
    const typed = `${root}/shots/${real.replace("\u202f", " ")}`;
    for (const resolve of [resolveExisting, resolveEntry]) {
      const error = refusal(() => resolve(typed, "path", scope));
      assert.equal(error.code, "not_found");
      assert.match(error.message, /4\.42\.48\\u\{202f\}PM\.png/);
      assert.equal(error.detail?.look_alike, `${root}/shots/${real}`);
    }
    const accents = refusal(() => resolveExisting(`${root}/été/x`, "path", scope));
    assert.match(accents.message, /e\\u\{301\}te\\u\{301\}/);
    assert.equal(accents.detail?.look_alike, `${root}/e\u0301te\u0301/x`);
    assert.deepEqual([...Deno.readDirSync(`${root}/shots`)].map((entry) => entry.name), [real]);
  });
});

Deno.test("with two look-alikes, or none, nothing is guessed, and the exact name always wins", async () => {
  await inTwoFolders((scope, root) => {
    plant(root, { "a\u00a0b": "1", "a\u202fb": "2", "c d": "plain", "c\u00a0d": "other" });
    const error = refusal(() => resolveExisting(`${root}/a b`, "path", scope));
    assert.equal(error.code, "not_found");
    assert.equal(error.detail, undefined);
    assert.equal(resolveExisting(`${root}/c d`, "path", scope).path, `${root}/c d`);
    assert.equal(codeOf(resolveExisting, `${root}/c e`, scope), "not_found");
    const below = refusal(() => resolveExisting(`${root}/a\u2007b/x`, "path", scope));
    assert.equal(below.detail, undefined);
    plant(root, { "e\u0301/there": "x" });
    assert.equal(refusal(() => resolveExisting(`${root}/é/gone`, "path", scope)).detail, undefined);
    assert.ok(refusal(() => resolveExisting(`${root}/é/there`, "path", scope)).detail);
  });
});

Deno.test("a look-alike is never looked for outside the roots", async () => {
  await inTwoFolders((scope, root, outside) => {
    plant(outside, { "a\u00a0b": "x" });
    Deno.symlinkSync(outside, `${root}/out`);
    for (const path of [`${outside}/a b`, `${root}/out/a b`]) {
      const error = refusal(() => resolveExisting(path, "path", scope));
      assert.equal(error.code, "outside_roots");
      assert.doesNotMatch(error.message, /a0/);
    }
  });
});
