// Ctrl-C and its kin. The first one asks the work to stop where stopping is safe; the second one ends
// the program at once.

/** The signals that ask the program to stop, and the exit code of a program that they stopped. */
const SIGNALS: [Deno.Signal, number][] = Deno.build.os === "windows"
  ? [["SIGINT", 130], ["SIGBREAK", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]];

/** The person, or the system, wants the program to stop. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted; nothing was changed");
    this.exitCode = exitCode;
  }
}

/** Listens until it is disposed of; then the signals end the program as they do any other. */
export class Interrupts implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: [Deno.Signal, () => void][] = [];

  /** @param onFirst is told once that the work was asked to stop. */
  constructor(onFirst: () => void) {
    for (const [name, exitCode] of SIGNALS) {
      const listener = () => {
        if (this.signal.aborted) Deno.exit(exitCode);
        this.#controller.abort(new Interrupted(exitCode));
        onFirst();
      };
      Deno.addSignalListener(name, listener);
      this.#listeners.push([name, listener]);
    }
  }

  /** Aborted by the first signal; its reason is an {@link Interrupted}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code of an interrupted program, or undefined when it was not interrupted. */
  get exitCode(): number | undefined {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : undefined;
  }

  [Symbol.dispose](): void {
    for (const [name, listener] of this.#listeners.splice(0)) {
      Deno.removeSignalListener(name, listener);
    }
  }
}
