// A body on its way to the other room: read only as fast as the other side takes it, so that neither a
// slow reader nor a slow disk makes bytes pile up in between. Small chunks travel together, since a message
// costs as much as copying many of them would.

import { ToolError } from "../../error.ts";
import { BUFFERS, PIECE, type Send, WINDOW } from "./protocol.ts";

/** A chunk in buffers of its own that may be transferred. */
function* buffersOf(chunk: Uint8Array<ArrayBuffer>): Generator<ArrayBuffer> {
  if (chunk.length <= PIECE && chunk.length === chunk.buffer.byteLength) {
    if (chunk.length > 0) yield chunk.buffer;
    return;
  }
  // Part of a larger buffer, which is not this stream's to give away.
  for (let at = 0; at < chunk.length; at += PIECE) {
    yield new Uint8Array(chunk.subarray(at, at + PIECE)).buffer;
  }
}

export class Outgoing {
  readonly #id: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #send: Send;
  #credit = WINDOW;
  #batch: ArrayBuffer[] = [];
  #batched = 0;
  #cancelled = false;
  #wake?: () => void;

  /** @param body its chunks are given away: whoever made one must not use its buffer again. */
  constructor(id: number, body: ReadableStream<Uint8Array<ArrayBuffer>>, send: Send) {
    this.#id = id;
    this.#reader = body.getReader();
    this.#send = send;
  }

  /**
   * Sends all of it, up to its end or until it is cancelled.
   *
   * @throws what the stream failed with, after telling the other side that the rest will not come.
   */
  async run(): Promise<void> {
    const id = this.#id;
    try {
      while (await this.#mayGoOn()) {
        const { done, value } = await this.#reader.read();
        if (this.#cancelled) return;
        for (const buffer of done ? [] : buffersOf(value)) {
          if (!await this.#mayGoOn()) return;
          this.#add(buffer);
        }
        if (!done) continue;
        this.#flush();
        return this.#send({ type: "end", id });
      }
    } catch (error) {
      if (this.#cancelled) return;
      // What is no refusal is a bug: it is told where it is thrown, and says nothing to the other room.
      const told = error instanceof ToolError ? { error: error.toRecord() } : {};
      this.#send({ type: "fail", id, ...told });
      throw error;
    }
  }

  /** The other side took so many bytes. */
  credit(bytes: number): void {
    this.#credit += bytes;
    this.#wake?.();
  }

  /** Stops, and tells the stream that its rest is not wanted; throws what it answers with. */
  async cancel(): Promise<void> {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#wake?.();
    await this.#reader.cancel();
  }

  #add(buffer: ArrayBuffer): void {
    if (this.#batched + buffer.byteLength > PIECE) this.#flush();
    this.#batch.push(buffer);
    this.#batched += buffer.byteLength;
    if (this.#batched === PIECE || this.#batch.length === BUFFERS) this.#flush();
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#credit -= this.#batched;
    this.#send({ type: "piece", id: this.#id, buffers: this.#batch }, this.#batch);
    this.#batch = [];
    this.#batched = 0;
  }

  /** Waits until the other side has room; false once it wants no more. */
  async #mayGoOn(): Promise<boolean> {
    while (this.#credit <= 0 && !this.#cancelled) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return !this.#cancelled;
  }
}
