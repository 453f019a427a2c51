// How much was read, counted by both threads of a call in one place.

/** Adding up is cheap: the shared counters are touched once in a while, not at every read. */
export class Tally {
  readonly buffer: SharedArrayBuffer;
  readonly #shared: BigUint64Array;
  readonly #onAdvance: () => void;
  #bytes = 0;
  #looks = 0;

  /** @param onAdvance called after the shared counters have moved. */
  constructor(buffer = new SharedArrayBuffer(16), onAdvance: () => void = () => {}) {
    this.buffer = buffer;
    this.#shared = new BigUint64Array(buffer);
    this.#onAdvance = onAdvance;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= 1 << 20) this.flush();
  }

  /** Counts a file that was looked at. */
  addLook(): void {
    this.#looks++;
  }

  /** Makes what was counted here visible to the other thread. */
  flush(): void {
    Atomics.add(this.#shared, 0, BigInt(this.#bytes));
    Atomics.add(this.#shared, 1, BigInt(this.#looks));
    this.#bytes = this.#looks = 0;
    this.#onAdvance();
  }

  /** Content bytes read by both threads, as far as they were flushed. */
  get bytes(): number {
    return Number(Atomics.load(this.#shared, 0));
  }

  /** Files looked at by both threads, as far as they were flushed. */
  get looks(): number {
    return Number(Atomics.load(this.#shared, 1));
  }
}
