// JSON with comments, read strictly: comments and closing commas are allowed, since some clients write and
// take them, and everything else that is not JSON is refused with its place. What a parser would repair
// in silence must not be written back.

import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { ToolError } from "../../containment/mod.ts";
import type { Json } from "./locations.ts";
import { unreadableAt } from "./text.ts";

export type { Node };

/** A key and its value in an object. */
export interface Property {
  name: string;
  /** Where the key begins and the value ends. */
  start: number;
  end: number;
  /** Whether a space stands between the colon and the value. */
  spaced: boolean;
  value: Node;
}

const PROBLEMS: Record<string, string> = {
  InvalidSymbol: "this is no value",
  InvalidNumberFormat: "this is no number",
  PropertyNameExpected: "a name in quotes is missing here",
  ValueExpected: "a value is missing here",
  ColonExpected: "a colon is missing here",
  CommaExpected: "a comma is missing here",
  CloseBraceExpected: "a closing brace is missing here",
  CloseBracketExpected: "a closing bracket is missing here",
  EndOfFileExpected: "the text should end here",
  InvalidCommentToken: "this is no comment",
  UnexpectedEndOfComment: "the comment does not end",
  UnexpectedEndOfString: "the text in quotes does not end",
  UnexpectedEndOfNumber: "the number does not end",
  InvalidUnicode: "this is no character code",
  InvalidEscapeCharacter: "this escape does not exist",
  InvalidCharacter: "this character may not stand here",
};

/**
 * The tree of a text, or undefined when it holds no value at all.
 *
 * @throws ToolError `invalid_config`.
 */
export function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ToolError("invalid_config", "it is nested too deeply");
  }
  const [first] = errors;
  if (first === undefined) return root;
  const code = printParseErrorCode(first.error);
  throw unreadableAt(text, first.offset, PROBLEMS[code] ?? code);
}

/** The properties of an object, in their order; none for what is no object. */
export function propertiesOf(object: Node | undefined): Property[] {
  if (object?.type !== "object") return [];
  return (object.children ?? []).map((property) => {
    const [key, value] = property.children!;
    return {
      name: key.value,
      start: property.offset,
      end: value.offset + value.length,
      spaced: value.offset - (property.colonOffset ?? value.offset) > 1,
      value,
    };
  });
}

/** What a tree says. Objects have no prototype, so that no key means anything but itself. */
export function valueOf(node: Node): Json {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value;
  const object: { [key: string]: Json } = Object.create(null);
  for (const { name, value } of propertiesOf(node)) object[name] = valueOf(value);
  return object;
}

/** Position and kind of the next thing at or after a position: of a comma, of a comment's end. */
export interface Trivia {
  /** The position of the next comma before anything else but space and comments. */
  comma?: number;
  /** Where the comments end that begin on this line, or the position itself. */
  lineEnd: number;
}

/** What follows a position, as far as it is space, comments and at most one comma. */
export function triviaAfter(text: string, position: number): Trivia {
  const scanner = createScanner(text);
  scanner.setPosition(position);
  const found: Trivia = { lineEnd: position };
  let sameLine = true;
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (token === ",") {
      if (found.comma !== undefined) return found;
      found.comma = scanner.getTokenOffset();
      continue;
    }
    const isComment = token.startsWith("//") || token.startsWith("/*");
    if (!isComment && !/^\s+$/.test(token)) return found;
    if (/[\r\n]/.test(token)) sameLine = false;
    if (isComment && sameLine) found.lineEnd = scanner.getPosition();
  }
}
