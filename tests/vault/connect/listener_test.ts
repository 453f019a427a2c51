// The listener that a browser delivers to, with requests written byte by byte: each row of the spec's table,
// in its order, and that whatever is turned away leaves the waiting as it was.

import assert from "node:assert/strict";
import { createGrantCredential, formatConnectionString } from "@shieldfive/crypto/vault";
import type { Alarm } from "../../../vault/client/types.ts";
import {
  type Delivery,
  HANDOFF_LIMITS,
  HandoffListener,
  type ListenerOptions,
} from "../../../vault/connect/listener.ts";
import { PAGE_HEADERS } from "../../../vault/connect/pages.ts";
import { type RawAnswer, rawAnswer, RawConnection } from "../server/hostile/raw.ts";

const ORIGIN = "https://vault.example";
const CONNECTION = formatConnectionString(createGrantCredential({
  grantId: "01890a5d-ac96-774b-bcce-b302099a8057",
  mlKemPublicKey: new Uint8Array(1568),
}));

/** Runs the body beside a listener, which is closed when it is over. */
async function listening(
  body: (listener: HandoffListener, origin: string) => Promise<void>,
  options: Partial<ListenerOptions> = {},
): Promise<void> {
  const listener = await HandoffListener.open({ origin: ORIGIN, ...options });
  try {
    await body(listener, `http://127.0.0.1:${listener.port}`);
  } finally {
    listener.stop();
    await listener.closed;
  }
}

interface Post {
  fields?: Record<string, string>;
  /** In place of the fields. */
  body?: string;
  host?: string;
  /** Lines of the head in place of `Origin: https://vault.example`. */
  lines?: string[];
  path?: string;
  method?: string;
}

function postText(port: number, post: Post): string {
  const { host = `127.0.0.1:${port}`, path = "/callback", method = "POST" } = post;
  const { lines = [`Origin: ${ORIGIN}`] } = post;
  const body = post.body ?? new URLSearchParams(post.fields).toString();
  return [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...lines,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "",
    body,
  ].join("\r\n");
}

async function posted(listener: HandoffListener, post: Post): Promise<RawAnswer | undefined> {
  const { port, state } = listener;
  const fields = { state, connection_string: CONNECTION };
  return await rawAnswer(`http://127.0.0.1:${port}`, postText(port, { fields, ...post }));
}

function heading(answer: RawAnswer | undefined): string {
  return /<h1>(.*)<\/h1>/.exec(new TextDecoder().decode(answer?.body))?.[1] ?? "";
}

/** What the listener came to, or "waiting". */
async function outcomeOf(listener: HandoffListener): Promise<Delivery | "waiting"> {
  const soon = Promise.withResolvers<"waiting">();
  const timer = setTimeout(() => soon.resolve("waiting"), 50);
  try {
    return await Promise.race([listener.delivery, soon.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function refuses(status: number, post: Post): Promise<void> {
  await listening(async (listener) => {
    assert.equal((await posted(listener, post))?.status, status, JSON.stringify(post));
    assert.equal(await outcomeOf(listener), "waiting");
    // The waiting is as it was: a good delivery still goes through.
    assert.equal((await posted(listener, {}))?.status, 200);
    assert.deepEqual(await listener.delivery, { ended: "delivered", connection: CONNECTION });
  });
}

Deno.test("a delivery from the page is taken, answered with a page and nothing of what came, and is the last", () =>
  listening(async (listener) => {
    assert.match(listener.state, /^[\w-]{43}$/);
    const answer = (await posted(listener, {}))!;
    assert.deepEqual([answer.status, heading(answer)], [200, "Connected"]);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) {
      assert.equal(answer.headers.get(name), value, name);
    }
    assert.ok(!new TextDecoder().decode(answer.body).includes(CONNECTION.slice(12, 20)));
    assert.deepEqual(await listener.delivery, { ended: "delivered", connection: CONNECTION });
    await listener.closed;
    await assert.rejects(posted(listener, {}), Deno.errors.ConnectionRefused);
  }));

Deno.test("a second delivery on a connection that was open before is told that it is too late", () =>
  listening(async (listener, origin) => {
    const { port, state } = listener;
    using late = await RawConnection.open(origin);
    const text = postText(port, { fields: { state, connection_string: CONNECTION } });
    const at = text.length - 10;
    await late.send(text.slice(0, at)); // all but the end of its body
    await new Promise((resolve) => setTimeout(resolve, 50));
    const first = posted(listener, {});
    await listener.delivery;
    await late.send(text.slice(at));
    const answer = await late.answer();
    assert.deepEqual([answer?.status, heading(answer)], [409, "Already answered"]);
    assert.equal((await first)?.status, 200);
  }));

Deno.test("another name in Host is refused, as a name that was made to lead here would have it", async () => {
  const hosts = [
    "evil.test",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:1",
    "[::1]",
    "127.0.0.1.evil.test",
  ];
  for (const host of hosts) await refuses(400, { host });
  await listening(async (listener) => {
    const { port } = listener;
    for (const host of [`localhost:${port}`, `evil.test:${port}`, `0.0.0.0:${port}`]) {
      assert.equal((await posted(listener, { host }))?.status, 400, host);
    }
    const twice = { lines: [`Host: evil.test`, `Origin: ${ORIGIN}`] };
    assert.equal((await posted(listener, twice))?.status, 400);
    assert.equal(await outcomeOf(listener), "waiting");
  });
});

Deno.test("another path or method is not found", async () => {
  for (
    const path of ["/", "/callback/", "/callback?x=1", "/Callback", "/favicon.ico", "//callback"]
  ) {
    await refuses(404, { path });
  }
  for (const method of ["GET", "PUT", "OPTIONS", "DELETE"]) await refuses(404, { method });
});

Deno.test("another page's origin is refused, its body unread; no origin and `null` are taken", async () => {
  const origins = [
    "https://evil.test",
    "http://vault.example",
    `${ORIGIN}:444`,
    `${ORIGIN}/`,
    "NULL",
    "",
  ];
  for (const origin of origins) await refuses(403, { lines: [`Origin: ${origin}`] });
  await refuses(403, { lines: [`Origin: ${ORIGIN}`, "Origin: https://evil.test"] });
  for (const lines of [[], ["Origin: null"]]) {
    await listening(async (listener) => {
      assert.equal((await posted(listener, { lines }))?.status, 200);
    });
  }
  await listening(async (listener, origin) => {
    using wire = await RawConnection.open(origin);
    // The answer comes without the body that was announced.
    await wire.send(
      `POST /callback HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nOrigin: https://evil.test\r\n` +
        "Content-Length: 1000\r\n\r\n",
    );
    assert.equal((await wire.answer())?.status, 403);
    assert.ok(await wire.closes(5_000));
  });
});

Deno.test("a body over 16 KiB ends its connection without an answer, and the waiting goes on", () =>
  listening(async (listener, origin) => {
    const { port, state } = listener;
    const fields = { state, connection_string: CONNECTION, more: "x".repeat(16 * 1024) };
    assert.equal(await rawAnswer(origin, postText(port, { fields })), undefined);
    // The same without a length that says so beforehand.
    const head = postText(port, { body: "" }).replace(
      "Content-Length: 0",
      "Transfer-Encoding: chunked",
    );
    using wire = await RawConnection.open(origin);
    await wire.send(head);
    const piece = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    for (let sent = 0; sent < 6; sent++) if (!await wire.send(piece)) break;
    assert.ok(await wire.closes(5_000));
    assert.equal(await outcomeOf(listener), "waiting");
    const room = 16 * 1024 - new URLSearchParams({ state, connection_string: CONNECTION, more: "" })
      .toString().length;
    const exactly = { state, connection_string: CONNECTION, more: "x".repeat(room) };
    assert.equal((await rawAnswer(origin, postText(port, { fields: exactly })))?.status, 200);
  }));

Deno.test("another state is refused, whatever its length or its neighbours", async () => {
  await listening(async (listener) => {
    const { state } = listener;
    const other = (state.startsWith("A") ? "B" : "A") + state.slice(1);
    for (
      const wrong of [other, state.slice(1), `${state}A`, "", state.toUpperCase().toLowerCase()]
    ) {
      const fields = { state: wrong, connection_string: CONNECTION };
      assert.equal((await posted(listener, { fields }))?.status, 403, wrong);
      const denial = { state: wrong, error: "denied" };
      assert.equal((await posted(listener, { fields: denial }))?.status, 403, wrong);
    }
    assert.equal((await posted(listener, { body: "" }))?.status, 403);
    assert.equal(await outcomeOf(listener), "waiting");
  });
});

Deno.test("an error from the page ends the waiting as denied, also beside a connection string", async () => {
  const both: Record<string, string>[] = [{}, { connection_string: CONNECTION }];
  for (const more of both) {
    await listening(async (listener) => {
      const fields = { state: listener.state, error: "access_denied", ...more };
      const answer = await posted(listener, { fields });
      assert.deepEqual([answer?.status, heading(answer)], [200, "Request denied"]);
      assert.deepEqual(await listener.delivery, { ended: "denied" });
      await listener.closed;
    });
  }
});

Deno.test("what is no connection string is refused, and a good one is still taken", () =>
  listening(async (listener) => {
    for (
      const text of ["", "sf-grant-v1:", CONNECTION.slice(0, -1), `${CONNECTION}0`, "<script>"]
    ) {
      const fields = { state: listener.state, connection_string: text };
      const answer = await posted(listener, { fields });
      assert.deepEqual([answer?.status, heading(answer)], [400, "Not a connection"], text);
    }
    assert.equal(await outcomeOf(listener), "waiting");
    const spaced = { state: listener.state, connection_string: `\n ${CONNECTION} \n` };
    assert.equal((await posted(listener, { fields: spaced }))?.status, 200);
    assert.deepEqual(await listener.delivery, { ended: "delivered", connection: CONNECTION });
  }));

Deno.test("the checks are made in their order", () =>
  listening(async (listener) => {
    const foreign = { lines: ["Origin: https://evil.test"], body: "" };
    assert.equal(
      (await posted(listener, { ...foreign, host: "evil.test", path: "/" }))?.status,
      400,
    );
    assert.equal((await posted(listener, { ...foreign, path: "/" }))?.status, 404);
    assert.equal((await posted(listener, foreign))?.status, 403);
  }));

Deno.test("whoever does not finish a request loses the connection, and the waiting goes on", async () => {
  const limits = { ...HANDOFF_LIMITS, headMs: 300, requestMs: 600 };
  await listening(async (listener, origin) => {
    const head = `POST /callback HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\n`;
    for (const text of ["POST", head, `${head}Content-Length: 10\r\n\r\nabc`]) {
      using wire = await RawConnection.open(origin);
      await wire.send(text);
      assert.ok(await wire.closes(5_000), text);
    }
    assert.equal((await posted(listener, {}))?.status, 200);
  }, { limits });
  assert.deepEqual(HANDOFF_LIMITS, {
    headMs: 10_000,
    requestMs: 15_000,
    flowMs: 600_000,
    bodyBytes: 16_384,
  });
});

Deno.test("after ten minutes nobody listens any more, by a clock that is handed in", async () => {
  const alarms: { ms: number; ring(): void }[] = [];
  const alarm: Alarm = (ms, ring) => {
    alarms.push({ ms, ring });
    return () => {};
  };
  await listening(async (listener) => {
    assert.deepEqual(alarms.map(({ ms }) => ms), [600_000]);
    assert.equal(await outcomeOf(listener), "waiting");
    alarms[0].ring();
    assert.deepEqual(await listener.delivery, { ended: "timeout" });
    await listener.closed;
    await assert.rejects(posted(listener, {}), Deno.errors.ConnectionRefused);
  }, { alarm });
});

Deno.test("it listens on 127.0.0.1 alone, also beside another program on ::1, and says when it cannot", async () => {
  await listening(async ({ port }) => {
    const again = HandoffListener.open({ origin: ORIGIN, port });
    await assert.rejects(again, (error: Error & { code?: string }) => {
      assert.equal(error.code, "connect_failed");
      return /login --paste/.test(error.message);
    });
  });
  let other: Deno.TcpListener;
  try {
    other = Deno.listen({ hostname: "::1", port: 0 });
  } catch (error) {
    console.log(`skipped: there is no ::1 here (${(error as Error).message})`);
    return;
  }
  const { port } = other.addr as Deno.NetAddr;
  const accepted = other.accept().then(() => "reached", () => "left alone");
  await listening(async (listener) => {
    assert.equal((await posted(listener, {}))?.status, 200);
    assert.deepEqual(await listener.delivery, { ended: "delivered", connection: CONNECTION });
  }, { port });
  other.close();
  assert.equal(await accepted, "left alone");
  await listening(async ({ port }) => {
    await assert.rejects(Deno.connect({ hostname: "::1", port }), Deno.errors.ConnectionRefused);
  });
});
