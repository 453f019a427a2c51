// A memory of limited size: beyond its limit it forgets what was not asked for longest.

/** Values by key. */
export class LastUsed<Value> {
  readonly #limit: number;
  readonly #forget: (value: Value) => void;
  /** A Map keeps the order in which keys were set; what is asked for is set again. */
  readonly #values = new Map<string, Value>();

  /** @param forget told of each value that is dropped or replaced. */
  constructor(limit: number, forget: (value: Value) => void = () => {}) {
    this.#limit = limit;
    this.#forget = forget;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#drop(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#limit) this.#drop(this.#values.keys().next().value!);
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#forget(value);
  }
}
