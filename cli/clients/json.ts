// Our entry in a JSON configuration, put in and taken out by changing as few characters as can be. A new
// entry becomes the first of its object: that is one insertion, which moves no comment away from what it
// belongs to and touches no comma of another entry. All other bytes stay (mediation spec, 16.5).

import {
  entryFor,
  type ParsedText,
  readCommand,
  repeated,
  SERVER,
  type ServerCommand,
  twice,
} from "./entry.ts";
import {
  type Node,
  propertiesOf,
  type Property,
  treeOf,
  triviaAfter,
  valueOf,
} from "./json_tree.ts";
import { type Layout, property, written } from "./json_write.ts";
import type { Client, Json } from "./locations.ts";
import { indentAt, lineBreakOf, unreadableAt } from "./text.ts";

/** Characters to be replaced by others. */
interface Change {
  start: number;
  end: number;
  by: string;
}

/** @throws ToolError `invalid_config`. */
export function readJson(text: string, client: Client): ParsedText {
  const root = treeOf(text);
  requireObject(text, root, "the text");
  const container = onlyOne(text, root, client.container);
  requireObject(text, container?.value, JSON.stringify(client.container));
  const ours = onlyOne(text, container?.value, SERVER);
  const names = propertiesOf(container?.value).map(({ name }) => name);
  return {
    text,
    value: root === undefined ? null : valueOf(root),
    doubled: repeated(names),
    hasContainer: container !== undefined,
    at: ours?.start,
    shown: (whole) => shown(text, whole ? container : ours),
    put: (entry) => applied(text, put(entry, { text, client, root, container, ours })),
    take: () => ours === undefined ? text : without(text, container!.value, ours),
    takeContainer: () => container === undefined ? text : without(text, root!, container),
  };
}

/** Null is let through: clients take it for nothing, and it makes room for an object. */
function requireObject(text: string, node: Node | undefined, what: string): void {
  if (node === undefined || node.type === "object" || node.type === "null") return;
  throw unreadableAt(text, node.offset, `${what} should be an object, but is ${aKind(node)}`);
}

function aKind({ type }: Node): string {
  return type === "array" ? "a list" : `a ${type}`;
}

function onlyOne(text: string, object: Node | undefined, name: string): Property | undefined {
  const [found, second] = propertiesOf(object).filter((each) => each.name === name);
  if (second !== undefined) throw unreadableAt(text, second.start, twice(name));
  return found;
}

function shown(text: string, found: Property | undefined): { at: number; lines: string[] } {
  if (found === undefined) return { at: 0, lines: [] };
  const { start, end } = found;
  const indent = indentAt(text, start);
  const lineStart = start - indent.length;
  const alone = lineStart === 0 || text[lineStart - 1] === "\n";
  return { at: start, lines: text.slice(alone ? lineStart : start, end).split(/\r?\n/) };
}

/** The parts that an edit works with. */
interface Parts {
  text: string;
  client: Client;
  root: Node | undefined;
  container: Property | undefined;
  ours: Property | undefined;
}

function put(entry: ServerCommand, { text, client, root, container, ours }: Parts): Change[] {
  const value = entryFor(client, entry);
  const servers = { [SERVER]: value };
  if (ours !== undefined) {
    return updated(text, ours, entry) ?? [replaced(ours, value, text, root!)];
  }
  if (container?.value.type === "object") {
    return [insertion(text, root!, container.value, SERVER, value)];
  }
  if (container !== undefined) return [replaced(container, servers, text, root!)];
  if (root?.type === "object") {
    return [insertion(text, root, root, client.container, servers)];
  }
  const lineBreak = lineBreakOf(text);
  const whole = written({ [client.container]: servers }, { lineBreak, unit: "  ", indent: "" });
  if (root !== undefined) {
    return [{ start: root.offset, end: root.offset + root.length, by: whole }];
  }
  const before = text === "" || text.endsWith("\n") ? "" : lineBreak;
  return [{ start: text.length, end: text.length, by: before + whole + lineBreak }];
}

function replaced({ start, value }: Property, by: Json, text: string, root: Node): Change {
  const layout = layoutIn(text, root, indentAt(text, start));
  return { start: value.offset, end: value.offset + value.length, by: written(by, layout) };
}

/**
 * Only the command and the arguments of an entry that starts a server, whatever else it says; undefined
 * where it is something else, which cannot be brought up to date.
 */
function updated(text: string, ours: Property, entry: ServerCommand): Change[] | undefined {
  const before = readCommand(valueOf(ours.value));
  const parts = propertiesOf(ours.value);
  const remote = parts.some(({ name, value }) =>
    /url$/i.test(name) || name === "type" && !["stdio", "local"].includes(value.value)
  );
  const doubled = repeated(parts.map(({ name }) => name)).length > 0;
  if (before === undefined || remote || doubled) return undefined;
  const command = parts.find(({ name }) => name === "command")!;
  const args = parts.find(({ name }) => name === "args");
  const spaced = command.spaced;
  const list = written(entry.args, { spaced, padded: false });
  const changes: Change[] = [];
  if (before.command !== entry.command) {
    changes.push(changeOf(command.value, JSON.stringify(entry.command)));
  }
  if (args === undefined) {
    const gap = /\s*$/.exec(text.slice(0, command.start))![0];
    const by = `,${gap}"args":${spaced ? " " : ""}${list}`;
    changes.push({ start: command.end, end: command.end, by });
  } else if (JSON.stringify(before.args) !== JSON.stringify(entry.args)) {
    changes.push(changeOf(args.value, list));
  }
  return changes;
}

function changeOf({ offset, length }: Node, by: string): Change {
  return { start: offset, end: offset + length, by };
}

/** The layout for a value that is written onto a line with this indent. */
function layoutIn(text: string, root: Node, indent: string): Layout {
  const [first] = propertiesOf(root);
  if (first !== undefined && !hasLineBreak(text, root.offset, first.start)) {
    return { spaced: first.spaced, padded: text[root.offset + 1] === " " };
  }
  const unit = first === undefined
    ? "  "
    : indentAt(text, first.start).slice(indentAt(text, root.offset).length);
  return { lineBreak: lineBreakOf(text), unit, indent };
}

function hasLineBreak(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes("\n");
}

/** The insertion of a property as the first one of an object. */
function insertion(text: string, root: Node, object: Node, name: string, value: Json): Change {
  const [first] = propertiesOf(object);
  const open = object.offset + 1;
  const close = object.offset + object.length - 1;
  const outer = indentAt(text, object.offset);
  const layout = first !== undefined && !hasLineBreak(text, open, first.start)
    ? { spaced: first.spaced, padded: text[open] === " " }
    : layoutIn(text, root, outer);
  if ("spaced" in layout) {
    const gap = first === undefined ? "" : /^ */.exec(text.slice(open))![0];
    const comma = gap === "" && layout.spaced ? ", " : ",";
    const by = gap + property(name, value, layout) + (first === undefined ? "" : comma);
    return { start: open, end: open, by };
  }
  // A comment behind the brace says something about the object and stays there.
  const start = triviaAfter(text, open).lineEnd;
  const { lineBreak } = layout;
  const indent = first === undefined ? outer + layout.unit : indentAt(text, first.start);
  const line = lineBreak + indent + property(name, value, { ...layout, indent });
  if (first !== undefined) return { start, end: start, by: line + "," };
  const own = hasLineBreak(text, start, close);
  return { start, end: start, by: own ? line : line + lineBreak + outer };
}

function applied(text: string, changes: Change[]): string {
  const byPlace = [...changes].sort((a, b) => b.start - a.start);
  return byPlace.reduce(
    (edited, { start, end, by }) => edited.slice(0, start) + by + edited.slice(end),
    text,
  );
}

/** The text without one property of an object: without its comma, and without its line. */
function without(text: string, object: Node, { start, end }: Property): string {
  const all = propertiesOf(object);
  const index = all.findIndex((each) => each.start === start);
  const { comma } = triviaAfter(text, end);
  const changes: Change[] = [];
  const cut = (from: number, to: number) => changes.push({ start: from, end: to, by: "" });
  let stop = end;
  if (comma !== undefined) {
    if (text.slice(end, comma).trim() === "") stop = comma + 1;
    else cut(comma, comma + 1);
  } else if (index > 0) {
    const before = triviaAfter(text, all[index - 1].end).comma!;
    cut(before, before + 1);
  }
  const space = /(\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0];
  const lastOnLine = /^[ \t]*(\r?\n|$)/.test(text.slice(stop));
  // The line break before it may be what ends a comment; it goes only where another one follows.
  if (lastOnLine || /^[ \t]+$/.test(space)) cut(start - space.length, stop);
  else cut(start, stop + /^[ \t]*/.exec(text.slice(stop))![0].length);
  return applied(text, changes);
}
