// The main thread's side of a room: opens the worker with exactly its permissions, sends calls,
// and passes on progress, questions and cancellation. Every call ends: a room that is no more, whether
// it crashed, was closed or ended itself, fails the calls that it was given.

import { CancelFlag, type SharedFlag } from "../cancel.ts";
import { ToolError } from "../error.ts";
import { endOfLife } from "./life.ts";
import { describePermissions, permissionsOf, type RoomKind } from "./permissions.ts";
import type { FromRoom, Progress, ToRoom } from "./protocol.ts";

export interface RoomOptions {
  kind: RoomKind;
  /** The module that the room runs; it calls `serveRoom`. */
  module: URL;
  /** Real paths of the granted folders. */
  folders: readonly string[];
  /** Given to the room's `start`. */
  init?: unknown;
  /** Ports to other rooms, by name. */
  ports?: Record<string, MessagePort>;
  /** Raised when the room's thread is no more, for a room that waits for its work. */
  gone?: SharedFlag;
  /** Where a room's log lines and the stacks of its bugs go. */
  log(line: string): void;
}

export interface CallOptions {
  /** What the caller knows the call as, for a failure that says what was running. */
  name?: string;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Answers a question that the room asks in the middle of the call; may throw a ToolError. */
  onAsk?(question: string, args: unknown): unknown | Promise<unknown>;
}

interface Pending extends CallOptions {
  name: string;
  flag: CancelFlag;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Milliseconds for what a thread said before its end: its results, or the reason of a crash. */
const LAST_WORDS = 50;

/** @throws ToolError `not_permitted` when this thread lacks a right that the room is to have */
function startWorker({ kind, module, folders }: RoomOptions): Worker {
  try {
    return new Worker(module, {
      type: "module",
      name: kind,
      deno: { permissions: permissionsOf(kind, folders) },
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new ToolError(
      "not_permitted",
      "the runtime was started without a right that this takes: " +
        `${describePermissions(kind, folders).join("; ")}; start it with -A, or with that right`,
      { cause: error },
    );
  }
}

/** A worker that may touch only what its kind allows. */
export class Room {
  readonly kind: RoomKind;
  /**
   * Settles when the room's modules are loaded. The runtime reads them with the opener's rights, so
   * the opener must keep those until then.
   */
  readonly ready: Promise<void>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #log: (line: string) => void;
  readonly #gone?: SharedFlag;
  readonly #life = `shieldfive room ${crypto.randomUUID()}`;
  #next = 1;
  #end?: "stopped" | "was closed";

  constructor(options: RoomOptions) {
    this.kind = options.kind;
    this.#log = options.log;
    this.#gone = options.gone;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {}); // told to whoever waits for it, or by the next call
    this.#worker = startWorker(options);
    this.#worker.onmessage = (event: MessageEvent<FromRoom>) => void this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#stop(event.message);
    };
    const { init, ports = {} } = options;
    this.#send({ type: "start", init, ports, life: this.#life }, Object.values(ports));
  }

  /** Whether the room is no more; every call fails from then on. */
  get stopped(): boolean {
    return this.#end !== undefined;
  }

  /** Calls in progress. */
  get busy(): number {
    return this.#pending.size;
  }

  /**
   * Runs a method in the room. An abort raises the room's stop flag; the promise still settles only
   * when the room has stopped, so that the caller learns what was done.
   *
   * @throws ToolError what the method throws; `internal` for a bug in it and for a room that is no more.
   */
  call(method: string, args: unknown, options: CallOptions = {}): Promise<unknown> {
    const { name = method } = options;
    if (this.#end !== undefined) return Promise.reject(this.#tooLate(name));
    const id = this.#next++;
    const flag = new CancelFlag();
    const stop = () => flag.cancel();
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { ...options, name, flag, resolve, reject });
    this.#send({ type: "call", id, method, args, cancel: flag.buffer });
    return promise.finally(() => options.signal?.removeEventListener("abort", stop));
  }

  /**
   * Ends the worker. Calls in progress fail, and what runs in them is told to stop: the runtime does not
   * break off a loop.
   */
  close(): void {
    this.#worker.terminate();
    this.#fail("was closed");
  }

  #send(message: ToRoom, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Notices the end of the thread, whoever brought it about. */
  async #watch(): Promise<void> {
    await endOfLife(this.#life);
    this.#gone?.raise();
    if (this.#end !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS));
    this.#stop("its thread ended");
  }

  #stop(reason: string): void {
    if (this.#end !== undefined) return;
    this.#log(`the ${this.kind} room stopped: ${reason}`);
    this.#fail("stopped");
  }

  #fail(end: "stopped" | "was closed"): void {
    this.#end ??= end;
    const ended = `the ${this.kind} room ${this.#end}`;
    this.#ready.reject(new ToolError("internal", `${ended} before it was ready`));
    for (const { name, flag, reject } of this.#pending.values()) {
      flag.cancel(); // another room may be at work for the call
      reject(new ToolError("internal", `${ended} before it had finished ${name}`));
    }
    this.#pending.clear();
  }

  #tooLate(name: string): ToolError {
    return new ToolError(
      "internal",
      `the ${this.kind} room ${this.#end}, so ${name} cannot run; start shieldfive again`,
    );
  }

  async #receive(message: FromRoom): Promise<void> {
    if (message.type === "log") return this.#log(message.line);
    if (message.type === "ready") return this.#ready.resolve();
    if (message.type === "alive") return await this.#watch();
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    switch (message.type) {
      case "progress":
        return pending.onProgress?.(message.progress);
      case "ask":
        return this.#send(await answer(message, pending));
      case "result":
        pending.resolve(message.value);
        break;
      case "error":
        pending.reject(ToolError.fromRecord(message.error));
        break;
      case "bug":
        this.#log(message.stack);
        pending.reject(
          new ToolError(
            "internal",
            `a bug in shieldfive stopped ${pending.name}; the log has its stack`,
          ),
        );
    }
    this.#pending.delete(message.id);
  }
}

async function answer(
  message: { id: number; question: string; args: unknown },
  pending: Pending,
): Promise<ToRoom> {
  try {
    const value = await pending.onAsk?.(message.question, message.args);
    return { type: "answer", id: message.id, value };
  } catch (error) {
    if (!(error instanceof ToolError)) {
      pending.reject(error);
      return {
        type: "answer",
        id: message.id,
        error: new ToolError("internal", "the main thread could not answer").toRecord(),
      };
    }
    return { type: "answer", id: message.id, error: error.toRecord() };
  }
}
