// A tool as a command: from the words on the command line to its result on the terminal. The order is
// the point: everything that needs rights happens first, then this thread gives them up, and only then
// does the room touch a file. A change is shown before it is made, and made only after a yes.

import type { Session } from "../../tools/session.ts";
import type { ChangeTool, Tool } from "../../tools/tool.ts";
import type { Environment } from "../environment.ts";
import { Interrupts } from "../interrupt.ts";
import { EXIT, hint, reportFailure, say, warn } from "../messages.ts";
import { optionsOf } from "../options.ts";
import { asksForHelp, type Parsed, parseWords } from "../parse.ts";
import { showJson, showResult } from "../show.ts";
import { ProgressLine } from "../terminal/progress.ts";
import { openTerminal, type Terminal } from "../terminal/prompt.ts";
import { UsageError } from "../usage.ts";
import { type Call, callFor } from "./call.ts";
import { openRooms } from "./rooms.ts";

/** Runs `shieldfive TOOL ARGS` and gives the exit code. */
export async function runTool(
  tool: Tool,
  args: string[],
  environment: Environment,
): Promise<number> {
}
