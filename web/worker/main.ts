// The worker that holds the vault: all keys and names are in this thread, and the page asks it for what it
// shows. It ends when the page locks the vault, and with it everything that it knew.

import { OwnerError } from "../../vault/owner/mod.ts";
import type { CallName, CallProgress, FromWorker, ToWorker, TreeSnapshot } from "../vault/calls.ts";
import { type CallContext, operationsOn } from "./operations.ts";

/** What of a worker's global scope is used; its types exclude those of a page. */
interface Scope {
  location: Location;
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const scope = globalThis as unknown as Scope;
/** A tree of thousands takes its time to copy: while files arrive one by one, not each brings one. */
const TREE_INTERVAL_MS = 250;
const PROGRESS_INTERVAL_MS = 100;

/** Lets the newest of what comes through, at most once an interval unless it is urgent. */
function paced<Value>(
  interval: number,
  pass: (value: Value) => void,
): (value: Value, atOnce?: boolean) => void {
  let last = -Infinity;
  let newest: Value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    pass(newest);
  };
  return (value, atOnce = false) => {
    newest = value;
    const rest = last + interval - performance.now();
    if (atOnce || rest <= 0) now();
    else timer ??= setTimeout(now, rest);
  };
}

const parameters = new URLSearchParams(scope.location.hash.slice(1));
const operations = operationsOn({
  origin: scope.location.origin,
  kdfScript: parameters.get("kdf")!,
  onTree: paced(TREE_INTERVAL_MS, (tree: TreeSnapshot) => scope.postMessage({ tree })),
});
const running = new Map<number, AbortController>();

function failureOf(error: unknown): { code: string; message: string; retryAfterSeconds?: number } {
  if (error instanceof OwnerError) {
    const { code, message, retryAfterSeconds } = error;
    return { code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
  console.error(error); // a bug: its stack is for whoever looks
  return { code: "internal", message: `Something went wrong: ${(error as Error).message}` };
}

async function carryOut(id: number, name: CallName, given: unknown[]): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const context: CallContext = {
    signal: controller.signal,
    onProgress: paced(PROGRESS_INTERVAL_MS, (progress: CallProgress) => {
      if (running.has(id)) scope.postMessage({ id, progress });
    }),
  };
  try {
    const operation = operations[name] as (context: CallContext, ...all: unknown[]) => unknown;
    scope.postMessage({ id, result: await operation(context, ...given) });
  } catch (error) {
    const stopped = controller.signal.aborted;
    scope.postMessage({
      id,
      failure: stopped ? { code: "stopped", message: "It was stopped." } : failureOf(error),
    });
  } finally {
    running.delete(id);
  }
}

scope.onmessage = ({ data }) => {
  if ("stop" in data) running.get(data.id)?.abort();
  else carryOut(data.id, data.call, data.parameters);
};
