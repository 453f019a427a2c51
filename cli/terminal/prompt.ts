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
  return {
    isTerminal: true,
    write: (text) => output.write(text),
    async confirm(question, signal) {
      signal.throwIfAborted();
      output.write(`${question} [y/N] `);
      const aborted = Promise.withResolvers<never>();
      const stop = () => aborted.reject(signal.reason);
      signal.addEventListener("abort", stop);
      try {
        // The read blocks a thread of its own, so that Ctrl-C is heard meanwhile.
        const line = await Promise.race([readLine(device), aborted.promise]);
        return /^\s*y(es)?\s*$/i.test(line);
      } catch (error) {
        output.write("\n"); // what follows is not to stand behind the question
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}

async function readLine(device: Device): Promise<string> {
  const bytes: number[] = [];
  const buffer = new Uint8Array(256);
  for (;;) {
    const read = await device.read(buffer);
    if (read === null) return "";
    bytes.push(...buffer.subarray(0, read));
    if (bytes.includes(0x0a) || bytes.length > 4096) {
      return new TextDecoder().decode(new Uint8Array(bytes)).split("\n")[0];
    }
  }
}
