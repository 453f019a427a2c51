// How long a request has been waiting for the service alone. While a client is waited for, it stands still.

/** Runs from the start. */
export class ServiceClock {
  /** Settles when the service had its turn for too long. */
  readonly ranOut: Promise<undefined>;
  readonly #ranOut = Promise.withResolvers<undefined>();
  readonly #milliseconds: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(milliseconds: number) {
    this.ranOut = this.#ranOut.promise;
    this.#milliseconds = milliseconds;
    this.restart();
  }

  /** It is the service's turn, from now on. */
  restart(): void {
    this.stop();
    if (this.#ended) return;
    this.#timer = setTimeout(() => this.#ranOut.resolve(undefined), this.#milliseconds);
  }

  /** It is the client's turn. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The answer is there. */
  end(): void {
    this.#ended = true;
    this.stop();
  }
}
