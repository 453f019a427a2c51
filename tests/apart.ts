// Runs one call for a test that needs a process of its own: one without rights, or one that
// sees other mounts. The call and its arguments come as JSON, and so goes the result.

import { openRoots, ToolError } from "../containment/mod.ts";
import { findTool } from "../tools/catalogue.ts";
import type { ChangeTool, ReadTool } from "../tools/tool.ts";
import { contextFor } from "./support.ts";

const [what, args] = Deno.args.map((text) => JSON.parse(text));

async function result(): Promise<unknown> {
  if (what === "openRoots") return openRoots(args as string[]);
  const { tool, roots, input } = args as { tool: string; roots: string[]; input: object };
  try {
    if (what === "change") return await change(findTool(tool) as ChangeTool, roots, { ...input });
    return await (findTool(tool) as ReadTool).run(contextFor(roots), { ...input });
  } catch (error) {
    if (error instanceof ToolError) return { error: error.toRecord() };
    throw error;
  }
}

async function change(tool: ChangeTool, roots: string[], input: Record<string, unknown>) {
  const context = contextFor(roots);
  const plan = await tool.plan(context, input);
  return plan.settled ? plan.output : await tool.apply(context, input, plan);
}

console.log(JSON.stringify(await result()));
