// The commands: one for every tool of the catalogue, and the few that are not tools. What a command
// needs to run is loaded when it runs.

import { catalogue } from "../tools/catalogue.ts";
import { nearest } from "../tools/input.ts";
import { quote } from "../containment/mod.ts";
import type { Tool } from "../tools/tool.ts";
import { INSTALLATION } from "./commands/completions/installation.ts";
import type { Environment } from "./environment.ts";
import { HELP, type Option, optionsOf } from "./options.ts";
import { UsageError } from "./usage.ts";

export interface CommandOptions {
  own: Option[];
  common: Option[];
}

/** What a shell can look up; a `batch` is one of the trash, a `command` all the words of its name. */
export type Taken = "path" | "folder" | "batch" | "command";

/** What one operand may be, for completion. */
export interface Operand {
  /** As the usage line has it. */
  name: string;
  /** What is looked up, or the words that it may be; none of them is a place for any text. */
  takes: Taken | readonly string[];
  /** Any number of them. */
  many?: boolean;
}

export interface Command {
  /** What is typed: `["dupes"]`. */
  words: string[];
  /** The operands in the usage line. */
  usage: string;
  /** Where the words of `usage` do not say what its operands may be. */
  operands?(): Operand[] | Promise<Operand[]>;
  /** One line, no full stop. */
  brief: string;
  group: "look" | "change" | "more";
  /** What can be typed, with what it does; a tool has its own. */
  examples?: { line: string; does: string }[];
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
    words: ["setup"],
    usage: "",
    brief: "Show what can be set up",
    group: "more",
    options: () => ({ own: [], common: [HELP] }),
    run: async (args, environment) =>
      (await import("./commands/setup.ts")).setup(args, environment),
  },
  {
    words: ["setup", "client"],
    usage: "[NAME…]",
    operands: async () => [{
      name: "NAME",
      takes: (await import("./clients/locations.ts")).EVERY_CLIENT.map(({ id }) => id),
      many: true,
    }],
    brief: "Let assistants use shieldfive: write it into their configuration",
    group: "more",
    examples: [
      {
        line: "shieldfive setup client --root ~/Downloads",
        does: "Every assistant that is found here may work in that folder",
      },
      {
        line: "shieldfive setup client claude-desktop --remove",
        does: "One of them may no longer",
      },
    ],
    options: async () => {
      const options = await import("./commands/setup/options.ts");
      return { own: options.SETUP_CLIENT_OPTIONS, common: options.SETUP_COMMON };
    },
    run: async (args, environment) =>
      (await import("./commands/setup/client.ts")).setupClient(args, environment),
  },
  {
    words: ["doctor"],
    usage: "",
    brief: "Check that everything works here, and say what to do where it does not",
    group: "more",
    options: async () => ({
      own: (await import("./commands/doctor/options.ts")).DOCTOR_OPTIONS,
      common: [HELP],
    }),
    run: async (args, environment) =>
      (await import("./commands/doctor.ts")).doctor(args, environment),
  },
  {
    words: ["completions"],
    usage: "bash|zsh|fish",
    operands: () => [{ name: "SHELL", takes: ["bash", "zsh", "fish"] }],
    brief: "Print the completion script for a shell",
    examples: INSTALLATION,
    group: "more",
    options: () => ({ own: [], common: [HELP] }),
    run: async (args, environment) =>
      (await import("./commands/completions.ts")).completions(args, environment),
  },
  {
    words: ["help"],
    usage: "[COMMAND]",
    operands: () => [{ name: "COMMAND", takes: "command" }],
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
