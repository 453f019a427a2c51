// Every request of every change fails once, in every way, before and after the server acted on it. Whatever
// is said of the change then has to be so: done is done, not done is not done and stays so, and "unknown" is
// said only where nothing could have told.

import assert from "node:assert/strict";
import { ToolError } from "../../../containment/error.ts";
import type { VaultClient, VaultView } from "../../../vault/client/mod.ts";
import type { Alarm } from "../../../vault/client/types.ts";
import { type Answerer, broken, Wire } from "./wire.ts";
import { bytesOf, type Connected, World } from "./world.ts";

/** A vault for one trial. */
interface Trial {
  world: World;
  connected: Connected;
  ids: { a: string; b: string; file: string; inner: string; second: string };
}

/** A change, and how the server's rows show that it was made. */
interface Operation {
  name: string;
  run(client: VaultClient, view: VaultView, trial: Trial): Promise<unknown>;
  /** How much of it the rows show: none, some of it, or all. */
  made(trial: Trial): Promise<"none" | "some" | "all">;
}

const all = (flag: boolean) => flag ? "all" : "none";
const page = { limit: 1000, after: null };

const OPERATIONS: Operation[] = [
  {
    name: "rename a file",
    run: (client, view, { ids }) => client.rename(view, view.item(ids.file)!, "new.txt"),
    made: async ({ world, ids }) => all(await world.nameOf(ids.file) === "new.txt"),
  },
  {
    name: "rename a folder",
    run: (client, view, { ids }) => client.rename(view, view.item(ids.inner)!, "new"),
    made: async ({ world, ids }) => all(await world.nameOf(ids.inner) === "new"),
  },
  {
    name: "move a file",
    run: (client, view, { ids }) =>
      client.move(view, view.item(ids.file)!, view.folders.get(ids.b)!),
    made: ({ world, ids }) => Promise.resolve(all(world.rows.file(ids.file)!.folderId === ids.b)),
  },
  {
    name: "move a folder",
    run: (client, view, { ids }) =>
      client.move(view, view.item(ids.inner)!, view.folders.get(ids.b)!),
    made: ({ world, ids }) =>
      Promise.resolve(all(world.rows.folder(ids.inner)!.parentId === ids.b)),
  },
  {
    name: "make a folder",
    run: (client, view, { ids }) => client.createFolder(view, view.folders.get(ids.a)!, "new"),
    made: ({ world, ids }) => {
      const known = [ids.inner];
      const made = world.rows.folders(page)
        .filter(({ id, parentId }) => parentId === ids.a && !known.includes(id));
      return Promise.resolve(all(made.length > 0));
    },
  },
  {
    name: "trash two items",
    run: (client, view, { ids }) =>
      client.trash(view, [view.item(ids.file)!, view.item(ids.inner)!]),
    made: ({ world, ids, connected: { trashId } }) => {
      const in_ = [
        world.rows.file(ids.file)!.folderId === trashId,
        world.rows.folder(ids.inner)!.parentId === trashId,
      ];
      return Promise.resolve(in_.every(Boolean) ? "all" : in_.some(Boolean) ? "some" : "none");
    },
  },
  {
    name: "trash two items of which one was changed",
    run: (client, view, { world, ids }) => {
      world.rows.changeFile(ids.second, { contentType: "text/plain" });
      return client.trash(view, [view.item(ids.file)!, view.item(ids.second)!]);
    },
    made: ({ world, ids, connected: { trashId } }) => {
      assert.notEqual(world.rows.file(ids.second)!.folderId, trashId);
      return Promise.resolve(world.rows.file(ids.file)!.folderId === trashId ? "some" : "none");
    },
  },
  {
    name: "upload a file",
    run: (client, view, { ids }) => {
      const source = new Blob([bytesOf("content")]).stream();
      const request = { name: "up.txt", size: 7, source };
      return client.upload(view, view.folders.get(ids.a)!, request);
    },
    made: async ({ world, ids }) => {
      const known = [ids.file, ids.second];
      const [made] = world.rows.files(page).filter(({ id }) => !known.includes(id));
      if (made !== undefined) assert.deepEqual(await world.contentOf(made.id), bytesOf("content"));
      return all(made !== undefined);
    },
  },
];

/** A way to fail: what becomes of a request in the place of its answer. */
interface Fault {
  name: string;
  /** Whether the server may be at it for longer than anyone waits. */
  late: boolean;
  answer(forward: () => Promise<Response>, ringLimits: () => void): Promise<Response>;
}

/** Nothing comes until the time is over. */
function silence(ringLimits: () => void): Promise<never> {
  setTimeout(ringLimits, 0);
  return new Promise(() => {});
}

/** An answer that breaks off. */
function half(): Response {
  return new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(bytesOf('{"ok"')),
      pull: () => Promise.reject(broken()),
    }),
  );
}

async function acted(forward: () => Promise<Response>): Promise<void> {
  await (await forward()).body?.cancel();
}

const status = (code: number) => new Response("<html>", { status: code });

const FAULTS: Fault[] = [
  { name: "does not get there", late: false, answer: () => Promise.reject(broken()) },
  { name: "500 before", late: false, answer: () => Promise.resolve(status(500)) },
  { name: "502 before", late: true, answer: () => Promise.resolve(status(502)) },
  { name: "silence before", late: true, answer: (_forward, ring) => silence(ring) },
  {
    name: "answer lost",
    late: false,
    answer: async (forward) => (await acted(forward), Promise.reject(broken())),
  },
  {
    name: "500 after",
    late: false,
    answer: async (forward) => (await acted(forward), status(500)),
  },
  { name: "504 after", late: true, answer: async (forward) => (await acted(forward), status(504)) },
  {
    name: "silence after",
    late: true,
    answer: async (forward, ring) => (await acted(forward), await silence(ring)),
  },
  { name: "answer cut", late: false, answer: async (forward) => (await acted(forward), half()) },
  {
    name: "nonsense after",
    late: false,
    answer: async (forward) => (await acted(forward), new Response("<html>")),
  },
];

/** What else fails once the first fault has come. */
type Then = "all is well" | "the next two requests fail too" | "nothing works any more";

/** Time limits that ring when a test says so; waits are over at once. */
class Limits {
  readonly #rings = new Set<() => void>();

  readonly alarm: Alarm = (milliseconds, ring) => {
    const isLimit = [30_000, 10_000, 120_000].includes(milliseconds);
    if (isLimit) this.#rings.add(ring);
    const timer = isLimit ? undefined : setTimeout(ring, 0);
    return () => {
      clearTimeout(timer);
      this.#rings.delete(ring);
    };
  };

  readonly ring = () => {
    for (const ring of [...this.#rings]) ring();
  };
}

/** One request among those of an operation that fails, and how. */
interface Point {
  operation: Operation;
  /** The request's place in the operation. */
  at: number;
  fault: Fault;
  then: Then;
}

/** Answers that fail at one place. */
function failing({ at, fault, then }: Point, ring: () => void): Answerer {
  let [count, failed] = [0, 0];
  return async (_asked, forward) => {
    const place = count++;
    if (place === at) {
      failed++;
      return await fault.answer(forward, ring);
    }
    if (place > at && then === "nothing works any more") throw broken();
    if (place > at && then === "the next two requests fail too" && failed++ < 3) throw broken();
    return await forward();
  };
}

/** A vault to try one operation on; made afresh for each trial. */
async function trial(): Promise<Trial & Disposable> {
  const world = new World();
  const [a, b] = [await world.addFolder(null, "A"), await world.addFolder(null, "B")];
  const ids = {
    a,
    b,
    file: await world.addFile(a, "x.txt", "x"),
    inner: await world.addFolder(a, "inner"),
    second: await world.addFile(a, "second.txt", "y"),
  };
  const connected = await world.connect();
  return { world, connected, ids, [Symbol.dispose]: () => world[Symbol.dispose]() };
}

/** What was said of an operation. */
type Said = { value: unknown } | { error: ToolError };

async function said(call: Promise<unknown>): Promise<Said> {
  try {
    return { value: await call };
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error));
    return { error };
  }
}

interface Told {
  outcome: "done" | "not done" | "unknown" | "unverified" | "some";
  made: "none" | "some" | "all";
}

function outcomeOf(answer: Said): Told["outcome"] {
  if ("value" in answer) {
    if (!Array.isArray(answer.value)) return "done";
    const { value } = answer;
    if (value.some(({ code }) => code === "outcome_unknown")) return "unknown";
    return value.every(({ ok }) => ok) ? "done" : value.some(({ ok }) => ok) ? "some" : "not done";
  }
  const { code, changedAnything } = answer.error;
  if (code === "outcome_unknown" || code === "verify_failed") {
    assert.ok(changedAnything, `${code} says that something may have changed`);
    return code === "verify_failed" ? "unverified" : "unknown";
  }
  assert.equal(changedAnything, false);
  return "not done";
}

/** Tries one point; gives what was said and what is so. */
async function tried(point: Point): Promise<Told> {
  using one = await trial();
  const { world, connected } = one;
  const limits = new Limits();
  const wire = new Wire(world);
  const storage = undefined; // by way of the wire too
  const client = world.client(connected, { fetch: wire.fetch, alarm: limits.alarm, storage });
  const view = await client.view();
  wire.answer = failing(point, limits.ring);
  const outcome = outcomeOf(await said(point.operation.run(client, view, one)));
  const made = await point.operation.made(one);
  if (outcome === "not done") {
    if (point.then === "all is well") {
      assert.equal(heldIn(one), 0, "the room is given back at once");
    }
    await staysUndone(one, made);
  }
  return { outcome, made };
}

/** Bytes that are held for uploads. */
function heldIn({ world, connected }: Trial): number {
  return world.rows.grant(connected.credential.grantId)!.writeReservedBytes;
}

/** What was said not to be done leaves nothing behind, and is not done later. */
async function staysUndone(one: Trial, made: Told["made"]): Promise<void> {
  if (made !== "none") return; // told below
  const { world } = one;
  const now = Date.now() + 16 * 60_000;
  world.server.clock.now = () => now;
  world.server.service.sweep();
  await Promise.resolve();
  assert.equal(heldIn(one), 0, "no room stays held");
  const objects = [...world.server.objects.list()].length;
  assert.equal(objects, world.rows.files(page).length, "no object is left over");
}

/** How many requests an operation makes when nothing fails. */
async function requestsOf(operation: Operation): Promise<string[]> {
  using one = await trial();
  const wire = new Wire(one.world);
  const storage = undefined;
  const client = one.world.client(one.connected, { fetch: wire.fetch, storage });
  const view = await client.view();
  const before = wire.asked.length;
  await operation.run(client, view, one);
  return wire.lines.slice(before);
}

/** Whether what was said of a point may be said, given what is so. */
function isTrue({ fault, then }: Point, { outcome, made }: Told): boolean {
  const isSilent = then === "nothing works any more";
  if (outcome === "done") return made === "all";
  if (outcome === "some") return made === "some";
  if (outcome === "not done") return made === "none";
  if (outcome === "unverified") return made === "all";
  // That nobody knows is true always; it may be said only where nothing tells.
  return isSilent || fault.late && made !== "all";
}

const THENS: Then[] = [
  "all is well",
  "the next two requests fail too",
  "nothing works any more",
];

for (const operation of OPERATIONS) {
  Deno.test(`${operation.name}: what is said is so, whichever request fails in whatever way`, async () => {
    const requests = await requestsOf(operation);
    const counts: Record<string, number> = {};
    let points = 0;
    for (const at of requests.keys()) {
      for (const fault of FAULTS) {
        for (const then of THENS) {
          const point = { operation, at, fault, then };
          const told = await tried(point);
          const where = `${requests[at]}, ${fault.name}, ${then}`;
          assert.ok(isTrue(point, told), `${where}: said ${told.outcome}, made ${told.made}`);
          counts[told.outcome] = (counts[told.outcome] ?? 0) + 1;
          points++;
        }
      }
    }
    console.log(`${operation.name}: ${points} points of ${requests.length} requests`, counts);
  });
}

/** Ways in which a server may be at it for longer than anyone waits. */
const LATE = FAULTS.filter(({ late, name }) => late && name.endsWith("before")).concat(
  [408, 503, 504].map((code) => ({
    name: `${code} before`,
    late: true,
    answer: () => Promise.resolve(status(code)),
  })),
);

/** When the server acts that was asked long ago: before which look at the vault, or after all of them. */
type Moment = 2 | 3 | "in the end";

/** Tries an operation on a server that acts late. */
async function triedLate(operation: Operation, fault: Fault, moment: Moment): Promise<Told> {
  using one = await trial();
  const limits = new Limits();
  const wire = new Wire(one.world);
  const client = one.world.client(one.connected, { fetch: wire.fetch, alarm: limits.alarm });
  const view = await client.view();
  let act: (() => Promise<Response>) | undefined;
  let looks = 0;
  wire.answer = async ({ path }, forward) => {
    if (act === undefined) {
      act = forward;
      return await fault.answer(forward, limits.ring);
    }
    if (path === "/grant" && ++looks === moment) await acted(act);
    return await forward();
  };
  const outcome = outcomeOf(await said(operation.run(client, view, one)));
  if (moment === "in the end") await acted(act!);
  return { outcome, made: await operation.made(one) };
}

Deno.test("a server that acts late is never said not to have acted", async () => {
  const [made, unknown] = ["done all", "unknown all"];
  for (const operation of OPERATIONS.slice(0, 6)) {
    for (const fault of LATE) {
      for (const moment of [2, 3, "in the end"] as const) {
        const told = await triedLate(operation, fault, moment);
        const expected = moment === "in the end" ? unknown : made;
        const where = `${operation.name}, ${fault.name}, ${moment}`;
        assert.equal(`${told.outcome} ${told.made}`, expected, where);
      }
    }
  }
});

Deno.test("an upload that was given up is not finished late", async () => {
  const upload = OPERATIONS[OPERATIONS.length - 1];
  for (const route of ["/files", "finalize"]) {
    using one = await trial();
    const limits = new Limits();
    const wire = new Wire(one.world);
    const { world, connected } = one;
    const client = world.client(connected, { fetch: wire.fetch, alarm: limits.alarm });
    const view = await client.view();
    let act: (() => Promise<Response>) | undefined;
    wire.answer = async ({ method, path }, forward) => {
      if (method !== "POST" || !path.endsWith(route)) return await forward();
      act = forward;
      return await silence(limits.ring);
    };
    assert.equal(outcomeOf(await said(upload.run(client, view, one))), "not done");
    await acted(act!);
    assert.equal(await upload.made(one), "none");
    await staysUndone(one, "none");
  }
});

/** What a change is refused with whose first requests fail. */
async function refusedAfter(operation: Operation, failures: number): Promise<ToolError> {
  using one = await trial();
  const wire = new Wire(one.world);
  const client = one.world.client(one.connected, { fetch: wire.fetch });
  const view = await client.view();
  wire.answer = (_asked, forward) => failures-- > 0 ? Promise.reject(broken()) : forward();
  const answer = await said(operation.run(client, view, one));
  assert.ok("error" in answer, `${operation.name} is refused as a whole`);
  return answer.error;
}

Deno.test("what was lost and not done is a failure of the network, and nothing was changed", async () => {
  for (const operation of OPERATIONS.slice(0, 6)) {
    const { code, message } = await refusedAfter(operation, 1);
    assert.equal(code, "network_error");
    assert.match(message, /nothing was changed/);
  }
});

Deno.test("what nobody can tell is said to be so, and to look before anything is tried again", async () => {
  for (const operation of OPERATIONS.slice(0, 6)) {
    const { code, message, changedAnything } = await refusedAfter(operation, Infinity);
    assert.deepEqual([code, changedAnything], ["outcome_unknown", true]);
    assert.match(message, /list the vault before/);
  }
});
