// Opens the rooms of a command and gives up the main thread's rights, in the one order that works: a
// room is opened, and reads its modules, with the rights that the main thread has at that moment.

import { type Progress, ToolError } from "../../containment/mod.ts";
import { checkInput } from "../../tools/input.ts";
import { Session } from "../../tools/session.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Environment } from "../environment.ts";
import { optionsOf, spelling } from "../options.ts";
import { protectedPaths } from "../places.ts";
import { giveUpRights } from "../rights.ts";
import { UsageError } from "../usage.ts";
import { VERSION } from "../version.ts";
import type { Call } from "./call.ts";

/** How a command's rooms are opened. */
export interface Opening {
  /** A line for the person at the terminal. */
  log(line: string): void;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** A call that is ready: where it can be carried out, and its checked input. */
export interface Ready {
  session: Session;
  input: Record<string, unknown>;
}

/**
 * The open session of a call and its checked input. When this returns, the main thread has no rights.
 *
 * @throws UsageError when an argument is not what the tool takes.
 */
export async function openRooms(
  tool: Tool<never>,
  call: Call,
  environment: Environment,
  { log }: Opening,
): Promise<Ready> {
  const session = new Session({
    roots: call.reach.roots,
    version: VERSION,
    protectedPaths: protectedPaths(environment),
    uid: Deno.uid() ?? undefined,
    log,
  });
  session.open([tool], tool.effect === "read" && tool.parallel ? 2 : 1);
  try {
    const { z } = await import("zod"); // loads while the rooms start
    const input = inOptionTerms(tool, () => checkInput(tool, z, call.input));
    await session.ready();
    giveUpRights();
    return { session, input };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** A refused argument under the name that the person typed. */
export function inOptionTerms<T>(tool: Tool<never>, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "invalid_argument") throw error;
    const [, field, rest] = /^(\w+)[\w.]*(: .*)$/s.exec(error.message) ?? [];
    const option = optionsOf(tool).own.find(({ argument }) => argument === field);
    if (option === undefined) throw error;
    throw new UsageError(spelling(option) + rest.replace("; nothing was changed", ""));
  }
}
