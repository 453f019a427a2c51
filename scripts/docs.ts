// `deno task docs`: makes docs/tools.md, the reference of every tool, and the list of tools in README from
// the catalogue, and runs the transcripts in README again. Tests do the same and fail on a difference.

import { z } from "zod";
import { type Option, optionsOf, spelling } from "../cli/options.ts";
import { describePermissions } from "../containment/rooms/permissions.ts";
import type { RoomKind } from "../containment/rooms/permissions.ts";
import { type AnyTool, catalogue } from "../tools/mod.ts";
import { usesFolders } from "../tools/tool.ts";
import { retell } from "./transcripts.ts";

/** The part of JSON Schema that zod writes for our schemas. */
interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

const INTRODUCTION = `# The tools

Generated from the catalogue by \`deno task docs\`; do not edit. Each tool is one command at the terminal
and one tool over MCP, with the same arguments. An argument that is not listed here is refused. What the
vault's tools take as an id may be a path in the vault at the terminal.
`;

/** The whole page. */
export function reference(tools: readonly AnyTool[]): string {
  const index = tools.map((tool) => `- [${tool.name}](#${tool.name}): ${tool.brief}`);
  return [INTRODUCTION, index.join("\n") + "\n", ...tools.map(section)].join("\n");
}

/** README with its list of tools made anew, in columns as the formatter wants them. */
export function withToolList(readme: string, tools: readonly AnyTool[]): string {
  const rows = [
    ["Command", "Over MCP", "What it does"],
    ...tools.map((tool) => [code(tool.command.join(" ")), code(tool.name), tool.brief]),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const lines = rows.map((row) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return readme.replace(/(\n## Tools\n\n)(?:\|.*\n)*/, (_, head) => head + lines.join("\n") + "\n");
}

function section(tool: AnyTool): string {
  const input = z.toJSONSchema(tool.input(z), { io: "input" }) as Schema;
  const output = z.toJSONSchema(tool.output(z), { io: "output" }) as Schema;
  const command = `shieldfive ${tool.command.join(" ")} ${tool.terminal.usage}`.trimEnd();
  return [
    `## ${tool.name}`,
    "",
    `**${tool.title}.** At the terminal: \`${command}\``,
    "",
    tool.description,
    "",
    ...facts(tool),
    "",
    "### Arguments",
    "",
    ...inputTable(tool, input),
    "",
    "### Result",
    "",
    ...outputTable(output),
    "",
    "### Examples",
    "",
    ...tool.terminal.examples.map(({ line, does }) => `- \`${line}\`: ${does}`),
    "",
  ].join("\n");
}

/** What the rooms of the tools are granted, for a reader. */
const GRANTED: Partial<Record<RoomKind, string>> = { vault: "the server of the connection" };

function facts(tool: AnyTool): string[] {
  const hints = Object.entries(tool.hints).map(([name, value]) => `\`${name}: ${value}\``);
  return [`- ${doing(tool)}`, `- ${place(tool)}`, `- MCP hints: ${hints.join(", ")}.`];
}

function doing(tool: AnyTool): string {
  if (tool.effect === "read") return "Changes nothing.";
  if (tool.effect === "connect") {
    return "Makes a connection, after the user agreed to it in the browser.";
  }
  const what = tool.set === "local"
    ? "the disk"
    : usesFolders(tool)
    ? "the vault and the disk"
    : "the vault";
  return `Changes ${what}, after a plan that was approved.`;
}

function place(tool: AnyTool): string {
  if (tool.effect === "connect") {
    return "Runs in the server itself, with the rooms `connect`, `keychain`, `credential` and `vault`.";
  }
  const rights = describePermissions(tool.room, [GRANTED[tool.room] ?? "the granted folders"]);
  const files = usesFolders(tool) ? "; the room `disk-write` reads the files for it" : "";
  return `Runs in the room \`${tool.room}\`, which has ${rights.join("; ")}${files}.`;
}

function inputTable(tool: AnyTool, schema: Schema): string[] {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    code(name) + (schema.required?.includes(name) ? " (required)" : ""),
    typed(tool, name),
    typeOf(field),
    defaultOf(tool, name, field),
    limitsOf(field),
    field.description ?? "",
  ]);
  const extra = optionsOf(tool).own.filter((option) => option.argument === undefined)
    .map((option) => ["", flag(option), "", "", "", option.does + "."]);
  return table(["Argument", "At the terminal", "Type", "Default", "Limits", "Meaning"], [
    ...rows,
    ...extra,
  ]);
}

/** How an argument is given on a command line. */
function typed(tool: AnyTool, name: string): string {
  if (tool.effect === "connect") return "no";
  const option = optionsOf(tool).own.find(({ argument }) => argument === name);
  const item = tool.terminal.vaultItems?.includes(name) ? ": path or id" : "";
  if (option !== undefined) return flag(option) + item;
  if (name === "confirm" || name === "plan_token") return "the question, `--yes` or `--dry-run`";
  const operands = tool.terminal.positionals.map((operand) => operand.replace(/…$/, ""));
  const folders = name === "path" && operands.includes("folders");
  return folders || operands.includes(name) ? `operand${item}` : "no";
}

function flag(option: Option): string {
  return code(
    spelling(option) + (option.placeholder === undefined ? "" : ` ${option.placeholder}`),
  );
}

function defaultOf(tool: AnyTool, name: string, field: Schema): string {
  const terminal = tool.terminal.defaults?.[name];
  const stated = field.default === undefined ? "" : code(JSON.stringify(field.default));
  if (terminal === undefined) return stated;
  return `${stated || "none"}; at the terminal ${code(JSON.stringify(terminal))}`;
}

function outputTable(schema: Schema): string[] {
  return table(["Field", "Type", "Meaning"], fieldsOf(schema, ""));
}

/** A row a field, with the fields of nested objects and lists below their holder. */
function fieldsOf(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema.required?.includes(name) ? "" : " (may be absent)";
    const path = prefix + name;
    return [
      [code(path) + optional, typeOf(field), field.description ?? ""],
      ...nested(field).flatMap(([inner, step]) => fieldsOf(inner, path + step)),
    ];
  });
}

function nested(field: Schema): [Schema, string][] {
  if (field.anyOf !== undefined) return field.anyOf.flatMap(nested);
  if (field.items !== undefined) {
    return nested(field.items).map(([inner, step]) => [inner, "[]" + step]);
  }
  return field.properties === undefined ? [] : [[field, "."]];
}

function typeOf(field: Schema): string {
  if (field.anyOf !== undefined) return field.anyOf.map(typeOf).join(" or ");
  if (field.enum !== undefined) {
    return field.enum.map((value) => code(JSON.stringify(value))).join(", ");
  }
  if (field.const !== undefined) return code(JSON.stringify(field.const));
  if (field.type === "array") return `list of ${typeOf(field.items ?? {})}`;
  if (field.type === "integer") return "whole number";
  return field.type ?? "any";
}

function limitsOf(field: Schema): string {
  const parts = [
    range(field.minimum, field.maximum, ""),
    range(field.minLength, field.maxLength, " characters"),
    range(field.minItems, field.maxItems, " entries"),
    ...(field.anyOf ?? []).map(limitsOf),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  // zod writes the largest safe integer for a whole number without a ceiling of its own.
  const ceiling = most === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : most?.toLocaleString("en-US");
  if (least === undefined) return ceiling === undefined ? "" : `at most ${ceiling}${unit}`;
  const floor = least.toLocaleString("en-US");
  return ceiling === undefined ? `at least ${floor}${unit}` : `${floor} to ${ceiling}${unit}`;
}

function table(columns: string[], rows: string[][]): string[] {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)];
}

function code(text: string): string {
  return "`" + text + "`";
}

if (import.meta.main) {
  Deno.writeTextFileSync(new URL("../docs/tools.md", import.meta.url), reference(catalogue));
  const readme = new URL("../README.md", import.meta.url);
  const page = withToolList(Deno.readTextFileSync(readme), catalogue);
  Deno.writeTextFileSync(readme, await retell(page));
}
