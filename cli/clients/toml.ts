// Our entry in a TOML configuration. A new one is a table of its own at the end of the file, where a table
// may always stand, or the first entry of an inline table that holds the servers. All other bytes stay
// (mediation spec, 16.5).

import type { AST } from "toml-eslint-parser";
import { objectIn, type ParsedText, readCommand, SERVER, type ServerCommand } from "./entry.ts";
import type { Client } from "./locations.ts";
import { indentAt, lineBreakOf, unreadableAt } from "./text.ts";
import { leadsInto, type Path, type Piece, piecesOf, valueOfPieces } from "./toml_tree.ts";

/** Characters to be replaced by others. */
interface Change {
  start: number;
  end: number;
  by: string;
}

/** @throws ToolError `invalid_config`. */
export function readToml(text: string, client: Client): ParsedText {
  const pieces = piecesOf(text);
  const value = valueOfPieces(pieces);
  const container = objectIn(value)?.[client.container];
  if (container !== undefined && objectIn(container) === undefined) {
    const { start } = pieces.find(({ path }) => path[0] === client.container)!;
    throw unreadableAt(text, start, `${client.container} should be a table`);
  }
  const path: Path = [client.container, SERVER];
  const ours = outermost(pieces.filter((piece) => leadsInto(piece.path, path)));
  const command = readCommand(objectIn(container)?.[SERVER]);
  const take = () => applied(text, ours.flatMap((piece) => removal(text, piece)));
  return {
    text,
    value,
    doubled: [], // a parser of TOML refuses them
    hasContainer: container !== undefined,
    at: ours[0]?.start,
    shown: () => shown(text, ours),
    put(entry) {
      if (command !== undefined) return applied(text, updated(text, pieces, path, entry));
      if (ours.length > 0) return readToml(take(), client).put(entry);
      const inline = pieces.find((piece) => isInline(piece) && samePath(piece, [client.container]));
      return inline === undefined
        ? appended(text, client, entry)
        : applied(text, [intoInline(inline, entry)]);
    },
    take,
    takeContainer: () => text,
  };
}

/** The pieces that do not lie in another one of them. */
function outermost(pieces: Piece[]): Piece[] {
  return pieces.filter((piece) =>
    !pieces.some((other) => other !== piece && other.start <= piece.start && piece.end <= other.end)
  );
}

function isInline({ assigned }: Piece): boolean {
  return assigned?.value.type === "TOMLInlineTable";
}

function samePath({ path }: Piece, wanted: Path): boolean {
  return path.length === wanted.length && leadsInto(path, wanted);
}

function shown(text: string, ours: Piece[]): { at: number; lines: string[] } {
  const lines = ours.flatMap(({ start, end }) => text.slice(start, end).split(/\r?\n/));
  return { at: ours[0]?.start ?? 0, lines };
}

/** A text in quotes. JSON's escapes are TOML's, but for one character that JSON leaves as it is. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function list(values: readonly string[]): string {
  return `[${values.map(quoted).join(", ")}]`;
}

function appended(text: string, client: Client, { command, args }: ServerCommand): string {
  const end = lineBreakOf(text);
  const closed = text === "" || text.endsWith("\n") ? text : text + end;
  const lines = [
    ...(closed.trim() === "" ? [] : [""]),
    `[${client.container}.${SERVER}]`,
    `command = ${quoted(command)}`,
    `args = ${list(args)}`,
  ];
  return closed + lines.map((line) => line + end).join("");
}

function intoInline({ assigned }: Piece, { command, args }: ServerCommand): Change {
  const table = assigned!.value as AST.TOMLInlineTable;
  const entry = `${SERVER} = { command = ${quoted(command)}, args = ${list(args)} }`;
  const start = table.range[0] + 1;
  return { start, end: start, by: table.body.length === 0 ? ` ${entry} ` : ` ${entry},` };
}

/** Only the command and the arguments of an entry, whatever else it says. */
function updated(text: string, pieces: Piece[], path: Path, entry: ServerCommand): Change[] {
  const at = (name: string) => pieces.find((piece) => samePath(piece, [...path, name]));
  const command = at("command")!;
  const args = at("args");
  const changes = [assign(text, command, quoted(entry.command), entry.command)];
  if (args !== undefined) changes.push(assign(text, args, list(entry.args), entry.args));
  else {
    const { keys, range } = command.assigned!.key;
    const key = text.slice(range[0], keys.at(-1)!.range[0]) + "args";
    const gap = command.beside === undefined
      ? lineBreakOf(text) + indentAt(text, command.start)
      : ", ";
    changes.push({
      start: command.end,
      end: command.end,
      by: `${gap}${key} = ${list(entry.args)}`,
    });
  }
  return changes.filter((change) => change !== undefined);
}

/** The change of a value, or undefined when it says that already. */
function assign(
  text: string,
  { assigned }: Piece,
  by: string,
  wanted: string | string[],
): Change | undefined {
  const { range: [start, end], ...node } = assigned!.value;
  const now = "elements" in node
    ? node.elements.map((each) => "value" in each ? each.value : undefined)
    : "value" in node && node.value;
  if (JSON.stringify(now) === JSON.stringify(wanted)) return undefined;
  return text.slice(start, end) === by ? undefined : { start, end, by };
}

function applied(text: string, changes: (Change | undefined)[]): string {
  const byPlace = changes.filter((change) => change !== undefined)
    .sort((a, b) => b.start - a.start);
  return byPlace.reduce(
    (edited, { start, end, by }) => edited.slice(0, start) + by + edited.slice(end),
    text,
  );
}

/** What has to go of a piece: its lines, with what is said about it behind it, or its place in a list. */
function removal(text: string, { start, end, beside }: Piece): Change {
  if (beside !== undefined) return removalInline(start, end, beside);
  const lineStart = start - indentAt(text, start).length;
  const lineEnd = text.indexOf("\n", end);
  const blankBefore = /(?:\r?\n|^)(\r?\n)$/.exec(text.slice(0, lineStart));
  const header = text[start] === "[";
  return {
    start: header && blankBefore !== null ? lineStart - blankBefore[1].length : lineStart,
    end: lineEnd < 0 ? text.length : lineEnd + 1,
    by: "",
  };
}

function removalInline(start: number, end: number, beside: AST.TOMLKeyValue[]): Change {
  const index = beside.findIndex(({ range }) => range[0] === start);
  const [before, after] = [beside[index - 1], beside[index + 1]];
  if (after !== undefined) return { start, end: after.range[0], by: "" };
  return { start: before === undefined ? start : before.range[1], end, by: "" };
}
