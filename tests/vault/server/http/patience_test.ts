// How long the server waits for anybody, and what becomes of the other side's work when a client goes away:
// nobody holds a connection, a place or an open file without doing something for it.

import assert from "node:assert/strict";
import type { ServiceAnswer, ServiceRequest } from "../../../../vault/server/service/message.ts";
import {
  allOf,
  eventually,
  exchange,
  head,
  json,
  type Stand,
  statusOf,
  Wire,
  withServer,
} from "./support.ts";

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An answer with as many zeros as anybody takes; tells when it is not wanted any more. */
function endless(): { answer: ServiceAnswer; pulls: () => number; cancelled: Promise<void> } {
  const cancelled = Promise.withResolvers<void>();
  let pulls = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      pulls++;
      controller.enqueue(new Uint8Array(256 * 1024));
    },
    cancel: () => cancelled.resolve(),
  }, { highWaterMark: 0 });
  const headers = { "content-length": String(2 ** 40) };
  return {
    answer: { status: 200, headers, body, route: "/api/endless" },
    pulls: () => pulls,
    cancelled: cancelled.promise,
  };
}

/** How long it takes until the server closes a connection, and what it said before. */
async function untilClosed(wire: Wire): Promise<{ ms: number; said: string }> {
  const start = performance.now();
  const said = await wire.rest();
  return { ms: performance.now() - start, said };
}

Deno.test("a connection that says nothing, or not all of a request's head, is closed", () =>
  withServer({ limits: { headMs: 400, keepAliveMs: 5000 } }, async ({ port }) => {
    for (const text of ["", "G", `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `]) {
      using wire = await Wire.open(port);
      await wire.write(text);
      const { ms, said } = await untilClosed(wire);
      assert.ok(ms > 300 && ms < 3000, `${text}: ${ms} ms`);
      assert.match(said, /^(HTTP\/1\.1 408 [^]*)?$/);
    }
  }));

Deno.test("dripping a head byte by byte gains no time", () =>
  withServer({ limits: { headMs: 400 } }, async ({ port }) => {
    using wire = await Wire.open(port);
    const closed = untilClosed(wire);
    let open = true;
    closed.then(() => open = false);
    await wire.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `);
    for (let i = 0; i < 60 && open; i++) {
      await later(50);
      // The server may have closed it between the two.
      await wire.write("x").catch(() => {});
    }
    assert.ok((await closed).ms < 2900);
  }));

Deno.test("a connection that is kept open for a next request that does not come is closed", () =>
  withServer({ limits: { keepAliveMs: 300 } }, async ({ port }) => {
    using wire = await Wire.open(port);
    await wire.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const { ms, said } = await untilClosed(wire);
    assert.equal(statusOf(said), 200);
    // The runtime adds a second to what it tells the client.
    assert.ok(ms > 200 && ms < 4000, `${ms} ms`);
  }));

/** A service that reads the body and says how that went. */
function reading(outcomes: string[]) {
  return async ({ body }: ServiceRequest): Promise<ServiceAnswer> => {
    try {
      outcomes.push(`read ${(await allOf(body)).length}`);
      return json({});
    } catch (error) {
      outcomes.push((error as Error).message);
      return json({ code: "broken_off" }, 400);
    }
  };
}

Deno.test("a body that stops coming ends with 408, and the service learns that it broke off", async () => {
  const outcomes: string[] = [];
  const limits = { idleMs: 300, bodyMs: 60_000, lingerMs: 100 };
  await withServer({ limits, service: reading(outcomes) }, async ({ port }) => {
    for (const path of ["/api/x", "/storage/v1/x"]) {
      const start = performance.now();
      const said = await exchange(port, head(port, `PUT ${path}`, "Content-Length: 10") + "abc");
      assert.equal(statusOf(said), 408);
      assert.match(said, /\{"code":"timeout"\}$/);
      assert.ok(performance.now() - start < 3000);
    }
  });
  assert.deepEqual(outcomes, Array(2).fill("the client took too long"));
});

/** Sends a body in ten bytes, 60 ms apart. */
async function drip(port: number, path: string): Promise<string> {
  using wire = await Wire.open(port);
  await wire.write(head(port, `PUT ${path}`, "Content-Length: 10"));
  const said = wire.rest();
  for (let i = 0; i < 10; i++) {
    await later(60);
    await wire.write("x").catch(() => {}); // it may have been closed already
  }
  return await said;
}

Deno.test("a JSON body has a time for all of it, a file takes as long as bytes keep coming", async () => {
  const outcomes: string[] = [];
  const limits = { idleMs: 300, bodyMs: 300, lingerMs: 100 };
  await withServer({ limits, service: reading(outcomes) }, async ({ port }) => {
    assert.equal(statusOf(await drip(port, "/api/x")), 408);
    assert.equal(statusOf(await drip(port, "/storage/v1/x")), 200);
  });
  assert.deepEqual(outcomes, ["the client took too long", "read 10"]);
});

Deno.test("a file whose bytes come too slowly is given up, however steadily they come", async () => {
  const outcomes: string[] = [];
  const limits = { uploadMs: 300, lingerMs: 100 };
  await withServer({ limits, service: reading(outcomes) }, async ({ port }) => {
    assert.equal(statusOf(await drip(port, "/storage/v1/x")), 408);
  });
  const slower = { ...limits, uploadRate: 5 };
  await withServer({ limits: slower, service: reading(outcomes) }, async ({ port }) => {
    assert.equal(statusOf(await drip(port, "/storage/v1/x")), 200);
  });
  assert.deepEqual(outcomes, ["the client took too long", "read 10"]);
});

Deno.test("time in which the service does not read is not held against the client", async () => {
  const service = async ({ body }: ServiceRequest) => {
    await later(500);
    return json({ read: (await allOf(body)).length });
  };
  await withServer({ limits: { idleMs: 200 }, service }, async ({ origin }) => {
    const answer = await fetch(`${origin}/storage/v1/x`, { method: "PUT", body: "x".repeat(99) });
    assert.deepEqual(await answer.json(), { read: 99 });
  });
});

Deno.test("a client that goes away in the middle of its body breaks it off", async () => {
  const outcomes: string[] = [];
  await withServer({ service: reading(outcomes) }, async ({ port }) => {
    const wire = await Wire.open(port);
    await wire.write(head(port, "PUT /storage/v1/x", "Content-Length: 100000") + "abc");
    await later(50);
    wire[Symbol.dispose]();
    await eventually(() => outcomes.length > 0);
  });
  assert.deepEqual(outcomes, ["the client went away"]);
});

Deno.test("a client that goes away in the middle of an answer ends the making of it", async () => {
  const { answer, cancelled } = endless();
  await withServer({ service: () => answer }, async ({ port, lines }) => {
    const wire = await Wire.open(port);
    await wire.write(head(port, "GET /api/endless"));
    await wire.read();
    wire[Symbol.dispose]();
    await cancelled;
    await eventually(() => lines.length > 0);
    assert.match(lines[0], / GET \/api\/endless 200 \d+ms cut$/);
  });
});

Deno.test("a client that is gone before its answer begins leaves nothing open", async () => {
  const { answer, cancelled } = endless();
  const service = async () => {
    await later(200);
    return answer;
  };
  await withServer({ service }, async ({ port }) => {
    const wire = await Wire.open(port);
    await wire.write(head(port, "GET /api/endless"));
    await later(50);
    wire[Symbol.dispose]();
    await cancelled;
  });
});

Deno.test("a reader that takes nothing more is cut off, and no more is made than was on its way", async () => {
  const { answer, pulls, cancelled } = endless();
  await withServer({ service: () => answer, limits: { stallMs: 400 } }, async ({ port, lines }) => {
    using wire = await Wire.open(port);
    await wire.write(head(port, "GET /api/endless"));
    await cancelled;
    await eventually(() => lines.length > 0);
    assert.match(lines[0], / cut$/);
    assert.ok(pulls() < 100, `${pulls()} pieces were made`);
    assert.notEqual(wire, undefined);
  });
});

Deno.test("an answer that fails in its middle is cut, so that nobody takes it for the whole", async () => {
  const body = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(new Uint8Array(1000));
      },
      pull(controller) {
        controller.error(new Error("the disk failed"));
      },
    });
  const known = { "content-length": "2000" };
  for (const headers of [known, {} as Record<string, string>]) {
    const service = () => ({ status: 200, headers, body: body(), route: "/api/failing" });
    await withServer({ service }, async ({ origin, lines }) => {
      await assert.rejects(async () => await (await fetch(`${origin}/api/failing`)).bytes());
      await eventually(() => lines.length > 0);
      assert.match(lines[0], / cut$/);
    });
  }
});

/** An upload that is refused before it was read, of so many bytes. */
function refusedUpload(port: number, length: number): string {
  return `PUT /storage/v1/x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${length}\r\n\r\n`;
}

Deno.test("a client that sends all of a refused request before it reads still gets the answer", async () => {
  const service = () => json({ code: "upload_refused" }, 403);
  await withServer({ service }, async ({ port }) => {
    using wire = await Wire.open(port);
    const length = 30_000_000;
    await wire.write(refusedUpload(port, length));
    await wire.write(new Uint8Array(length));
    const said = await wire.read();
    assert.match(said ?? "", /^HTTP\/1\.1 403 [^]*\{"code":"upload_refused"\}$/);
    // Nothing of it is taken for the next request.
    await wire.write(head(port, "GET /healthz"));
    assert.match(await wire.rest(), /^HTTP\/1\.1 200 [^]*\{"ok":true\}$/);
  });
});

Deno.test("a client that goes on sending what was refused long ago is cut off", async () => {
  const service = () => json({ code: "upload_refused" }, 403);
  await withServer({ service, limits: { lingerMs: 300 } }, async ({ port }) => {
    using wire = await Wire.open(port);
    await wire.write(refusedUpload(port, 1_000_000));
    const closed = untilClosed(wire);
    let open = true;
    closed.then(() => open = false);
    for (let i = 0; i < 60 && open; i++) {
      await later(50);
      await wire.write("x").catch(() => {}); // it may have been closed already
    }
    const { ms, said } = await closed;
    assert.equal(statusOf(said), 403);
    assert.ok(ms > 200 && ms < 2900, `${ms} ms`);
  });
});

Deno.test("a service that does not begin its answer in time is answered for", async () => {
  const { promise, resolve } = Promise.withResolvers<ServiceAnswer>();
  const { answer, cancelled } = endless();
  await withServer({ service: () => promise, limits: { answerMs: 200 } }, async ({ origin }) => {
    const said = await fetch(`${origin}/api/x`, { method: "POST", body: "x" });
    assert.deepEqual([said.status, await said.json()], [503, { code: "timeout" }]);
    resolve(answer);
    await cancelled;
  });
});

Deno.test("more requests than there are places for are refused at once and told to come back", async () => {
  const { promise, resolve } = Promise.withResolvers<ServiceAnswer>();
  await withServer({ service: () => promise, limits: { requests: 2 } }, async ({ origin }) => {
    const waiting = [fetch(`${origin}/api/1`), fetch(`${origin}/api/2`)];
    await later(50);
    const refused = await fetch(`${origin}/api/3`);
    assert.deepEqual([refused.status, await refused.json()], [503, { code: "busy" }]);
    assert.equal(refused.headers.get("retry-after"), "1");
    resolve(json({}));
    for (const answer of await Promise.all(waiting)) assert.deepEqual(await answer.json(), {});
    assert.equal((await fetch(`${origin}/api/4`)).status, 200);
  });
});

Deno.test("connections beyond the limit are closed, and the ones that were there go on", () =>
  withServer({ limits: { connections: 3 } }, async ({ port }) => {
    const wires = await Promise.all(Array.from({ length: 3 }, () => Wire.open(port)));
    await later(50);
    using fourth = await Wire.open(port);
    assert.equal(await fourth.read(), undefined);
    for (const wire of wires) {
      await wire.write(head(port, "GET /healthz"));
      assert.equal(statusOf(await wire.rest()), 200);
      wire[Symbol.dispose]();
    }
  }));

/** A download that the client reads at its own pace. */
async function slowDownload(
  { port, server }: Stand,
  graceMs: number,
  finish: () => void,
): Promise<{ said: string; ms: number }> {
  using wire = await Wire.open(port);
  await wire.write(`GET /api/x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  let said = await wire.read() ?? "";
  const start = performance.now();
  const stopped = server.stop(graceMs);
  await later(100);
  await assert.rejects(Wire.open(port), "no new connection");
  finish();
  said += await wire.rest();
  await stopped;
  return { said, ms: performance.now() - start };
}

Deno.test("a server that stops lets an answer finish and closes what is idle", async () => {
  const piece = new Uint8Array(1000).fill(97);
  const finish = Promise.withResolvers<void>();
  async function* pieces() {
    yield piece.slice();
    await finish.promise;
    yield piece.slice();
  }
  const service = (): ServiceAnswer => ({
    status: 200,
    headers: { "content-length": "2000" },
    body: ReadableStream.from(pieces()),
    route: "/api/x",
  });
  await withServer({ service }, async (stand) => {
    using idle = await Wire.open(stand.port);
    await idle.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\n\r\n`);
    await idle.read();
    const { said, ms } = await slowDownload(stand, 10_000, finish.resolve);
    assert.ok(said.endsWith("a".repeat(2000)));
    assert.ok(ms < 5000, `${ms} ms`);
    assert.equal(await idle.read(), undefined);
  });
});

Deno.test("a server that stops cuts off what takes longer than it may", async () => {
  const { answer, cancelled } = endless();
  await withServer({ service: () => answer }, async (stand) => {
    const { ms } = await slowDownload(stand, 300, () => {});
    assert.ok(ms < 5000, `${ms} ms`);
    await cancelled;
  });
});
