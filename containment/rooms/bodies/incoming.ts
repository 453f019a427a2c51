// A body that comes from the other room, as a stream. The sender gets to send more only as the stream is
// read; one that sends more than that is cut off.

import { PIECE, type Send, WINDOW } from "./protocol.ts";

/** Why a body ended before its end. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

export class Incoming {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #id: number;
  readonly #send: Send;
  readonly #queue: ArrayBuffer[] = [];
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #buffered = 0;
  /** Bytes that were read and that the sender does not know of yet. */
  #taken = 0;
  /** The sender has said that this is all. */
  #ended = false;
  /** Nothing more comes out of the stream. */
  #closed = false;
  #wake?: () => void;

  constructor(id: number, send: Send) {
    this.#id = id;
    this.#send = send;
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#give(),
      cancel: () => this.stop(),
    }, { highWaterMark: 0 });
  }

  /** Bytes have come. */
  take(buffers: readonly ArrayBuffer[]): void {
    if (this.#closed || this.#ended) return;
    this.#buffered += buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#buffered >= WINDOW + PIECE) {
      this.stop();
      return this.fail(new BrokenOff("more bytes came than were asked for"));
    }
    this.#queue.push(...buffers);
    this.#wake?.();
  }

  /** All pieces have come. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The rest will not come; what has come is not given out any more either. */
  fail(error: Error): void {
    if (!this.#ended) this.#controller.error(error);
    this.#close();
  }

  /** Nobody wants the rest; the sender is told, unless it has sent everything. */
  stop(): void {
    if (this.#closed) return;
    this.#close();
    if (!this.#ended) this.#send({ type: "cancel", id: this.#id });
  }

  #close(): void {
    this.#closed = true;
    this.#queue.length = 0;
    this.#wake?.();
  }

  async #give(): Promise<void> {
    if (this.#queue.length === 0 && !this.#ended && !this.#closed) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#closed) return;
    const bytes = this.#queue.shift();
    if (bytes === undefined) {
      this.#closed = true;
      return this.#controller.close();
    }
    this.#buffered -= bytes.byteLength;
    this.#controller.enqueue(new Uint8Array(bytes));
    this.#acknowledge(bytes.byteLength);
  }

  /** Lets the sender go on; many small pieces are told in one message. */
  #acknowledge(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < PIECE || this.#ended) return;
    this.#send({ type: "credit", id: this.#id, bytes: this.#taken });
    this.#taken = 0;
  }
}
