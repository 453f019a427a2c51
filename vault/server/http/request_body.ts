// The body of a request as a stream that is read only as fast as it is wanted. A client that is waited for
// and sends nothing, or not enough in time, loses its connection instead of holding a place.

import type { IncomingMessage } from "node:http";
import type { ServiceClock } from "./service_clock.ts";

/** Why a body ended before its end. */
export class Unfinished extends Error {
  override readonly name = "Unfinished";
}

export interface Patience {
  /** Milliseconds without a byte while one is waited for. */
  idleMs: number;
  /** Milliseconds for all of it, the service's among them; absent for an upload. */
  totalMs?: number;
  /** Milliseconds that an upload's client may be waited for; absent for any other body. */
  uploadMs?: number;
  /** Bytes that gain it another second. */
  uploadRate: number;
  /** Stands still while the client is waited for. */
  clock: ServiceClock;
}

export class RequestBody {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #incoming: IncomingMessage;
  readonly #idleMs: number;
  readonly #uploadRate: number;
  /** Milliseconds that the client may still be waited for. */
  #patience: number;
  readonly #clock: ServiceClock;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  #timedOut = false;
  #broken = false;
  #ended = false;
  #wake?: () => void;

  constructor(
    incoming: IncomingMessage,
    { idleMs, totalMs, uploadMs = Infinity, uploadRate, clock }: Patience,
  ) {
    this.#incoming = incoming;
    this.#idleMs = idleMs;
    this.#uploadRate = uploadRate;
    this.#patience = uploadMs;
    this.#clock = clock;
    if (totalMs !== undefined) this.#deadline = setTimeout(() => this.#giveUp(), totalMs);
    incoming.on("readable", () => this.#wake?.());
    incoming.on("end", () => {
      this.#ended = true;
      this.#finish();
    });
    const broken = () => {
      this.#broken = true;
      this.#finish();
    };
    incoming.on("error", broken);
    incoming.on("close", broken);
    this.stream = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
  }

  /** Whether the client took too long. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    for (;;) {
      const chunk: Uint8Array<ArrayBuffer> | null = this.#incoming.read();
      if (chunk !== null) {
        // As it is: whoever sends it on copies what is part of a larger buffer.
        const { buffer, byteOffset, length } = chunk;
        this.#patience += length / this.#uploadRate * 1000;
        return controller.enqueue(new Uint8Array(buffer, byteOffset, length));
      }
      if (this.#ended) return controller.close();
      if (this.#timedOut) throw new Unfinished("the client took too long");
      if (this.#broken) throw new Unfinished("the client went away");
      await this.#change();
    }
  }

  /** Waits for bytes or for the end of them. */
  async #change(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp(), Math.min(this.#idleMs, this.#patience));
    const began = performance.now();
    this.#clock.stop();
    await new Promise<void>((resolve) => this.#wake = resolve);
    this.#clock.restart();
    this.#patience -= performance.now() - began;
    clearTimeout(timer);
  }

  #giveUp(): void {
    this.#timedOut = true;
    this.#finish();
  }

  #finish(): void {
    clearTimeout(this.#deadline);
    this.#wake?.();
  }
}
