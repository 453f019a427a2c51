// Duplicates in the vault: contents decide, and nothing else; what was not compared is said, and makes the
// totals a lower bound (vault spec, 7).

import assert from "node:assert/strict";
import type { FileOptions, Format, World } from "../../vault/client/world.ts";
import { patterned, sha256 } from "../../vault/client/world.ts";
import { acts, type Calling, inVault, read, refusal } from "./calling.ts";

const MIB = 1024 * 1024;

/** Files in `/A`, by name; gives their ids by name. */
function files(given: Record<string, string | Uint8Array | [string | Uint8Array, FileOptions]>) {
  return async (world: World): Promise<Record<string, string>> => {
    const a = await world.addFolder(null, "A");
    const ids: Record<string, string> = { a };
    for (const [name, file] of Object.entries(given)) {
      const [content, options] = Array.isArray(file) ? file : [file, {}];
      ids[name] = await world.addFile(a, name, content, options);
    }
    return ids;
  };
}

const find = (calling: Calling, args: Record<string, unknown> = {}) =>
  read("vault_find_duplicates", calling, args);

/** How often something of a file was downloaded, by name. */
function downloads({ wire }: Calling, ids: Record<string, string>): Record<string, number> {
  const counts = Object.entries(ids).map(([name, id]) => [
    name,
    wire.asked.filter(({ path }) => path === `/files/${id}/download`).length,
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

const at = (time: number): FileOptions => ({ row: { createdAt: Date.UTC(2024, 0, time) } });

Deno.test("the same content is found in all formats, and other content of the same size is not", () => {
  const of = (format: Format, day: number): FileOptions => ({ ...at(day), format });
  return inVault(
    files({
      "one.txt": ["the same", of(1, 3)],
      "two.txt": ["the same", of(2, 2)],
      "three.txt": ["the same", of(3, 1)],
      "other.txt": ["not same", of(3, 1)],
      "alone.txt": "of another size",
    }),
    async (calling, ids) => {
      const output = await find(calling);
      assert.equal(output.groups.length, 1);
      const [group] = output.groups;
      assert.equal(group.sha256, await sha256(new TextEncoder().encode("the same")));
      assert.deepEqual([group.size, group.reclaimable_bytes], [8, 16]);
      assert.equal(group.keep.id, ids["three.txt"]);
      assert.deepEqual(
        group.duplicates.map(({ id }: { id: string }) => id),
        [ids["two.txt"], ids["one.txt"]],
      );
      assert.deepEqual([output.reclaimable_bytes, output.hashed_bytes], [16, 32]);
      assert.deepEqual(output.unverified, []);
      assert.deepEqual([output.stopped_early, output.not_attempted], [undefined, undefined]);
      assert.equal(output.summary, "1 group of duplicates, 2 extra copies, 16 B to win.");
      assert.deepEqual(Object.keys(downloads(calling, ids)), [
        "one.txt",
        "two.txt",
        "three.txt",
        "other.txt",
      ]);
      assert.deepEqual(acts(calling), []);
    },
  );
});

Deno.test("the copy to keep is the oldest, then the one with the shorter path, then the first by path", () =>
  inVault(
    files({
      "zz": ["x1", at(5)],
      "b": ["x1", at(5)],
      "a": ["x1", at(6)],
      "long name": ["x2", at(1)],
      "y": ["x2", at(2)],
      "d": ["x3", at(3)],
      "c": ["x3", at(3)],
    }),
    async (calling) => {
      const { groups } = await find(calling);
      const kept = groups.map(({ keep }: { keep: { path: string } }) => keep.path).sort();
      assert.deepEqual(kept, ["/A/b", "/A/c", "/A/long name"]);
      const [three] = groups;
      assert.deepEqual(three.duplicates.map(({ path }: { path: string }) => path), [
        "/A/zz",
        "/A/a",
      ]);
    },
  ));

Deno.test("groups come with the most to win first, and what is in the trash takes no part", () =>
  inVault(
    files({ s1: "small", s2: "small", b1: "x".repeat(99), b2: "x".repeat(99), t: "small" }),
    async (calling, { t }) => {
      const { client } = calling.context;
      const view = await client.view();
      await client.trash(view, [view.item(t)!]);
      const { groups, reclaimable_bytes } = await find(calling);
      assert.deepEqual(groups.map(({ size }: { size: number }) => size), [99, 5]);
      assert.equal(reclaimable_bytes, 104);
      assert.equal((await find(calling, { min_bytes: 6 })).groups.length, 1);
    },
  ));

Deno.test("large files are told apart by the chunks at their ends, and only what is alike there is read whole", () => {
  const base = patterned(9 * MIB);
  const changed = (offset: number) => {
    const bytes = base.slice();
    bytes[offset] ^= 1;
    return bytes;
  };
  return inVault(
    files({
      same1: [base, at(1)],
      same2: [base, at(2)],
      first: changed(0),
      last: changed(9 * MIB - 1),
      middle: changed(5 * MIB),
    }),
    async (calling, ids) => {
      const output = await find(calling);
      assert.deepEqual(output.groups.length, 1);
      assert.equal(output.groups[0].keep.id, ids.same1);
      assert.equal(output.groups[0].duplicates[0].id, ids.same2);
      // Read whole are those that are alike at both ends.
      assert.equal(output.hashed_bytes, 3 * 9 * MIB);
      const whole = calling.wire.asked.filter(({ path, headers }) =>
        path.endsWith("/download") && !headers.has("range")
      ).map(({ path }) => path.split("/")[2]);
      assert.deepEqual(whole.sort(), [ids.same1, ids.same2, ids.middle].sort());
      assert.deepEqual(output.unverified, []);
    },
  );
});

Deno.test("a budget that is too small leaves the smaller groups, with the reason, and the sums are a lower bound", () =>
  inVault(
    files({
      b1: "x".repeat(500),
      b2: "x".repeat(500),
      s1: "tiny",
      s2: "tiny",
      m1: "12345678",
      m2: "12345678",
    }),
    async (calling, ids) => {
      const output = await find(calling, { max_total_bytes: 1010 });
      assert.deepEqual(output.groups.map(({ size }: { size: number }) => size), [500, 4]);
      assert.deepEqual(
        output.unverified.map(({ id, reason }: Record<string, string>) => [id, reason]),
        [[ids.m1, "over_budget"], [ids.m2, "over_budget"]],
      );
      assert.match(
        output.summary,
        /at least 504 B to win\. Note: this is a LOWER BOUND: 2 files of/,
      );
      assert.equal(downloads(calling, ids).m1, undefined);
    },
  ));

Deno.test("nothing is downloaded of a group of which only one copy could be", () =>
  inVault(files({ a1: "x".repeat(500), a2: "x".repeat(500) }), async (calling, ids) => {
    const output = await find(calling, { max_total_bytes: 999 });
    assert.equal(output.groups.length, 0);
    assert.equal(output.unverified.length, 2);
    assert.deepEqual(downloads(calling, ids), {});
    assert.match(output.summary, /^No duplicates found\. Note: this is a LOWER BOUND/);
  }));

Deno.test("of a group for which the budget does not do, the oldest copies are compared", () =>
  inVault(
    files({ new: ["same", at(9)], old: ["same", at(1)], older: ["same", at(0)] }),
    async (calling, ids) => {
      // In whichever order the server lists them.
      calling.wire.answer = async ({ path }, forward) => {
        const response = await forward();
        if (path !== "/files") return response;
        const answer = await response.json();
        return Response.json({ ...answer, files: answer.files.reverse() });
      };
      const output = await find(calling, { max_total_bytes: 8 });
      assert.equal(output.groups[0].keep.id, ids.older);
      assert.deepEqual(output.unverified.map(({ id }: { id: string }) => id), [ids.new]);
    },
  ));

Deno.test("what is too large, and what cannot be read, is left with the reason", () =>
  inVault(
    files({
      big1: "x".repeat(100),
      big2: "x".repeat(100),
      later1: ["abc", { pending: true }],
      later2: "abc",
      ok1: "12",
      ok2: "12",
      ok3: ["12", { pending: true }],
    }),
    async (calling, ids) => {
      const output = await find(calling, { max_file_bytes: 50 });
      assert.equal(output.groups.length, 1);
      const reasons = Object.fromEntries(
        output.unverified.map(({ id, reason }: Record<string, string>) => [id, reason]),
      );
      assert.deepEqual(reasons, {
        [ids.big1]: "over_max_file_bytes",
        [ids.big2]: "over_max_file_bytes",
        [ids.later1]: "pending_owner_unlock",
        [ids.later2]: "pending_owner_unlock",
        [ids.ok3]: "pending_owner_unlock",
      });
      assert.match(output.summary, /LOWER BOUND: 5 files/);
    },
  ));

Deno.test("the server's limit is met once: nothing more is asked for, and what was found stays", () => {
  let refused = 0;
  return inVault(
    files({
      b1: "x".repeat(500),
      b2: "x".repeat(500),
      s1: "tiny",
      s2: "tiny",
      t1: "abc",
      t2: "abc",
    }),
    async (calling) => {
      calling.wire.answer = ({ path }, forward) => {
        if (!path.endsWith("/download")) return forward();
        const done = calling.wire.asked.filter((each) => each.path.endsWith("/download")).length;
        if (done <= 2) return forward();
        refused++;
        return Response.json({ code: "egress_cap" }, { status: 429 });
      };
      const output = await find(calling);
      assert.equal(refused, 1);
      assert.deepEqual(output.groups.map(({ size }: { size: number }) => size), [500]);
      assert.equal(output.stopped_early, "quota_exceeded");
      assert.equal(output.not_attempted, 3);
      assert.deepEqual(output.unverified.length, 1);
      assert.match(
        output.summary,
        /LOWER BOUND: 4 files .* \(quota_exceeded ended the downloads\)/,
      );
    },
  );
});

Deno.test("a file that does not decrypt is left with the code, and the others are compared", () =>
  inVault(files({ a: "same", b: "same", c: "same" }), async (calling, { a, b, c }) => {
    calling.wire.answer = async ({ path }, forward) => {
      const response = await forward();
      if (path !== `/files/${b}/download`) return response;
      const bytes = await response.bytes();
      bytes[bytes.length - 1] ^= 1;
      return new Response(bytes, { status: response.status, headers: response.headers });
    };
    const { groups, unverified } = await find(calling);
    const ids = [groups[0].keep, ...groups[0].duplicates].map(({ id }) => id);
    assert.deepEqual(ids.sort(), [a, c].sort());
    assert.deepEqual(
      unverified.map(({ id, reason }: Record<string, string>) => [id, reason]),
      [[b, "decrypt_failed"]],
    );
  }));

Deno.test("a connection that is revoked meanwhile ends the call", () =>
  inVault(files({ a: "same", b: "same" }), async (calling) => {
    calling.wire.answer = ({ path }, forward) => {
      if (!path.endsWith("/download")) return forward();
      return Response.json({ code: "grant_invalid" }, { status: 401 });
    };
    assert.equal((await refusal(find(calling))).code, "grant_invalid");
  }));

Deno.test("a call that is no longer wanted ends in the middle of a download", () =>
  inVault(files({ a: patterned(6 * MIB), b: patterned(6 * MIB) }), async (calling) => {
    const { wire, stop, context } = calling;
    wire.answer = ({ path }, forward) => {
      if (!path.endsWith("/download")) return forward();
      queueMicrotask(() => stop.abort());
      return new Response(new ReadableStream({}));
    };
    assert.equal((await refusal(find(calling))).code, "cancelled");
    assert.ok(context.signal.aborted);
  }));

Deno.test("it is told how far the comparison is, up to all of it", () =>
  inVault(files({ a: "same", b: "same", c: "sama" }), async (calling) => {
    await find(calling);
    const told = calling.told.filter(({ label }) => label === "comparing");
    assert.deepEqual(told.at(-1), { done: 12, total: 12, unit: "bytes", label: "comparing" });
    assert.ok(told.every(({ done }, i) => i === 0 || done >= told[i - 1].done));
  }));
