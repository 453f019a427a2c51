// A connection that was made and could not be stored, because the keychain was locked meanwhile for example.
// It must not be lost: somebody at the terminal can try again or choose the file; without anybody, what is
// to be done is said.

import { quote, ToolError } from "../../../containment/mod.ts";
import type { Connected, Connector } from "../../../vault/connect/mod.ts";
import { shortId } from "../../connection/show.ts";
import type { Environment } from "../../environment.ts";
import { warn } from "../../messages.ts";
import type { Terminal } from "../../terminal/prompt.ts";

export interface StoringAgain {
  connector: Connector;
  /** The connection file; absent where there is no place for one. */
  file?: string;
  environment: Environment;
  terminal?: Terminal;
  signal: AbortSignal;
}

/**
 * Has the connection stored, however often that takes.
 *
 * @throws ToolError `not_stored` when nobody is there to ask, or nobody wants to go on.
 */
export async function storeAgain(
  connected: Connected,
  { connector, file, environment, terminal, signal }: StoringAgain,
): Promise<Connected> {
  let last = connected;
  while (last.stored === "memory") {
    warn(environment, `the connection is made, but not stored: ${last.trouble?.message}`);
    if (terminal === undefined) throw notStored(last);
    const choices = file === undefined ? "" : `, \`file\` to keep it in ${quote(file)}`;
    const question = `Press Enter to try again${choices}, or type \`stop\`:`;
    const answer = await answered(terminal, question, signal);
    if (answer === undefined || answer === "stop") throw notStored(last);
    const inFile = answer === "file" && file !== undefined;
    last = await connector.store(last, inFile ? "file" : undefined);
  }
  return last;
}

/** The answer; undefined when there is none, because of Ctrl-C for example. */
async function answered(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await terminal.ask(question, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}

function notStored({ grant, trouble }: Connected): ToolError {
  return new ToolError(
    "not_stored",
    `the connection ${
      shortId(grant.id)
    } was made and is not stored anywhere; revoke it in ShieldFive, ` +
      "Settings, AI assistants, and make another one with --store file, or when the keychain is unlocked",
    { detail: { reason: trouble?.message }, changedAnything: true },
  );
}
