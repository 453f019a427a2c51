// The options of a tool's command: its arguments under their own names with dashes, and the few that
// every command has.

import { type AnyTool, type FlagKind, usesFolders } from "../tools/tool.ts";
import { type Argument, type ArgumentKind, argumentsOf } from "./schema_notes.ts";

/** One option as it is typed. */
export interface Option {
  /** Without the leading dashes. */
  name: string;
  /** One letter that stands for it. */
  short?: string;
  kind: ArgumentKind | { type: FlagKind };
  /** The tool's argument that it sets; absent for the options that every command has. */
  argument?: string;
  /** How help shows the value: `N`, `SIZE`; absent for a switch. */
  placeholder?: string;
  default?: unknown;
  /** May be given more than once. */
  repeatable?: boolean;
  does: string;
}

export const ROOT: Option = {
  name: "root",
  kind: { type: "text" },
  placeholder: "DIR",
  repeatable: true,
  does: "Work inside this folder only; may be repeated",
};

export const HELP: Option = {
  name: "help",
  short: "h",
  kind: { type: "switch" },
  does: "Show this help",
};

/** What commands with a result have in common, after the folders that they work in. */
export const RESULTS: Option[] = [
  { name: "json", kind: { type: "switch" }, does: "Print the result as JSON and nothing else" },
  {
    name: "show-permissions",
    kind: { type: "switch" },
    does: "Print what each part of the program could touch, and stop",
  },
  HELP,
];

const EVERYWHERE: Option[] = [ROOT, ...RESULTS];

/** What commands that change something have in common. */
export const CHANGES: Option[] = [
  { name: "yes", short: "y", kind: { type: "switch" }, does: "Proceed without asking" },
  {
    name: "dry-run",
    short: "n",
    kind: { type: "switch" },
    does: "Show what would happen, and stop",
  },
];

/** What a terminal adds to one tool. */
const ADDED: Record<string, Option[]> = {
  trash_local: [{
    name: "report",
    kind: { type: "text" },
    placeholder: "FILE",
    does: "Trash the extra copies that `dupes --json` found; - reads the report from a pipe",
  }],
};

/** Arguments that a terminal gives in another way: the prompt, or the folders. */
const UNTYPED = new Set(["confirm", "plan_token"]);

/** The tool's own options, then the ones that its kind of command has, then everybody's. */
export function optionsOf(tool: AnyTool): { own: Option[]; common: Option[] } {
  const byPosition = new Set(tool.terminal.positionals.map((name) => name.replace(/…$/, "")));
  if (tool.set === "local" && tool.effect === "read") byPosition.add("path");
  const own: Option[] = [];
  for (const argument of argumentsOf(tool)) {
    if (UNTYPED.has(argument.name) || byPosition.has(argument.name)) continue;
    if (argument.kind.type !== "data") own.push(optionFor(argument, tool));
  }
  own.push(...ADDED[tool.name] ?? []);
  const common = tool.set === "local" || usesFolders(tool) ? EVERYWHERE : RESULTS;
  return { own, common: tool.effect === "change" ? [...CHANGES, ...common] : common };
}

function optionFor(argument: Argument, tool: AnyTool): Option {
  const flag = tool.terminal.flags?.[argument.name];
  const kind = flag === undefined ? argument.kind : { type: flag };
  return {
    name: tool.terminal.optionNames?.[argument.name] ?? argument.name.replaceAll("_", "-"),
    argument: argument.name,
    kind,
    placeholder: tool.terminal.vaultItems?.includes(argument.name)
      ? "WHERE"
      : placeholderFor(kind, argument.name),
    default: tool.terminal.defaults?.[argument.name] ?? argument.default,
    repeatable: kind.type === "list",
    does: sentence(argument.description),
  };
}

function placeholderFor(kind: Option["kind"], name: string): string | undefined {
  switch (kind.type) {
    case "switch":
    case "data":
      return undefined;
    case "number":
      return "N";
    case "size":
      return "SIZE";
    case "days":
      return "AGE";
    case "choice":
      return kind.choices.join("|");
    case "list":
      return [...kind.words, "LIST"].join("|");
    case "text":
      if (name === "batch") return "BATCH";
      return /path$|folder|dir|_as$/.test(name) ? "PATH" : "TEXT";
  }
}

/** A description as help shows it: with a capital, without a full stop. */
function sentence(description: string): string {
  return description.charAt(0).toUpperCase() + description.slice(1).replace(/\.$/, "");
}

/** How an option is written: `--no-x` for a switch that is on unless it is turned off. */
export function spelling(option: Option): string {
  const off = option.kind.type === "switch" && option.default === true;
  return (off ? "--no-" : "--") + option.name;
}
