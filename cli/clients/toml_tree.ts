// TOML read strictly, with the place of everything that says something: each assignment by its full path,
// however the path is spread over headers, dotted keys and inline tables.

import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { ToolError } from "../../containment/mod.ts";
import type { Json } from "./locations.ts";
import { unreadableAt } from "./text.ts";

export type Path = (string | number)[];

/** A header, or an assignment. */
export interface Piece {
  path: Path;
  start: number;
  end: number;
  /** For an assignment: its key and its value. */
  assigned?: { key: AST.TOMLKey; value: AST.TOMLContentNode };
  /** For an assignment in an inline table: the assignments of that table, in their order. */
  beside?: AST.TOMLKeyValue[];
}

/**
 * All headers and assignments of a text, in their order; the ones of an inline table follow the
 * assignment of the table itself.
 *
 * @throws ToolError `invalid_config`.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const part of parsed(text).body[0].body) {
    if (part.type === "TOMLKeyValue") {
      assignment(part, [], pieces);
      continue;
    }
    const [start, end] = part.range;
    pieces.push({ path: part.resolvedKey, start, end });
    for (const each of part.body) assignment(each, part.resolvedKey, pieces);
  }
  return pieces;
}

function parsed(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof ParseError) {
      const { message } = error;
      throw unreadableAt(text, error.index, message.charAt(0).toLowerCase() + message.slice(1));
    }
    if (!(error instanceof RangeError)) throw error;
    throw new ToolError("invalid_config", "it is nested too deeply");
  }
}

function assignment(
  node: AST.TOMLKeyValue,
  table: Path,
  pieces: Piece[],
  beside?: AST.TOMLKeyValue[],
): void {
  const { key, value, range: [start, end] } = node;
  const path = [...table, ...key.keys.map((part) => "name" in part ? part.name : part.value)];
  pieces.push({ path, start, end, assigned: { key, value }, beside });
  if (value.type !== "TOMLInlineTable") return;
  for (const inner of value.body) assignment(inner, path, pieces, value.body);
}

/** What all of it says together. Objects have no prototype, so that no key means anything but itself. */
export function valueOfPieces(pieces: readonly Piece[]): Json {
  const root: Json = Object.create(null);
  for (const { path, assigned } of pieces) {
    if (assigned === undefined) placeAt(root, path);
    else {
      const place = placeAt(root, path.slice(0, -1)) as Record<string, Json>;
      const name = String(path.at(-1));
      if (assigned.value.type !== "TOMLInlineTable") place[name] = contentOf(assigned.value);
      else place[name] ??= Object.create(null);
    }
  }
  return root;
}

function placeAt(root: Json, path: Path): Json {
  let place = root as Record<string | number, Json>;
  path.forEach((name, depth) => {
    place[name] ??= typeof path[depth + 1] === "number" ? [] : Object.create(null);
    place = place[name] as Record<string | number, Json>;
  });
  return place as Json;
}

function contentOf(node: AST.TOMLContentNode): Json {
  if (node.type === "TOMLArray") return node.elements.map(contentOf);
  if (node.type === "TOMLInlineTable") {
    const pieces: Piece[] = [];
    for (const inner of node.body) assignment(inner, [], pieces, node.body);
    return valueOfPieces(pieces);
  }
  // Numbers and times by their text: that tells more of them apart than a value does.
  if (node.kind === "string" || node.kind === "boolean") return node.value;
  return { [node.kind]: "number" in node ? node.number : node.datetime };
}

/** Whether a path leads to the start or below it. */
export function leadsInto(path: Path, start: Path): boolean {
  return start.every((name, depth) => path[depth] === name);
}
