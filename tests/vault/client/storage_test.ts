// Ciphertext on its way into storage, over real connections (vault spec, 10): with its length stated, without
// any token, in the memory of what is on its way, and given up when storage takes nothing for a while.

import assert from "node:assert/strict";
import { sender } from "../../../vault/client/api.ts";
import { storageThrough } from "../../../vault/client/storage.ts";
import { systemAlarm } from "../../../vault/client/timing.ts";
import type { Alarm, StorageRequest } from "../../../vault/client/types.ts";
import { testAlone } from "../../support.ts";
import { codeOf, patterned } from "./world.ts";

const MIB = 1024 * 1024;

/** A storage in this process, over a real connection. */
async function withStorage(
  handle: (request: Request) => Response | Promise<Response>,
  body: (url: string) => Promise<void>,
): Promise<void> {
  // Ends connections too: a handler that never answers would keep an orderly shutdown waiting for ever.
  const end = new AbortController();
  const { signal } = end;
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal };
  const server = Deno.serve(
    { ...options, onError: () => new Response(null, { status: 500 }) },
    handle,
  );
  try {
    await body(`http://127.0.0.1:${server.addr.port}/key?signature=x`);
  } finally {
    end.abort();
    await server.finished;
  }
}

/** A stream that makes its bytes as they are asked for. */
function source(
  length: number,
  piece: Uint8Array,
): { stream: ReadableStream<Uint8Array>; taken(): number } {
  let taken = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken === length) return controller.close();
      const next = piece.slice(0, Math.min(piece.length, length - taken));
      taken += next.length;
      controller.enqueue(next);
    },
  }, { highWaterMark: 0 });
  return { stream, taken: () => taken };
}

function put(url: string, over: Partial<StorageRequest>, alarm: Alarm = systemAlarm) {
  const size = over.size ?? 1000;
  return storageThrough(sender(), alarm)({
    url,
    headers: { "content-type": "application/octet-stream" },
    body: source(size, patterned(1000)).stream,
    size,
    sent: () => {},
    signal: new AbortController().signal,
    ...over,
  });
}

Deno.test("the length is stated, the type is, and no token is sent", async () => {
  let [method, headers, body] = ["", new Headers(), new Uint8Array()];
  await withStorage(async (request) => {
    method = request.method;
    headers = new Headers(request.headers);
    body = await request.bytes();
    return new Response("stored");
  }, async (url) => {
    const sent: number[] = [];
    const size = 3 * MIB + 7;
    const { stream } = source(size, patterned(100_000));
    const { status } = await put(url, { size, body: stream, sent: (bytes) => sent.push(bytes) });
    assert.equal(status, 200);
    assert.deepEqual(
      [method, headers.get("content-length"), headers.get("transfer-encoding")],
      ["PUT", String(size), null],
    );
    assert.equal(headers.get("content-type"), "application/octet-stream");
    assert.equal(headers.get("authorization"), null);
    assert.equal(headers.get("cookie"), null);
    assert.equal(body.length, size);
    assert.equal(sent.at(-1), size);
    assert.ok(sent.every((bytes, i) => i === 0 || bytes > sent[i - 1]));
  });
});

Deno.test("a redirect is not followed, and an early refusal is told", async () => {
  const asked: string[] = [];
  await withStorage((request) => {
    asked.push(new URL(request.url).pathname);
    return new Response(null, { status: 307, headers: { location: "/elsewhere" } });
  }, async (url) => {
    assert.equal(await codeOf(put(url, {})), "network_error");
    assert.deepEqual(asked, ["/key"]);
  });
  await withStorage(() => new Response(null, { status: 403 }), async (url) => {
    // What is not taken may break the connection before the answer is read.
    const result = await put(url, { size: 2000 }).then(
      ({ status }) => status,
      (error) => error.code,
    );
    assert.ok([403, "network_error"].includes(result), String(result));
  });
});

Deno.test("a source that fails, or ends too early, is no upload", async () => {
  let complete = 0;
  await withStorage(async (request) => {
    await request.bytes();
    complete++;
    return new Response(null);
  }, async (url) => {
    const failing = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(500)),
      pull: () => Promise.reject(new Error("EIO")),
    }, { highWaterMark: 0 });
    await assert.rejects(put(url, { body: failing }));
    await assert.rejects(put(url, { body: source(999, patterned(999)).stream }));
    assert.equal(complete, 0);
  });
});

Deno.test("nothing at the address is a broken connection", async () => {
  assert.equal(await codeOf(put("http://127.0.0.1:1/", {})), "network_error");
});

Deno.test("a cancelled upload ends at once", async () => {
  await withStorage(() => new Promise(() => {}), async (url) => {
    const stop = new AbortController();
    const call = codeOf(put(url, { size: 100 * MIB, signal: stop.signal }));
    setTimeout(() => stop.abort(), 20);
    assert.equal(await call, "cancelled");
  });
});

Deno.test("storage that takes nothing for thirty seconds is given up, and a slow source is waited for", async () => {
  const armed = new Map<object, { milliseconds: number; ring: () => void }>();
  const alarm: Alarm = (milliseconds, ring) => {
    const mark = {};
    armed.set(mark, { milliseconds, ring });
    return () => void armed.delete(mark);
  };
  const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
  // Never asks for the body.
  const silent = storageThrough(() => new Promise(() => {}), alarm);
  const request: StorageRequest = {
    url: "https://storage.example/",
    headers: {},
    body: source(1000, patterned(1000)).stream,
    size: 1000,
    sent: () => {},
    signal: new AbortController().signal,
  };
  const given = codeOf(silent(request));
  await wait();
  assert.deepEqual([...armed.values()].map(({ milliseconds }) => milliseconds), [30_000]);
  [...armed.values()][0].ring();
  assert.equal(await given, "network_error");
  assert.equal(armed.size, 0);
  // Takes what there is, while the source takes its time.
  const reading = storageThrough(async ({ body }) => {
    await new Response(body as Blob).bytes();
    await new Promise(() => {});
    return new Response();
  }, alarm);
  const slow = Promise.withResolvers<void>();
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pulls++ === 1) await slow.promise;
      if (pulls <= 2) controller.enqueue(new Uint8Array(500));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const call = codeOf(reading({ ...request, body }));
  await wait();
  assert.equal(armed.size, 0, "nobody but the source is waited for");
  slow.resolve();
  await wait();
  assert.deepEqual([...armed.values()].map(({ milliseconds }) => milliseconds), [120_000]);
  [...armed.values()][0].ring();
  assert.equal(await call, "network_error");
});

testAlone(import.meta.url, "a large body takes the memory of what is on its way", async () => {
  const size = 300 * MIB;
  let received = 0;
  await withStorage(async (request) => {
    for await (const piece of request.body!) received += piece.length;
    return new Response(null);
  }, async (url) => {
    const piece = new Uint8Array(MIB);
    let peak = 0;
    await put(url, { size: 20 * MIB, body: source(20 * MIB, piece).stream }); // warm
    received = 0;
    const before = Deno.memoryUsage().rss;
    const sent = (done: number) => {
      if (done % (16 * MIB) === 0) peak = Math.max(peak, Deno.memoryUsage().rss - before);
    };
    const { status } = await put(url, { size, body: source(size, piece).stream, sent });
    assert.deepEqual([status, received], [200, size]);
    assert.ok(peak < 80 * MIB, `${Math.round(peak / MIB)} MiB for ${size / MIB}`);
  });
});
