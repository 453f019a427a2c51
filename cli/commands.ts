// The commands: one for every tool of the catalogue, and the few that are not tools. What a command
// needs to run is loaded when it runs.

import { catalogue } from "../tools/catalogue.ts";
import { nearest } from "../tools/input.ts";
import { quote } from "../containment/mod.ts";
import type { Tool } from "../tools/tool.ts";
import type { Environment } from "./environment.ts";
import { HELP, type Option, optionsOf, ROOT } from "./options.ts";
import { UsageError } from "./usage.ts";

export interface CommandOptions {
  own: Option[];
  common: Option[];
}

export interface Command {
  /** What is typed: `["dupes"]`. */
  words: string[];
  /** The operands in the usage line. */
  usage: string;
  /** One line, no full stop. */
  brief: string;
  group: "look" | "change" | "more";
  /** The tool that the command is, where it is one. */
  tool?: Tool;
  /** Its own options, and the ones that it shares with its kind. */
  options(): CommandOptions | Promise<CommandOptions>;
  run(args: string[], environment: Environment): Promise<number>;
}

const OTHERS: Command[] = [
  {
    words: ["mcp"],
    usage: "[ROOT…]",
    brief: "Serve these tools to an assistant over MCP",
    group: "more",
    options: async () => ({
      own: (await import("./mcp/options.ts")).MCP_OPTIONS,
      common: [HELP],
    }),
    run: async (args, environment) => (await import("./commands/mcp.ts")).mcp(args, environment),
  },
  {
    words: ["doctor"],
    usage: "",
    brief: "Show versions, places, and what each part of the program may touch",
    group: "more",
    options: () => ({ own: [ROOT], common: [HELP] }),
    run: async (args, environment) =>
      (await import("./commands/doctor.ts")).doctor(args, environment),
  },
  {
    words: ["completions"],
    usage: "bash|zsh|fish",
    brief: "Print the completion script for a shell",
    group: "more",
    options: () => ({ own: [], common: [HELP] }),
    run: async (args, environment) =>
      (await import("./commands/completions.ts")).completions(args, environment),
  },
  {
    words: ["help"],
    usage: "[COMMAND]",
    brief: "Explain the program or a command",
    group: "more",
    options: () => ({ own: [], common: [HELP] }),
    run: async (args, environment) => (await import("./commands/help.ts")).help(args, environment),
  },
];

/** Every command, in the order of help. */
export function allCommands(): Command[] {
  return [...catalogue.map(toolCommand), ...OTHERS];
}

function toolCommand(tool: Tool): Command {
  return {
    words: tool.command,
    usage: tool.terminal.usage,
    brief: tool.brief,
    group: tool.effect === "read" ? "look" : "change",
    tool,
    options: () => optionsOf(tool),
    run: async (args, environment) =>
      (await import("./commands/tool_command.ts")).runTool(tool, args, environment),
  };
}

/**
 * The command that the words begin with, and the words after it.
 *
 * @throws UsageError with the nearest command.
 */
export function findCommand(words: string[]): { command: Command; rest: string[] } {
  const commands = allCommands();
  const [command] = commands
    .filter((command) => command.words.every((word, i) => words[i] === word))
    .sort((a, b) => b.words.length - a.words.length);
  if (command !== undefined) return { command, rest: words.slice(command.words.length) };
  const known = [...commands.map(({ words }) => words.join(" ")), "--help", "--version"];
  const near = nearest(words[0], known);
  throw new UsageError(
    `there is no command ${quote(words[0], 60)}` +
      (near === undefined ? "" : `; did you mean ${near}?`),
    "`shieldfive help` lists the commands",
  );
}
