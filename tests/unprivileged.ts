// Runs one reading call for a test that is about missing rights, in a process of a user without
// any. The call and its arguments come as JSON, and so goes the result.

import { openRoots, ToolError } from "../containment/mod.ts";
import { findTool } from "../tools/catalogue.ts";
import type { ReadTool } from "../tools/tool.ts";
import { contextFor } from "./support.ts";

const [what, args] = Deno.args.map((text) => JSON.parse(text));

async function result(): Promise<unknown> {
  if (what === "openRoots") return openRoots(args as string[]);
  const { tool, roots, input } = args as { tool: string; roots: string[]; input: object };
  try {
    return await (findTool(tool) as ReadTool).run(contextFor(roots), { ...input });
  } catch (error) {
    if (error instanceof ToolError) return { error: error.toRecord() };
    throw error;
  }
}

console.log(JSON.stringify(await result()));
