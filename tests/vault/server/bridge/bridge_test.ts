// Requests and answers through a port: the same as a direct call, byte for byte, with no more in between
// than there is room for, and with an end for everything on whichever side it breaks.

import assert from "node:assert/strict";
import fc from "fast-check";
import { RemoteService } from "../../../../vault/server/bridge/front.ts";
import { PIECE, WINDOW } from "../../../../containment/rooms/bodies/protocol.ts";
import { serveBridge } from "../../../../vault/server/bridge/store.ts";
import type { ServiceAnswer, ServiceRequest } from "../../../../vault/server/service/message.ts";
import { Refusal } from "../../../../vault/server/service/refusal.ts";
import { allOf, eventually, json } from "../http/support.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Joined {
  remote: RemoteService;
  /** What the store's side logged. */
  lines: string[];
}

/** A service and the way to it, with a port in between. */
async function joined(
  handle: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
  body: (joined: Joined) => Promise<void>,
): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const lines: string[] = [];
  serveBridge(port1, { handle: async (request) => await handle(request) }, (line) => {
    lines.push(line);
  });
  const remote = new RemoteService(port2, (line) => lines.push(line));
  try {
    await body({ remote, lines });
  } finally {
    port1.close();
    port2.close();
  }
}

function request(path: string, body: ServiceRequest["body"] = null): ServiceRequest {
  return { method: "PUT", path, query: "a=b", headers: { range: "bytes=0-1" }, body };
}

function streamed(body: ReadableStream<Bytes>): ServiceAnswer {
  return { status: 200, headers: { "x-known": "1" }, body, route: "/streamed" };
}

/** A source of as many bytes as are asked for, which tells how many that were and whether it was cancelled. */
function endless(size = PIECE) {
  const cancelled = Promise.withResolvers<unknown>();
  let made = 0;
  const stream = new ReadableStream<Bytes>({
    pull(controller) {
      made += size;
      controller.enqueue(new Uint8Array(size));
    },
    cancel: (reason) => cancelled.resolve(reason),
  }, { highWaterMark: 0 });
  return { stream, made: () => made, cancelled: cancelled.promise };
}

/** A stream of these chunks that fails after them. */
function failing(error: Error, ...chunks: Bytes[]): ReadableStream<Bytes> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk === undefined) controller.error(error);
      else controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
}

Deno.test("a request and its answer come out on the other side as they went in", () =>
  joined((request) => json(request, 207), async ({ remote }) => {
    const answer = await remote.handle(request("/api/x"));
    assert.deepEqual(answer, { ...json({ ...request("/api/x") }, 207) });
    const nothing = { status: 204, headers: { a: "b" }, body: null, route: "/r" };
    await joined(() => nothing, async ({ remote }) => {
      assert.deepEqual(await remote.handle(request("/api/y")), nothing);
    });
  }));

Deno.test("requests do not wait for each other, and each gets its own answer", () =>
  joined(async ({ path }) => {
    await later(path === "/slow" ? 100 : 0);
    return json(path);
  }, async ({ remote }) => {
    const order: string[] = [];
    const ask = async (path: string) => {
      const { body } = await remote.handle(request(path));
      order.push(JSON.parse(body as string));
    };
    await Promise.all([ask("/slow"), ask("/1"), ask("/2"), ask("/3")]);
    assert.deepEqual(order, ["/1", "/2", "/3", "/slow"]);
  }));

const CHUNKS = fc.array(
  fc.record({ size: fc.oneof(fc.nat(9), fc.nat(3000), fc.nat(700_000)), shared: fc.boolean() }),
  { maxLength: 12 },
);

/** Chunks of these sizes with their bytes; a shared one is part of a buffer with more in it. */
function chunksOf(plan: { size: number; shared: boolean }[]): Bytes[] {
  return plan.map(({ size, shared }, at) => {
    const buffer = new Uint8Array(size + 20).map((_, i) => i * 7 + at);
    return shared ? buffer.subarray(10, 10 + size) : buffer.slice(0, size);
  });
}

Deno.test("any chunks arrive as the same bytes in both directions, in pieces of a bounded size", () =>
  joined(async ({ body }) => {
    const chunks: Bytes[] = [];
    for await (const chunk of body!) {
      assert.ok(chunk.length > 0 && chunk.length <= PIECE);
      chunks.push(chunk);
    }
    return streamed(ReadableStream.from(chunks));
  }, async ({ remote }) => {
    await fc.assert(
      fc.asyncProperty(CHUNKS, async (plan) => {
        const sent = await new Blob(chunksOf(plan)).bytes();
        const chunks = chunksOf(plan);
        const answer = await remote.handle(request("/", ReadableStream.from(chunks)));
        assert.deepEqual(await allOf(answer.body as ReadableStream<Bytes>), sent);
        for (const [i, { shared, size }] of plan.entries()) {
          // What was part of something larger is left to its owner.
          if (shared) assert.equal(chunks[i].length, size);
        }
      }),
      { numRuns: 40, seed: 5 },
    );
  }));

Deno.test("a source is read only as far as its receiver has room, and on as it takes", () => {
  const upload = endless();
  const download = endless();
  const seen = Promise.withResolvers<ServiceRequest>();
  const finish = Promise.withResolvers<void>();
  return joined(async (request) => {
    if (request.path === "/down") return streamed(download.stream);
    seen.resolve(request);
    await finish.promise;
    return json({});
  }, async ({ remote }) => {
    const answering = remote.handle(request("/up", upload.stream));
    const down = (await remote.handle(request("/down"))).body as ReadableStream<Bytes>;
    const up = (await seen.promise).body!;
    await later(100);
    for (const [source, receiver] of [[upload, up], [download, down]] as const) {
      assert.ok(source.made() >= WINDOW && source.made() <= WINDOW + PIECE, `${source.made()}`);
      const reader = receiver.getReader();
      for (let i = 0; i < 20; i++) await reader.read();
      await later(100);
      assert.ok(source.made() <= 20 * PIECE + WINDOW + 2 * PIECE, `${source.made()}`);
      assert.ok(source.made() >= 20 * PIECE + WINDOW - PIECE, `${source.made()}`);
      await reader.cancel();
      await source.cancelled;
    }
    finish.resolve();
    await answering;
  });
});

Deno.test("small chunks are under the same bound", () => {
  const download = endless(100);
  return joined(() => streamed(download.stream), async ({ remote }) => {
    const { body } = await remote.handle(request("/"));
    await later(200);
    assert.ok(download.made() <= WINDOW + PIECE, `${download.made()}`);
    await (body as ReadableStream<Bytes>).cancel();
    await download.cancelled;
  });
});

Deno.test("an answer that comes before the request's body was read ends the sending of it", () => {
  const upload = endless();
  return joined(() => json({ code: "refused" }, 403), async ({ remote }) => {
    const answer = await remote.handle(request("/", upload.stream));
    assert.equal(answer.status, 403);
    await upload.cancelled;
  });
});

Deno.test("a body that breaks off on the way in is an error for whoever reads it", () => {
  const outcome = Promise.withResolvers<unknown>();
  return joined(async ({ body }) => {
    outcome.resolve(await allOf(body).then(() => "complete", (error) => error));
    return json({});
  }, async ({ remote, lines }) => {
    const body = failing(new Error("the client went away"), new Uint8Array(10));
    assert.equal((await remote.handle(request("/", body))).status, 200);
    assert.equal(String(await outcome.promise), "BrokenOff: the body broke off");
    assert.deepEqual(lines, []);
  });
});

Deno.test("an answer that fails on its way out is an error for its reader, and logged where it was made", () =>
  joined(
    ({ path }) =>
      streamed(failing(path === "/revoked" ? new Refusal(401, "gone") : new Error("bad disk"))),
    async ({ remote, lines }) => {
      for (const path of ["/revoked", "/failing"]) {
        const { body } = await remote.handle(request(path));
        await assert.rejects(allOf(body as ReadableStream<Bytes>), /the body broke off/);
      }
      assert.equal(lines.length, 1, "being shut out is no fault");
      assert.match(lines[0], /^Error: bad disk\n/);
    },
  ));

Deno.test("a bug in the service is one answer and one log entry, and the next request is served", () =>
  joined(({ path }) => {
    if (path === "/bug") throw new TypeError("a bug");
    return json({});
  }, async ({ remote, lines }) => {
    const answer = await remote.handle(request("/bug"));
    assert.deepEqual([answer.status, answer.body], [500, '{"code":"internal"}']);
    assert.match(lines.join(), /^TypeError: a bug\n/);
    assert.equal((await remote.handle(request("/"))).status, 200);
  }));

Deno.test("when the other room is lost, all that waits is answered 503, streams fail, sources are cancelled", () => {
  const upload = endless();
  return joined(
    ({ path }) => path === "/down" ? streamed(endless().stream) : new Promise(() => {}),
    async ({ remote }) => {
      const waiting = [remote.handle(request("/a")), remote.handle(request("/b", upload.stream))];
      const down = (await remote.handle(request("/down"))).body as ReadableStream<Bytes>;
      const reader = down.getReader();
      await reader.read();
      remote.lose();
      assert.equal(remote.alive, false);
      for (const { status, body } of await Promise.all(waiting)) {
        assert.deepEqual([status, body], [503, '{"code":"unavailable"}']);
      }
      await assert.rejects(reader.read(), /the other room stopped/);
      await upload.cancelled;
      assert.equal((await remote.handle(request("/late"))).status, 503);
    },
  );
});

Deno.test("a sender that does not keep to what it was granted is cut off", async () => {
  const { port1, port2 } = new MessageChannel();
  const outcome = Promise.withResolvers<unknown>();
  const said: { type: string }[] = [];
  port2.onmessage = ({ data }) => said.push(data);
  serveBridge(port1, {
    async handle({ body }) {
      await eventually(() => said.length > 0);
      outcome.resolve(await allOf(body).then(() => "complete", (error) => error));
      return json({});
    },
  }, () => {});
  const { body: _, ...head } = request("/");
  port2.postMessage({ type: "request", id: 1, head, body: true });
  for (let i = 0; i < 6; i++) {
    port2.postMessage({ type: "piece", id: 1, buffers: [new ArrayBuffer(PIECE)] });
  }
  assert.equal(String(await outcome.promise), "BrokenOff: more bytes came than were asked for");
  assert.deepEqual(said[0], { type: "cancel", id: 1 });
  port1.close();
  port2.close();
});

Deno.test("what is said about a request that is over, or never was, is passed over", async () => {
  const { port1, port2 } = new MessageChannel();
  serveBridge(port1, { handle: () => Promise.resolve(json({})) }, () => {});
  for (const type of ["end", "fail", "cancel"]) port2.postMessage({ type, id: 99 });
  port2.postMessage({ type: "credit", id: 99, bytes: 1 });
  port2.postMessage({ type: "piece", id: 99, buffers: [new ArrayBuffer(1)] });
  const remote = new RemoteService(port2, () => {});
  assert.equal((await remote.handle(request("/"))).status, 200);
  port1.close();
  port2.close();
});
