// The address that takes an upload's bytes: what it lets in, and that nothing stays of what it refuses.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { announced, type Connection, HOUR, ORIGIN, streamOf, TestVault } from "./vault.ts";

const TYPE = "application/octet-stream";

async function reserved(vault: TestVault, as: Connection, folder: string, size: number) {
  const id = vault.id();
  const { body } = await vault.call("POST", "/files", { as, body: announced(id, folder, size) });
  return { id, target: body.uploadUrl.slice(ORIGIN.length) as string };
}

function setUp() {
  const vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "write"], [folder]);
  return { vault, folder, as };
}

/** Headers as they must be for so many bytes, with what a test changes. */
function headersFor(size: number, changes: Record<string, string | undefined> = {}) {
  const all = { "content-length": String(size), "content-type": TYPE, ...changes };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
}

async function send(
  vault: TestVault,
  target: string,
  bytes: Uint8Array | ReadableStream<Uint8Array<ArrayBuffer>>,
  headers: Record<string, string>,
  method = "PUT",
) {
  const { status, body } = await vault.ask(method, target, { raw: bytes, headers });
  return [status, body === null ? null : JSON.parse(body as string).code];
}

/** How much lies in storage, temporaries included. */
function stored(vault: TestVault): number {
  return [...vault.objects.list()].length;
}

Deno.test("the address is good for one object, method, length, type and time", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const bytes = new Uint8Array(3000).fill(1);
  const { target } = await reserved(vault, as, folder, 3000);
  const other = await reserved(vault, as, folder, 3000);
  const [path, query] = target.split("?");
  const expires = Number(/expires=(\d+)/.exec(query)![1]);
  const signature = /signature=(.+)$/.exec(query)![1];
  const good = headersFor(3000);
  const refused: [string, string][] = [
    ["no query", path],
    ["another's signature", `${path}?${other.target.split("?")[1]}`],
    ["a later time", `${path}?expires=${expires + 1}&signature=${signature}`],
    ["an earlier time", `${path}?expires=${expires - 1}&signature=${signature}`],
    ["a changed signature", target.slice(0, -2) + (target.endsWith("AA") ? "BA" : "AA")],
    ["a shorter signature", target.slice(0, -1)],
    ["something more", `${target}&x=1`],
    ["another order", `${path}?signature=${signature}&expires=${expires}`],
    ["the time twice", `${path}?expires=${expires}&expires=${expires}&signature=${signature}`],
    ["an unknown object", target.replace(/v1\/[0-9a-f]{32}/, `v1/${"0".repeat(32)}`)],
    ["no key", target.replace(/v1\/[0-9a-f]{32}/, "v1/..")],
  ];
  for (const [name, wrong] of refused) {
    assert.deepEqual(await send(vault, wrong, bytes, good), [403, "upload_refused"], name);
  }
  for (const method of ["GET", "POST", "DELETE", "HEAD"]) {
    assert.equal((await send(vault, target, bytes, good, method))[0], 405, method);
  }
  assert.equal(stored(vault), 0);
  vault.now = expires - 1;
  assert.deepEqual(await send(vault, target, bytes, good), [200, null]);
  vault.now = expires;
  const late = await send(vault, other.target, bytes, good);
  assert.deepEqual(late, [403, "upload_refused"], "its time is over");
});

Deno.test("a request with an Authorization header is refused, however good the address", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { target } = await reserved(vault, as, folder, 10);
  const headers = headersFor(10, { authorization: `Bearer ${as.token}` });
  assert.deepEqual(await send(vault, target, new Uint8Array(10), headers), [400, "bad_request"]);
  assert.equal(stored(vault), 0);
});

Deno.test("wrong length and type are refused before a byte is read", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { target } = await reserved(vault, as, folder, 3000);
  let pulled = 0;
  const untouched = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => void pulled++ }, {
      highWaterMark: 0,
    });
  const cases: [Record<string, string | undefined>, string][] = [
    [{ "content-length": "2999" }, "wrong_length"],
    [{ "content-length": "3001" }, "wrong_length"],
    [{ "content-length": "03000" }, "wrong_length"],
    [{ "content-length": undefined }, "wrong_length"],
    [{ "content-type": "text/plain" }, "wrong_type"],
    [{ "content-type": undefined }, "wrong_type"],
  ];
  for (const [changes, code] of cases) {
    const headers = headersFor(3000, changes);
    assert.deepEqual(await send(vault, target, untouched(), headers), [400, code]);
  }
  assert.deepEqual([pulled, stored(vault)], [0, 0]);
});

Deno.test("a body that is shorter or longer than stated, or breaks off, leaves nothing, and may be sent again", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, target } = await reserved(vault, as, folder, 3000);
  const headers = headersFor(3000);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent += 1000;
      controller.enqueue(new Uint8Array(1000));
    },
  }, { highWaterMark: 0 });
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (controller.desiredSize === null) return;
      controller.error(new Error("connection reset"));
    },
  }, { highWaterMark: 0 });
  assert.deepEqual(await send(vault, target, new Uint8Array(2999), headers), [400, "wrong_length"]);
  assert.deepEqual(await send(vault, target, new Uint8Array(3001), headers), [400, "wrong_length"]);
  assert.deepEqual(await send(vault, target, new Uint8Array(0), headers), [400, "wrong_length"]);
  assert.deepEqual(await send(vault, target, endless, headers), [400, "wrong_length"]);
  assert.equal(sent, 4000, "nothing is read behind the first byte too many");
  assert.deepEqual(await send(vault, target, broken, headers), [400, "broken_off"]);
  assert.equal(stored(vault), 0);
  assert.equal(vault.rows.upload(id)!.sha1, null);
  const bytes = crypto.getRandomValues(new Uint8Array(3000));
  assert.deepEqual(await send(vault, target, bytes, headers), [200, null]);
  const { sha1, sha256 } = vault.rows.upload(id)!;
  assert.deepEqual(
    [sha1, sha256],
    ["sha1", "sha256"].map((name) => createHash(name).update(bytes).digest("hex")),
  );
});

Deno.test("one sending succeeds: neither a second one nor one beside it replaces the bytes", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, target } = await reserved(vault, as, folder, 4);
  const headers = headersFor(4);
  const gate = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await gate.promise;
      controller.enqueue(Uint8Array.of(1, 2, 3, 4));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const first = send(vault, target, slow, headers);
  assert.deepEqual(await send(vault, target, new Uint8Array(4), headers), [409, "conflict"]);
  gate.resolve();
  assert.deepEqual(await first, [200, null]);
  const hash = vault.rows.upload(id)!.sha1;
  assert.deepEqual(await send(vault, target, new Uint8Array(4), headers), [409, "conflict"]);
  assert.equal(vault.rows.upload(id)!.sha1, hash);
  assert.equal(stored(vault), 1);
});

Deno.test("a revoked or expired connection's addresses let nothing in", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const short = vault.addGrant(["write"], [folder], { expiresAt: vault.now + 1000 });
  const [one, two] = [
    await reserved(vault, as, folder, 10),
    await reserved(vault, short, folder, 10),
  ];
  vault.rows.updateGrant(as.id, { revokedAt: vault.now });
  vault.now += 1000;
  for (const { target } of [one, two]) {
    const answer = await send(vault, target, new Uint8Array(10), headersFor(10));
    assert.deepEqual(answer, [403, "upload_refused"]);
  }
});

/** A body that waits in its middle until it is told to go on. */
function paused(bytes: Uint8Array) {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const half = bytes.length >> 1;
  const parts = [bytes.slice(0, half), bytes.slice(half)];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (parts.length === 1) {
        reached.resolve();
        await goOn.promise;
      }
      controller.enqueue(parts.shift()!);
      if (parts.length === 0) controller.close();
    },
  }, { highWaterMark: 0 });
  return { body, reached: reached.promise, goOn: goOn.resolve };
}

Deno.test("bytes that are still coming keep their reservation, and have time to be finished", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, target } = await reserved(vault, as, folder, 100);
  const { body, reached, goOn } = paused(new Uint8Array(100));
  const answer = send(vault, target, body, headersFor(100));
  await reached;
  vault.now += HOUR;
  vault.service.sweep();
  assert.notEqual(vault.rows.upload(id), undefined);
  goOn();
  assert.deepEqual(await answer, [200, null]);
  assert.equal(vault.rows.upload(id)!.expiresAt, vault.now + 900_000);
});

Deno.test("bytes of an upload that was given up while they came are dropped", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, target } = await reserved(vault, as, folder, 100);
  const { body, reached, goOn } = paused(new Uint8Array(100));
  const answer = send(vault, target, body, headersFor(100));
  await reached;
  assert.equal((await vault.call("POST", `/uploads/${id}/abort`, { as })).status, 200);
  goOn();
  assert.deepEqual(await answer, [403, "upload_refused"]);
  assert.equal(stored(vault), 0);
  assert.equal(vault.rows.grant(as.id)!.writeReservedBytes, 0);
});

Deno.test("a full disk is said, leaves nothing, and keeps the reservation", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { target } = await reserved(vault, as, folder, 100);
  const create = vault.objects.create.bind(vault.objects);
  vault.objects.create = (key) => {
    const writer = create(key);
    const write = () => {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    };
    return { write, commit: () => writer.commit(), abort: () => writer.abort() };
  };
  const answer = await send(vault, target, new Uint8Array(100), headersFor(100));
  assert.deepEqual(answer, [507, "storage_full"]);
  assert.equal(vault.faults.splice(0).length, 1, "it is reported");
  assert.equal(stored(vault), 0);
  vault.objects.create = create;
  const again = await send(vault, target, new Uint8Array(100), headersFor(100));
  assert.deepEqual(again, [200, null]);
});

Deno.test("an object that a killed process left without its hash makes way for the next sending", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  const { id, target } = await reserved(vault, as, folder, 4);
  const writer = vault.objects.create(vault.rows.upload(id)!.storageKey);
  writer.write(Uint8Array.of(9, 9));
  writer.commit();
  const bytes = Uint8Array.of(1, 2, 3, 4);
  assert.deepEqual(await send(vault, target, streamOf(bytes), headersFor(4)), [200, null]);
  const reader = vault.objects.open(vault.rows.upload(id)!.storageKey)!;
  assert.deepEqual(reader.read(0, 10), bytes);
  reader.close();
});

Deno.test("the key of the signatures outlives a restart, and is another in another vault", async () => {
  const { vault, folder, as } = setUp();
  using _ = vault;
  using other = new TestVault();
  const { target } = await reserved(vault, as, folder, 10);
  vault.restarted();
  assert.deepEqual(await send(vault, target, new Uint8Array(10), headersFor(10)), [200, null]);
  assert.notEqual(vault.rows.setting("signing_key"), other.rows.setting("signing_key"));
});
