// Memory of bytes that were used, given back at once. Otherwise tens of megabytes of them pile up on the way of
// a large file: to the collector, which looks at its own heap, a buffer is small whatever it holds.

/** Gives back what nobody looks at any more; a part of a larger buffer is left alone. */
export function giveBack(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.length === buffer.byteLength) buffer.transfer(0);
}

/** The same stream, for a reader that is done with a piece when it asks for the next. */
export function givingBack(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let last = new Uint8Array(0);
  return new ReadableStream({
    async pull(controller) {
      giveBack(last);
      const { done, value } = await reader.read();
      if (done) return controller.close();
      last = value as Uint8Array<ArrayBuffer>;
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
