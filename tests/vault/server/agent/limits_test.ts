// What bounds a caller: requests in a minute, and bodies, which are read no further than they may be long.

import assert from "node:assert/strict";
import { sealedFolder, sealedName, TestVault } from "./vault.ts";

Deno.test("who asks too fast is told when to come back, and one connection does not slow another", async () => {
  using vault = new TestVault({ requestsPerMinute: 4 });
  const folder = vault.addFolder(null);
  const [as, other] = [vault.addGrant(["read"], [folder]), vault.addGrant(["read"], [folder])];
  const ask = (who = as) => vault.call("GET", "/grant", { as: who });
  for (let count = 0; count < 4; count++) assert.equal((await ask()).status, 200);
  const refused = await ask();
  assert.deepEqual([refused.status, refused.body], [429, { code: "rate_limited" }]);
  assert.equal(refused.headers["retry-after"], "15");
  assert.equal((await ask(other)).status, 200);
  vault.now += 14_999;
  const soon = await ask();
  assert.deepEqual([soon.status, soon.headers["retry-after"]], [429, "1"]);
  vault.now += 1;
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 429);
  for (const sweeps of [false, true]) {
    vault.now += 3_600_000;
    if (sweeps) vault.service.sweep();
    for (let count = 0; count < 4; count++) assert.equal((await ask()).status, 200);
    assert.equal((await ask()).status, 429, "a long rest gives no more than a minute's worth");
  }
});

Deno.test("refusals for being too fast fill no log, and those of a dead connection only so much of it", async () => {
  using vault = new TestVault({ requestsPerMinute: 3 });
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read"], [folder]);
  const dead = vault.addGrant(["read"], [folder], { revokedAt: vault.now });
  for (let count = 0; count < 10; count++) {
    await vault.call("GET", "/grant", { as });
    assert.equal((await vault.call("GET", "/grant", { as: dead })).status, 401);
  }
  const count = (id: string) => vault.audits().filter(({ grantId }) => grantId === id).length;
  assert.deepEqual([count(as.id), count(dead.id)], [3, 3]);
});

Deno.test("a set-back clock refills nothing, and blocks nobody for longer", async () => {
  using vault = new TestVault({ requestsPerMinute: 2 });
  const as = vault.addGrant(["read"], [vault.addFolder(null)]);
  const ask = async () => (await vault.call("GET", "/grant", { as })).status;
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429]);
  vault.now -= 1_000_000;
  assert.equal(await ask(), 429);
  vault.now += 30_000;
  assert.equal(await ask(), 200);
});

Deno.test("a body of 256 KiB is read, a longer one only so far, announced or not", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const body = JSON.stringify({ id: vault.id(), parentId: folder, ...sealedFolder() });
  const exact = body.padEnd(256 * 1024);
  const longer = `${exact} `;
  const announcing = { "content-length": String(longer.length) };
  const tooLong = await vault.call("POST", "/folders", { as, raw: longer });
  assert.deepEqual([tooLong.status, tooLong.body.code], [413, "too_large"]);
  let pulled = 0;
  const stream = (piece: number) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        pulled += piece;
        controller.enqueue(new Uint8Array(piece).fill(32));
      },
    }, { highWaterMark: 0 });
  const announced = await vault.call("POST", "/folders", {
    as,
    raw: stream(1),
    headers: announcing,
  });
  assert.deepEqual([announced.status, pulled], [413, 0]);
  assert.equal((await vault.call("POST", "/folders", { as, raw: stream(64 * 1024) })).status, 413);
  assert.equal(pulled, 5 * 64 * 1024);
  assert.equal((await vault.call("POST", "/folders", { as, raw: exact })).status, 201);
});

Deno.test("what is no JSON, no UTF-8, nested without end or built on prototypes is refused and harms nothing", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const good = JSON.stringify({ name: sealedName() });
  const bodies: (string | Uint8Array | undefined)[] = [
    undefined,
    "",
    "{",
    "{}",
    "[]",
    "null",
    '"text"',
    "1e999",
    "NaN",
    `${good}x`,
    `${good}${good}`,
    `\ufeff${good}`,
    "'".repeat(100),
    "[".repeat(100_000),
    "[".repeat(100_000) + "]".repeat(100_000),
    `{"name":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    `{"x":`.repeat(40_000) + "1" + "}".repeat(40_000),
    good.replace("{", '{"__proto__":{"admin":true},'),
    good.replace("{", '{"constructor":1,'),
    good.replace("{", '{"hasOwnProperty":1,'),
    Uint8Array.of(0x7b, 0xff, 0x7d),
    new TextEncoder().encode(good).subarray(0, 30),
  ];
  const before = vault.rows.folder(folder);
  const inner = vault.addFolder(folder);
  for (const raw of bodies) {
    const got = await vault.call("PATCH", `/folders/${inner}`, { as, raw });
    assert.deepEqual([got.status, got.body.code], [400, "bad_request"], String(raw).slice(0, 60));
  }
  const torn = new TextEncoder().encode(good);
  torn[torn.indexOf(0x36)] = 0xff;
  const got = await vault.call("PATCH", `/folders/${inner}`, { as, raw: torn });
  assert.match(got.body.message, /UTF-8/, "a byte that is no text is not replaced by another");
  assert.deepEqual(vault.rows.folder(folder), before);
  assert.equal(({} as Record<string, unknown>).admin, undefined);
});

Deno.test("an unknown field is named, and a long name of one is cut", async () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [folder]);
  const inner = vault.addFolder(folder);
  const messageFor = async (field: string) => {
    const body = { name: sealedName(), [field]: 1 };
    return (await vault.call("PATCH", `/folders/${inner}`, { as, body })).body.message as string;
  };
  assert.match(await messageFor("kind"), /"kind"/);
  assert.ok((await messageFor("x".repeat(100_000))).length < 120);
});

Deno.test("a sender that goes away in the middle of a body is refused, and no fault is reported", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read", "organize"], [vault.addFolder(null)]);
  const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new Error("reset")),
  }, { highWaterMark: 0 });
  const got = await vault.call("POST", "/folders", { as, raw });
  assert.deepEqual([got.status, got.body.code], [400, "broken_off"]);
});

Deno.test("a failure of ours is reported and answered without a word of what it was", async () => {
  using vault = new TestVault();
  const as = vault.addGrant(["read"], [vault.addFolder(null)]);
  vault.rows.grantRoots = () => {
    throw new Error("/secret/path: disk I/O error");
  };
  const got = await vault.call("GET", "/grant", { as });
  assert.deepEqual([got.status, got.body], [500, { code: "internal" }]);
  assert.equal(vault.faults.splice(0).length, 1);
});
