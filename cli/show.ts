// A tool's result as a person reads it: the tables, the lines, then the sentence that sums it up.
// Warnings are not part of the result and go to stderr.

import { visible } from "../containment/mod.ts";
import type { Tool } from "../tools/tool.ts";
import type { Environment } from "./environment.ts";
import { warn } from "./messages.ts";
import type { Output } from "./terminal/streams.ts";
import { styleFor } from "./terminal/style.ts";
import { tableLines } from "./terminal/table.ts";
import { widthOf } from "./terminal/width.ts";
import { wrap } from "./terminal/wrap.ts";

/**
 * Writes a result, or the plan of a change.
 *
 * @param plan what was shown before, of which nothing is repeated.
 */
export function showResult(
  tool: Tool<never>,
  result: Record<string, unknown>,
  environment: Environment,
  { output = environment.stdout, plan }: { output?: Output; plan?: Record<string, unknown> } = {},
): void {
  const { warnings = [], ...rest } = result as { warnings?: string[] };
  const view = tool.view?.(result) ?? {};
  if (view.body !== undefined) {
    writeBody(view.body, output);
    for (const warning of warnings) warn(environment, warning);
    if (tool.partial?.(result)) warn(environment, tool.summary(result));
    return;
  }
  const shownBefore = plan === undefined ? [] : tool.view?.(plan).tables ?? [];
  const known = new Set(shownBefore.map((table) => JSON.stringify(table)));
  const tables = (view.tables ?? []).filter((table) => !known.has(JSON.stringify(table)));
  const layout = {
    style: styleFor(output, environment),
    columns: output.isTerminal ? environment.columns : undefined,
  };
  const summary = tool.summary({ ...rest, warnings: [] });
  const parts = [
    ...tables.map((table) => tableLines(table, layout)),
    (view.lines ?? []).map(visible),
    layout.columns === undefined ? [summary] : wrap(summary, layout.columns, widthOf),
  ];
  const shown = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n") + "\n");
  output.write(shown.join("\n"));
  const warned = (plan?.warnings ?? []) as string[];
  for (const warning of warnings) if (!warned.includes(warning)) warn(environment, warning);
}

/** Writes a text that is the result: on a terminal it must not be able to drive it. */
function writeBody(body: string, output: Output): void {
  if (!output.isTerminal) return output.write(body);
  const lines = body.replace(/\n$/, "").split("\n").map((line) =>
    line.replace(/\r$/, "").split("\t").map(visible).join("\t")
  );
  if (body !== "") output.write(lines.join("\n") + "\n");
}

/** Writes a result as data: the object of the tool and nothing else. */
export function showJson(result: Record<string, unknown>, { stdout }: Environment): void {
  const { plan_token: _token, ...rest } = result;
  stdout.write(JSON.stringify(rest, null, 2) + "\n");
}
