// `shieldfive serve` as it runs for a check: on a port that is free, in a session of its own, and ended by
// the check or, when that fails, for it.

import { expect, expectEqual, Unexpected } from "./check.ts";
import { endGroup, type Subject, withinPatience } from "./subject.ts";

export class Served implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;
  readonly #stderr: Promise<string>;
  #ended = false;

  /** Where it serves, and the token for whoever makes the vault; empty when it has an owner. */
  origin = "";
  setupToken = "";

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#stderr = new Response(child.stderr).text();
  }

  /**
   * Starts it on a data folder and waits until it says where it serves.
   *
   * @throws Unexpected when it says anything else.
   */
  static async open(subject: Subject, data: string): Promise<Served> {
    const words = ["serve", "--data", data, "--port", "0"];
    const served = new Served(subject.start(words, subject.work, "null"));
    try {
      const { value = "" } = await withinPatience(served.#child, () => served.#lines.read());
      const [, origin, token] = /^(http:\/\/127\.0\.0\.1:\d+)\/(?:#setup=(\S+))?\n$/.exec(value) ??
        [];
      if (origin === undefined) {
        throw new Unexpected("an address", `${value} ${await served.#stderr}`);
      }
      served.origin = origin;
      served.setupToken = token ?? "";
      return served;
    } catch (error) {
      await served[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Asks it to stop; it must end well and have nothing more on stdout. Gives what it said on stderr. */
  async stop(): Promise<string> {
    this.#ended = true;
    this.#child.kill("SIGTERM");
    const { code } = await withinPatience(this.#child, () => this.#child.status);
    const rest = await this.#lines.read();
    const stderr = await this.#stderr;
    expectEqual("exit code", [code, stderr.match(/error.*/)?.[0]], [0, undefined]);
    expect(rest.done === true, "nothing more on stdout", rest.value);
    return stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    endGroup(this.#child);
    await this.#child.status;
    await this.#lines.cancel();
    await this.#stderr;
  }
}
