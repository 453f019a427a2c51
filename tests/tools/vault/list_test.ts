// Listing, searching and adding up a vault: what the connection reaches is told rightly, what it does not
// reach is not even asked for, and what is missing is said (vault spec, 4 and 6).

import assert from "node:assert/strict";
import { rowId } from "../../vault/server/rows_support.ts";
import type { World } from "../../vault/client/world.ts";
import { acts, inVault, read, refusal, requests } from "./calling.ts";

const DAY = 86_400_000;

/** `/A/`, `/A/B/`, `/A/B/deep.csv`, `/A/one.txt`, `/A/two.PDF`, `/C/`, `/C/other.txt`. */
async function furnish(world: World) {
  const a = await world.addFolder(null, "A");
  const b = await world.addFolder(a, "B");
  const c = await world.addFolder(null, "C");
  const at = (days: number) => ({ row: { updatedAt: Date.UTC(2024, 5, 1) + days * DAY } });
  const one = await world.addFile(a, "one.txt", "x".repeat(10), at(0));
  const two = await world.addFile(a, "two.PDF", "x".repeat(200), at(10));
  const deep = await world.addFile(b, "deep.csv", "x".repeat(3000), at(20));
  const other = await world.addFile(c, "other.txt", "x".repeat(7), at(30));
  return { a, b, c, one, two, deep, other };
}

Deno.test("a connection to one folder lists that folder and nothing else, and asks for nothing else", () =>
  inVault(furnish, async (calling, { a, b, one, two, deep, c, other }) => {
    const output = await read("vault_list_files", calling);
    assert.deepEqual(output.folders, [{ id: a, path: "/A" }, { id: b, path: "/A/B" }]);
    assert.deepEqual(
      output.files.map(({ id, path, size, type }: Record<string, unknown>) => [
        id,
        path,
        size,
        type,
      ]),
      [
        [deep, "/A/B/deep.csv", 3000, "csv"],
        [one, "/A/one.txt", 10, "txt"],
        [two, "/A/two.PDF", 200, "pdf"],
      ],
    );
    assert.equal(output.files[1].modified, "2024-06-01T00:00:00.000Z");
    assert.deepEqual([output.total, output.total_folders, output.total_bytes], [3, 2, 3210]);
    assert.deepEqual([output.next_offset, output.warnings], [undefined, undefined]);
    assert.equal(output.summary, "3 files (3.2 KB) and 2 folders.");
    const told = JSON.stringify(output);
    for (const outside of [c, other, "other"]) assert.ok(!told.includes(outside));
    assert.deepEqual(requests(calling), ["GET /grant", "GET /folders", "GET /files"]);
    for (const id of [c, other, rowId(99)]) {
      const { code } = await refusal(read("vault_list_files", calling, { folder_id: id }));
      assert.equal(code, "not_found");
    }
    assert.ok(calling.wire.asked.every(({ url, body }) => !(url + body).includes(other)));
  }, ({ a }) => ({ roots: [a], scopes: ["read"] })));

Deno.test("a part of the vault is listed with all below it", () =>
  inVault(furnish, async (calling, { a, b }) => {
    const output = await read("vault_list_files", calling, { folder_id: a });
    assert.equal(output.folder, "/A");
    assert.deepEqual(output.folders.map(({ path }: { path: string }) => path), ["/A/B"]);
    assert.deepEqual([output.total, output.total_bytes], [3, 3210]);
    assert.match(output.summary, / in "\/A"\.$/);
    const upper = await read("vault_list_files", calling, { folder_id: b.toUpperCase() });
    assert.equal(upper.total, 1);
  }));

Deno.test("a list comes in pages, each folder and file once, and an offset past the end gives an empty one", () =>
  inVault(furnish, async (calling) => {
    const paths: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: Awaited<ReturnType<typeof read>> = await read("vault_list_files", calling, {
        limit: 2,
        offset,
      });
      paths.push(...[...page.folders, ...page.files].map(({ path }: { path: string }) => path));
      offset = page.next_offset;
    }
    assert.deepEqual(paths.sort(), [
      "/A",
      "/A/B",
      "/A/B/deep.csv",
      "/A/one.txt",
      "/A/two.PDF",
      "/C",
      "/C/other.txt",
    ]);
    const beyond = await read("vault_list_files", calling, { offset: 100 });
    assert.deepEqual([beyond.folders, beyond.files, beyond.total], [[], [], 4]);
    const first = await read("vault_list_files", calling, { limit: 3 });
    assert.match(
      first.summary,
      /; 3 files and 3 folders shown \(offset 3 gives the next ones\)\.$/,
    );
    const { code, message } = await refusal(read("vault_list_files", calling, { limit: 5001 }));
    assert.equal(code, "invalid_argument");
    assert.match(message, /limit/);
  }));

Deno.test("folders alone come in pages as well", () =>
  inVault(async (world) => {
    for (const name of ["A", "B", "C"]) await world.addFolder(null, name);
  }, async (calling) => {
    const first = await read("vault_list_files", calling, { limit: 2 });
    assert.deepEqual([first.folders.length, first.next_offset], [2, 2]);
    const second = await read("vault_list_files", calling, { limit: 2, offset: 2 });
    assert.deepEqual([second.folders.length, second.next_offset], [1, undefined]);
  }));

Deno.test("what is in the trash is left out unless it is asked for", () =>
  inVault(furnish, async (calling, { one }) => {
    const { client } = calling.context;
    const view = await client.view();
    await client.trash(view, [view.item(one)!]);
    const without = await read("vault_list_files", calling);
    assert.ok(!JSON.stringify(without).includes("one.txt"));
    assert.deepEqual([without.total, without.total_folders], [3, 3]);
    const all = await read("vault_list_files", calling, { include_trash: true });
    const trashed = all.files.find(({ id }: { id: string }) => id === one);
    assert.equal(trashed.path, "/ShieldFive Bin (this connection)/one.txt");
    assert.equal(trashed.in_trash, true);
    const trash = calling.connected.trashId;
    const inside = await read("vault_list_files", calling, { folder_id: trash });
    assert.deepEqual([inside.total, inside.files[0].id], [1, one]);
    const found = await read("vault_search_files", calling, { name_contains: "one" });
    assert.equal(found.total, 0);
    const stats = await read("vault_storage_stats", calling);
    assert.deepEqual(stats.in_connection_bin, { files: 1, bytes: 10 });
    assert.deepEqual([stats.total_files, stats.total_bytes], [3, 3207]);
    assert.ok(!JSON.stringify(stats.biggest_folders).includes("Bin"));
  }));

Deno.test("names that would deceive are shown filtered, and long ones cut", () =>
  inVault(async (world) => {
    const a = await world.addFolder(null, "A");
    await world.addFile(a, "report\u202efdp.exe", "x");
    await world.addFile(a, "line\nbreak.txt", "x");
    await world.addFile(a, `${"n".repeat(300)}.txt`, "x", { contentType: "text/plain\u001b[2J" });
  }, async (calling) => {
    const { files, summary } = await read("vault_list_files", calling);
    const paths = files.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, [
      "/A/line\ufffdbreak.txt",
      `/A/${"n".repeat(255)}…`,
      "/A/report\ufffdfdp.exe",
    ]);
    assert.equal(files[1].type, "text/plain\ufffd[2J");
    assert.equal(summary, "3 files (3 B) and 1 folder.");
  }));

Deno.test("what cannot be opened is listed as such, and the summary counts it", () =>
  inVault(async (world) => {
    const a = await world.addFolder(null, "A");
    await world.addFile(a, "later.txt", "x", { pending: true });
    await world.addFile(a, "x", "x", { row: { name: "no envelope" } });
    await world.addFile(a, "fine.txt", "x");
  }, async (calling) => {
    const { files, summary, warnings } = await read("vault_list_files", calling);
    const byPath = Object.fromEntries(
      files.map((file: { path: string }) => [file.path, file]),
    );
    assert.equal(byPath["/A/later.txt"].readable, false);
    assert.equal(byPath["/A/fine.txt"].readable, undefined);
    assert.equal(byPath["/A/[name unavailable]"].type, "unknown");
    assert.equal(warnings.length, 2);
    assert.match(summary, /Note: 1 file cannot be read yet: .*\. Note: 1 name did not open\.$/);
    const { pending_owner_unlock } = await read("vault_storage_stats", calling);
    assert.equal(pending_owner_unlock, 1);
  }));

Deno.test("names that nobody could derive are not called broken, and come with the next call", () => {
  let broken = true;
  return inVault(
    async (world) => void await world.addFile(await world.addFolder(null, "A"), "a.txt", "x"),
    async (calling) => {
      const first = await read("vault_list_files", calling);
      assert.equal(first.files[0].path, "/A/[name unavailable]");
      assert.match(first.summary, /1 name could not be opened this time; try again/);
      assert.doesNotMatch(first.summary, /did not open/);
      broken = false;
      const second = await read("vault_list_files", calling);
      assert.equal(second.files[0].path, "/A/a.txt");
      assert.equal(second.warnings, undefined);
    },
    {
      over: {
        kdf: {
          concurrency: 1,
          derive: ({ password, salt, memoryKiB }) => {
            if (broken) return Promise.reject(new Error("no memory"));
            const message = new Uint8Array([...password, ...salt, memoryKiB / 65536]);
            return crypto.subtle.digest("SHA-256", message).then((key) => new Uint8Array(key));
          },
        },
      },
    },
  );
});

const found = (output: Awaited<ReturnType<typeof read>>) =>
  output.files.map(({ path }: { path: string }) => path.split("/").at(-1));

Deno.test("files are found by name, path, type, size and date, all of which must fit", () =>
  inVault(furnish, async (calling, { a, b }) => {
    const search = (args: Record<string, unknown>) => read("vault_search_files", calling, args);
    for (
      const [args, expected] of [
        [{}, ["deep.csv", "one.txt", "two.PDF", "other.txt"]],
        [{ name_contains: "TWO" }, ["two.PDF"]],
        [{ name_contains: "/" }, []],
        [{ path_contains: "a/b/" }, ["deep.csv"]],
        [{ extensions: ["pdf"] }, ["two.PDF"]],
        [{ extensions: [".PDF", "csv"] }, ["deep.csv", "two.PDF"]],
        [{ extensions: ["df"] }, []],
        [{ min_bytes: 200, max_bytes: 200 }, ["two.PDF"]],
        [{ modified_after: "2024-06-11" }, ["deep.csv", "two.PDF", "other.txt"]],
        [{ modified_before: "2024-06-11" }, ["one.txt"]],
        [{ modified_after: "2024-06-11T00:00:00.001Z" }, ["deep.csv", "other.txt"]],
        [{ modified_before: "2024-06-11 02:00+02:00" }, ["one.txt"]],
        [{ modified_before: "2024-06-11T02:00:01+0200" }, ["one.txt", "two.PDF"]],
        [{ folder_id: b }, ["deep.csv"]],
        [{ folder_id: a, extensions: ["txt"] }, ["one.txt"]],
      ] as [Record<string, unknown>, string[]][]
    ) {
      assert.deepEqual(found(await search(args)), expected, JSON.stringify(args));
    }
    const limited = await search({ limit: 1 });
    assert.deepEqual([limited.files.length, limited.total, limited.total_bytes], [1, 4, 3217]);
    assert.match(limited.summary, /^4 files \(3\.2 KB\) match; 1 shown/);
    assert.deepEqual(acts(calling), []);
  }));

Deno.test("a date that is none is refused before anything is asked for", () =>
  inVault(furnish, async (calling) => {
    for (
      const date of ["yesterday", "2024-02-30", "2024-13-01", "2024-6-1", "2024-06-01T25:00", "1"]
    ) {
      const call = read("vault_search_files", calling, { modified_after: date });
      const { code, message } = await refusal(call);
      assert.equal(code, "invalid_argument", date);
      assert.match(message, /modified_after takes a date such as/);
    }
    const long = read("vault_search_files", calling, { modified_before: "2".repeat(41) });
    assert.equal((await refusal(long)).code, "invalid_argument");
    assert.deepEqual(requests(calling), []);
  }));

Deno.test("composed and decomposed letters find each other, and hidden names are searched as they are", () =>
  inVault(async (world) => {
    const a = await world.addFolder(null, "A");
    await world.addFile(a, "re\u0301sume\u0301.txt", "x");
    await world.addFile(a, `${"n".repeat(300)}end.txt`, "x");
  }, async (calling) => {
    const names = await read("vault_search_files", calling, { name_contains: "RÉSUMÉ" });
    assert.equal(names.total, 1);
    const cut = await read("vault_search_files", calling, { name_contains: "nend" });
    assert.equal(cut.total, 1);
    assert.equal((await read("vault_search_files", calling, { extensions: ["txt"] })).total, 2);
  }));

Deno.test("sums are those of the list, and a folder's has all below it", () =>
  inVault(furnish, async (calling, { a, b, c, deep, two }) => {
    const list = await read("vault_list_files", calling);
    const stats = await read("vault_storage_stats", calling);
    assert.equal(stats.total_files, list.total);
    assert.equal(stats.total_bytes, list.total_bytes);
    assert.deepEqual(stats.biggest_folders, [
      { id: a, path: "/A", files: 3, bytes: 3210 },
      { id: b, path: "/A/B", files: 1, bytes: 3000 },
      { id: c, path: "/C", files: 1, bytes: 7 },
    ]);
    assert.deepEqual(
      stats.biggest_files.slice(0, 2).map(({ id }: { id: string }) => id),
      [deep, two],
    );
    assert.deepEqual(stats.by_type, [
      { type: "csv", files: 1, bytes: 3000 },
      { type: "pdf", files: 1, bytes: 200 },
      { type: "txt", files: 2, bytes: 17 },
    ]);
    assert.deepEqual(stats.in_connection_bin, { files: 0, bytes: 0 });
    assert.match(stats.summary, /^4 files, 3\.2 KB; the biggest folder is "\/A" with 3\.2 KB\.$/);
    const part = await read("vault_storage_stats", calling, { folder_id: b });
    assert.deepEqual([part.folder, part.total_files, part.total_bytes], ["/A/B", 1, 3000]);
    assert.deepEqual(part.biggest_folders, [{ id: b, path: "/A/B", files: 1, bytes: 3000 }]);
  }));

Deno.test("a call that is no longer wanted ends as cancelled, and says how far it is until then", () =>
  inVault(furnish, async (calling) => {
    await read("vault_list_files", calling);
    assert.ok(calling.told.some(({ label, total }) => label === "opening names" && total === 5));
    calling.stop.abort();
    for (const name of ["vault_list_files", "vault_search_files", "vault_storage_stats"]) {
      assert.equal((await refusal(read(name, calling))).code, "cancelled");
    }
  }));

Deno.test("a connection that was revoked between two calls is refused by the second", () =>
  inVault(furnish, async (calling) => {
    await read("vault_list_files", calling);
    calling.world.rows.updateGrant(calling.connected.credential.grantId, { revokedAt: Date.now() });
    const { code, message } = await refusal(read("vault_list_files", calling));
    assert.equal(code, "grant_invalid");
    assert.match(message, /revoked or has expired; call vault_connect/);
  }));

Deno.test("a connection that expires in the middle is refused likewise", () =>
  inVault(furnish, async (calling) => {
    await read("vault_list_files", calling);
    const { server } = calling.world;
    server.clock.now = () => Date.now() + 3 * 3_600_000;
    assert.equal((await refusal(read("vault_search_files", calling))).code, "grant_invalid");
  }));
