// Taking a connection string from the person who copied it. It is not shown, and comes through no argument:
// those can be read by every user of the machine.

import { ToolError } from "../../../containment/mod.ts";
import { parseConnectionString, VaultCryptoError } from "@shieldfive/crypto/vault";
import type { Environment } from "../../environment.ts";
import type { Terminal } from "../../terminal/prompt.ts";

/** Bytes of input; a connection string has about two hundred. */
const MOST = 64 * 1024;

/**
 * The connection string: typed at the terminal, unseen, or else all of standard input.
 *
 * @throws ToolError `invalid_connection_string`, which has nothing of the input in it.
 */
export async function readPasted(
  { stdin }: Environment,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<{ text: string; grantId: string }> {
  const text = stdin.isTerminal
    ? await terminal?.askHidden("Connection string (what you paste is not shown):", signal)
    : inputOf(stdin);
  return parsed(text?.trim() ?? "");
}

function inputOf(stdin: Environment["stdin"]): string {
  try {
    return new TextDecoder().decode(stdin.readAll(MOST));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return ""; // whatever it is, it is no connection string
  }
}

function parsed(text: string): { text: string; grantId: string } {
  try {
    return { text, grantId: parseConnectionString(text).grantId };
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    const why = text === "" ? "nothing was given" : error.message;
    throw new ToolError(
      "invalid_connection_string",
      `that is no connection string: ${why}; copy it again in ShieldFive, Settings, AI assistants`,
    );
  }
}
