// The program's front door: finds the command, runs it, and turns whatever happens into an exit code.

import type { Command } from "./commands.ts";
import type { Environment } from "./environment.ts";
import { UsageError } from "./usage.ts";
import { controllingTerminal } from "./terminal/device.ts";
import { asksForHelp, asksForJson } from "./words.ts";

/** Runs the program with these arguments and gives its exit code. */
export async function main(args: string[], environment: Environment): Promise<number> {
  try {
    return await run(args, environment);
  } catch (error) {
    const { reportFailure } = await import("./messages.ts");
    return reportFailure(error, environment, asksForJson(args));
  }
}

async function run(args: string[], environment: Environment): Promise<number> {
  const [first] = args;
  if (first === "--version" || first === "-V") {
    const { BUILD } = await import("./version.ts");
    environment.stdout.write(`${BUILD}\n`);
    return 0;
  }
  if (first === undefined || first === "--help" || first === "-h") {
    const { overview } = await import("./commands/help.ts");
    environment.stdout.write(overview(environment));
    return 0;
  }
  const { findCommand } = await import("./commands.ts");
  const { command, rest } = findCommand(args);
  // The last moment at which it can be opened; a command that only looks asks nothing.
  const tty = command.tool?.effect === "read" ? undefined : controllingTerminal();
  giveUpUnused(command);
  if (asksForHelp(rest)) {
    const { commandHelp } = await import("./commands/help.ts");
    environment.stdout.write(await commandHelp(command, environment));
    return 0;
  }
  try {
    if (command.words[0] !== "doctor") requireVariables(environment);
    return await command.run(rest, { ...environment, tty });
  } catch (error) {
    if (error instanceof UsageError) {
      error.hint ??= `\`shieldfive ${command.words.join(" ")} --help\` shows how it is used`;
    }
    throw error;
  }
}

/**
 * Where rights cannot depend on the command, it may have been given those of others. What runs programs is
 * kept for a command of the network as well: from the sources, `serve` has the runtime build its page.
 */
function giveUpUnused({ network, connection }: Pick<Command, "network" | "connection">): void {
  if (!network) Deno.permissions.revokeSync({ name: "net" });
  if (!connection) Deno.permissions.revokeSync({ name: "ffi" });
  if (!network && !connection) Deno.permissions.revokeSync({ name: "run" });
}

/** A variable can limit what a command may touch: one that cannot be read must not pass for unset. */
function requireVariables({ withheld = [] }: Environment): void {
  if (withheld.length === 0) return;
  throw new UsageError(
    `the runtime was started without the right to read ${withheld.join(", ")}`,
    "`shieldfive doctor` says what the program has to be started with",
  );
}
