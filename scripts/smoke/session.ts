// A conversation with `shieldfive mcp` in lines, for what the official clients hide: every line of its
// output must be JSON-RPC, and how it ends is looked at.

import { expect, Unexpected } from "./check.ts";
import { type Finished, type Json, parsed, type Subject, withinPatience } from "./subject.ts";

/** The protocol of the handshake era, and the stateless one. */
export const HANDSHAKE = "2025-11-25";
export const STATELESS = "2026-07-28";

const CLIENT = { name: "smoke", version: "0" };

/** What every request of the stateless protocol carries. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": STATELESS,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** How a server ended. */
export interface Ended extends Pick<Finished, "code" | "stderr"> {
  /** Milliseconds from the end of its input to its own. */
  took: number;
}

export class Session implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: AsyncIterator<Json>;
  readonly #stderr: Promise<string>;
  #lastId = 0;

  /** Starts `shieldfive mcp` with these words; nothing has been said yet. */
  constructor(subject: Subject, words: readonly string[]) {
    this.#child = subject.start(["mcp", ...words], subject.work, "piped");
    this.#input = this.#child.stdin.getWriter();
    this.#output = messages(this.#child.stdout);
    this.#stderr = new Response(this.#child.stderr).text();
  }

  /** Does the handshake and gives its result. */
  async open(): Promise<Json> {
    const { result } = await this.ask("initialize", {
      protocolVersion: HANDSHAKE,
      capabilities: {},
      clientInfo: CLIENT,
    });
    await this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return result;
  }

  /**
   * Sends a request and gives its answer, which must be the next thing that is said.
   *
   * @throws Unexpected when it is not, or when something else than protocol comes.
   */
  async ask(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#lastId;
    await this.#send({ jsonrpc: "2.0", id, method, params });
    const next = await withinPatience(this.#child, () => this.#output.next());
    if (next.done) throw new Unexpected(`an answer to ${method}`, await this.#stderr);
    expect(next.value.id === id, `the answer to ${method}`, next.value);
    return next.value;
  }

  /** Calls a tool and gives its result. */
  async call(name: string, args: Json): Promise<Json> {
    const answer = await this.ask("tools/call", { name, arguments: args });
    expect(answer.result !== undefined, `a result of ${name}`, answer);
    return answer.result;
  }

  /**
   * Shows a change, says yes to what was shown, and gives the result.
   *
   * @throws Unexpected when it was not shown first.
   */
  async change(name: string, args: Json): Promise<Json> {
    const shown = (await this.call(name, args)).structuredContent;
    expect(shown.performed === false, "a plan that nothing was done for", shown);
    return await this.call(name, { ...args, confirm: true, plan_token: shown.plan_token });
  }

  /** Ends its input and waits for its own end. */
  async end(): Promise<Ended> {
    const start = performance.now();
    await this.#input.close();
    const { code } = await withinPatience(this.#child, () => this.#child.status);
    const took = performance.now() - start;
    const rest = await this.#output.next();
    expect(rest.done === true, "nothing more on stdout", rest.value);
    return { code, took, stderr: await this.#stderr };
  }

  async #send(message: Json): Promise<void> {
    await this.#input.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // closed before, or the server went first
    await withinPatience(this.#child, () => this.#child.status);
    await this.#output.return?.();
    await this.#stderr;
  }
}

/** The messages on a server's stdout, each of which must be a line of JSON-RPC. */
async function* messages(stdout: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Json> {
  let rest = "";
  for await (const text of stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield message(line);
  }
  expect(rest === "", "the output to end with a line", rest);
}

function message(line: string): Json {
  const value = parsed(line);
  expect(value?.jsonrpc === "2.0", "JSON-RPC on stdout", line);
  return value;
}
