// The vault as the page has it: every call is carried out by a worker, which alone holds the keys. Ending the
// worker forgets them, whatever it was at.

import { OwnerError } from "../../vault/owner/error.ts";
import { sentence } from "../text/sentence.ts";
import {
  type CallName,
  type CallProgress,
  type Calls,
  type FromWorker,
  PASSED,
  type PassedMethod,
  type ToWorker,
  type TreeSnapshot,
} from "./calls.ts";

/** The vault's own methods. */
export type VaultMethods = Pick<Calls, PassedMethod>;

export interface CallOptions {
  onProgress?(progress: CallProgress): void;
  signal?: AbortSignal;
}

interface Pending extends CallOptions {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Result<Name extends CallName> = Awaited<ReturnType<Calls[Name]>>;

/** The worker's side of the page; see the top of this file. */
export class VaultClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #next = 0;
  #closed = false;
  /** The vault's own methods, as calls. */
  readonly methods: VaultMethods;
  /** Told of every tree that comes. */
  onTree: (tree: TreeSnapshot) => void = () => {};
  /** Told when the server ended the session, or the worker broke: nothing works after it. */
  onEnd: (reason: "ended" | "failed") => void = () => {};

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#breakDown(`the page's worker failed: ${event.message ?? "it could not be loaded"}`);
    };
    const methods = PASSED.map((name) => [
      name,
      (...parameters: Parameters<Calls[typeof name]>) => this.call(name, parameters),
    ]);
    this.methods = Object.fromEntries(methods);
  }

  /**
   * Has something done.
   *
   * @throws {OwnerError} as the call does; the signal's reason once it was aborted and the call has ended.
   */
  call<Name extends CallName>(
    name: Name,
    parameters: Parameters<Calls[Name]>,
    { onProgress, signal }: CallOptions = {},
  ): Promise<Result<Name>> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.reject(closed());
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject, onProgress, signal });
    this.#send({ id, call: name, parameters });
    const stop = () => this.#send({ id, stop: true });
    signal?.addEventListener("abort", stop);
    return promise.finally(() => signal?.removeEventListener("abort", stop)) as Promise<
      Result<Name>
    >;
  }

  /** Ends the worker, and with it everything that it knows. What is under way fails as `locked`. */
  close(): void {
    this.#closed = true;
    this.#worker.terminate();
    this.#rejectAll(closed());
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    if ("tree" in message) return this.onTree(message.tree);
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if ("progress" in message) return pending.onProgress?.(message.progress);
    this.#pending.delete(message.id);
    if ("result" in message) return pending.resolve(message.result);
    const { code, message: text, retryAfterSeconds } = message.failure;
    if (pending.signal?.aborted) return pending.reject(pending.signal.reason);
    pending.reject(new OwnerError(code, sentence(text), { retryAfterSeconds }));
    if (code === "session_ended") this.onEnd("ended");
  }

  #breakDown(message: string): void {
    this.#rejectAll(new OwnerError("internal", message));
    this.onEnd("failed");
  }

  #rejectAll(error: OwnerError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function closed(): OwnerError {
  return new OwnerError("locked", "The vault was locked.");
}
