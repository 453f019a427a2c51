// Calls from one room to another over their port: each ends with what the method gave or failed with, streams
// come as they are read, and where the other room is no more, everything that waits for it is told.

import assert from "node:assert/strict";
import { SharedFlag, ToolError } from "../../containment/mod.ts";
import { givingBack } from "../../containment/rooms/bodies/give_back.ts";
import { PIECE, WINDOW } from "../../containment/rooms/bodies/protocol.ts";
import { PortCalls, type PortMethod, servePort } from "../../containment/rooms/port.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface Joined {
  calls: PortCalls;
  /** Ends the one side, as the main thread tells of it. */
  lose(side: "callee" | "caller"): void;
  /** What was logged. */
  lines: string[];
}

/** Both sides of a port in this thread. */
async function joined(
  methods: Record<string, PortMethod>,
  body: (joined: Joined) => Promise<void>,
): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const gone = { callee: new SharedFlag(), caller: new SharedFlag() };
  const lines: string[] = [];
  const { log } = console;
  console.log = (line) => void lines.push(String(line));
  try {
    servePort(port1, methods, gone.caller);
    const calls = new PortCalls(port2, gone.callee, "the other room");
    await body({ calls, lines, lose: (side) => gone[side].raise() });
  } finally {
    console.log = log;
    gone.callee.release();
    gone.caller.release();
    port1.close();
    port2.close();
  }
}

/** A source of as many bytes as are asked for. */
function endless() {
  const cancelled = Promise.withResolvers<unknown>();
  let made = 0;
  const stream = new ReadableStream<Bytes>({
    pull(controller) {
      made += PIECE;
      controller.enqueue(new Uint8Array(PIECE));
    },
    cancel: (reason) => cancelled.resolve(reason),
  }, { highWaterMark: 0 });
  return { stream, made: () => made, cancelled: cancelled.promise };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(() => undefined, (error) => error);
  assert.ok(error instanceof ToolError, String(error));
  return error.code;
}

Deno.test("calls give what their methods give, each its own, and do not wait for each other", () =>
  joined({
    twice: async (args) => {
      const { n, wait } = args as { n: number; wait: number };
      await new Promise((resolve) => setTimeout(resolve, wait));
      return n * 2;
    },
  }, async ({ calls }) => {
    const order: number[] = [];
    const ask = async (n: number, wait: number) =>
      void order.push(await calls.call("twice", { n, wait }) as number);
    await Promise.all([ask(1, 50), ask(2, 0), ask(3, 0)]);
    assert.deepEqual(order, [4, 6, 2]);
    assert.equal(calls.busy, 0);
  }));

Deno.test("a refusal crosses with its code and detail; a bug is logged, and told without its stack", () =>
  joined({
    refuse: () => {
      throw new ToolError("changed", "it changed", {
        detail: { path: "/a" },
        changedAnything: true,
      });
    },
    fail: () => {
      throw new TypeError("a bug");
    },
  }, async ({ calls, lines }) => {
    await assert.rejects(calls.call("refuse", {}), {
      code: "changed",
      message: "it changed",
      detail: { path: "/a" },
      changedAnything: true,
    });
    assert.equal(await codeOf(calls.call("fail", {})), "internal");
    assert.equal(await codeOf(calls.call("missing", {})), "internal");
    assert.match(lines.join("\n"), /TypeError: a bug[^]*no method missing/);
  }));

Deno.test("a stream comes as the same bytes, read only as far as they are taken", () => {
  const source = endless();
  const text = new TextEncoder().encode("a few bytes");
  return joined({
    endless: () => source.stream,
    text: () => new Blob([text]).stream(),
  }, async ({ calls }) => {
    const few = await calls.call("text", {}) as ReadableStream<Bytes>;
    assert.equal(await new Response(few).text(), "a few bytes");
    const many = await calls.call("endless", {}) as ReadableStream<Bytes>;
    const reader = many.getReader();
    for (let i = 0; i < 10; i++) assert.equal((await reader.read()).value!.length, PIECE);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(source.made() <= 10 * PIECE + WINDOW + 2 * PIECE, `${source.made()}`);
    await reader.cancel();
    await source.cancelled;
  });
});

Deno.test("a stream that is refused in the middle fails with that refusal, one with a bug without words", () =>
  joined({
    broken: (args) => {
      let given = false;
      return new ReadableStream<Bytes>({
        pull(controller) {
          if (given) {
            throw args === "refusal" ? new ToolError("changed", "it changed") : new Error("x");
          }
          given = true;
          controller.enqueue(new Uint8Array(PIECE));
        },
      }, { highWaterMark: 0 });
    },
  }, async ({ calls, lines }) => {
    const read = async (how: string) => {
      const stream = await calls.call("broken", how) as ReadableStream<Bytes>;
      await new Response(stream).bytes();
    };
    assert.equal(await codeOf(read("refusal")), "changed");
    assert.deepEqual(lines, [], "a refusal is no fault");
    await assert.rejects(read("bug"), /the body broke off/);
    assert.match(lines.join(), /Error: x/);
  }));

Deno.test("an abort raises the flag of its call, which still ends with what it says itself", () =>
  joined({
    async wait(_args, signal) {
      while (!signal.cancelled) await new Promise((resolve) => setTimeout(resolve, 1));
      throw new ToolError("cancelled", "stopped in good order");
    },
  }, async ({ calls }) => {
    const stop = new AbortController();
    const call = calls.call("wait", {}, stop.signal);
    setTimeout(() => stop.abort(), 5);
    await assert.rejects(call, { code: "cancelled", message: "stopped in good order" });
    const late = calls.call("wait", {}, AbortSignal.abort());
    assert.equal(await codeOf(late), "cancelled");
  }));

Deno.test("when the other room is no more, calls and streams fail, and so does all that follows", () =>
  joined({
    never: () => new Promise(() => {}),
    endless: () => endless().stream,
  }, async ({ calls, lose }) => {
    const waiting = codeOf(calls.call("never", {}));
    const stream = await calls.call("endless", {}) as ReadableStream<Bytes>;
    const reader = stream.getReader();
    await reader.read();
    lose("callee");
    assert.equal(await waiting, "internal");
    await assert.rejects(async () => {
      for (;;) await reader.read();
    }, /the other room stopped/);
    assert.equal(calls.gone, true);
    assert.equal(await codeOf(calls.call("never", {})), "internal");
  }));

Deno.test("when the calling room is no more, what runs for it is told to stop, and sources are let go", () => {
  const source = endless();
  const stopped = Promise.withResolvers<void>();
  return joined({
    async wait(_args, signal) {
      while (!signal.cancelled) await new Promise((resolve) => setTimeout(resolve, 1));
      stopped.resolve();
    },
    endless: () => source.stream,
  }, async ({ calls, lose }) => {
    void calls.call("wait", {});
    await calls.call("endless", {});
    lose("caller");
    await Promise.all([stopped.promise, source.cancelled]);
  });
});

Deno.test("memory is given back piece by piece, and never of a piece that may be looked at", async () => {
  const pieces = [1, 2, 3].map((n) => new Uint8Array(4).fill(n));
  const reader = givingBack(ReadableStream.from(pieces)).getReader();
  for (const [i, piece] of pieces.entries()) {
    const { value } = await reader.read();
    assert.deepEqual(value, new Uint8Array(4).fill(i + 1));
    assert.equal(piece.length, 4);
    if (i > 0) assert.equal(pieces[i - 1].buffer.byteLength, 0);
  }
  assert.equal((await reader.read()).done, true);
  const whole = new Uint8Array(8);
  const part = givingBack(ReadableStream.from([whole.subarray(2, 4)]));
  await new Response(part).bytes();
  assert.equal(whole.length, 8, "a part of something larger is its owner's");
});
