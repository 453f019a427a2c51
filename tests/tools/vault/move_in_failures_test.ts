// vault_move_in when something goes wrong, or is no longer wanted: what is done stays done, what is not is
// untouched, and exactly that is told (vault spec, 11).

import assert from "node:assert/strict";
import { exists, plant } from "../../support.ts";
import { refusalOf, sha256 } from "../changing.ts";
import { type Joined, joined, perform, preview } from "./joined.ts";
import { args, batchesIn, namesIn, TRASH } from "./moving_in.ts";

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
type Detail = Record<string, any>;

/** Changes a file at the moment that its copy is verified, which is after it was read. */
function whenVerified({ wire }: Joined, act: () => void): void {
  let isDone = false;
  wire.answer = async ({ path }, forward) => {
    const response = await forward();
    if (path.endsWith("/download") && !isDone) {
      isDone = true;
      act();
    }
    return response;
  };
}

Deno.test("a file that is written to after its upload stays, whether its time tells of it or not", async () => {
  for (const keepsTime of [false, true]) {
    await joined(async (at) => {
      const path = `${at.dir}/a.txt`;
      plant(at.dir, { "a.txt": "hello" });
      Deno.utimeSync(path, 1e9, 1e9);
      const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt"]));
      whenVerified(at, () => {
        Deno.writeTextFileSync(path, "HELLO");
        if (keepsTime) Deno.utimeSync(path, 1e9, 1e9);
      });
      const refused = await refusalOf(confirm);
      assert.equal(refused.code, "changed");
      assert.equal(Deno.readTextFileSync(path), "HELLO");
      assert.deepEqual(batchesIn(at.dir), []);
      const { in_vault_and_still_on_disk: both, untouched, performed } = refused.detail as Detail;
      assert.deepEqual([performed, both.source, both.verified, untouched], [false, path, true, []]);
      const copy = await at.world.contentOf(both.vault_file_id);
      assert.equal(new TextDecoder().decode(copy), "hello");
    });
  }
});

Deno.test("a file that is written to while it moves goes back to its place", async () => {
  await joined(async (at) => {
    const path = `${at.dir}/b.txt`;
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { link } = at.disk;
    at.disk.link = (from, to) => {
      if (from === path) {
        Deno.writeTextFileSync(path, "world and more");
      }
      link(from, to);
    };
    const refused = await refusalOf(() =>
      perform("vault_move_in", at, args(at, ["a.txt", "b.txt"]))
    );
    assert.equal(refused.code, "changed");
    assert.equal(Deno.readTextFileSync(path), "world and more");
    const { moved, in_vault_and_still_on_disk: both } = refused.detail as Detail;
    assert.deepEqual([moved.length, both.source], [1, path]);
    const [{ manifest }] = batchesIn(at.dir);
    assert.deepEqual(manifest.items.map(({ original_path }: Detail) => original_path), [
      `${at.dir}/a.txt`,
    ]);
  });
});

Deno.test("one that was written to while it moved, and whose place is taken, is told where it is", async () => {
  await joined(async (at) => {
    const path = `${at.dir}/a.txt`;
    plant(at.dir, { "a.txt": "hello" });
    const { link, unlink } = at.disk;
    at.disk.link = (from, to) => {
      if (from === path) Deno.writeTextFileSync(path, "hello and more");
      link(from, to);
    };
    at.disk.unlink = (gone) => {
      unlink(gone);
      if (gone === path) Deno.writeTextFileSync(path, "a new file");
    };
    const refused = await refusalOf(() => perform("vault_move_in", at, args(at, ["a.txt"])));
    assert.equal(refused.code, "changed");
    const { trashed_to, in_vault_and_still_on_disk: both } = refused.detail as Detail;
    assert.equal(Deno.readTextFileSync(trashed_to), "hello and more");
    assert.equal(Deno.readTextFileSync(path), "a new file");
    assert.equal(both.verified, true);
    assert.ok(refused.message.includes(trashed_to));
  });
});

Deno.test("the second of three fails: the first is done, the others are untouched, and exactly that is told", async () => {
  await joined(async (at) => {
    const { dir, wire } = at;
    plant(dir, { "a.txt": "hello", "b.txt": "world", "c.txt": "!" });
    let reservations = 0;
    wire.answer = ({ method, path }, forward) => {
      if (method === "POST" && path === "/files" && ++reservations === 2) {
        return Response.json({ code: "storage_full" }, { status: 409 });
      }
      return forward();
    };
    const refused = await refusalOf(() =>
      perform("vault_move_in", at, args(at, ["a.txt", "b.txt", "c.txt"]))
    );
    assert.equal(refused.code, "conflict");
    assert.equal(refused.changedAnything, true);
    const [{ name, manifest }] = batchesIn(dir);
    const [line] = manifest.items;
    assert.deepEqual(refused.detail, {
      performed: true,
      moved: [{
        source: `${dir}/a.txt`,
        bytes: 5,
        vault_file_id: line.vault_file_id,
        vault_path: "/A/a.txt",
        sha256: sha256("hello"),
        trashed_to: line.trashed_to,
      }],
      trash_batch: name,
      space_freed_bytes: 0,
      space_recoverable_bytes: 5,
      in_vault_and_still_on_disk: null,
      untouched: [`${dir}/b.txt`, `${dir}/c.txt`],
    });
    assert.match(
      refused.message,
      /^1 of 3 files moved into the vault, then it stopped at .*b\.txt"/,
    );
    assert.deepEqual(await namesIn(at), ["a.txt"]);
    assert.equal(Deno.readTextFileSync(`${dir}/b.txt`), "world");
    assert.equal(Deno.readTextFileSync(`${dir}/c.txt`), "!");
  });
});

Deno.test("verified, and then it cannot go to the trash: told as in the vault and on disk", async () => {
  await joined(async (at) => {
    const { dir, disk } = at;
    plant(dir, { "a.txt": "hello", "b.txt": "world" });
    const { link } = disk;
    disk.link = (from, to) => {
      if (from.endsWith("a.txt")) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      link(from, to);
    };
    const refused = await refusalOf(() =>
      perform("vault_move_in", at, args(at, ["a.txt", "b.txt"]))
    );
    assert.equal(refused.code, "io_error");
    const { in_vault_and_still_on_disk: both, ...detail } = refused.detail as Detail;
    assert.deepEqual(both, {
      source: `${dir}/a.txt`,
      vault_file_id: both.vault_file_id,
      vault_path: "/A/a.txt",
      sha256: sha256("hello"),
      verified: true,
    });
    assert.deepEqual(detail.untouched, [`${dir}/b.txt`]);
    assert.deepEqual([detail.performed, detail.moved, detail.trash_batch], [false, [], null]);
    assert.equal(Deno.readTextFileSync(`${dir}/a.txt`), "hello");
    assert.ok(!exists(`${dir}/${TRASH}`), "nothing is left of the batch");
    assert.match(refused.message, /is in the vault as "\/A\/a.txt", verified, and still on disk/);
  });
});

Deno.test("a copy that does not read back as what was sent: the original stays, and the copy is told", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    at.wire.answer = async ({ path }, forward) => {
      const response = await forward();
      if (!path.endsWith("/download")) return response;
      const bytes = await response.bytes();
      bytes[bytes.length - 1] ^= 1;
      return new Response(bytes, { headers: response.headers });
    };
    const refused = await refusalOf(confirm);
    assert.equal(refused.code, "verify_failed");
    const { in_vault_and_still_on_disk: both, untouched } = refused.detail as Detail;
    assert.deepEqual([both.source, both.verified], [`${at.dir}/a.txt`, false]);
    assert.ok(at.world.rows.file(both.vault_file_id));
    assert.deepEqual(untouched, [`${at.dir}/b.txt`]);
    assert.ok(exists(`${at.dir}/a.txt`));
    assert.deepEqual(batchesIn(at.dir), []);
  });
});

Deno.test("a cancelled call stops between two files, and says what is done", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    const { unlink } = at.disk;
    at.disk.unlink = (path) => {
      unlink(path);
      if (path.endsWith("a.txt")) at.stop.abort();
    };
    const refused = await refusalOf(confirm);
    assert.equal(refused.code, "cancelled");
    const { moved, untouched, performed } = refused.detail as Detail;
    assert.deepEqual([performed, moved.length, untouched], [true, 1, [`${at.dir}/b.txt`]]);
    assert.doesNotMatch(refused.message, /nothing was changed/);
    assert.deepEqual(await namesIn(at), ["a.txt"]);
  });
});

Deno.test("a cancelled call stops within a file: while it is read, sent, verified, or read again", async () => {
  const moments: [string, (at: Joined) => void, verified: boolean | undefined][] = [
    ["read", (at) => {
      const { read } = at.disk;
      at.disk.read = (fd, buffer) => {
        at.stop.abort();
        return read(fd, buffer);
      };
    }, undefined],
    ["sent", (at) => {
      at.wire.answer = ({ method, path }, forward) => {
        if (method === "POST" && path === "/files") at.stop.abort();
        return forward();
      };
    }, undefined],
    ["verified", (at) => {
      at.wire.answer = ({ path }, forward) => {
        if (path.endsWith("/download")) at.stop.abort();
        return forward();
      };
    }, false],
    ["read again", (at) => {
      const { readAt } = at.disk;
      at.disk.readAt = (fd, buffer, offset) => {
        at.stop.abort();
        return readAt(fd, buffer, offset);
      };
    }, true],
  ];
  for (const [moment, cancelAt, verified] of moments) {
    await joined(async (at) => {
      plant(at.dir, { "a.txt": "x".repeat(3_000_000) });
      const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt"]));
      cancelAt(at);
      const refused = await refusalOf(confirm);
      assert.equal(refused.code, "cancelled", moment);
      const { in_vault_and_still_on_disk: both, moved } = refused.detail as Detail;
      assert.equal(both?.verified, verified, moment);
      assert.deepEqual(moved, []);
      assert.ok(exists(`${at.dir}/a.txt`));
      assert.equal((await namesIn(at)).length, verified === undefined ? 0 : 1, moment);
    });
  }
});

Deno.test("a bug in the middle is told under a code of its own, with what was moved", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    const { client } = at.context;
    const upload = client.upload.bind(client);
    let count = 0;
    client.upload = (view, destination, request) => {
      if (++count === 2) throw new TypeError("a bug");
      return upload(view, destination, request);
    };
    const { log } = console;
    const lines: string[] = [];
    console.log = (line) => void lines.push(line);
    try {
      const refused = await refusalOf(confirm);
      assert.equal(refused.code, "move_failed");
      assert.equal((refused.detail as Detail).moved.length, 1);
      assert.match(lines.join(), /TypeError: a bug/);
    } finally {
      console.log = log;
    }
  });
});
