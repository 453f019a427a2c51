// Runs a reading tool as the product does: arguments checked and filled in by its schema, the result
// held to its output schema, so that no test sees a field that clients are not told of.

import assert from "node:assert/strict";
import { z } from "zod";
import { ToolError } from "../../containment/mod.ts";
import { findTool } from "../../tools/catalogue.ts";
import { checkInput } from "../../tools/input.ts";
import type { ReadTool, ToolContext } from "../../tools/tool.ts";
import { contextFor } from "../support.ts";

/** What the tests look at; every tool gives a part of it. */
// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
export type Output = Record<string, any> & { warnings: string[]; summary: string };

/** The result of a reading tool over some folders, or over a context made by the test. */
export async function read(
  name: string,
  where: string | string[] | ToolContext,
  args: Record<string, unknown> = {},
): Promise<Output> {
  const tool = findTool(name) as ReadTool;
  const context = typeof where === "object" && !Array.isArray(where)
    ? where
    : contextFor([where].flat());
  const output = await tool.run(context, checkInput(tool, z, args)) as Record<string, unknown>;
  assert.deepEqual(output, tool.output(z).parse(output));
  const summary = tool.summary(output);
  assert.doesNotMatch(summary, /[\n\r\x1b\u202e]/, "a summary is one plain line");
  for (const warning of output.warnings as string[]) assert.ok(summary.includes(warning));
  return { ...output, warnings: output.warnings as string[], summary };
}

/** The refusal that a call of a reading tool ends in. */
export async function refused(
  name: string,
  where: string | string[] | ToolContext,
  args: Record<string, unknown> = {},
): Promise<ToolError> {
  try {
    await read(name, where, args);
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error(`${name} was not refused`);
}

/** The tables and lines that a terminal shows for a result. */
export function viewOf(name: string, output: Output) {
  const { summary: _summary, ...rest } = output;
  return findTool(name)!.view!(rest);
}
