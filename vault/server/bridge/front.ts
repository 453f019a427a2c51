// The service as the room that speaks HTTP sees it: the same call, carried over a port. Every request gets
// an answer, also when the room behind the port is no more.

import { Bodies } from "../../../containment/rooms/bodies/bodies.ts";
import type { ServiceAnswer, ServiceRequest } from "../service/message.ts";
import type { Answers, ToFront, ToStore } from "./protocol.ts";

/** The answer while nobody is there who could give one. */
export function unavailable(): ServiceAnswer {
  return {
    status: 503,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: "unavailable" }),
    route: "(unavailable)",
  };
}

export class RemoteService implements Answers {
  readonly #port: MessagePort;
  readonly #bodies: Bodies;
  readonly #waiting = new Map<number, (answer: ServiceAnswer) => void>();
  #next = 1;
  #lost = false;

  constructor(port: MessagePort, log: (line: string) => void) {
    this.#port = port;
    this.#bodies = new Bodies((message, transfer) => this.#post(message, transfer), log);
    port.onmessage = ({ data }: MessageEvent<ToFront>) => this.#receive(data);
  }

  /** Whether somebody is there to answer. */
  get alive(): boolean {
    return !this.#lost;
  }

  /** Never rejects; a stream in the answer fails when the answer breaks off. */
  handle({ body, ...head }: ServiceRequest): Promise<ServiceAnswer> {
    if (this.#lost) return Promise.resolve(unavailable());
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<ServiceAnswer>();
    this.#waiting.set(id, resolve);
    this.#post({ type: "request", id, head, body: body !== null });
    if (body !== null) {
      // Whoever made the body knows why it failed, and the other side was told that it did.
      this.#bodies.send(id, body).catch(() => {});
    }
    return promise;
  }

  /** The other room is no more: everything that waits for it is told so, and so is all that follows. */
  lose(): void {
    this.#lost = true;
    this.#bodies.lose();
    for (const resolve of this.#waiting.values()) resolve(unavailable());
    this.#waiting.clear();
  }

  #post(message: ToStore, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: ToFront): void {
    if (message.type !== "answer") return this.#bodies.handle(message);
    const { id, head, body } = message;
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.({ ...head, body: body === true ? this.#bodies.receive(id) : body });
  }
}
