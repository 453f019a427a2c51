// Questions to the person. They go to the terminal itself and never into a pipe, so that redirected
// output holds no question and piped input answers none.

import type { Environment } from "../environment.ts";
import { type Output, StreamOutput } from "./streams.ts";

export interface Terminal extends Output {
  /**
   * Asks and waits for a line. Only a clear yes is a yes; an end of input is a no.
   *
   * @throws the signal's reason when it is aborted first.
   */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Asks and gives the line that was typed, without the space around it; undefined at the end of input.
   *
   * @throws the signal's reason when it is aborted first.
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

interface Device {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
  read(into: Uint8Array): Promise<number | null>;
}

/**
 * The terminal of the person who started the program, or undefined when nobody is there. To be
 * opened before the program gives up its rights.
 */
export function openTerminal({ stdin, stderr }: Environment): Terminal | undefined {
  const device = Deno.build.os === "windows" ? undefined : controllingTerminal();
  if (device !== undefined) return terminalOn(device);
  if (!stdin.isTerminal || !stderr.isTerminal) return undefined;
  return terminalOn({
    isTerminal: () => true,
    writeSync: (bytes) => Deno.stderr.writeSync(bytes),
    read: (into) => Deno.stdin.read(into),
  });
}

function controllingTerminal(): Deno.FsFile | undefined {
  try {
    return Deno.openSync("/dev/tty", { read: true, write: true });
  } catch {
    return undefined; // ENXIO and its kin: the process has no terminal, or none that can be used
  }
}

function terminalOn(device: Device): Terminal {
  const output = new StreamOutput(device);
  async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    output.write(`${question} `);
    const aborted = Promise.withResolvers<never>();
    const stop = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      // The read blocks a thread of its own, so that Ctrl-C is heard meanwhile.
      return (await Promise.race([readLine(device), aborted.promise]))?.trim();
    } catch (error) {
      output.write("\n"); // what follows is not to stand behind the question
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
  return {
    isTerminal: true,
    write: (text) => output.write(text),
    ask,
    confirm: async (question, signal) =>
      /^y(es)?$/i.test(await ask(`${question} [y/N]`, signal) ?? ""),
  };
}

/** The next line, or undefined when the input ends before there is one. */
async function readLine(device: Device): Promise<string | undefined> {
  const bytes: number[] = [];
  const buffer = new Uint8Array(256);
  for (;;) {
    const read = await device.read(buffer);
    if (read === null) return undefined;
    bytes.push(...buffer.subarray(0, read));
    if (bytes.includes(0x0a) || bytes.length > 4096) {
      return new TextDecoder().decode(new Uint8Array(bytes)).split("\n")[0];
    }
  }
}
