// vault_move_in: what is planned, what is left out or refused, and that an original goes to the trash only after
// its copy was read back and compared, with a record that names the copy (vault spec, 11).

import assert from "node:assert/strict";
import { planMoveIn } from "../../../tools/vault/work/mod.ts";
import { MAX_FILE_BYTES, storedBytes } from "../../../vault/client/mod.ts";
import { exists, plant } from "../../support.ts";
import { makeFifo, perform as performLocal, refusalOf, sha256 } from "../changing.ts";
import { type Joined, joined, perform, preview } from "./joined.ts";
import { args, batchesIn, namesIn, TRASH } from "./moving_in.ts";

/** Number of requests that could have changed something. */
function sent({ wire }: Joined): number {
  return wire.lines.filter((line) => line.startsWith("POST /files")).length;
}

Deno.test("a plan shows every file with its place, and is bound to exactly what it shows", async () => {
  await joined(async (at) => {
    const { dir, folder } = at;
    plant(dir, { "b.txt": "world!", "a.txt": "hello" });
    const { shown, binding } = await preview("vault_move_in", at, args(at, ["b.txt", "a.txt"]));
    const { summary: _summary, ...rest } = shown;
    const trash_directory = `${dir}/${TRASH}`;
    const file = (name: string, bytes: number) => ({
      source: `${dir}/${name}`,
      bytes,
      bytes_human: `${bytes} B`,
      vault_path: `/A/${name}`,
      trash_directory,
    });
    assert.deepEqual(rest, {
      performed: false,
      action: "move_in",
      destination: folder,
      destination_path: "/A",
      files: [file("b.txt", 6), file("a.txt", 5)],
      total_bytes: 11,
    });
    const item = (name: string, bytes: number) => {
      const { dev, ino, mtime } = Deno.lstatSync(`${dir}/${name}`);
      const entry = `file:${dev}:${ino}:${mtime!.getTime()}:${bytes}`;
      return { source: `${dir}/${name}`, entry, bytes, name, trash_directory };
    };
    assert.deepEqual(binding, {
      op: "vault_move_in",
      destination: folder,
      items: [item("a.txt", 5), item("b.txt", 6)],
    });
    assert.ok(!exists(trash_directory));
    assert.equal(sent(at), 0);
  });
});

Deno.test("three files: all verified, the manifest names their copies, nothing is freed", async () => {
  await joined(async (at) => {
    const { dir, world } = at;
    const contents = { "a.txt": "hello", "sub/b.bin": "x".repeat(5_000_000), "c": "!" };
    plant(dir, contents);
    const names = Object.keys(contents);
    const output = await perform(
      "vault_move_in",
      at,
      args(at, names, {
        plan_token: `plan_${"0".repeat(32)}`,
      }),
    );
    assert.equal(output.performed, true);
    assert.equal(output.space_freed_bytes, 0);
    assert.equal(output.space_recoverable_bytes, 5_000_006);
    assert.equal(output.moved.length, 3);
    const [batch] = batchesIn(dir);
    assert.equal(batch.name, output.trash_batch);
    assert.equal(batch.manifest.tool, "vault_move_in");
    assert.equal(batch.manifest.plan_token_hash, sha256(`plan_${"0".repeat(32)}`));
    for (const [i, name] of names.entries()) {
      const content = contents[name as keyof typeof contents];
      const moved = output.moved[i];
      const line = batch.manifest.items[i];
      assert.deepEqual(moved, {
        source: `${dir}/${name}`,
        bytes: content.length,
        vault_file_id: moved.vault_file_id,
        vault_path: `/A/${name.replace("sub/", "")}`,
        sha256: sha256(content),
        trashed_to: line.trashed_to,
      });
      assert.equal(new TextDecoder().decode(await world.contentOf(moved.vault_file_id)), content);
      assert.ok(!exists(`${dir}/${name}`));
      assert.equal(Deno.readTextFileSync(moved.trashed_to), content);
      assert.deepEqual(
        [line.original_path, line.state, line.vault_file_id, line.vault_path, line.sha256],
        [moved.source, "moved", moved.vault_file_id, moved.vault_path, moved.sha256],
      );
    }
  });
});

Deno.test("the line about a copy is on disk before the original moves", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { link } = at.disk;
    const seen: unknown[] = [];
    at.disk.link = (from, to) => {
      if (from.endsWith(".txt")) {
        const [{ manifest }] = batchesIn(at.dir);
        seen.push(manifest.items.map((item: Record<string, unknown>) => [
          item.original_path,
          item.state,
          typeof item.vault_file_id,
          item.sha256,
        ]));
      }
      link(from, to);
    };
    await perform("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    const line = (
      name: string,
      state: string,
      text: string,
    ) => [`${at.dir}/${name}`, state, "string", sha256(text)];
    assert.deepEqual(seen, [
      [line("a.txt", "planned", "hello")],
      [line("a.txt", "moved", "hello"), line("b.txt", "planned", "world")],
    ]);
  });
});

Deno.test("originals come back with restore", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "sub/b.txt": "world" });
    const { trash_batch } = await perform("vault_move_in", at, args(at, ["a.txt", "sub/b.txt"]));
    const restored = await performLocal("restore_local", at.dir, { batch: trash_batch });
    assert.equal(restored.restored.length, 2);
    assert.equal(Deno.readTextFileSync(`${at.dir}/a.txt`), "hello");
    assert.equal(Deno.readTextFileSync(`${at.dir}/sub/b.txt`), "world");
    assert.deepEqual(await namesIn(at), ["a.txt", "b.txt"], "the copies stay");
    const items = batchesIn(at.dir)[0].manifest.items;
    assert.deepEqual(items.map(({ state }: { state: string }) => state), ["restored", "restored"]);
    assert.ok(items.every((item: Record<string, unknown>) => typeof item.vault_path === "string"));
  });
});

Deno.test("each volume has its own trash, and one call the same batch in each", async () => {
  const other = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "shieldfive-" });
  try {
    await joined(async (at) => {
      if (Deno.statSync(other).dev === Deno.statSync(at.dir).dev) {
        return console.log("skipped: /dev/shm is not another volume here");
      }
      plant(at.dir, { "a.txt": "hello", "c.txt": "!" });
      plant(other, { "b.txt": "world" });
      const paths = [`${at.dir}/a.txt`, `${other}/b.txt`, `${at.dir}/c.txt`];
      const given = { paths, destination_folder_id: at.folder };
      const { trash_batch, moved } = await perform("vault_move_in", at, given);
      assert.deepEqual([at.dir, other].map((dir) => batchesIn(dir).map(({ name }) => name)), [
        [trash_batch],
        [trash_batch],
      ]);
      assert.deepEqual(
        moved.map(({ trashed_to }: { trashed_to: string }) => trashed_to),
        [
          `${at.dir}/${TRASH}/${trash_batch}/items/1/a.txt`,
          `${other}/${TRASH}/${trash_batch}/items/1/b.txt`,
          `${at.dir}/${TRASH}/${trash_batch}/items/2/c.txt`,
        ],
      );
    }, { granted: (dir) => [dir, other] });
  } finally {
    Deno.removeSync(other, { recursive: true });
  }
});

Deno.test("the same file named twice is counted once, under whatever path", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "sub/": "" });
    Deno.symlinkSync(at.dir, `${at.dir}/sub/up`);
    const names = ["a.txt", "sub/../a.txt", "sub/up/a.txt"];
    const output = await perform("vault_move_in", at, args(at, names));
    assert.equal(output.moved.length, 1);
    assert.ok(output.warnings.includes("2 repeated paths counted once"));
    assert.deepEqual(await namesIn(at), ["a.txt"]);
  });
});

Deno.test("none, more than fifty, and two of one name are refused before anything is sent", async () => {
  await joined(async (at) => {
    const many = Array.from({ length: 51 }, (_, i) => `${i}.txt`);
    plant(at.dir, Object.fromEntries([...many, "x/same", "y/same"].map((name) => [name, "x"])));
    const code = async (names: string[]) =>
      (await refusalOf(() => preview("vault_move_in", at, args(at, names)))).code;
    assert.equal(await code([]), "invalid_path");
    assert.equal(await code(many), "invalid_argument");
    const unchecked = async (names: string[]) => {
      const { paths, destination_folder_id } = args(at, names);
      return (await refusalOf(() => planMoveIn(at.context, { paths, destination_folder_id }))).code;
    };
    assert.equal(await unchecked([]), "bad_request");
    assert.equal(await unchecked(many), "too_many_items");
    assert.equal(await code(["x/same", "y/same"]), "duplicate_name");
    const fifty = (await preview("vault_move_in", at, args(at, many.slice(1)))).shown;
    assert.equal(fifty.files.length, 50);
    assert.equal(sent(at), 0);
  });
});

Deno.test("twins among the files, and hard links, are told", async () => {
  await joined(async (at) => {
    plant(at.dir, { "x/é.txt": "1", "y/e\u0301.txt": "2", "z/É.txt": "3", "one": "4" });
    Deno.linkSync(`${at.dir}/one`, `${at.dir}/two`);
    const names = ["x/é.txt", "y/e\u0301.txt", "z/É.txt", "one"];
    const { shown } = await preview("vault_move_in", at, args(at, names));
    const [first, second, links, ...more] = shown.warnings;
    assert.match(first, /x\/é\.txt.*y\/e.*differ only in capitals/);
    assert.match(second, /x\/é\.txt.*z\/É.*differ only in capitals/);
    assert.match(links, /one" is one of 2 names of the same file/);
    assert.deepEqual(more, []);
    const output = await perform("vault_move_in", at, args(at, names));
    assert.equal(output.space_recoverable_bytes, 3, "the other name keeps the bytes of the fourth");
    assert.equal((await namesIn(at)).length, 4, "nothing was overwritten");
  });
});

Deno.test("a file with the name and size of one in the vault is another file: told, and put beside it", async () => {
  await joined(async (at) => {
    const old = await at.world.addFile(at.folder, "clip.mp4", "older bytes");
    plant(at.dir, { "clip.mp4": "newer bytes" });
    const { shown, confirm } = await preview("vault_move_in", at, args(at, ["clip.mp4"]));
    assert.match(shown.warnings[0], /a file called "clip.mp4" is there already/);
    const { moved: [moved] } = await confirm();
    const text = async (id: string) => new TextDecoder().decode(await at.world.contentOf(id));
    assert.deepEqual([await text(old), await text(moved.vault_file_id)], [
      "older bytes",
      "newer bytes",
    ]);
  });
});

Deno.test("what the vault cannot take is left out and told, and the others go", async () => {
  await joined(async (at) => {
    const { dir } = at;
    plant(dir, { "good.txt": "x", "zero\u200bwidth": "x", "empty": "" });
    using file = Deno.openSync(`${dir}/larger`, { write: true, createNew: true });
    file.truncateSync(MAX_FILE_BYTES + 1);
    const names = ["zero\u200bwidth", "good.txt", "empty", "larger"];
    const { shown, confirm } = await preview("vault_move_in", at, args(at, names));
    const codes = (rows: { code: string; message: string }[]) =>
      rows.map(({ code, message }) => {
        assert.ok(message.includes(dir));
        return code;
      });
    assert.deepEqual(codes(shown.left_out), ["invalid_name", "empty_file", "too_large"]);
    const output = await confirm();
    assert.deepEqual(codes(output.left_out), ["invalid_name", "empty_file", "too_large"]);
    assert.match(output.summary, /3 files left out/);
    assert.equal(output.moved.length, 1);
    assert.ok(exists(`${dir}/empty`) && exists(`${dir}/larger`));
    for (const [name, code] of [["empty", "empty_file"], ["larger", "too_large"]]) {
      const refused = await refusalOf(() => preview("vault_move_in", at, args(at, [name])));
      assert.equal(refused.code, code, "where nothing else is left");
    }
  });
});

Deno.test("a path that is no file of the user's stops the whole call", async () => {
  await joined(async (at) => {
    const { dir } = at;
    plant(dir, { "in/a.txt": "x", "in/folder/": "", "out.txt": "y", "in/secret": "z" });
    plant(dir, { [`in/${TRASH}/b/items/1/old.txt`]: "trashed" });
    Deno.symlinkSync(`${dir}/in/a.txt`, `${dir}/in/link`);
    makeFifo(`${dir}/in/pipe`);
    const cases: [string, string][] = [
      ["in/link", "not_a_file"],
      ["in/folder", "not_a_file"],
      ["in/pipe", "not_a_file"],
      ["in/nothing", "not_found"],
      ["out.txt", "outside_roots"],
      ["in/secret", "protected_location"],
      [`in/${TRASH}/b/items/1/old.txt`, "already_trashed"],
    ];
    for (const [name, code] of cases) {
      const names = ["in/a.txt", name];
      const refused = await refusalOf(() => preview("vault_move_in", at, args(at, names)));
      assert.equal(refused.code, code, name);
    }
    assert.deepEqual(at.wire.lines, []);
  }, {
    granted: (dir) => {
      plant(dir, { "in/": "" });
      return [`${dir}/in`];
    },
    protectedPaths: (dir) => [`${dir}/in/secret`],
  });
});

Deno.test("a trash that cannot be used is found before anything is sent", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x", "elsewhere/": "" });
    Deno.symlinkSync(`${at.dir}/elsewhere`, `${at.dir}/${TRASH}`);
    const refused = await refusalOf(() => preview("vault_move_in", at, args(at, ["a.txt"])));
    assert.equal(refused.code, "trash_unsafe");
    assert.deepEqual(at.wire.lines, []);
  });
});

Deno.test("an allowance that is smaller than all of them together is refused up front", async () => {
  const writeBudgetBytes = storedBytes(10) + storedBytes(10) - 1;
  await joined(async (at) => {
    plant(at.dir, { "a": "x".repeat(10), "b": "y".repeat(10) });
    const refused = await refusalOf(() => preview("vault_move_in", at, args(at, ["a", "b"])));
    assert.equal(refused.code, "write_budget_exhausted");
    assert.equal(sent(at), 0);
    const { shown } = await preview("vault_move_in", at, args(at, ["a"]));
    assert.equal(shown.upload_allowance_left_bytes, writeBudgetBytes);
    const output = await perform("vault_move_in", at, args(at, ["a"]));
    assert.equal(output.budget_remaining_bytes, storedBytes(10) - 1);
  }, { row: { writeBudgetBytes } });
});

Deno.test("without folders, or without the right to add files, nothing is looked at or asked", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x" });
    const { disk: _disk, ...context } = at.context;
    const refused = await refusalOf(() =>
      preview("vault_move_in", { context }, args(at, ["a.txt"]))
    );
    assert.equal(refused.code, "no_roots");
    assert.deepEqual(at.wire.lines, []);
  });
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "x" });
    const refused = await refusalOf(() => preview("vault_move_in", at, args(at, ["a.txt"])));
    assert.deepEqual([refused.code, refused.detail], ["missing_scope", { scope: "write" }]);
    assert.deepEqual(at.wire.lines, ["GET /grant"]);
  }, { scopes: ["read", "organize"] });
});

Deno.test("a file that changed between preview and confirmation stops all of it", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const { confirm } = await preview("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    plant(at.dir, { "b.txt": "World" });
    Deno.utimeSync(`${at.dir}/b.txt`, 1e9, 1e9);
    const refused = await refusalOf(confirm);
    assert.deepEqual([refused.code, refused.detail!.fields], ["plan_changed", ["items"]]);
    assert.ok(exists(`${at.dir}/a.txt`));
    assert.equal(sent(at), 0);
  });
});

Deno.test("the order of the paths does not matter to a confirmation", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a.txt": "hello", "b.txt": "world" });
    const one = await preview("vault_move_in", at, args(at, ["a.txt", "b.txt"]));
    const other = await preview("vault_move_in", at, args(at, ["b.txt", "a.txt"]));
    assert.deepEqual(one.binding, other.binding);
  });
});

Deno.test("progress counts the bytes of all files once, and never falls", async () => {
  await joined(async (at) => {
    plant(at.dir, { "a": "x".repeat(1_000_000), "b": "y".repeat(5_000_000) });
    await perform("vault_move_in", at, args(at, ["a", "b"]));
    const told = at.told.filter(({ label }) => label === "moving in");
    let last = 0;
    for (const { done, total, unit } of told) {
      assert.deepEqual([total, unit], [6_000_000, "bytes"]);
      assert.ok(done >= last && done <= 6_000_000);
      last = done;
    }
    assert.equal(last, 6_000_000);
    assert.ok(told.some(({ done }) => done > 1_000_000 && done < 3_500_000));
  });
});
