// The commands: one for every tool of the catalogue, and the few that are not tools. What a command
// needs to run is loaded when it runs.

import { catalogue } from "../tools/catalogue.ts";
import { nearest } from "../tools/input.ts";
import { quote } from "../containment/mod.ts";
import type { AnyTool, Tool } from "../tools/tool.ts";
import { INSTALLATION } from "./commands/completions/installation.ts";
import type { Environment } from "./environment.ts";
import { HELP, type Option, optionsOf, RESULTS } from "./options.ts";
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
  group: "look" | "change" | "vault" | "more";
  /** What can be typed, with what it does; a tool has its own. */
  examples?: { line: string; does: string }[];
  /** The tool that the command is, where it is one. */
  tool?: Tool<never>;
  /** Whether it uses the network; all others give it up before they begin. */
  network?: true;
  /** Whether it finds, makes or uses a connection to a vault, which takes rights that others give up. */
  connection?: true;
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
    network: true,
    connection: true,
    options: async () => ({
      own: (await import("./mcp/options.ts")).MCP_OPTIONS,
      common: [HELP],
    }),
    run: async (args, environment) => (await import("./commands/mcp.ts")).mcp(args, environment),
  },
  familyOf("setup", "Show what can be set up", "more"),
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
  familyOf("vault", "Show what can be done in the connected vault", "vault"),
  {
    words: ["login"],
    usage: "",
    brief: "Connect to a vault: in the browser, or with a connection string",
    group: "vault",
    network: true,
    connection: true,
    examples: [
      {
        line: "shieldfive login",
        does: "Open ShieldFive in the browser to choose what to connect",
      },
      {
        line: "shieldfive login --server https://vault.example",
        does: "The same for a vault that somebody hosts",
      },
      {
        line: "shieldfive login --paste",
        does: "Take a connection string that was copied there, without showing it",
      },
    ],
    options: async () => {
      const options = await import("./commands/login/options.ts");
      return { own: options.LOGIN_OPTIONS, common: RESULTS };
    },
    run: async (args, environment) =>
      (await import("./commands/login.ts")).login(args, environment),
  },
  {
    words: ["status"],
    usage: "",
    brief: "Show the connection to a vault, and whether it still holds",
    group: "vault",
    network: true,
    connection: true,
    options: () => ({ own: [], common: RESULTS }),
    run: async (args, environment) =>
      (await import("./commands/status.ts")).status(args, environment),
  },
  {
    words: ["logout"],
    usage: "",
    brief: "Forget the connection to a vault on this machine",
    group: "vault",
    connection: true,
    options: () => ({ own: [], common: RESULTS }),
    run: async (args, environment) =>
      (await import("./commands/logout.ts")).logout(args, environment),
  },
  {
    words: ["serve"],
    usage: "",
    brief: "Host a vault of your own: its API and its web page",
    group: "more",
    network: true,
    examples: [
      {
        line: "shieldfive serve",
        does: "For this machine alone, at the address that it prints",
      },
      {
        line: "shieldfive serve --behind-proxy --public-url https://vault.example",
        does: "For others, through a proxy on this machine that speaks TLS",
      },
      {
        line: "shieldfive serve --check",
        does: "Read all that is stored and say whether it is sound",
      },
    ],
    options: async () => {
      const options = await import("./commands/serve/options.ts");
      return { own: options.SERVE_OPTIONS, common: options.SERVE_COMMON };
    },
    run: async (args, environment) =>
      (await import("./commands/serve.ts")).serve(args, environment),
  },
  {
    words: ["doctor"],
    usage: "",
    brief: "Check that everything works here, and say what to do where it does not",
    group: "more",
    network: true,
    connection: true,
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

/** The word that several commands begin with, alone. */
function familyOf(word: string, brief: string, group: Command["group"]): Command {
  return {
    words: [word],
    usage: "",
    brief,
    group,
    options: () => ({ own: [], common: [HELP] }),
    run: async (args, environment) =>
      (await import("./commands/family.ts")).family(word, args, environment),
  };
}

/** Every command, in the order of help. */
export function allCommands(): Command[] {
  const tools = catalogue.filter(isCommand).map(toolCommand);
  return [...tools, ...OTHERS];
}

/** Whether a tool is a command of its own; what the server itself carries out, another command does. */
function isCommand(tool: AnyTool): tool is Tool<never> {
  return tool.effect !== "connect";
}

function toolCommand(tool: Tool<never>): Command {
  const { usage } = tool.terminal;
  const ofVault = {
    group: "vault" as const,
    network: true as const,
    connection: true as const,
    operands: () => vaultOperands(usage),
  };
  return {
    words: tool.command,
    usage,
    brief: tool.brief,
    group: tool.effect === "read" ? "look" : "change",
    ...(tool.set === "vault" ? ofVault : {}),
    tool,
    options: () => optionsOf(tool),
    run: async (args, environment) =>
      (await import("./commands/tool_command.ts")).runTool(tool, args, environment),
  };
}

/** The operands of a usage line, without its options; a shell can look up none but local files. */
function vaultOperands(usage: string): Operand[] {
  const names = usage.replace(/--\S+ \S+/g, "").match(/[^\s[\]]+/g) ?? [];
  return names.map((name) => ({
    name,
    takes: name.startsWith("FILE") ? "path" : [],
    many: name.endsWith("…"),
  }));
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
