// Help, made from the definitions: the program's page, and one page for each command.

import { allCommands, type Command, findCommand } from "../commands.ts";
import type { Environment } from "../environment.ts";
import { HELP, type Option, spelling } from "../options.ts";
import { formatBytes, formatCount } from "../../tools/format.ts";
import { styleFor } from "../terminal/style.ts";
import { wrap } from "../terminal/wrap.ts";

/** A line of help is easiest to read up to here, however wide the terminal is. */
const MAX_COLUMNS = 100;
/** Columns of the left part before the text of an entry moves to its own line. */
const MAX_LEFT = 30;

const GROUPS: [Command["group"], string][] = [
  ["look", "Look (these change nothing):"],
  ["change", "Change (these show a plan and ask first; nothing is ever deleted):"],
  ["vault", "Your vault (encrypted and decrypted on this computer):"],
  ["more", "More:"],
];

/** `help [COMMAND]`. */
export async function help(args: string[], environment: Environment): Promise<number> {
  const words = args.length === 0 ? [] : await operandsOf(args);
  if (words.length === 0) {
    environment.stdout.write(overview(environment));
    return 0;
  }
  const { command } = findCommand(words);
  environment.stdout.write(await commandHelp(command, environment));
  return 0;
}

async function operandsOf(args: string[]): Promise<string[]> {
  const { parseWords } = await import("../parse.ts");
  return parseWords(args, [HELP]).operands;
}

/** The program's page. */
export function overview(environment: Environment): string {
  const { bold } = styleFor(environment.stdout, environment);
  const commands = allCommands();
  const lines = [
    "shieldfive tidies folders without losing anything",
    "",
    `${bold("Usage:")} shieldfive COMMAND [OPTION]… [OPERAND]…`,
  ];
  for (const [group, title] of GROUPS) {
    const rows = commands.filter((command) => command.group === group)
      .map((command): [string, string] => [command.words.join(" "), command.brief]);
    if (rows.length > 0) lines.push("", bold(title), ...entries(rows, environment));
  }
  const examples = commands.flatMap(({ tool }) => tool?.terminal.examples.slice(0, 1) ?? []);
  lines.push("", bold("Examples:"), ...exampleLines(examples.slice(0, 4), environment));
  lines.push(
    "",
    "`shieldfive COMMAND --help` explains a command.",
  );
  return lines.join("\n") + "\n";
}

/** The page of one command. */
export async function commandHelp(command: Command, environment: Environment): Promise<string> {
  const { bold } = styleFor(environment.stdout, environment);
  const { own, common } = await command.options();
  const usage = ["shieldfive", ...command.words, "[OPTION]…", command.usage].join(" ").trimEnd();
  const lines = [command.brief, "", `${bold("Usage:")} ${usage}`];
  const examples = command.examples ?? command.tool?.terminal.examples ?? [];
  if (examples.length > 0) {
    lines.push("", bold("Examples:"), ...exampleLines(examples, environment));
  }
  if (own.length > 0) {
    lines.push("", bold("Options:"), ...entries(own.map(optionEntry), environment));
  }
  lines.push("", bold("Common options:"), ...entries(common.map(optionEntry), environment));
  return lines.join("\n") + "\n";
}

function exampleLines(
  examples: { line: string; does: string }[],
  environment: Environment,
): string[] {
  const { dim } = styleFor(environment.stdout, environment);
  return examples.flatMap(({ line, does }) => [`  ${line}`, `      ${dim(does)}`]);
}

/** An option in two columns, what to type and what it does, with a default that says something. */
export function optionEntry(option: Option): [string, string] {
  const short = option.short === undefined ? "    " : `-${option.short}, `;
  const value = option.placeholder === undefined ? "" : ` ${option.placeholder}`;
  const shown = shownDefault(option);
  return [`${short}${spelling(option)}${value}`, option.does + shown];
}

/** The default where it says something: not for switches, and not for a zero. */
function shownDefault({ kind, default: value }: Option): string {
  if (kind.type === "switch" || value === undefined || value === 0) return "";
  const text = typeof value === "number" ? formatCount(value) : String(value);
  return ` (default: ${kind.type === "size" ? formatBytes(Number(value)) : text})`;
}

/** Two columns: what to type, and what it does, broken to the width. */
function entries(rows: [string, string][], { columns }: Environment): string[] {
  const left = Math.min(MAX_LEFT, Math.max(...rows.map(([what]) => what.length)));
  const right = Math.max(20, Math.min(columns, MAX_COLUMNS) - left - 4);
  return rows.flatMap(([what, does]) => {
    const [first, ...more] = wrap(does, right);
    const indent = " ".repeat(left + 4);
    const head = what.length > left
      ? [`  ${what}`, indent + first]
      : [`  ${what.padEnd(left)}  ${first}`];
    return [...head, ...more.map((text) => indent + text)];
  });
}
