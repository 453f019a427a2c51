// Running the driver with strace on its thread. The tracer takes hold of the thread that makes the
// change, and only of it, while it waits for the word to go: what the runtime does at its start or in
// other threads is neither counted nor hit.

import type { Injection } from "./calls.ts";
import type { Call, Outcome } from "./outcome.ts";

export const STRACE = "/usr/bin/strace";
/** Milliseconds after which a run counts as hung. */
const PATIENCE = 60_000;

export interface Run {
  /** Absent after a kill. */
  outcome?: Outcome;
  log: string;
  /** What the driver wrote to stderr. */
  stderr: string;
  hung: boolean;
}

/** Why this machine cannot run the suite, or undefined when it can. */
export async function unable(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "the fault suite needs Linux";
  const sleeper = new Deno.Command("/bin/cat", { stdin: "piped", stdout: "null" }).spawn();
  try {
    const tracer = await attach(sleeper.pid, "/dev/null", []);
    await sleeper.stdin.close();
    await tracer.status;
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return `there is no ${STRACE} here`;
    if (error instanceof NotAttached) return error.message;
    throw error;
  } finally {
    await sleeper.stdin.close().catch(() => {}); // closed already where all went well
    await sleeper.status;
  }
}

class NotAttached extends Error {}

/** Runs one call in a process of its own, with the injections, and waits for its end. */
export async function runTraced(call: Call, injections: readonly Injection[]): Promise<Run> {
  const driver = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", "--cached-only", "--no-code-cache", "--no-lock"],
      new URL("./driver.ts", import.meta.url).pathname,
      JSON.stringify(call),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(driver.stderr).text();
  const lines = new LineReader(driver.stdout);
  if (await lines.next() !== "ready") throw new Error(`the driver did not start: ${await stderr}`);
  const log = Deno.makeTempFileSync({ prefix: "shieldfive-strace-" });
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    driver.kill("SIGKILL");
  }, PATIENCE);
  try {
    const tracer = await attach(driver.pid, log, injections);
    const writer = driver.stdin.getWriter();
    await writer.write(new TextEncoder().encode("go\n"));
    await writer.close();
    const line = await lines.next();
    await driver.status;
    await tracer.status;
    lines.drain();
    const outcome = line === undefined ? {} : { outcome: JSON.parse(line) as Outcome };
    return { ...outcome, log: Deno.readTextFileSync(log), stderr: await stderr, hung };
  } finally {
    clearTimeout(timer);
    Deno.removeSync(log);
  }
}

/** The injections as strace takes them. */
export function rules(injections: readonly Injection[]): string[] {
  return injections.flatMap(({ kind, when, what }) => [
    "-e",
    // The question mark: not every system has every kind of call.
    `inject=?${kind}:${what === "KILL" ? "signal=KILL" : `error=${what}`}:when=${when}`,
  ]);
}

/** A tracer that has hold of the process's first thread when this returns. */
async function attach(
  pid: number,
  log: string,
  injections: readonly Injection[],
): Promise<Deno.ChildProcess> {
  const trace = ["-o", log, "-s", "8", "-e", "trace=%file,%desc", ...rules(injections)];
  const tracer = new Deno.Command(STRACE, {
    args: [...trace, "-p", String(pid)],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = new LineReader(tracer.stderr);
  const first = await lines.next();
  lines.drain(); // a closed pipe would end the tracer in the middle
  if (first?.endsWith(" attached")) return tracer;
  throw new NotAttached(`strace cannot take hold of a process here: ${first}`);
}

/** Lines of a stream, one at a time. */
class LineReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next line without its end; undefined when there is none. */
  async next(): Promise<string | undefined> {
    while (!this.#rest.includes("\n")) {
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#rest += value;
    }
    const end = this.#rest.indexOf("\n");
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line;
  }

  /** Reads what is left and forgets it. */
  drain(): void {
    this.#reader.read().then(({ done }) => done ? undefined : this.drain());
  }
}
