// vault_upload: what is said of a local file before it goes, what may not go, and that what is in the vault
// afterwards is what was on the disk, or nothing is (vault spec, 10).

import assert from "node:assert/strict";
import { MAX_FILE_BYTES, storedBytes } from "../../../vault/client/mod.ts";
import { makeFifo, refusalOf, sha256 } from "../changing.ts";
import { exists, plant } from "../../support.ts";
import { type Joined, joined, perform, preview } from "./joined.ts";

function args({ dir, folder }: Joined, name: string, more: Record<string, unknown> = {}) {
  return { path: `${dir}/${name}`, destination_folder_id: folder, ...more };
}

/** A file of so many bytes, almost all of them a hole. */
function plantHole(path: string, bytes: number): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  file.truncateSync(bytes);
}

Deno.test("a plan is bound to exactly the file, its size and its place, and changes nothing", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello" });
    const { shown, binding } = await preview("vault_upload", at, args(at, "a.txt"));
    const { dev, ino, mtime } = Deno.lstatSync(`${at.dir}/a.txt`);
    const plan = {
      op: "upload",
      source: `${at.dir}/a.txt`,
      entry: `file:${dev}:${ino}:${mtime!.getTime()}:5`,
      bytes: 5,
      destination: at.folder,
      path: "/A/a.txt",
    };
    assert.deepEqual(binding, plan);
    assert.deepEqual(shown.plan, plan);
    assert.deepEqual(at.wire.lines, ["GET /grant", "GET /folders", "GET /files"]);
  });
});

Deno.test("a copy is in the vault, opens for its owner, and the file is left as it is", async () => {
  await joined(async (at) => {
    const text = "the plans of the boathouse ".repeat(50_000);
    plant(at.dir, { "plans.txt": text });
    const before = Deno.lstatSync(`${at.dir}/plans.txt`);
    const output = await perform("vault_upload", at, args(at, "plans.txt"));
    const { uploaded, audit_id, summary: _summary, ...rest } = output;
    assert.deepEqual(rest, {
      performed: true,
      action: "upload",
      outcome: "done",
      path: "/A/plans.txt",
      bytes: text.length,
      sha256: sha256(text),
      verified: true,
      local_file_still_present: true,
    });
    assert.equal(typeof audit_id, "string");
    assert.equal(new TextDecoder().decode(await at.world.contentOf(uploaded)), text);
    assert.equal(await at.world.nameOf(uploaded), "plans.txt");
    assert.equal(at.world.rows.file(uploaded)!.contentType, null, "nobody said what it is");
    const after = Deno.lstatSync(`${at.dir}/plans.txt`);
    assert.deepEqual([after.ino, after.mtime], [before.ino, before.mtime]);
    assert.deepEqual([...Deno.readDirSync(at.dir)].map(({ name }) => name), ["plans.txt"]);
  });
});

Deno.test("another name and a content type are taken, the name without the spaces around it", async () => {
  await joined(async (at) => {
    plant(at.dir, { "IMG_1.png": "x" });
    const more = { name: "  beach.png ", content_type: "image/png" };
    const output = await perform("vault_upload", at, args(at, "IMG_1.png", more));
    assert.equal(output.path, "/A/beach.png");
    assert.equal(await at.world.nameOf(output.uploaded), "beach.png");
    assert.equal(at.world.rows.file(output.uploaded)!.contentType, "image/png");
  });
});

Deno.test("neither a local path nor a name nor a content is in any request", async () => {
  await joined(async (at) => {
    plant(at.dir, { "secret plans/boathouse.txt": "the key is under the mat" });
    await perform("vault_upload", at, args(at, "secret plans/boathouse.txt"));
    const all = JSON.stringify(
      at.wire.asked.map(({ url, body, headers }) => [url, body, [...headers]]),
    );
    assert.doesNotMatch(all, /boathouse|secret plans|under the mat|shieldfive-[0-9a-f]{8}/);
  });
});

Deno.test("only a regular file inside the granted folders goes", async () => {
  await joined(async (at) => {
    const { dir } = at;
    plant(dir, { "in/a.txt": "x", "in/folder/": "", "in/empty": "", "out/b.txt": "y" });
    plant(dir, { "in/config/connection": "a live key" });
    Deno.symlinkSync(`${dir}/in/a.txt`, `${dir}/in/link`);
    Deno.symlinkSync(`${dir}/out`, `${dir}/in/way-out`);
    makeFifo(`${dir}/in/pipe`);
    const cases: [string, string][] = [
      ["in/link", "not_a_file"],
      ["in/folder", "not_a_file"],
      ["in", "not_a_file"],
      ["in/pipe", "not_a_file"],
      ["in/empty", "empty_file"],
      ["in/nothing", "not_found"],
      ["out/b.txt", "outside_roots"],
      ["in/way-out/b.txt", "outside_roots"],
      ["in/../out/b.txt", "outside_roots"],
      ["in/config/connection", "protected_location"],
    ];
    for (const [name, code] of cases) {
      const refused = await refusalOf(() => preview("vault_upload", at, args(at, name)));
      assert.equal(refused.code, code, name);
    }
    const relative = { path: "a.txt", destination_folder_id: at.folder };
    assert.equal(
      (await refusalOf(() => preview("vault_upload", at, relative))).code,
      "invalid_path",
    );
    assert.ok(!at.wire.lines.some((line) => line.startsWith("POST")));
  }, {
    granted: (dir) => {
      plant(dir, { "in/": "" });
      return [`${dir}/in`];
    },
    protectedPaths: (dir) => [`${dir}/in/config`],
  });
});

Deno.test("a file of 512 MiB may go, one of a byte more may not", async () => {
  await joined(async (at) => {
    plantHole(`${at.dir}/largest`, MAX_FILE_BYTES);
    plantHole(`${at.dir}/larger`, MAX_FILE_BYTES + 1);
    const { shown } = await preview("vault_upload", at, args(at, "largest"));
    assert.equal(shown.plan.bytes, MAX_FILE_BYTES);
    const refused = await refusalOf(() => preview("vault_upload", at, args(at, "larger")));
    assert.equal(refused.code, "too_large");
    assert.ok(refused.message.includes(`${at.dir}/larger`));
  });
});

Deno.test("where it may go: a folder within reach whose key is held, and not the trash", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x" });
    const file = await at.world.addFile(at.folder, "file.txt", "x");
    const ids = [file, crypto.randomUUID(), at.connected.trashId!];
    for (const id of ids) {
      const more = { destination_folder_id: id };
      const refused = await refusalOf(() => preview("vault_upload", at, args(at, "a.txt", more)));
      assert.equal(refused.code, "not_found");
    }
  });
});

Deno.test("names that the vault does not take are refused, given or the file's own", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x", "zero\u200bwidth": "x", "back\\slash": "x", "bell\u0007": "x" });
    for (const name of ["zero\u200bwidth", "back\\slash", "bell\u0007"]) {
      const refused = await refusalOf(() => preview("vault_upload", at, args(at, name)));
      assert.equal(refused.code, "invalid_name", name);
    }
    const { shown } = await preview("vault_upload", at, args(at, "back\\slash", { name: "fine" }));
    assert.equal(shown.plan.path, "/A/fine");
    for (const name of ["  ", "..", "a/b", "é".repeat(128), "\u202edecoy"]) {
      const refused = await refusalOf(() =>
        preview("vault_upload", at, args(at, "a.txt", { name }))
      );
      assert.equal(refused.code, "invalid_name", name);
    }
  });
});

Deno.test("the longest names go as they are: 255 bytes, 120 Cyrillic letters, 63 emoji", async () => {
  await joined(async (at) => {
    const names = ["x".repeat(255), "ж".repeat(120), "🙂".repeat(63)];
    for (const name of names) {
      plant(at.dir, { [name]: name });
      const { uploaded } = await perform("vault_upload", at, args(at, name));
      assert.equal(await at.world.nameOf(uploaded), name);
    }
  });
});

Deno.test("a name that is there already is told in the plan, and so are its twins", async () => {
  await joined(async (at) => {
    const { world, folder, dir } = at;
    plant(dir, { "clip.mp4": "one content", "Résumé.txt": "x", "new.txt": "x" });
    await world.addFile(folder, "clip.mp4", "other bytes");
    await world.addFile(folder, "re\u0301sume\u0301.txt", "x");
    const warningsFor = async (name: string) =>
      (await preview("vault_upload", at, args(at, name))).shown.warnings;
    assert.match((await warningsFor("clip.mp4"))[0], /a file called "clip.mp4" is there already/);
    assert.match((await warningsFor("Résumé.txt"))[0], /differ only in capitals/);
    assert.equal(await warningsFor("new.txt"), undefined);
    const { uploaded } = await perform("vault_upload", at, args(at, "clip.mp4"));
    const files = world.rows.files({ limit: 100, after: null });
    assert.equal(files.length, 3, "nothing was replaced");
    assert.equal(new TextDecoder().decode(await world.contentOf(uploaded)), "one content");
  });
});

Deno.test("without folders, or without the right to add files, nothing is looked at or asked", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x" });
    const { disk: _disk, ...context } = at.context;
    const call = () => preview("vault_upload", { context }, args(at, "a.txt"));
    assert.equal((await refusalOf(call)).code, "no_roots");
    assert.deepEqual(at.wire.lines, []);
  });
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x" });
    const refused = await refusalOf(() => preview("vault_upload", at, args(at, "a.txt")));
    assert.deepEqual([refused.code, refused.detail], ["missing_scope", { scope: "write" }]);
    assert.deepEqual(at.wire.lines, ["GET /grant"]);
  }, { scopes: ["read", "organize"] });
});

Deno.test("the allowance is looked at before anything is sent, and told", async () => {
  const writeBudgetBytes = storedBytes(1000);
  await joined(async (at) => {
    plant(at.dir, { "fits": "x".repeat(1000), "too-much": "x".repeat(1001) });
    const refused = await refusalOf(() => preview("vault_upload", at, args(at, "too-much")));
    assert.equal(refused.code, "write_budget_exhausted");
    const { shown } = await preview("vault_upload", at, args(at, "fits"));
    assert.equal(shown.upload_allowance_left_bytes, writeBudgetBytes);
    const output = await perform("vault_upload", at, args(at, "fits"));
    assert.equal(output.budget_remaining_bytes, 0);
  }, { row: { writeBudgetBytes } });
});

Deno.test("a file that was written to after its preview stops the call, and nothing is sent", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello" });
    const { confirm } = await preview("vault_upload", at, args(at, "a.txt"));
    plant(at.dir, { "a.txt": "hello again" });
    const refused = await refusalOf(confirm);
    assert.deepEqual([refused.code, refused.detail!.fields], ["plan_changed", ["bytes", "entry"]]);
    assert.ok(!at.wire.lines.some((line) => line.startsWith("POST")));
  });
});

/** Runs something once, before an operation of the disk on a path that ends so. */
function once(
  { disk }: Joined,
  operation: "open" | "read" | "lstat",
  when: (count: number) => boolean,
  act: () => void,
): void {
  const original = disk[operation] as (...args: unknown[]) => unknown;
  let count = 0;
  Object.assign(disk, {
    [operation](...args: unknown[]) {
      if (when(++count)) act();
      return original(...args);
    },
  });
}

Deno.test("a file that changes between the comparison and the reading, or while it is read, is not stored", async () => {
  const changes: [string, (path: string) => void][] = [
    ["appended to", (path) => Deno.writeTextFileSync(path, "more", { append: true })],
    ["cut", (path) => Deno.truncateSync(path, 700_000)],
    ["replaced", (path) => {
      Deno.renameSync(path, `${path}.old`);
      Deno.writeTextFileSync(path, "x".repeat(900_000));
    }],
    ["taken away", (path) => Deno.renameSync(path, `${path}.gone`)],
    ["overwritten in place", (path) => {
      using file = Deno.openSync(path, { write: true });
      file.writeSync(new TextEncoder().encode("y"));
    }],
  ];
  for (const [what, change] of changes) {
    for (const moment of ["open", "read"] as const) {
      await joined(async (at) => {
        plant(at.dir, { "a.bin": "x".repeat(900_000) });
        const path = `${at.dir}/a.bin`;
        Deno.utimeSync(path, 1e9, 1e9);
        once(at, moment, (count) => count === (moment === "open" ? 1 : 2), () => change(path));
        const refused = await refusalOf(() => perform("vault_upload", at, args(at, "a.bin")));
        assert.equal(refused.code, "changed", `${what} at ${moment}`);
        at.world.server.service.sweep();
        assert.equal(at.world.rows.files({ limit: 10, after: null }).length, 0);
        assert.equal([...at.world.server.objects.list()].length, 0);
      });
    }
  }
});

Deno.test("a file that cannot be read to its end is told as such", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.bin": "x".repeat(900_000) });
    let reads = 0;
    const { read } = at.disk;
    at.disk.read = (fd, buffer) => {
      if (++reads === 3) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return read(fd, buffer);
    };
    const refused = await refusalOf(() => perform("vault_upload", at, args(at, "a.bin")));
    assert.deepEqual([refused.code, refused.detail!.errno], ["unreadable", "EIO"]);
    assert.equal(at.world.rows.files({ limit: 10, after: null }).length, 0);
  });
});

Deno.test("a stored copy that does not read back as what was sent is told, with its id", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello" });
    const { confirm } = await preview("vault_upload", at, args(at, "a.txt"));
    at.wire.answer = async ({ path }, forward) => {
      const response = await forward();
      if (!path.endsWith("/download")) return response;
      const bytes = await response.bytes();
      bytes[bytes.length - 1] ^= 1;
      return new Response(bytes, { headers: response.headers });
    };
    const refused = await refusalOf(confirm);
    assert.deepEqual([refused.code, refused.changedAnything], ["verify_failed", true]);
    assert.ok(at.world.rows.file(refused.detail!.vault_file_id as string));
    assert.equal(Deno.readTextFileSync(`${at.dir}/a.txt`), "hello");
  });
});

Deno.test("a call that is no longer wanted stops, wherever it is, and lets go of the file", async () => {
  for (const moment of ["reading", "sending"] as const) {
    await joined(async (at) => {
      plant(at.dir, { "a.bin": "x".repeat(900_000) });
      const { confirm } = await preview("vault_upload", at, args(at, "a.bin"));
      if (moment === "reading") {
        once(at, "read", (count) => count === 2, () => at.stop.abort());
      } else {
        at.wire.answer = ({ method, path }, forward) => {
          if (method === "POST" && path === "/files") at.stop.abort();
          return forward();
        };
      }
      const closed: number[] = [];
      const { close } = at.disk;
      at.disk.close = (fd) => {
        closed.push(fd);
        close(fd);
      };
      assert.equal((await refusalOf(confirm)).code, "cancelled");
      for (let i = 0; i < 100 && closed.length === 0; i++) {
        await new Promise((r) => setTimeout(r, 5));
      }
      assert.equal(closed.length, 1, "the file is closed, once");
      assert.ok(exists(`${at.dir}/a.bin`));
    });
  }
});

Deno.test("a file that went away while it was verified is told to be gone", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello" });
    at.wire.answer = ({ path }, forward) => {
      if (path.endsWith("/download")) Deno.removeSync(`${at.dir}/a.txt`);
      return forward();
    };
    const output = await perform("vault_upload", at, args(at, "a.txt"));
    assert.deepEqual([output.verified, output.local_file_still_present], [true, false]);
    assert.match(output.summary, /not there any more/);
  });
});
