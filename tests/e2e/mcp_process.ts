// The real server in a process of its own, spoken to in lines, for tests of what no well-behaved client
// sends. Every line that it writes must be JSON-RPC; a line that is not fails the test that reads it.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

/** The program's entry file. */
export const ENTRY = fileURLToPath(new URL("../../mod.ts", import.meta.url));

/** What came out of JSON; tests look into it field by field. */
export type Message = ReturnType<typeof JSON.parse>;

export interface StartOptions {
  /** Environment variables on top of the test's own; without a word about the vault, there is none. */
  env?: Record<string, string>;
  cwd?: string;
  /** The file to run in place of the program; it gets the same words. */
  entry?: string;
}

/** The opening of the handshake protocols. */
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "0" },
  },
};

/** How long a test waits for anything before it fails. */
const PATIENCE = 20_000;

export class RawServer implements AsyncDisposable {
  readonly process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #arrived: Message[] = [];
  #wake = Promise.withResolvers<void>();
  #outputEnded = false;
  #stderr = "";
  #nextId = 1;
  readonly #reading: Promise<unknown>;

  constructor(words: string[], { env, cwd, entry = ENTRY }: StartOptions = {}) {
    const { SHIELDFIVE_MCP_ROOTS: _roots, ...inherited } = Deno.env.toObject();
    this.process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", entry, "mcp", ...words],
      clearEnv: true,
      env: { ...inherited, NO_COLOR: "1", SHIELDFIVE_GRANT: "none", ...env },
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.process.stdin.getWriter();
    this.#reading = Promise.all([this.#readOutput(), this.#readStderr()]);
  }

  /** Everything on stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Messages that came and were not taken yet. */
  get waiting(): readonly Message[] {
    return this.#arrived;
  }

  async #readOutput(): Promise<void> {
    let rest = "";
    for await (const text of this.process.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        assert.ok(line.length < 8 * 1024 * 1024, "a line of 8 MiB or more was sent");
        this.#arrived.push(parsed(line));
      }
      this.#changed();
    }
    assert.equal(rest, "", "the output ends in the middle of a line");
    this.#outputEnded = true;
    this.#changed();
  }

  async #readStderr(): Promise<void> {
    for await (const text of this.process.stderr.pipeThrough(new TextDecoderStream())) {
      this.#stderr += text;
      this.#changed();
    }
  }

  #changed(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Writes a message, or exactly these characters or bytes. */
  async send(what: Message): Promise<void> {
    const bytes = what instanceof Uint8Array
      ? what
      : new TextEncoder().encode(typeof what === "string" ? what : JSON.stringify(what) + "\n");
    await this.#input.write(bytes);
  }

  /** Does the handshake and gives its result. */
  async open(capabilities: Record<string, unknown> = {}): Promise<Message> {
    await this.send({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
    const answer = await this.answerTo(INITIALIZE.id);
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer.result;
  }

  /** Sends a request and gives its id. */
  async request(method: string, params?: Message, id: string | number = this.#nextId++) {
    await this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return id;
  }

  /** Sends a request and gives its answer. */
  async ask(method: string, params?: Message): Promise<Message> {
    return await this.answerTo(await this.request(method, params));
  }

  /** Calls a tool and gives the result. */
  async call(name: string, args?: Message): Promise<Message> {
    const answer = await this.ask("tools/call", { name, arguments: args });
    assert.ok(answer.result, `no result: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** Takes the first message for which the test holds, waiting for it. */
  async take(test: (message: Message) => boolean, what = "a message"): Promise<Message> {
    return await this.until(() => {
      const at = this.#arrived.findIndex(test);
      return at < 0 ? undefined : this.#arrived.splice(at, 1)[0];
    }, what);
  }

  answerTo(id: string | number | null): Promise<Message> {
    const isAnswer = (m: Message) => m.id === id && ("result" in m || "error" in m);
    return this.take(isAnswer, `the answer to ${JSON.stringify(id)}`);
  }

  /** Waits until `look` gives something, looking again whenever the server wrote something. */
  async until<T>(look: () => T | undefined | false, what: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`waited too long for ${what}\n${this.#stderr}`)),
        PATIENCE,
      );
    });
    try {
      for (;;) {
        const found = look();
        if (found) return found;
        assert.ok(!this.#outputEnded, `the server ended before ${what}\n${this.#stderr}`);
        await Promise.race([this.#wake.promise, late]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for a text on stderr. */
  async said(text: string): Promise<void> {
    await this.until(() => this.#stderr.includes(text), `${JSON.stringify(text)} on stderr`);
  }

  /** Closes the server's input. */
  closeInput(): Promise<void> {
    return this.#input.close();
  }

  /** Waits for the end of the process and of its output, and gives the exit code. */
  async ended(): Promise<number> {
    const { code } = await this.process.status;
    await this.#reading;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // closed by the test, or the server went first
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await this.process.status;
    clearTimeout(timer);
    await this.#reading.catch(() => {}); // the test has failed of it already
  }
}

function parsed(line: string): Message {
  const message = JSON.parse(line);
  assert.equal(message.jsonrpc, "2.0", `not JSON-RPC: ${line.slice(0, 200)}`);
  return message;
}

/** Two files that take tens of seconds to compare, and no space. */
export function plantHuge(dir: string): void {
  for (const name of ["a", "b"]) {
    using file = Deno.openSync(`${dir}/${name}`, { write: true, create: true });
    file.truncateSync(40e9);
    file.writeSync(new Uint8Array(64 * 1024));
    file.seekSync(-4096, Deno.SeekMode.End);
    file.writeSync(new Uint8Array(4096));
  }
}

/** Starts the comparison of two huge files and waits until it is under way. */
export async function startHashing(server: RawServer, id: string | number = "long"): Promise<void> {
  await server.open();
  await server.request("tools/call", {
    name: "find_duplicates",
    arguments: {},
    _meta: { progressToken: "hash" },
  }, id);
  const isProgress = (m: { method?: string }) => m.method === "notifications/progress";
  await server.take(isProgress, "progress");
}
