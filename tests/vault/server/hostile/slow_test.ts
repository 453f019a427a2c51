// Clients that hold on to a connection and say next to nothing. The others are served meanwhile, and the
// slow ones are dropped after a while.

import assert from "node:assert/strict";
import { RawConnection, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

/** Milliseconds between two bytes. */
const PACE = 1000;
/** Connections of each kind. */
const SLOW = 60;

/** Sends a byte at a time until the server has enough; gives the milliseconds until then. */
async function drip(connection: RawConnection, text: string, patience: number): Promise<number> {
  const start = Date.now();
  const closed = connection.closes(patience);
  const sending = (async () => {
    for (const byte of text) {
      if (Date.now() - start > patience || !await connection.send(byte)) return;
      await new Promise((resolve) => setTimeout(resolve, PACE));
    }
  })();
  const dropped = await closed;
  const after = Date.now() - start;
  await sending;
  assert.ok(dropped, "the slow client is still there");
  return after;
}

Deno.test("slow clients are dropped, and nobody else notices them", async () => {
  const { origin, agent } = target;
  const header = requestText(origin, "GET /api/owner/v1/status HTTP/1.1", [
    "X: y".padEnd(500, "y"),
  ]);
  const body = requestText(origin, "POST /api/owner/v1/login HTTP/1.1", [
    "Content-Type: application/json",
    "Content-Length: 1000",
  ]);
  const connections: RawConnection[] = [];
  const open = async (first: string, then: string, patience: number) => {
    const connection = await RawConnection.open(origin);
    connections.push(connection);
    if (first !== "") await connection.send(first);
    return await drip(connection, then, patience);
  };
  const slow = [
    ...Array.from({ length: SLOW }, () => open("", header, 40_000)),
    ...Array.from({ length: SLOW }, () => open("", "", 40_000)),
    ...Array.from({ length: SLOW }, () => open(body, " ".repeat(900), 60_000)),
  ];
  // Each of the others is answered at once, while all of these hang.
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    const start = performance.now();
    assert.equal((await agent.call("GET", "/grant")).status, 200);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  times.sort((a, b) => a - b);
  assert.ok(times[95] < 1000, `95 of 100 answers within ${times[95].toFixed(0)} ms`);
  await Promise.all(slow);
  for (const connection of connections) connection[Symbol.dispose]();
});

Deno.test("a client that does not read its download holds up no other", async () => {
  const { origin, agent, folderId, serving } = target;
  const file = await agent.upload(folderId, 8 * 1024 * 1024);
  const before = serving.memory();
  const request = requestText(origin, `POST /api/agent/v1/files/${file.id}/download HTTP/1.1`, [
    `Authorization: Bearer ${agent.token}`,
    "Content-Length: 0",
  ]);
  const deaf: RawConnection[] = [];
  for (let i = 0; i < 30; i++) {
    const connection = await RawConnection.open(origin);
    await connection.send(request);
    deaf.push(connection);
  }
  const content = await agent.download(file.id);
  assert.equal((await content.arrayBuffer()).byteLength, file.ciphertext.length);
  // 30 downloads of 8 MiB each are under way; they are not in memory.
  const grown = serving.memory() - before;
  assert.ok(grown < 120 * 1024 * 1024, `${(grown / 1e6).toFixed(0)} MB more`);
  for (const connection of deaf) connection[Symbol.dispose]();
});

Deno.test("a client that asks on and on and reads no answer is not heard without end", async () => {
  const { origin, agent, serving } = target;
  const before = serving.memory();
  using deaf = await RawConnection.open(origin);
  const requests = requestText(origin, "GET /api/owner/v1/status HTTP/1.1").repeat(1000);
  let sent = 0;
  const sending = (async () => {
    while (await deaf.send(requests)) sent++;
  })();
  for (let i = 0; i < 20; i++) {
    assert.equal((await agent.call("GET", "/grant")).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const grown = serving.memory() - before;
  assert.ok(grown < 100 * 1024 * 1024, `${(grown / 1e6).toFixed(0)} MB more`);
  const taken = sent;
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(sent, taken, "the server stopped taking them");
  deaf[Symbol.dispose]();
  await sending;
});

Deno.test("a client that goes away in the middle leaves nothing behind", async () => {
  const { origin, agent, folderId } = target;
  const { id, ciphertext, reserved } = await agent.reserve(folderId, 1_000_000);
  const { uploadUrl, proofKey } = reserved.json;
  const { pathname, search } = new URL(uploadUrl);
  for (let i = 0; i < 20; i++) {
    using connection = await RawConnection.open(origin);
    await connection.send(
      requestText(origin, `PUT ${pathname}${search} HTTP/1.1`, [
        "Content-Type: application/octet-stream",
        `Content-Length: ${ciphertext.length}`,
      ]),
    );
    await connection.send(ciphertext.subarray(0, 1 + i * 50_000));
  }
  // Until the last of them is noticed to be gone, the bytes count as coming in.
  let status = 409;
  for (let i = 0; i < 50 && status === 409; i++) {
    status = await agent.put(uploadUrl, ciphertext);
    if (status === 409) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(status, 200);
  assert.equal((await agent.finalize(id, ciphertext, proofKey)).status, 200);
});
