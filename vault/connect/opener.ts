// Opening a browser: one fixed program, started without a shell, with the address as one word. Only an
// address of the vault's own page is opened. Whether a browser really came up nobody can know, so the address
// is always shown as well (vault spec, 9).

import { systemAlarm } from "../client/timing.ts";
import type { Alarm } from "../client/types.ts";
import { isPageAddress } from "./address.ts";

/** The program of a system that opens addresses, and the words before the address. */
export interface Opener {
  /** Looked for in PATH. */
  program: string;
  words: readonly string[];
}

/** What opens an address on each system. */
export function openerFor(os: typeof Deno.build.os): Opener {
  if (os === "darwin") return { program: "open", words: [] };
  if (os === "windows") return { program: "rundll32.exe", words: ["url.dll,FileProtocolHandler"] };
  return { program: "xdg-open", words: [] };
}

/** Milliseconds after which an opener that is still there counts as a browser that is running. */
const SETTLED_MS = 3_000;

/** Whether an address was handed to a browser, and why not. */
export type Opening = { opened: true } | { opened: false; why: string };

export interface OpeningOptions {
  /** The opener's absolute path. */
  program: string;
  words: readonly string[];
  alarm?: Alarm;
}

/**
 * Hands an address to the opener. It gets no input, its output goes nowhere, and it stays when this
 * program ends: it may be the browser itself.
 */
export async function openAddress(
  address: string,
  { program, words, alarm = systemAlarm }: OpeningOptions,
): Promise<Opening> {
  if (!isPageAddress(address)) return { opened: false, why: "it is no address to open" };
  try {
    const child = new Deno.Command(program, {
      args: [...words, address],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      // Ctrl-C is for this program.
      detached: true,
    }).spawn();
    child.unref();
    const code = await codeWithin(SETTLED_MS, child.status, alarm);
    if (code === undefined || code === 0) return { opened: true };
    return { opened: false, why: `${program} ended with exit code ${code}` };
  } catch (error) {
    return { opened: false, why: `${program} cannot be started: ${(error as Error).message}` };
  }
}

async function codeWithin(
  ms: number,
  status: Promise<Deno.CommandStatus>,
  alarm: Alarm,
): Promise<number | undefined> {
  const late = Promise.withResolvers<undefined>();
  const stop = alarm(ms, () => late.resolve(undefined));
  try {
    return (await Promise.race([status, late.promise]))?.code;
  } finally {
    stop();
  }
}
