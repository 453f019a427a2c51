// The main thread's side of a room: opens the worker with exactly its permissions, sends calls,
// and passes on progress, questions and cancellation.

import { CancelFlag } from "../cancel.ts";
import { ToolError } from "../error.ts";
import { permissionsOf, type RoomKind } from "./permissions.ts";
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
  /** Where a room's log lines and the stacks of its bugs go. */
  log(line: string): void;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Answers a question that the room asks in the middle of the call; may throw a ToolError. */
  onAsk?(question: string, args: unknown): unknown | Promise<unknown>;
}

interface Pending extends CallOptions {
  resolve(value: unknown): void;
  reject(error: unknown): void;
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
  #next = 1;
  #dead?: Error;

  constructor(options: RoomOptions) {
    this.kind = options.kind;
    this.#log = options.log;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {}); // told to whoever waits for it, or by the next call
    this.#worker = new Worker(options.module, {
      type: "module",
      name: options.kind,
      deno: { permissions: permissionsOf(options.kind, options.folders) },
    });
    this.#worker.onmessage = (event: MessageEvent<FromRoom>) => void this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new Error(`the ${this.kind} room stopped: ${event.message}`));
    };
    const ports = options.ports ?? {};
    this.#send({ type: "start", init: options.init, ports }, Object.values(ports));
  }

  /** Whether the room crashed or was closed; every call fails from then on. */
  get stopped(): boolean {
    return this.#dead !== undefined;
  }

  /** Calls in progress. */
  get busy(): number {
    return this.#pending.size;
  }

  /**
   * Runs a method in the room. An abort raises the room's stop flag; the promise still settles only
   * when the room has stopped, so that the caller learns what was done.
   */
  call(method: string, args: unknown, options: CallOptions = {}): Promise<unknown> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    const id = this.#next++;
    const flag = new CancelFlag();
    const stop = () => flag.cancel();
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { ...options, resolve, reject });
    this.#send({ type: "call", id, method, args, cancel: flag.buffer });
    return promise.finally(() => options.signal?.removeEventListener("abort", stop));
  }

  /** Ends the worker at once. Calls in progress fail. */
  close(): void {
    this.#worker.terminate();
    this.#die(new Error(`the ${this.kind} room was closed`));
  }

  #send(message: ToRoom, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #die(error: Error): void {
    this.#dead ??= error;
    this.#ready.reject(this.#dead);
    for (const pending of this.#pending.values()) pending.reject(this.#dead);
    this.#pending.clear();
  }

  async #receive(message: FromRoom): Promise<void> {
    if (message.type === "log") return this.#log(message.line);
    if (message.type === "ready") return this.#ready.resolve();
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
            "a bug in shieldfive stopped the call; what it did, if anything, is in the log",
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
