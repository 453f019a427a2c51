// The bodies that are under way through a port, in both directions, each under its own number.

import { ToolError } from "../../error.ts";
import { BrokenOff, Incoming } from "./incoming.ts";
import { Outgoing } from "./outgoing.ts";
import type { BodyMessage, Send } from "./protocol.ts";

export class Bodies {
  readonly #outgoing = new Map<number, Outgoing>();
  readonly #incoming = new Map<number, Incoming>();
  readonly #send: Send;
  readonly #log: (line: string) => void;

  /** @param log told of sources that fail to be cancelled. */
  constructor(send: Send, log: (line: string) => void) {
    this.#send = send;
    this.#log = log;
  }

  /**
   * Sends a body to its end, or until the other side wants no more.
   *
   * @throws what the body failed with.
   */
  async send(id: number, body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const outgoing = new Outgoing(id, body, this.#send);
    this.#outgoing.set(id, outgoing);
    try {
      await outgoing.run();
    } finally {
      this.#outgoing.delete(id);
    }
  }

  /** A body that the other side has announced. */
  receive(id: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const incoming = new Incoming(id, (message, transfer) => {
      // The sender says nothing more about it then.
      if (message.type === "cancel") this.#incoming.delete(id);
      this.#send(message, transfer);
    });
    this.#incoming.set(id, incoming);
    return incoming.stream;
  }

  /** Wants nothing more of a body. */
  stop(id: number): void {
    this.#incoming.get(id)?.stop();
    this.#incoming.delete(id);
  }

  /** What the other side says about a body; one that is over is no longer known. */
  handle(message: BodyMessage): void {
    const { id } = message;
    switch (message.type) {
      case "piece":
        return this.#incoming.get(id)?.take(message.buffers);
      case "end":
        this.#incoming.get(id)?.end();
        return void this.#incoming.delete(id);
      case "fail":
        this.#incoming.get(id)?.fail(reasonIn(message));
        return void this.#incoming.delete(id);
      case "credit":
        return this.#outgoing.get(id)?.credit(message.bytes);
      case "cancel":
        return this.#cancel(id);
    }
  }

  /** Ends every body: the other side is no more. */
  lose(): void {
    for (const incoming of this.#incoming.values()) {
      incoming.fail(new BrokenOff("the other room stopped"));
    }
    this.#incoming.clear();
    for (const id of [...this.#outgoing.keys()]) this.#cancel(id);
  }

  #cancel(id: number): void {
    this.#outgoing.get(id)?.cancel().catch((error) => this.#log(error?.stack ?? String(error)));
    this.#outgoing.delete(id);
  }
}

function reasonIn({ error }: BodyMessage & { type: "fail" }): Error {
  return error === undefined ? new BrokenOff("the body broke off") : ToolError.fromRecord(error);
}
