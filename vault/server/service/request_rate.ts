// How fast each connection may ask (vault spec, 13): a bucket per connection that holds a minute's worth of
// requests and fills as time passes.

const MINUTE = 60_000;

interface Bucket {
  left: number;
  /** When `left` was true. */
  at: number;
}

/** The buckets of all that asked lately. */
export class RequestRate {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /**
   * Takes one request out of a connection's bucket.
   *
   * @returns 0 when there was one, else the milliseconds until there will be.
   */
  take(id: string, now: number): number {
    const left = this.#left(id, now);
    const taken = left >= 1;
    this.#buckets.set(id, { left: taken ? left - 1 : left, at: now });
    return taken ? 0 : Math.ceil((1 - left) * MINUTE / this.#perMinute);
  }

  /** Forgets the buckets that are full again. */
  sweep(now: number): void {
    for (const id of this.#buckets.keys()) {
      if (this.#left(id, now) >= this.#perMinute) this.#buckets.delete(id);
    }
  }

  #left(id: string, now: number): number {
    const bucket = this.#buckets.get(id);
    if (bucket === undefined) return this.#perMinute;
    // A clock that was set back fills nothing.
    const passed = Math.max(0, now - bucket.at);
    return Math.min(this.#perMinute, bucket.left + passed * this.#perMinute / MINUTE);
  }
}
