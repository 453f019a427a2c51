// From a parsed command line to one call of a tool: which argument each operand is, and which folders
// the call may touch.

import type { Tool } from "../../tools/tool.ts";
import type { Environment } from "../environment.ts";
import { type Option, optionsOf } from "../options.ts";
import type { Parsed } from "../parse.ts";
import {
  type PathOperand,
  placeOf,
  type Reach,
  reachForChange,
  reachForReading,
  type RootSource,
} from "../roots.ts";
import { argumentsOf } from "../schema_notes.ts";
import { UsageError } from "../usage.ts";
import { reportedCopies } from "./report.ts";

/** One call, ready but for the check of its input. */
export interface Call {
  input: Record<string, unknown>;
  reach: Reach;
}

/** Arguments that are paths; the ones of a destination say where something goes. */
const PATHS = new Set(["path", "paths", "source", "destination", "restore_as"]);
const DESTINATIONS = new Set(["destination", "restore_as"]);
/** Tools that look for a trash above the folders too. */
const TRASH_FINDERS = new Set(["list_trash", "restore_local"]);

/** @throws UsageError, or ToolError when a folder cannot be worked in. */
export function callFor(tool: Tool<never>, parsed: Parsed, environment: Environment): Call {
  const input = optionInput(tool, parsed);
  const source: RootSource = {
    environment,
    given: (parsed.values.get("root") ?? []) as string[],
    findTrash: TRASH_FINDERS.has(tool.name),
  };
  if (tool.effect === "read") {
    const reach = reachForReading(parsed.operands, source);
    return { input: reach.path === undefined ? input : { ...input, path: reach.path }, reach };
  }
  const report = parsed.values.get("report");
  if (report !== undefined) {
    if (parsed.operands.length > 0) throw new UsageError("--report takes the place of the paths");
    return reportedCopies(String(report), input, source);
  }
  const whole = inputFor(tool, parsed);
  const operands: PathOperand[] = [];
  for (const [name, value] of Object.entries(whole)) {
    if (!PATHS.has(name)) continue;
    const places = [value].flat().map((typed) => placeOf(String(typed), environment));
    whole[name] = Array.isArray(value) ? places : places[0];
    operands.push(...places.map((path) => ({ path, destination: DESTINATIONS.has(name) })));
  }
  return { input: whole, reach: reachForChange(operands, source) };
}

/** All that was given of a tool's arguments, by position and as options. @throws UsageError */
export function inputFor(tool: Tool<never>, parsed: Parsed): Record<string, unknown> {
  return { ...operandInput(tool, parsed.operands), ...optionInput(tool, parsed) };
}

/** The tool's arguments that were given as options, over the ones that a terminal starts from. */
function optionInput(tool: Tool<never>, { values }: Parsed): Record<string, unknown> {
  const input: Record<string, unknown> = { ...tool.terminal.defaults };
  for (const option of optionsOf(tool).own) {
    const value = values.get(option.name);
    if (option.argument !== undefined && value !== undefined) {
      input[option.argument] = bareWord(option, value);
    }
  }
  return input;
}

/** One of the words that may stand in place of a list is the word itself. */
function bareWord({ kind }: Option, value: unknown): unknown {
  if (kind.type !== "list" || !Array.isArray(value) || value.length !== 1) return value;
  return kind.words.includes(value[0]) ? value[0] : value;
}

/** The arguments that were given by position. */
function operandInput(tool: Tool<never>, operands: string[]): Record<string, unknown> {
  if (tool.terminal.fromOperands !== undefined) return tool.terminal.fromOperands(operands);
  const input: Record<string, unknown> = {};
  const required = new Map(argumentsOf(tool).map(({ name, required }) => [name, required]));
  const left = [...operands];
  for (const positional of tool.terminal.positionals) {
    const name = positional.replace(/…$/, "");
    if (left.length === 0) {
      if (required.get(name) === false) continue;
      throw new UsageError(`${tool.command.join(" ")} needs ${tool.terminal.usage}`);
    }
    input[name] = name === positional ? left.shift() : left.splice(0);
  }
  if (left.length === 0) return input;
  throw new UsageError(
    `${tool.command.join(" ")} takes ${tool.terminal.usage} and nothing more`,
  );
}
