// Questions to the person. They go to the terminal itself and never into a pipe, so that redirected
// output holds no question and piped input answers none.

import type { Environment } from "../environment.ts";
import { controllingTerminal } from "./device.ts";
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
  /**
   * The same for a secret: nothing of what is typed or pasted is shown.
   *
   * @throws the signal's reason when it is aborted first.
   */
  askHidden(question: string, signal: AbortSignal): Promise<string | undefined>;
}

interface Device {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
  read(into: Uint8Array): Promise<number | null>;
  setRaw(raw: boolean, options?: { cbreak: boolean }): void;
}

/**
 * The terminal of the person who started the program, or undefined when nobody is there. To be
 * opened before the program gives up its rights.
 */
export function openTerminal({ stdin, stderr, tty }: Environment): Terminal | undefined {
  const device = tty ?? controllingTerminal();
  if (device !== undefined) return terminalOn(device);
  if (!stdin.isTerminal || !stderr.isTerminal) return undefined;
  return terminalOn({
    isTerminal: () => true,
    writeSync: (bytes) => Deno.stderr.writeSync(bytes),
    read: (into) => Deno.stdin.read(into),
    setRaw: (raw, options) => Deno.stdin.setRaw(raw, options),
  });
}

function terminalOn(device: Device): Terminal {
  const output = new StreamOutput(device);
  async function answer(
    question: string,
    signal: AbortSignal,
    read: (device: Device) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    output.write(`${question} `);
    const aborted = Promise.withResolvers<never>();
    const stop = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      // The read blocks a thread of its own, so that Ctrl-C is heard meanwhile.
      return (await Promise.race([read(device), aborted.promise]))?.trim();
    } catch (error) {
      output.write("\n"); // what follows is not to stand behind the question
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
  async function askHidden(question: string, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    // The terminal shows nothing of its own then, and Ctrl-C is still a signal.
    device.setRaw(true, { cbreak: Deno.build.os !== "windows" });
    try {
      const line = await answer(question, signal, readHidden);
      output.write("\n");
      return line;
    } finally {
      device.setRaw(false);
    }
  }
  const ask = (question: string, signal: AbortSignal) => answer(question, signal, readLine);
  return {
    isTerminal: true,
    write: (text) => output.write(text),
    ask,
    askHidden,
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

/** Characters of a hidden line; what goes beyond is dropped. */
const LONGEST = 4096;

/** The next line, as the terminal passes on every key; it edits nothing by itself then. */
async function readHidden(device: Device): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(256);
  let line = "";
  for (;;) {
    const read = await device.read(buffer);
    if (read === null) return undefined;
    for (const key of decoder.decode(buffer.subarray(0, read), { stream: true })) {
      if (key === "\r" || key === "\n") return line;
      if (key === "\x04" && line === "") return undefined; // Ctrl-D
      if (key === "\x03") return undefined; // Ctrl-C, where it is no signal
      if (key === "\x7f" || key === "\b") line = line.slice(0, -1);
      else if (key === "\x15") line = ""; // Ctrl-U
      else if (key >= " " && line.length < LONGEST) line += key;
    }
  }
}
