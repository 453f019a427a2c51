// The man page, made from what help and the reference are made from: the catalogue and the
// commands. The same sources and the same day give the same bytes.

import { optionEntry } from "../../cli/commands/help.ts";
import { allCommands, type Command } from "../../cli/commands.ts";
import { VARIABLES } from "../../cli/environment.ts";
import { EXIT } from "../../cli/messages.ts";
import { type Option, spelling } from "../../cli/options.ts";
import { connectionFolder, placesOf } from "../../cli/places.ts";
import { TRASH_NAME } from "../../containment/mod.ts";
import { DESCRIPTION, ENVIRONMENT, EXIT_STATUS, SECURITY, SIGNALS, TRASH } from "./manual_text.ts";
import { bold, italic, lines, literal, prose, request } from "./roff.ts";

/** What a command that is a tool does with what it finds; the others say it themselves. */
function mannerOf({ tool }: Command): string {
  if (tool === undefined) return "";
  return tool.effect === "read" ? "Changes nothing." : "Shows its plan and asks first.";
}

/** The page `shieldfive(1)`. */
export async function manual(version: string, date: Date): Promise<string> {
  const commands = await Promise.all(allCommands().map(described));
  const shared = sharedOptions(commands);
  const day = date.toISOString().slice(0, 10);
  return [
    '.\\" Made from the commands by `deno task release`; do not edit.',
    request(
      "TH",
      "SHIELDFIVE",
      "1",
      day,
      literal(`shieldfive ${version}`),
      literal("User Commands"),
    ),
    ...section("NAME", lines("shieldfive \\- tidy folders without losing anything")),
    ...section("SYNOPSIS", synopsis()),
    ...section("DESCRIPTION", paragraphs(DESCRIPTION)),
    ...section("COMMANDS", commands.flatMap((one) => commandPart(one, shared))),
    ...section("COMMON OPTIONS", [
      ...prose("Each command takes those that are listed with it."),
      ...[...shared.values()].flatMap(optionPart),
    ]),
    ...section("EXIT STATUS", exitStatus()),
    ...section("ENVIRONMENT", VARIABLES.flatMap((name) => entry(bold(name), ENVIRONMENT[name]))),
    ...section("FILES", files()),
    ...section("EXAMPLES", commands.flatMap(examples)),
    ...section("SECURITY", paragraphs(SECURITY)),
  ].join("\n") + "\n";
}

interface Described {
  command: Command;
  own: Option[];
  common: Option[];
}

async function described(command: Command): Promise<Described> {
  return { command, ...await command.options() };
}

function section(title: string, body: string[]): string[] {
  return [request("SH", literal(title)), ...body];
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text, i) => [...(i === 0 ? [] : [".PP"]), ...prose(text)]);
}

/** A tagged paragraph. */
function entry(tag: string, text: string): string[] {
  return [".TP", tag, ...prose(text)];
}

function synopsis(): string[] {
  const name = bold("shieldfive");
  const ways = [
    `${name} ${italic("COMMAND")} [${italic("OPTION")}]... [${italic("OPERAND")}]...`,
    `${name} ${bold("mcp")} [${italic("OPTION")}]... [${italic("ROOT")}]...`,
    `${name} ${bold("--help")}`,
    `${name} ${bold("--version")}`,
  ];
  return ways.flatMap((way, i) => [...(i === 0 ? [] : [".br"]), way]);
}

/** The options that several commands have in common, each as the first of them means it. */
function sharedOptions(commands: Described[]): Map<string, Option> {
  const shared = new Map<string, Option>();
  for (const option of commands.flatMap(({ common }) => common)) {
    if (!shared.has(option.name)) shared.set(option.name, option);
  }
  return shared;
}

function commandPart({ command, own, common }: Described, shared: Map<string, Option>): string[] {
  const { words, usage, brief, tool } = command;
  const manner = mannerOf(command);
  const heading = `${words.join(" ")} [OPTION]... ${usage.replaceAll("…", "...")}`.trimEnd();
  const over = tool === undefined ? "" : ` Over MCP: \`${tool.name}\`.`;
  const meansThis = (option: Option) => shared.get(option.name)?.does === option.does;
  const also = common.filter(meansThis).map((option) => bold(spelling(option)));
  return [
    request("SS", literal(heading)),
    ...prose(`${brief}. ${manner}${over}`),
    ...[...own, ...common.filter((option) => !meansThis(option))].flatMap(optionPart),
    ".PP",
    ...lines(`Also: ${also.join(", ")}.`),
  ];
}

function optionPart(option: Option): string[] {
  const [, does] = optionEntry(option);
  return entry(optionTag(option), `${does}.`);
}

function optionTag(option: Option): string {
  const short = option.short === undefined ? "" : `${bold(`-${option.short}`)}, `;
  const value = option.placeholder === undefined ? "" : ` ${italic(option.placeholder)}`;
  return short + bold(spelling(option)) + value;
}

function exitStatus(): string[] {
  const own = Object.entries(EXIT) as [keyof typeof EXIT, number][];
  return [
    ...own.map(([name, code]): [string, string] => [String(code), EXIT_STATUS[name]]),
    ...SIGNALS,
  ]
    .sort(([a], [b]) => parseInt(a) - parseInt(b))
    .flatMap(([code, meaning]) => entry(bold(code), meaning));
}

function files(): string[] {
  const systems = [["linux", "~", "Linux"], ["darwin", "~", "macOS"], [
    "windows",
    "%USERPROFILE%",
    "Windows",
  ]] as const;
  const places = systems.flatMap(([os, home, name]) => [
    ...Object.entries(placesOf({}, home, os) ?? {}).flatMap(([what, path]) =>
      entry(italic(path), `${what.charAt(0).toUpperCase()}${what.slice(1)}, on ${name}.`)
    ),
    ...entry(
      italic(`${connectionFolder({}, home, os)?.path}${os === "windows" ? "\\" : "/"}connection`),
      `The connection that \`shieldfive login --store file\` keeps, on ${name}.`,
    ),
  ]);
  return [...entry(italic(TRASH_NAME), TRASH), ...places];
}

function examples({ command }: Described): string[] {
  return (command.examples ?? command.tool?.terminal.examples ?? []).flatMap(({ line, does }) =>
    entry(bold(line), `${does.charAt(0).toUpperCase()}${does.slice(1)}.`)
  );
}
