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

const HINTS: Record<string, string> = {
  outside_roots: "--root DIR names a folder to work in; it can be given more than once",
  plan_changed: "something changed in the meantime; run the command again to see the new plan",
  trash_partially_applied:
    "`shieldfive trashed` shows what is in the trash, `restore` puts it back",
  cancelled_partially_applied:
    "`shieldfive trashed` shows what is in the trash, `restore` puts it back",
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
  return PARTLY.has(record.code) ? EXIT.partly : EXIT.failed;
}

function hintFor(error: unknown, { code, changed_anything }: ErrorRecord): string | undefined {
  const lost = error instanceof ToolError && code === "internal" && changed_anything;
  return lost ? LOOK : HINTS[code];
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
  if (error instanceof ToolError) return error.toRecord();
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
