// A call from its arguments to its result, with rooms that do what the test says.

import assert from "node:assert/strict";
import { z } from "zod";
import { Calls, type CallScope } from "../../cli/mcp/calls.ts";
import { type ErrorRecord, ToolError } from "../../containment/mod.ts";
import { findTool } from "../../tools/catalogue.ts";
import { PlanStore } from "../../tools/mod.ts";
import type { Approve, Session, SessionCallOptions } from "../../tools/session.ts";
import type { Tool } from "../../tools/tool.ts";

const LIST = findTool("list_local")!;
const MKDIR = findTool("create_local_folder")!;
const PLANNED = { performed: false, action: "create_folder", path: "/r/new" };
const BINDING = { path: "/r/new" };

type Rooms = Partial<Pick<Session, "read" | "preview" | "perform">>;

function callsOver(rooms: Rooms, ready = Promise.resolve()) {
  const refuse = () => Promise.reject(new Error("not expected"));
  const log: string[] = [];
  const plans = new PlanStore();
  const calls = new Calls({
    session: { read: refuse, preview: refuse, perform: refuse, ...rooms },
    ready,
    plans,
    schemas: z,
    log: (line) => log.push(line),
  });
  return { calls, plans, log };
}

function scope(over: Partial<CallScope> = {}): CallScope {
  return {
    signal: new AbortController().signal,
    onProgress: () => {},
    within: () => Promise.resolve(undefined),
    ...over,
  };
}

/** A room for changes that asks for approval like the real one. */
const writer: Rooms = {
  preview: () => Promise.resolve({ output: PLANNED, binding: BINDING }),
  perform: (_tool: Tool, _input: unknown, approve: Approve) => {
    approve({ binding: BINDING, output: PLANNED });
    return Promise.resolve({ ...PLANNED, performed: true });
  },
};

/** The arguments that carry out a plan, after its preview. */
async function approved(calls: Calls, over: Partial<CallScope> = {}): Promise<object> {
  const preview = await calls.run(MKDIR, { path: "/r/new" }, scope(over));
  return { path: "/r/new", confirm: true, plan_token: preview.structuredContent.plan_token };
}

Deno.test("a failure that is no refusal is logged with the tool and its stack, and read as internal", async () => {
  const { calls, log } = callsOver({ read: () => Promise.reject(new TypeError("a bug")) });
  const result = await calls.run(LIST, {}, scope());
  assert.match(result.content[0].text, /^\[internal\] /);
  assert.doesNotMatch(JSON.stringify(result), /a bug\b(?! in shieldfive)|TypeError/);
  assert.match(log.join("\n"), /^list_local failed unexpectedly: TypeError: a bug\n +at /);
});

Deno.test("after a bug in a confirmed change nobody claims that nothing changed", async () => {
  const { calls } = callsOver({ perform: () => Promise.reject(new TypeError("a bug")) });
  const result = await calls.run(MKDIR, { path: "/r/new", confirm: true }, scope());
  const { changed_anything, message } = result.structuredContent.error as ErrorRecord;
  assert.equal(changed_anything, true);
  assert.match(message, /what was changed is not known\. list_trash shows/);
});

Deno.test("a refusal is read as it is and logs nothing", async () => {
  const { calls, log } = callsOver({
    read: () => Promise.reject(new ToolError("not_found", "gone")),
  });
  const result = await calls.run(LIST, {}, scope());
  assert.equal(result.content[0].text, "[not_found] gone");
  assert.deepEqual(log, []);
});

Deno.test("arguments are refused before any room is asked or ready", async () => {
  const never = new Promise<void>(() => {});
  const { calls } = callsOver({}, never);
  const result = await calls.run(LIST, { limit: "10" }, scope());
  assert.match(result.content[0].text, /^\[invalid_argument\] limit/);
});

Deno.test("a confirmation that is cancelled before its approval does not spend the token", async () => {
  const { calls, log } = callsOver(writer);
  const args = await approved(calls);
  const cancelled = await calls.run(MKDIR, args, scope({ signal: AbortSignal.abort() }));
  assert.equal(
    cancelled.content[0].text,
    "[cancelled] the call was cancelled; nothing was changed",
  );
  assert.deepEqual(log, [`create_local_folder, cancelled: ${cancelled.content[0].text}`]);
  const done = await calls.run(MKDIR, args, scope());
  assert.equal(done.structuredContent.performed, true);
});

Deno.test("a change that was cancelled too late is done, and its outcome is logged", async () => {
  const controller = new AbortController();
  const { calls, log } = callsOver({
    ...writer,
    perform: (tool, input, approve) => {
      const done = writer.perform!(tool, input, approve);
      controller.abort();
      return done;
    },
  });
  const args = await approved(calls);
  await calls.run(MKDIR, args, scope({ signal: controller.signal }));
  assert.equal(log.length, 1);
  assert.match(log[0], /^create_local_folder, cancelled: Created the folder/);
});

Deno.test("a cancelled read is nobody's business", async () => {
  const { calls, log } = callsOver({ read: () => Promise.reject(new ToolError("cancelled", "x")) });
  await calls.run(LIST, {}, scope({ signal: AbortSignal.abort() }));
  assert.deepEqual(log, []);
});

Deno.test("stopping reaches confirmed changes first, then everything", async () => {
  const stopped: string[] = [];
  const until = (name: string, options: SessionCallOptions = {}) =>
    new Promise<never>((_, reject) =>
      options.signal!.addEventListener("abort", () => {
        stopped.push(name);
        reject(new ToolError("cancelled", "stopped"));
      })
    );
  const { calls } = callsOver({
    read: (_tool, _input, options) => until("read", options),
    preview: (_tool, _input, options) => until("preview", options),
    perform: (_tool, _input, _approve, options) => until("perform", options),
  });
  const running = [
    calls.run(LIST, {}, scope()),
    calls.run(MKDIR, { path: "/r/new" }, scope()),
    calls.run(MKDIR, { path: "/r/new", confirm: true }, scope()),
  ];
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(calls.changing, true);
  calls.stop("changes");
  assert.deepEqual(stopped, ["perform"]);
  await running[2];
  assert.equal(calls.changing, false);
  calls.stop("all");
  await calls.idle();
  assert.deepEqual(stopped, ["perform", "read", "preview"]);
});

Deno.test("the narrowed folders go to the room with every kind of call", async () => {
  const seen: unknown[] = [];
  const note = (options: SessionCallOptions = {}) => void seen.push(options.within);
  const { calls } = callsOver({
    read: (_tool, _input, options) => {
      note(options);
      return Promise.reject(new ToolError("x", "x"));
    },
    preview: (_tool, _input, options) => {
      note(options);
      return writer.preview!(MKDIR, {}, options);
    },
    perform: (tool, input, approve, options) => {
      note(options);
      return writer.perform!(tool, input, approve);
    },
  });
  const within = () => Promise.resolve(["/r/part"]);
  await calls.run(LIST, {}, scope({ within }));
  await calls.run(MKDIR, await approved(calls, { within }), scope({ within }));
  assert.deepEqual(seen, [["/r/part"], ["/r/part"], ["/r/part"]]);
});
