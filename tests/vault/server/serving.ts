// The real program, serving a data folder in a process of its own that a test may kill. What it prints is
// kept, its memory can be read, and it is gone when the test is over.

import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../../../mod.ts", import.meta.url));
/** Milliseconds within which it must say where it listens. */
const PATIENCE = 60_000;
const LISTENING = /^(https?:\/\/[^/\s]+)\/(?:#setup=(\S+))?\n/m;

export interface Serving {
  readonly origin: string;
  /** Of a vault that is new; undefined after. */
  readonly setupToken: string | undefined;
  readonly process: Deno.ChildProcess;
  readonly running: boolean;
  /** What it wrote to stdout and stderr so far. */
  readonly log: string;
  /** Resident memory of the process in bytes; Linux alone says it. */
  memory(): number;
  /** Ends it the way a supervisor does; gives the exit code. */
  stop(): Promise<number>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
}

/** Collects what a stream says, and calls back with all of it so far. */
async function collect(stream: ReadableStream<Uint8Array>, heard: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const bytes of stream) heard(decoder.decode(bytes, { stream: true }));
}

function memoryOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Starts `shieldfive serve` on a data folder and waits until it listens. */
export async function startServing(
  dataFolder: string,
  words: readonly string[] = [],
): Promise<Serving> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", ENTRY, "serve"]
      .concat("--data", dataFolder, "--port", "0", words),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  let [out, log, running] = ["", "", true];
  const listening = Promise.withResolvers<RegExpExecArray>();
  const reading = Promise.all([
    collect(process.stdout, (text) => {
      out += text;
      log += text;
      const found = LISTENING.exec(out);
      if (found !== null) listening.resolve(found);
    }),
    collect(process.stderr, (text) => log += text),
  ]);
  const ended = process.status.then(async (status) => {
    running = false;
    await reading;
    listening.reject(new Error(`it ended with ${status.code} before it listened\n${log}`));
    return status;
  });
  const timer = setTimeout(() => process.kill("SIGKILL"), PATIENCE);
  const [, origin, setupToken] = await listening.promise.finally(() => clearTimeout(timer));
  const end = async (signal: Deno.Signal) => {
    if (running) process.kill(signal);
    return (await ended).code;
  };
  return {
    origin,
    setupToken,
    process,
    get running() {
      return running;
    },
    get log() {
      return log;
    },
    memory: () => memoryOf(process.pid),
    stop: () => end("SIGTERM"),
    kill: async () => {
      await end("SIGKILL");
    },
  };
}
