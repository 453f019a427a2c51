// The program under fault: plans one change and carries it out, as a disk room does, in this thread
// and with nothing else around it. It says that it is ready and waits, so that a tracer can take hold
// of the thread; from the word to go until its own last line, every system call is the change's.

import { ToolError } from "../../containment/mod.ts";
import { mkdir } from "../../tools/local/mkdir.ts";
import { move } from "../../tools/local/move.ts";
import { rename } from "../../tools/local/rename.ts";
import { restore } from "../../tools/local/restore.ts";
import { trash } from "../../tools/local/trash.ts";
import type { ChangeTool, ToolContext } from "../../tools/tool.ts";
import { contextFor } from "../support.ts";
import type { Call, Outcome } from "./outcome.ts";

const tools = [mkdir, move, rename, restore, trash] as ChangeTool[];

/** Plans and performs; a failure is data here, since the campaign judges it. */
export async function perform(call: Call, context: ToolContext): Promise<Outcome> {
  const tool = tools.find(({ name }) => name === call.tool)!;
  try {
    const plan = await tool.plan(context, call.input);
    return { output: await tool.apply(context, call.input, plan) };
  } catch (error) {
    if (error instanceof ToolError) return { error: error.toRecord() };
    return { bug: String(error) };
  }
}

if (import.meta.main) {
  const call = JSON.parse(Deno.args[0]) as Call;
  const context = contextFor(call.roots);
  const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
  say("ready");
  Deno.stdin.readSync(new Uint8Array(8));
  say(JSON.stringify(await perform(call, context)));
}
