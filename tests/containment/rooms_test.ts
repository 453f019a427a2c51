// The wall: what a room may do is decided by the runtime, whatever the code in it tries.

import assert from "node:assert/strict";
import { SharedFlag, ToolError } from "../../containment/mod.ts";
import { type CallOptions, Room, type RoomOptions } from "../../containment/rooms/host.ts";
import { linkThrough } from "../../containment/rooms/link.ts";
import { describePermissions, type RoomKind } from "../../containment/rooms/permissions.ts";
import { inTempDir, plant } from "../support.ts";
import { EVERY_TRY, type Outcome, type Place } from "./room_probe.ts";

const PROBE = new URL("./room_probe.ts", import.meta.url);

function probe(kind: RoomKind, folders: string[], over: Partial<RoomOptions> = {}): Room {
  return new Room({ kind, module: PROBE, folders, log: () => {}, ...over });
}

/** Gives what a script in a process of its own prints, which knows the modules by their addresses. */
async function printed(script: string): Promise<{ stdout: string; stderr: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", script],
    cwd: new URL("../../", import.meta.url),
  }).output();
  const text = new TextDecoder();
  return { stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** A room that is granted one of two folders, and a listener that must stay alone. */
async function inPlace(
  kind: RoomKind,
  body: (room: Room, place: Place) => Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    plant(dir, { "inside/file": "mine", "inside/other": "x", "outside/file": "theirs" });
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const visitors: Deno.Conn[] = [];
    const waiting = (async () => {
      for await (const visitor of listener) visitors.push(visitor);
    })();
    const place = { inside: `${dir}/inside`, outside: `${dir}/outside`, port };
    const room = probe(kind, [place.inside]);
    try {
      await body(room, place);
      assert.equal(visitors.length, 0, "nobody may have come through the network");
    } finally {
      room.close();
      listener.close();
      await waiting;
      for (const visitor of visitors) visitor.close();
    }
  });
}

const READS_INSIDE = ["read inside", "list inside", "open inside"];
const READS_OUTSIDE = [
  "read outside",
  "list outside",
  "look outside",
  "resolve outside",
  "open outside",
  "open a device",
  "fetch a file outside",
];
const WRITES_INSIDE = [
  "write inside",
  "make a folder inside",
  "rename inside",
  "link inside",
  "change rights inside",
  "change times inside",
  "append inside",
  "truncate inside",
  "remove inside",
];
const WRITES_OUTSIDE = [
  "write outside",
  "make a folder outside",
  "rename to outside",
  "rename from outside",
  "link from outside",
  "remove outside",
  "make a temporary folder",
];
/** What no room that exists may do. */
const NEVER = EVERY_TRY.slice(EVERY_TRY.indexOf("connect"));

async function outcomes(room: Room, place: Place, tries: readonly string[]) {
  const ended: [string, Outcome][] = [];
  for (const what of tries) {
    ended.push([what, await room.call("try", { what, place }) as Outcome]);
  }
  return ended;
}

function assertRefused(ended: [string, Outcome][]): void {
  for (const [what, outcome] of ended) {
    assert.ok("refused" in outcome, `${what}: ${JSON.stringify(outcome)}`);
  }
}

function assertDone(ended: [string, Outcome][]): void {
  for (const [what, outcome] of ended) {
    assert.ok("done" in outcome, `${what}: ${JSON.stringify(outcome)}`);
  }
}

Deno.test("every try of the probe is one that an unlimited thread is not refused", async () => {
  // Otherwise a try that fails for another reason would pass for a wall.
  await inTempDir(async (dir) => {
    plant(dir, { "inside/file": "mine", "inside/other": "x", "outside/file": "theirs" });
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) =>
        request.headers.get("upgrade") === "websocket"
          ? Deno.upgradeWebSocket(request).response
          : new Response("export {}", { headers: { "content-type": "text/javascript" } }),
    );
    const { port } = server.addr;
    const place = { inside: `${dir}/inside`, outside: `${dir}/outside`, port };
    const harmless = EVERY_TRY.filter((what) =>
      !["remove inside", "remove outside"].includes(what)
    );
    const module = JSON.stringify(PROBE.href);
    const script = `const { attempt } = await import(${module});
      const ended = {};
      for (const what of ${JSON.stringify(harmless)}) {
        ended[what] = await attempt(what, ${JSON.stringify(place)});
      }
      console.log(JSON.stringify(ended));
      Deno.exit(0);`;
    const { stdout, stderr } = await printed(script);
    await server.shutdown();
    assert.notEqual(stdout, "", stderr);
    for (const [what, outcome] of Object.entries(JSON.parse(stdout) as Record<string, Outcome>)) {
      assert.ok(!("refused" in outcome), `${what}: ${JSON.stringify(outcome)}`);
    }
  });
});

Deno.test("the room for reading reads the granted folders and nothing else", async () => {
  await inPlace("disk-read", async (room, place) => {
    assertDone(await outcomes(room, place, READS_INSIDE));
    assertRefused(
      await outcomes(room, place, [
        ...READS_OUTSIDE,
        ...WRITES_INSIDE,
        ...WRITES_OUTSIDE,
        "make a symbolic link",
        "ask for free space",
        ...NEVER,
      ]),
    );
    assert.equal(Deno.readTextFileSync(`${place.inside}/file`), "mine");
    assert.equal(Deno.readTextFileSync(`${place.outside}/file`), "theirs");
    assert.deepEqual([...Deno.readDirSync(place.inside)].map((e) => e.name).sort(), [
      "file",
      "other",
    ]);
  });
});

Deno.test("the room for writing reads and writes the granted folders and nothing else", async () => {
  await inPlace("disk-write", async (room, place) => {
    assertRefused(
      await outcomes(room, place, [
        ...READS_OUTSIDE,
        ...WRITES_OUTSIDE,
        "make a symbolic link",
        ...NEVER,
      ]),
    );
    assert.equal(Deno.readTextFileSync(`${place.outside}/file`), "theirs");
    assertDone(await outcomes(room, place, [...READS_INSIDE, "ask for free space"]));
    assertDone(await outcomes(room, place, WRITES_INSIDE));
    assert.equal(Deno.readTextFileSync(`${place.inside}/new`), "x");
    assert.deepEqual([...Deno.readDirSync(place.outside)].map((e) => e.name), ["file"]);
  });
});

Deno.test("the room for links reaches no network, no process, no environment and no library", async () => {
  await inPlace("link", async (room, place) => {
    assertRefused(await outcomes(room, place, [...NEVER, "ask for free space"]));
  });
});

Deno.test("what the product says of a room's rights is all that the room gets", () => {
  assert.deepEqual(describePermissions("disk-read", ["/a", "/b"]), ["read: /a, /b"]);
  assert.deepEqual(describePermissions("disk-write", ["/a"]), [
    "read: /a",
    "write: /a",
    "sys: statfs",
  ]);
  assert.deepEqual(describePermissions("link", ["/a"]), ["read: anywhere", "write: anywhere"]);
});

Deno.test("links are made inside the granted folders, over nothing, with the very text given", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "inside/sub/": "", "inside/taken": "x", "outside/": "" });
    Deno.symlinkSync("sub", `${dir}/inside/alias`);
    Deno.symlinkSync("nowhere", `${dir}/inside/dangling`);
    Deno.symlinkSync("../outside", `${dir}/inside/out`);
    const { port1, port2 } = new MessageChannel();
    const folders = [`${dir}/inside`];
    const module = new URL("../../containment/rooms/link_room.ts", import.meta.url);
    const links = probe("link", folders, { module, init: folders, ports: { links: port1 } });
    const writer = probe("disk-write", folders, { ports: { links: port2 } });
    const make = (target: string, name: string) => writer.call("symlink", { target, name });
    const targets = ["taken", "../outside/x", "/etc/hostname", " odd\n\u202ename ", "nowhere"];
    for (const [i, target] of targets.entries()) {
      assert.equal(await make(target, `${dir}/inside/sub/${i}`), "made");
      assert.equal(Deno.readLinkSync(`${dir}/inside/sub/${i}`), target);
    }
    const refused: [string, string][] = [
      [`${dir}/outside/x`, "EACCES"],
      [`${dir}/x`, "EACCES"],
      [`${dir}/inside-evil`, "EACCES"],
      [`${dir}/inside`, "EACCES"],
      [`${dir}/inside/../outside/x`, "EACCES"],
      [`${dir}/inside/alias/x`, "EACCES"],
      [`${dir}/inside/out/x`, "EACCES"],
      [`${dir}/inside/taken`, "EEXIST"],
      [`${dir}/inside/dangling`, "EEXIST"],
      [`${dir}/inside/gone/x`, "ENOENT"],
      ["relative", "EACCES"],
    ];
    for (const [name, code] of refused) assert.equal(await make("taken", name), code, name);
    assert.deepEqual([...Deno.readDirSync(`${dir}/outside`)], []);
    assert.equal(Deno.readTextFileSync(`${dir}/inside/taken`), "x");
    assert.equal(Deno.readLinkSync(`${dir}/inside/dangling`), "nowhere");
    links.close();
    writer.close();
  });
});

Deno.test("nobody claims to know of a link whose room did not answer", () => {
  const { port1, port2 } = new MessageChannel();
  const { wait } = Atomics;
  Atomics.wait = () => "timed-out";
  try {
    assert.throws(() => linkThrough(port1)("target", "/a/name"), {
      code: "io_error",
      message:
        'the room for symbolic links did not answer; whether "/a/name" was made is not known',
      changedAnything: true,
    });
  } finally {
    Atomics.wait = wait;
    port1.close();
    port2.close();
  }
});

/** A room for reading with the probe in it, closed afterwards. */
async function withProbe(
  body: (room: Room, logged: string[]) => Promise<void>,
): Promise<void> {
  const logged: string[] = [];
  const room = probe("disk-read", [], { log: (line) => logged.push(line) });
  try {
    await body(room, logged);
  } finally {
    room.close();
  }
}

async function failure(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error("the call did not fail");
}

Deno.test("results, refusals and bugs of a room come back as what they are", async () => {
  await withProbe(async (room, logged) => {
    await room.ready;
    const value = { a: [1, "two", null], b: new Uint8Array([1]) };
    assert.deepEqual(await room.call("echo", value), value);

    const refused = await failure(room.call("refuse", {})) as ToolError;
    assert.ok(refused instanceof ToolError);
    assert.deepEqual(refused.toRecord(), {
      code: "destination_exists",
      message: "it is there",
      changed_anything: true,
      detail: { path: "/a" },
    });
    assert.deepEqual(logged, []);

    for (const method of ["bug", "unclonable", "no such method", "toString"]) {
      logged.length = 0;
      const bug = await failure(room.call(method, {})) as ToolError;
      assert.equal(bug.code, "internal", method);
      assert.equal(logged.length, 1, method);
      assert.doesNotMatch(bug.message, /probe/, "the stack goes to the log only");
    }
    assert.equal(await room.call("echo", "still here"), "still here");
    assert.equal(room.busy, 0);
  });
});

const LOST: [how: string, method: string, reason: RegExp][] = [
  ["crashes", "crash", /Uncaught Error: the probe crashed$/],
  ["ends itself in a loop", "leave", /its thread ended$/],
  ["ends itself while it waits", "leave while waiting", /its thread ended$/],
  ["exits", "exit", /its thread ended$/],
];
for (const [how, method, reason] of LOST) {
  Deno.test(`a room that ${how} fails the calls in it and the calls after`, async () => {
    await withProbe(async (room, logged) => {
      const waiting = [room.call(method, {}, { name: "scan" }), room.call("echo", 1)];
      const failed = await Promise.all(waiting.map(failure)) as ToolError[];
      assert.deepEqual(failed.map(({ code, message }) => [code, message]), [
        ["internal", "the disk-read room stopped before it had finished scan"],
        ["internal", "the disk-read room stopped before it had finished echo"],
      ]);
      assert.deepEqual([room.busy, room.stopped], [0, true]);
      assert.equal(logged.length, 1);
      assert.match(logged[0], /^the disk-read room stopped: /);
      assert.match(logged[0], reason);
      assert.equal(
        (await failure(room.call("echo", 3))).message,
        "the disk-read room stopped, so echo cannot run; start shieldfive again",
      );
    });
  });
}

Deno.test("a flag that other rooms see is raised when a room's thread is no more, and not before", async () => {
  const gone = new SharedFlag();
  const room = probe("disk-read", [], { gone });
  const stop = new AbortController();
  const spinning = failure(room.call("spin", {}, { onProgress: () => stop.abort() }));
  const begun = new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  await begun;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual([gone.raised, room.stopped], [false, false], "a busy room is no dead one");
  room.close();
  const closed = performance.now();
  await spinning;
  while (!gone.raised) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(performance.now() - closed < 2000, "what ran was told to stop");
});

Deno.test("a room whose module cannot be loaded says so to whoever waits for it", async () => {
  const module = new URL("./no_such_room.ts", import.meta.url);
  const room = probe("disk-read", [], { module });
  assert.match((await failure(room.ready)).message, /disk-read room stopped/);
  assert.match((await failure(room.call("echo", 1))).message, /disk-read room stopped/);
  room.close();
});

Deno.test("closing a room fails what is still in it", async () => {
  const room = probe("disk-read", []);
  const waiting = room.call("spin", {});
  room.close();
  assert.match((await failure(waiting)).message, /closed/);
});

Deno.test("an abort reaches a room that is busy in a loop, and only the call that it is for", async () => {
  await withProbe(async (room) => {
    await room.ready;
    const stop = new AbortController();
    const other = new AbortController();
    const started = Promise.withResolvers<void>();
    const options: CallOptions = {
      signal: stop.signal,
      onProgress({ label }) {
        assert.equal(label, "spinning");
        started.resolve();
      },
    };
    const spinning = room.call("spin", {}, options);
    const after = room.call("echo", "mine", { signal: other.signal });
    await started.promise;
    const aborted = performance.now();
    stop.abort();
    assert.equal(await spinning, "stopped");
    assert.ok(performance.now() - aborted < 1000);
    assert.equal(await after, "mine");
    assert.equal(await room.call("spin", {}, { signal: AbortSignal.abort() }), "stopped");
  });
});

Deno.test("a question of a room is answered, refused with its code, or failed as a bug", async () => {
  await withProbe(async (room) => {
    const asked: unknown[] = [];
    const answered = await room.call("ask", { plan: 1 }, {
      onAsk(question, args) {
        asked.push([question, args]);
        return Promise.resolve("yes");
      },
    });
    assert.deepEqual(answered, { answer: "yes" });
    assert.deepEqual(asked, [["approve", { plan: 1 }]]);

    const refused = await room.call("ask", {}, {
      onAsk() {
        throw new ToolError("plan_changed", "it is another plan");
      },
    });
    assert.deepEqual(refused, { refused: "plan_changed", message: "it is another plan" });

    const broken = room.call("ask", {}, {
      onAsk() {
        throw new RangeError("a bug in the answer");
      },
    });
    assert.match((await failure(broken)).message, /a bug in the answer/);
    assert.deepEqual(await room.call("ask", {}), { answer: undefined });
    assert.equal(await room.call("echo", "goes on"), "goes on");
  });
});

Deno.test("calls of a room run one after the other, also while one of them waits", async () => {
  await withProbe(async (room) => {
    const order: string[] = [];
    const options: CallOptions = { onAsk: (question, args) => order.push(`${question} ${args}`) };
    await Promise.all([1, 2, 3].map((n) => room.call("overlap", n, options)));
    assert.deepEqual(order, ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
  });
});

Deno.test("what a room prints becomes log lines and never reaches stdout", async () => {
  const host = new URL("../../containment/rooms/host.ts", import.meta.url).href;
  const script = `const { Room } = await import(${JSON.stringify(host)});
    const lines = [];
    const room = new Room({
      kind: "disk-read",
      module: new URL(${JSON.stringify(PROBE.href)}),
      folders: [],
      log: (line) => lines.push(line),
    });
    await room.call("print", {});
    room.close();
    console.error(JSON.stringify(lines));`;
  const { stdout, stderr } = await printed(script);
  assert.equal(stdout, "");
  const lines: string[] = JSON.parse(stderr);
  assert.equal(lines[0], "one { two: 2 } three");
  for (const part of ["info", "four", "five: 5", "six", "assertion failed: seven", "eight"]) {
    assert.ok(lines.some((line) => line.includes(part)), `${part} in ${JSON.stringify(lines)}`);
  }
});
