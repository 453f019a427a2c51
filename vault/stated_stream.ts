// A stream that says how many bytes it will have. Storage asks for the length before the first byte, and
// the runtime states one for a body only where it looks like a blob.

/** A body of exactly so many bytes; what the stream gives is not counted here. */
export class StatedStream extends Blob {
  readonly #stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #size: number;

  constructor(stream: ReadableStream<Uint8Array>, size: number) {
    super();
    this.#stream = stream as ReadableStream<Uint8Array<ArrayBuffer>>;
    this.#size = size;
  }

  override get size(): number {
    return this.#size;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#stream;
  }
}
