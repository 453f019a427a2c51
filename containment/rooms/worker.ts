// A room's own side: takes calls, one after the other unless it says otherwise, and answers each once.

/// <reference lib="deno.worker" />

import { CancelFlag } from "../cancel.ts";
import { ToolError } from "../error.ts";
import { holdForLife } from "./life.ts";
import { type ProofRequest, PROVE, tryRights } from "./proof.ts";
import type { FromRoom, Progress, ToRoom } from "./protocol.ts";

/** What a method may use while it runs. */
export interface CallPorts {
  signal: CancelFlag;
  progress(progress: Progress): void;
  /** Asks the main thread and waits; throws what the main thread refused with. */
  ask(question: string, args: unknown): Promise<unknown>;
}

/** Runs something that comes from elsewhere as if it were a call: before the next one, and after the last. */
export type InTurn = <T>(work: () => T | Promise<T>) => Promise<T>;

export type Method = (args: unknown, ports: CallPorts) => unknown | Promise<unknown>;

/** What every room can do, unless it does it in a way of its own. */
const COMMON: Record<string, Method> = { [PROVE]: (args) => tryRights(args as ProofRequest) };

/**
 * Serves the methods that `start` returns, and the ones that every room has. Calls run strictly one
 * after the other: two changes of the disk never interleave (local-tools spec, 2.8), and a second scan
 * waits for the first.
 *
 * @param concurrent for a room whose calls have nothing to do with each other: each begins at once.
 */
export function serveRoom(
  start: (
    init: unknown,
    ports: Record<string, MessagePort>,
    inTurn: InTurn,
  ) => Record<string, Method>,
  { concurrent = false }: { concurrent?: boolean } = {},
): void {
  const scope = self as unknown as DedicatedWorkerGlobalScope;
  const send = (message: FromRoom) => scope.postMessage(message);
  const questions = new Map<number, PromiseWithResolvers<unknown>>();
  let methods: Record<string, Method> = {};
  let tail: Promise<void> = Promise.resolve();
  const inTurn: InTurn = (work) => {
    const done = tail.then(work);
    tail = done.then(() => {}, () => {}); // told to whoever asked for it
    return done;
  };

  captureConsole((line) => send({ type: "log", line }));

  scope.onmessage = ({ data }: MessageEvent<ToRoom>) => {
    if (data.type === "start") {
      // No call begins before its room's end would be noticed.
      tail = holdForLife(data.life).then(() => send({ type: "alive" }));
      methods = { ...COMMON, ...start(data.init, data.ports, inTurn) };
    } else if (data.type === "call") {
      if (concurrent) void tail.then(() => run(data));
      else void inTurn(() => run(data));
    } else {
      const question = questions.get(data.id);
      questions.delete(data.id);
      if (data.error === undefined) question?.resolve(data.value);
      else question?.reject(ToolError.fromRecord(data.error));
    }
  };
  send({ type: "ready" });

  async function run(call: ToRoom & { type: "call" }): Promise<void> {
    const { id } = call;
    const ports: CallPorts = {
      signal: new CancelFlag(call.cancel),
      progress: (progress) => send({ type: "progress", id, progress }),
      ask(question, args) {
        const waiting = Promise.withResolvers<unknown>();
        questions.set(id, waiting);
        send({ type: "ask", id, question, args });
        return waiting.promise;
      },
    };
    try {
      const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
      if (method === undefined) throw new Error(`the room has no method ${call.method}`);
      send({ type: "result", id, value: await method(call.args, ports) });
    } catch (error) {
      if (error instanceof ToolError) send({ type: "error", id, error: error.toRecord() });
      else send({ type: "bug", id, stack: (error as Error)?.stack ?? String(error) });
    } finally {
      ports.signal.release();
    }
  }
}

const PRINTING = [
  "log",
  "info",
  "debug",
  "warn",
  "error",
  "dir",
  "dirxml",
  "table",
  "trace",
  "group",
];

/**
 * Makes a log line of whatever a room or a library in it prints, since the process's stdout may carry
 * a protocol. What only counts, times or indents does nothing.
 */
function captureConsole(log: (line: string) => void): void {
  const printers = console as unknown as Record<string, (...values: unknown[]) => void>;
  const print = (...values: unknown[]) =>
    log(values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" "));
  for (const name of Object.keys(printers)) {
    if (typeof printers[name] === "function") printers[name] = () => {};
  }
  for (const name of PRINTING) printers[name] = print;
  printers.assert = (holds, ...values) => {
    if (!holds) print("assertion failed:", ...values);
  };
}
