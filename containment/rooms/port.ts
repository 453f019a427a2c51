// Calls from one room to another over a port of their own, for what must not pass through the main thread:
// answers may be streams of bytes, read as fast as they are taken. Every call ends, and every stream: a room
// that is no more fails what it was given.

import { CancelFlag, type SharedFlag } from "../cancel.ts";
import { type ErrorRecord, ToolError } from "../error.ts";
import { Bodies } from "./bodies/bodies.ts";
import type { BodyMessage } from "./bodies/protocol.ts";

/** What tells either side of a port that the other room is no more. */
export { SharedFlag } from "../cancel.ts";

type Called =
  | BodyMessage
  | { type: "call"; id: number; method: string; args: unknown; cancel: SharedArrayBuffer };

type Answered =
  | BodyMessage
  | { type: "result"; id: number; value: unknown }
  /** The answer is a stream, whose bytes follow under the call's number. */
  | { type: "stream"; id: number }
  /** `error` is absent where a bug ended the call. */
  | { type: "failure"; id: number; error?: ErrorRecord };

/** @param signal raised when the caller no longer wants it. */
export type PortMethod = (args: unknown, signal: CancelFlag) => unknown | Promise<unknown>;

function logBug(error: unknown): void {
  console.log((error as Error)?.stack ?? String(error));
}

/**
 * Answers calls that come over the port, each as soon as it comes.
 *
 * @param gone raised when the calling room is no more: what runs for it is told to stop.
 */
export function servePort(
  port: MessagePort,
  methods: Readonly<Record<string, PortMethod>>,
  gone?: SharedFlag,
): void {
  const running = new Map<number, CancelFlag>();
  const post = (message: Answered, transfer: Transferable[] = []) =>
    port.postMessage(message, transfer);
  const bodies = new Bodies(post, console.log);
  gone?.whenRaised().then(() => {
    for (const flag of running.values()) flag.cancel();
    bodies.lose();
  });

  async function answer({ id, method, args, cancel }: Called & { type: "call" }): Promise<void> {
    const signal = new CancelFlag(cancel);
    running.set(id, signal);
    try {
      if (!Object.hasOwn(methods, method)) throw new Error(`the room has no method ${method}`);
      const value = await methods[method](args, signal);
      if (!(value instanceof ReadableStream)) return post({ type: "result", id, value });
      post({ type: "stream", id });
      await send(id, value);
    } catch (error) {
      if (!(error instanceof ToolError)) logBug(error);
      const told = error instanceof ToolError ? { error: error.toRecord() } : {};
      post({ type: "failure", id, ...told });
    } finally {
      running.delete(id);
      signal.release();
    }
  }

  async function send(id: number, stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      await bodies.send(id, stream);
    } catch (error) {
      // Whoever reads the stream was told.
      if (!(error instanceof ToolError)) logBug(error);
    }
  }

  port.onmessage = ({ data }: MessageEvent<Called>) => {
    if (data.type === "call") void answer(data);
    else bodies.handle(data);
  };
}

interface Pending extends PromiseWithResolvers<unknown> {
  flag: CancelFlag;
}

/** The way to another room. */
export class PortCalls {
  readonly #port: MessagePort;
  readonly #what: string;
  readonly #bodies: Bodies;
  readonly #pending = new Map<number, Pending>();
  #next = 1;
  #gone = false;

  /**
   * @param gone raised when the other room is no more; absent where both are one thread.
   * @param what the room as a message calls it: "the room for keys".
   */
  constructor(port: MessagePort, gone: SharedFlag | undefined, what: string) {
    this.#port = port;
    this.#what = what;
    this.#bodies = new Bodies((message, transfer) => this.#post(message, transfer), console.log);
    port.onmessage = ({ data }: MessageEvent<Answered>) => this.#receive(data);
    gone?.whenRaised().then(() => this.#fail());
  }

  /** Whether the other room is no more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Calls in progress. */
  get busy(): number {
    return this.#pending.size;
  }

  /**
   * Runs a method of the other room.
   *
   * @param signal an abort raises the call's stop flag; the call still settles only when it has stopped.
   * @returns what it gives; of a stream, a `ReadableStream` of the same bytes.
   * @throws ToolError what the method throws; `internal` for a bug in it and for a room that is no more.
   */
  call(method: string, args: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#lost());
    const id = this.#next++;
    const flag = new CancelFlag();
    const stop = () => flag.cancel();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    const call = Promise.withResolvers<unknown>();
    this.#pending.set(id, { ...call, flag });
    this.#post({ type: "call", id, method, args, cancel: flag.buffer });
    return call.promise.finally(() => signal?.removeEventListener("abort", stop));
  }

  #post(message: Called, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: Answered): void {
    const { id } = message;
    switch (message.type) {
      case "result":
        return this.#settled(id)?.resolve(message.value);
      case "stream":
        return this.#settled(id)?.resolve(this.#bodies.receive(id));
      case "failure":
        return this.#settled(id)?.reject(this.#failure(message.error));
      default:
        return this.#bodies.handle(message);
    }
  }

  /** A call that is over. */
  #settled(id: number): Pending | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    return call;
  }

  #failure(error: ErrorRecord | undefined): ToolError {
    if (error !== undefined) return ToolError.fromRecord(error);
    return new ToolError("internal", `a bug in ${this.#what} stopped the call`);
  }

  #fail(): void {
    this.#gone = true;
    for (const { flag, reject } of this.#pending.values()) {
      flag.cancel();
      reject(this.#lost());
    }
    this.#pending.clear();
    this.#bodies.lose();
  }

  #lost(): ToolError {
    return new ToolError("internal", `${this.#what} stopped; start shieldfive again`);
  }
}
