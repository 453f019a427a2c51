// What goes to stderr: warnings, failures and hints, one line each, with nothing in it that a file
// name could use to forge another line. Somebody who closed stderr does not want to hear it.

import { type ErrorRecord, ToolError, visible } from "../containment/mod.ts";
import type { Environment } from "./environment.ts";
import { Interrupted } from "./interrupt.ts";
import { ClosedPipe, WriteFailed } from "./terminal/streams.ts";
import { styleFor } from "./terminal/style.ts";
import { UsageError } from "./usage.ts";

/** Exit codes (architecture, "The command line"). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  needsConfirmation: 3,
  partly: 4,
  closedPipe: 141,
} as const;

/** Information, or what a room has to say. */
export function say(environment: Environment, text: string): void {
  for (const part of text.split("\n")) line(environment, visible(part));
}

export function warn(environment: Environment, text: string): void {
  const { yellow } = styleFor(environment.stderr, environment);
  line(environment, `${yellow("warning:")} ${sentence(text)}`);
}

export function hint(environment: Environment, text: string): void {
  line(environment, `hint: ${visible(text)}`);
}

function complain(environment: Environment, text: string): void {
  const { red } = styleFor(environment.stderr, environment);
  line(environment, `${red("error:")} ${sentence(text)}`);
}

function line({ stderr }: Environment, text: string): void {
  try {
    stderr.write(`shieldfive: ${text}\n`);
  } catch (error) {
    if (!(error instanceof ClosedPipe || error instanceof WriteFailed)) throw error;
  }
}

function sentence(text: string): string {
  return visible(text).replace(/\.$/, "");
}

/** Codes that say that part of the change was made. */
const PARTLY = new Set(["trash_partially_applied", "cancelled_partially_applied"]);

/** Whether part of the change was made, by its code or, under whatever code it stopped, by its detail. */
function isPartly({ code, detail }: ErrorRecord): boolean {
  return PARTLY.has(code) || detail?.performed === true;
}

/** What to do about what went to the trash. */
const TRASHED = "`shieldfive trashed` shows what is in the trash, `restore` puts it back";

/** What can be done without the keychain. */
const STORES =
  "`shieldfive login --store file` keeps the connection in a file that only you can read; or " +
  "the variable SHIELDFIVE_GRANT can hold the connection string";

/** What a tool tells a model to do, and how a person at a terminal does it. */
const AT_A_TERMINAL: [RegExp, string][] = [
  [/\bcall vault_connect( with reconnect: true)?/g, "run `shieldfive login`"],
  [/\bvault_connect with reconnect: true/g, "`shieldfive login`"],
];

const HINTS: Record<string, string> = {
  keychain_absent: STORES,
  keychain_locked: STORES,
  keychain_not_answering: STORES,
  keychain_failed: STORES,
  outside_roots: "--root DIR names a folder to work in; it can be given more than once",
  plan_changed: "something changed in the meantime; run the command again to see the new plan",
  trash_partially_applied: TRASHED,
  cancelled_partially_applied: TRASHED,
};

/** What to do when nobody knows what was changed. */
const LOOK =
  "`shieldfive trashed` shows what is in the trash, `shieldfive doctor` finds copies left unfinished; " +
  "look before you try again";

/**
 * Reports whatever ended a command and gives the exit code. With `json`, the failure is an object on
 * stdout as well. A stack is shown for a bug only.
 */
export function reportFailure(error: unknown, environment: Environment, json: boolean): number {
  if (error instanceof ClosedPipe) return EXIT.closedPipe;
  const record = recordOf(error);
  if (json) writeRecord(record, environment);
  if (record.code === "internal" && error instanceof Error && !(error instanceof ToolError)) {
    say(environment, error.stack ?? String(error));
  }
  const code = error instanceof UsageError ? "" : ` [${record.code}]`;
  complain(environment, record.message.replace(/\.$/, "") + code);
  const next = error instanceof UsageError ? error.hint : hintFor(error, record);
  if (next !== undefined) hint(environment, next);
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof UsageError) return EXIT.usage;
  return isPartly(record) ? EXIT.partly : EXIT.failed;
}

function hintFor(error: unknown, record: ErrorRecord): string | undefined {
  const { code, changed_anything } = record;
  const lost = error instanceof ToolError && code === "internal" && changed_anything;
  return lost ? LOOK : HINTS[code] ?? (isPartly(record) ? TRASHED : undefined);
}

function writeRecord(error: ErrorRecord, { stdout }: Environment): void {
  try {
    stdout.write(JSON.stringify({ error }, null, 2) + "\n");
  } catch (failure) {
    // The failure itself is told on stderr all the same.
    if (!(failure instanceof ClosedPipe || failure instanceof WriteFailed)) throw failure;
  }
}

function recordOf(error: unknown): ErrorRecord {
  if (error instanceof ToolError) {
    const record = error.toRecord();
    const message = AT_A_TERMINAL.reduce(
      (text, [call, way]) => text.replace(call, way),
      record.message,
    );
    return { ...record, message };
  }
  if (error instanceof UsageError) {
    return { code: "invalid_argument", message: error.message, changed_anything: false };
  }
  if (error instanceof WriteFailed) {
    return { code: "io_error", message: error.message, changed_anything: false };
  }
  if (error instanceof Interrupted) {
    return { code: "cancelled", message: error.message, changed_anything: false };
  }
  return {
    code: "internal",
    message: "a bug in shieldfive ended the command",
    changed_anything: true,
  };
}
