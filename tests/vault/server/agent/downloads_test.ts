// A file's ciphertext on its way out: whole, in ranges, piece by piece, and no longer than it may.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ObjectReader } from "../../../../vault/server/objects/objects.ts";
import { bytesOf, type Connection, HOUR, TestVault } from "./vault.ts";

const MIB = 1024 * 1024;

function patterned(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 9)) & 0xff);
}

function setUp(bytes: Uint8Array, limits = {}) {
  const vault = new TestVault(limits);
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read"], [folder]);
  const file = vault.addFile(folder, bytes);
  return { vault, folder, as, file };
}

async function download(vault: TestVault, as: Connection, file: string, range?: string) {
  const headers: Record<string, string> = range === undefined ? {} : { range };
  return await vault.ask("POST", `/api/agent/v1/files/${file}/download`, { as, headers });
}

function egress(vault: TestVault) {
  const { egressDayBytes, egressMonthBytes } = vault.rows.owner()!;
  return [egressDayBytes, egressMonthBytes];
}

/** Counts the readers that are open. */
function watchReaders(vault: TestVault) {
  const open = vault.objects.open.bind(vault.objects);
  const seen = { open: 0, read: 0 };
  vault.objects.open = (key): ObjectReader | undefined => {
    const reader = open(key);
    if (reader === undefined) return undefined;
    seen.open++;
    const { size } = reader;
    return {
      size,
      read(offset, length) {
        seen.read += length;
        return reader.read(offset, length);
      },
      close() {
        seen.open--;
        reader.close();
      },
    };
  };
  return seen;
}

Deno.test("a file comes whole in pieces of at most 256 KiB, counted and recorded", async () => {
  const bytes = patterned(700_001);
  const { vault, as, file } = setUp(bytes);
  using _ = vault;
  const seen = watchReaders(vault);
  const { status, headers, body, route } = await download(vault, as, file);
  assert.equal(status, 200);
  assert.equal(route, "/api/agent/v1/files/:id/download");
  assert.deepEqual(headers, {
    "cache-control": "no-store",
    "content-type": "application/octet-stream",
    "content-length": "700001",
    "accept-ranges": "bytes",
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of body as ReadableStream<Uint8Array>) pieces.push(piece);
  assert.ok(pieces.every(({ length }) => length <= 256 * 1024));
  assert.deepEqual(await bytesOf(new Blob(pieces as BlobPart[]).stream()), bytes);
  assert.deepEqual([seen.open, egress(vault)], [0, [700_001, 700_001]]);
  const [entry] = vault.audits();
  assert.deepEqual([entry.action, entry.objectId, entry.result], ["download", file, "ok"]);
});

Deno.test("an object is read as the receiver takes it, and closed when the receiver goes", async () => {
  const { vault, as, file } = setUp(patterned(3 * MIB));
  using _ = vault;
  const seen = watchReaders(vault);
  const { body } = await download(vault, as, file);
  assert.deepEqual([seen.open, seen.read], [1, 0], "nothing is read that nobody asked for");
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.read();
  assert.deepEqual([seen.open, seen.read], [1, 512 * 1024]);
  await reader.cancel();
  assert.deepEqual(
    [seen.open, egress(vault)],
    [0, [512 * 1024, 512 * 1024]],
    "what left is counted",
  );
});

Deno.test("a file in the connection's trash can be read, an empty object too", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read", "organize"], [vault.addFolder(null)]);
  const [trashed, empty] = [
    vault.addFile(as.trash, patterned(10)),
    vault.addFile(as.trash, new Uint8Array()),
  ];
  assert.equal((await bytesOf((await download(vault, as, trashed)).body)).length, 10);
  const got = await download(vault, as, empty);
  assert.deepEqual([got.status, got.headers["content-length"]], [200, "0"]);
  assert.equal((await bytesOf(got.body)).length, 0);
});

Deno.test("ranges: from, from to, the last, cut at the end; what is none or lies behind the end is refused", async () => {
  const bytes = patterned(1000);
  const { vault, as, file } = setUp(bytes);
  using _ = vault;
  const good: [string, number, number][] = [
    ["bytes=0-0", 0, 1],
    ["bytes=0-999", 0, 1000],
    ["bytes=10-19", 10, 20],
    ["bytes=990-", 990, 1000],
    ["bytes=990-99999", 990, 1000],
    ["bytes=-10", 990, 1000],
    ["bytes=-5000", 0, 1000],
    ["bytes=999-999", 999, 1000],
  ];
  for (const [range, start, end] of good) {
    const { status, headers, body } = await download(vault, as, file, range);
    assert.equal(status, 206, range);
    assert.equal(headers["content-range"], `bytes ${start}-${end - 1}/1000`, range);
    assert.equal(headers["content-length"], String(end - start), range);
    assert.deepEqual(await bytesOf(body), bytes.slice(start, end), range);
  }
  const behind = ["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=9999999999999999-"];
  for (const range of behind) {
    const { status, headers, body } = await download(vault, as, file, range);
    assert.equal(status, 416, range);
    assert.equal(headers["content-range"], "bytes */1000");
    assert.equal(JSON.parse(body as string).code, "range_not_satisfiable");
  }
  const malformed = [
    "",
    "bytes=",
    "bytes=-",
    "bytes=5-4",
    "bytes=0-1,3-4",
    "bytes=a-b",
    "bytes=0x0-1",
    "bytes= 0-1",
    "bytes=0-1 ",
    "bytes=+1-2",
    "items=0-1",
    "0-1",
    "bytes=99999999999999999-",
  ];
  for (const range of malformed) {
    const { status, body } = await download(vault, as, file, range);
    assert.deepEqual([status, JSON.parse(body as string).code], [400, "bad_request"], range);
  }
});

Deno.test("any range gives the bytes that a slice gives", async () => {
  const bytes = patterned(600_000);
  const { vault, as, file } = setUp(bytes, { requestsPerMinute: 1e6 });
  using _ = vault;
  const at = fc.nat(650_000);
  await fc.assert(
    fc.asyncProperty(at, fc.option(at, { nil: undefined }), async (first, last) => {
      const got = await download(vault, as, file, `bytes=${first}-${last ?? ""}`);
      if (last !== undefined && last < first) return assert.equal(got.status, 400);
      if (first >= bytes.length) return assert.equal(got.status, 416);
      const expected = bytes.slice(first, last === undefined ? undefined : last + 1);
      assert.deepEqual(await bytesOf(got.body), expected);
    }),
    { seed: 20260118, numRuns: 60 },
  );
});

Deno.test("a connection that ends during a download gets no more than what was under way", async () => {
  for (const end of ["revoked", "expired"] as const) {
    const { vault, as, file } = setUp(new Uint8Array(40 * MIB));
    using _ = vault;
    const seen = watchReaders(vault);
    const reader = ((await download(vault, as, file)).body as ReadableStream<Uint8Array>)
      .getReader();
    let received = (await reader.read()).value!.length;
    if (end === "revoked") vault.rows.updateGrant(as.id, { revokedAt: vault.now });
    else vault.now += 24 * HOUR;
    await assert.rejects(async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        received += value.length;
      }
    });
    assert.ok(received <= 16 * MIB, `${received} bytes`);
    assert.equal(seen.open, 0);
    const [day] = egress(vault);
    assert.ok(day >= received, "what left is counted");
  }
});

Deno.test("a day's and a month's limit are looked at before a download, with what is under way", async () => {
  const { vault, as, file } = setUp(patterned(1000), { egressPerDay: 2500, egressPerMonth: 4000 });
  using _ = vault;
  const first = await download(vault, as, file);
  const second = await download(vault, as, file);
  const codeOf = async () => {
    const { status, body } = await download(vault, as, file);
    if (status === 200) {
      await (body as ReadableStream).cancel();
      return "ok";
    }
    return `${status} ${JSON.parse(body as string).code}`;
  };
  assert.equal(await codeOf(), "429 egress_cap", "2,000 bytes are promised");
  await bytesOf(first.body);
  await (second.body as ReadableStream).cancel();
  assert.deepEqual(egress(vault), [1000, 1000], "what was promised and not taken is free again");
  await bytesOf((await download(vault, as, file)).body);
  assert.equal(await codeOf(), "429 egress_cap");
  const part = await download(vault, as, file, "bytes=0-499");
  assert.equal((await bytesOf(part.body)).length, 500, "a part that fits is given");
  vault.now += 12 * HOUR;
  await bytesOf((await download(vault, as, file)).body);
  assert.deepEqual(egress(vault), [1000, 3500], "a new day, the same month");
  assert.equal(await codeOf(), "429 transfer_limit");
  vault.now += 31 * 24 * HOUR;
  vault.rows.updateGrant(as.id, { expiresAt: vault.now + HOUR });
  assert.equal(await codeOf(), "ok");
  const refused = vault.audits().filter(({ result }) => result === "refused");
  assert.deepEqual(refused.map(({ code }) => code), ["egress_cap", "egress_cap", "transfer_limit"]);
});

Deno.test("what is under way counts for the month too", async () => {
  const { vault, as, file } = setUp(patterned(1000), { egressPerMonth: 1500 });
  using _ = vault;
  const first = await download(vault, as, file);
  const { status, body } = await download(vault, as, file);
  assert.deepEqual([status, JSON.parse(body as string).code], [429, "transfer_limit"]);
  await (first.body as ReadableStream).cancel();
  assert.equal((await bytesOf((await download(vault, as, file)).body)).length, 1000);
});

Deno.test("an object that is missing or cut is a fault of the server's, and not the end of a file", async () => {
  const { vault, as, file, folder } = setUp(patterned(1000));
  using _ = vault;
  vault.objects.remove(vault.rows.file(file)!.storageKey);
  const cut = vault.addFile(folder, patterned(10), { ciphertextSize: 11 });
  for (const id of [file, cut]) {
    const { status, body } = await download(vault, as, id);
    assert.deepEqual([status, JSON.parse(body as string).code], [500, "object_damaged"]);
  }
  assert.deepEqual(egress(vault), [0, 0]);
});
