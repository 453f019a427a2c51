// From a stream of bytes to its lines. Bytes are copied once into a buffer that grows by doubling, so
// a line costs time in proportion to its length however small the pieces are in which it arrives, and
// a character is never decoded in halves. A line over the limit is reported once and skipped up to
// its end, so that a sender without line ends can neither eat memory nor stop the lines after it.

/** Bytes that the longest line may have, its end not counted. A thousand of the longest paths fit. */
export const MAX_LINE = 32 * 1024 * 1024;

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const INITIAL_SIZE = 64 * 1024;

export interface LineEvents {
  /** One line without its end. The bytes are only good until the call returns. */
  line(bytes: Uint8Array): void;
  /** A line passed the limit; the rest of it will be skipped. */
  tooLong(): void;
}

export class LineSplitter {
  readonly #events: LineEvents;
  readonly #limit: number;
  #buffer = new Uint8Array(INITIAL_SIZE);
  #length = 0;
  #skipping = false;

  /** @param limit bytes of the longest line that is passed on. */
  constructor(events: LineEvents, limit: number = MAX_LINE) {
    this.#events = events;
    this.#limit = limit;
  }

  /** Takes the next bytes of the stream. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_END, start)) !== -1; start = end + 1) {
      this.#append(chunk.subarray(start, end));
      this.#finish();
    }
    this.#append(chunk.subarray(start));
  }

  /** The stream ended; what came after the last line end is a line too. */
  end(): void {
    this.#finish();
  }

  #append(bytes: Uint8Array): void {
    if (this.#skipping) return;
    const needed = this.#length + bytes.length;
    if (needed > this.#limit) {
      this.#skipping = true;
      this.#reset();
      this.#events.tooLong();
      return;
    }
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  #finish(): void {
    const line = this.#buffer.subarray(0, this.#length);
    const skipped = this.#skipping;
    this.#skipping = false;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (!skipped && end > 0) this.#events.line(line.subarray(0, end));
    this.#reset();
  }

  #reset(): void {
    this.#length = 0;
    if (this.#buffer.length > 16 * INITIAL_SIZE) this.#buffer = new Uint8Array(INITIAL_SIZE);
  }
}
